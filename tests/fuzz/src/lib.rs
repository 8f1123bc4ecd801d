//! What the targets partition.

use std::alloc::{GlobalAlloc, Layout, System};

use pilotlight_core::pprof::{decode, encode, encode_gzip, open};
use pilotlight_core::{Profile, canonical};

/// Room for what libFuzzer makes (4 kB, or as large as the largest seed) after inflation.
pub const CAP: usize = 1 << 20;

/// Most bytes of one allocation. Inputs have 24 kB, or [`CAP`] after inflation; of those, rows of
/// tables make a few times as many. More means that a length in the input was believed.
const MAX_ALLOCATION: usize = 64 * CAP;

/// libFuzzer's own `-malloc_limit_mb` needs a sanitizer's hooks, which are not there on a stable
/// compiler.
struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

impl Limited {
    fn check(size: usize) {
        assert!(size <= MAX_ALLOCATION, "{size} bytes are asked for at once");
    }
}

// SAFETY: all is left to the system's allocator; a size beyond the limit ends the process, since a panic aborts here.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::check(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::check(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::check(size);
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        unsafe { System.dealloc(old, layout) }
    }
}

/// Written and read again, a profile is the same; in canonical order, to the byte.
pub fn round_trips(profile: &Profile) {
    let again = decode(&encode(profile)).expect("what we write we read");
    assert_eq!(again.warnings, Vec::<String>::new());
    let once = canonical(profile);
    assert_eq!(canonical(&again.profile), once);
    assert_eq!(canonical(&once), once);
    let bytes = encode(&once);
    let inflated = open(&encode_gzip(&once), usize::MAX).expect("our own gzip").profile;
    assert_eq!(encode(&inflated), bytes);
}
