//! What Rust allocates on a test's own thread, counted by the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that is ending may still free.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now.get())));
    });
}

#[allow(
    unsafe_code,
    reason = "an allocator cannot be written without it; it only passes on what it is given"
)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What work allocated: at most at once, and what its result still holds.
pub(crate) struct Used {
    pub(crate) peak: usize,
    pub(crate) kept: usize,
}

pub(crate) fn measure<T>(work: impl FnOnce() -> T) -> (Used, T) {
    let before = NOW.get();
    PEAK.set(before);
    let result = work();
    let bytes = |count: isize| usize::try_from(count - before).unwrap_or(0);
    (
        Used {
            peak: bytes(PEAK.get()),
            kept: bytes(NOW.get()),
        },
        result,
    )
}
