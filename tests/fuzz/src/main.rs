//! libFuzzer on the target that FUZZ_TARGET names.
#![no_main]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pilotlight_fuzz::{MAX_ALLOCATED, TARGETS, Target};

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    match TARGETS.iter().find(|(target, _)| *target == name) {
        Some((_, target)) => *target,
        None => {
            eprintln!(
                "FUZZ_TARGET: unknown target {name:?}; choose from {:?}",
                TARGETS.map(|(name, _)| name)
            );
            std::process::exit(2);
        }
    }
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));

/// Ends the process at one large allocation. libFuzzer's own `-malloc_limit_mb` needs a sanitizer's hooks, which a stable
/// compiler does not have.
struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

impl Limited {
    fn check(size: usize) {
        assert!(
            size <= MAX_ALLOCATED,
            "one allocation of {size} bytes, of at most {MAX_ALLOCATED}"
        );
    }
}

// SAFETY: all is left to the system's allocator; a size beyond the limit ends the process, since a panic aborts here.
#[allow(
    unsafe_code,
    reason = "an allocator cannot be written without it; it only passes on what it is given"
)]
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
