//! Frames of the profiler itself, as regular expressions in the header. They are for the viewer to
//! apply; nothing is dropped here. The names are those that `go tool pprof` writes for the same
//! profiles, so that profiles converted by it merge with ours without a difference.

use crate::model::builder::ProfileBuilder;
use crate::model::id::StringId;

/// Entry points of allocators.
const ALLOCATORS: &[&str] = &[
    // POSIX.
    "calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|pvalloc|valloc|realloc",
    // gperftools.
    "tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|tc_free|tc_memalign|tc_posix_memalign|tc_pvalloc|tc_valloc|tc_realloc",
    "tc_new|tc_delete|tc_newarray|tc_deletearray|tc_new_nothrow|tc_newarray_nothrow",
    // macOS.
    "malloc_zone_malloc|malloc_zone_calloc|malloc_zone_valloc|malloc_zone_realloc|malloc_zone_memalign|malloc_zone_free",
    // Go.
    r"runtime\..*",
    // C++ and others.
    "BaseArena::.*|(::)?do_malloc_no_errno|(::)?do_malloc_pages|(::)?do_malloc|DoSampledAllocation",
    "MallocedMemBlock::MallocedMemBlock|_M_allocate|__builtin_(vec_)?delete|__builtin_(vec_)?new",
    "__gnu_cxx::new_allocator::allocate|__libc_malloc|__malloc_alloc_template::allocate|allocate|cpp_alloc",
    r"operator new(\[\])?|simple_alloc::allocate",
];

/// Frames of Go's runtime that callers stand behind.
const KEPT: &[&str] = &[r"runtime\.panic|runtime\.reflectcall|runtime\.call[0-9]*"];

/// The signal handler of the CPU profiler.
const CPU_PROFILER: &[&str] = &[
    "ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|__pthread_sighandler|__restore",
];

/// Locks that note who waited.
const LOCKS: &[&str] = &[
    "RecordLockProfileData|(base::)?RecordLockProfileData.*|(base::)?SubmitMutexProfileData.*",
    "(base::)?SubmitSpinLockProfileData.*|(base::Mutex::)?AwaitCommon.*|(base::Mutex::)?Unlock.*",
    "(base::Mutex::)?UnlockSlow.*|(base::Mutex::)?ReaderUnlock.*|(base::MutexLock::)?~MutexLock.*",
    "(Mutex::)?AwaitCommon.*|(Mutex::)?Unlock.*|(Mutex::)?UnlockSlow.*|(Mutex::)?ReaderUnlock.*",
    "(MutexLock::)?~MutexLock.*|(SpinLock::)?Unlock.*|(SpinLock::)?SlowUnlock.*|(SpinLockHolder::)?~SpinLockHolder.*",
];

/// Fills in what to drop and what to keep; the kinds of the sample types decide.
pub(super) fn add(builder: &mut ProfileBuilder) {
    let profile = builder.profile();
    let kinds: Vec<&str> = profile
        .sample_types()
        .iter()
        .map(|t| profile.text(t.kind))
        .collect();
    let (drop, keep) = match kinds[..] {
        ["objects", "space"]
        | ["inuse_objects", "inuse_space"]
        | [
            "alloc_objects",
            "alloc_space",
            "inuse_objects",
            "inuse_space",
        ] => (ALLOCATORS, KEPT),
        ["contentions", "delay"] => (LOCKS, &[][..]),
        _ => (CPU_PROFILER, &[][..]),
    };
    let mut regex = |parts: &[&str]| {
        if parts.is_empty() {
            StringId::EMPTY
        } else {
            builder.string(&parts.join("|"))
        }
    };
    let (drop, keep) = (regex(drop), regex(keep));
    let header = builder.header();
    (header.drop_frames, header.keep_frames) = (drop, keep);
}
