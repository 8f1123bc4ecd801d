//! Profiles in the formats from before `profile.proto`, drawn: at least one for each branch of
//! their readers, and all such as `go tool pprof` reads too.

use pilotlight_core::legacy::Format;

const MAP: &str = "--- Memory map: ---\n  00400000-00500000: /bin/app\n  7f0000000000-7f0000010000: /lib/libc.so.6\n";

/// A file of each kind, with its name and format.
pub fn drawn() -> Vec<(&'static str, Format, Vec<u8>)> {
    let mut files: Vec<(&str, Format, Vec<u8>)> = Vec::new();
    let mut add = |name, format, text: String| files.push((name, format, text.into_bytes()));
    let heap = |header: &str, rows: &str| format!("heap profile: {header}\n{rows}");
    let rows = "  1:   64 [  3:  192] @ 0x400010 0x400020\n# a comment\n\n  2: 4096 [  2: 4096] @ 0x400010\n0: 0 [7: 700] @ 0x1\n";
    add(
        "heap v1",
        Format::Heap,
        heap(
            " 3: 4160 [ 3: 4160] @ heapprofile",
            "1: 64 [3: 192] @ 0x400010\n",
        ) + MAP,
    );
    add(
        "heap v2",
        Format::Heap,
        heap(
            "3: 4160 [3: 4160] @ heap_v2/1024",
            "1: 64 [1: 64] @ 0x400010 0x400020\n",
        ) + MAP,
    );
    add(
        "heapz v2",
        Format::Heap,
        heap("3: 4160 [12: 4988] @ heapz_v2/1024", rows) + MAP,
    );
    add(
        "heap of Go",
        Format::Heap,
        heap("3: 4160 [12: 4988] @ heap/1048576", rows) + "# runtime.MemStats\n# Alloc = 1\n",
    );
    add(
        "every allocation",
        Format::Heap,
        heap("3: 4160 [12: 4988] @ heap/2", rows),
    );
    add(
        "no rate",
        Format::Heap,
        heap("3: 4160 [12: 4988] @ heap_v2", rows),
    );
    add(
        "negative",
        Format::Heap,
        heap(
            "1: 2 [1: 2] @ heap_v2/512",
            "-3: -96 [1: 32] @ 0x5\nat 1 3: 96 [1: 32] @ 0x5 0X6\n",
        ),
    );
    add(
        "growth",
        Format::Heap,
        heap(
            "3: 4160 [12: 4988] @ growthz",
            "1: 64 [3: 192] @ 0x400010\n",
        ) + MAP,
    );
    add(
        "fragmentation",
        Format::Heap,
        heap(
            "3: 4160 [12: 4988] @ fragmentationz",
            "1: 64 [3: 192] @ 0x400010\n",
        ),
    );
    add(
        "mapped libraries",
        Format::Heap,
        heap(
            "1: 64 [1: 64] @ heapprofile",
            "1: 64 [1: 64] @ 0x400900 0x7f0000000500 0x401200\n\nMAPPED_LIBRARIES:\n",
        ) + "build=/usr/local\n\
               7f0000000000-7f0000001000 r-xp 00000000 08:01 7 /lib/libc.so.6\n\
               7f0000001000-7f0000002000 r-xp 00001000 08:01 7 /lib/libc.so.6\n\
               00401000-00402000 r-xp 00001000 08:01 8 $build/bin/app (deleted)\n\
               00600000-00601000 rw-p 00001000 08:01 8 /bin/app\n",
    );
    add(
        "goroutines",
        Format::Count,
        "# made by hand\n\ngoroutine profile: total 4\n3 @ 0x401001 0x402001\n#\t0x401000\tmain.work+0x1\t/a.go:3\n\n1 @ 0x402001\n"
            .to_owned(),
    );
    add(
        "threads made",
        Format::Count,
        format!("threadcreate profile: total 2\n2 @ 0x400001\n{MAP}"),
    );
    add(
        "threads",
        Format::Threads,
        "--- threadz 1 ---\n\n--- Thread 7f01 (name: main/1) stack: ---\n  PC: 0x00400010: leaf(int)\n  0x00400011: leaf\n  \
         0x00400021: main\n--- Thread 7f02 (name: w/o/2) stack: ---\n  [same as previous thread]\n\
         --- Thread 7f03 (name: idle/3) stack: ---\n  0x7f0000000010 0x400031\n"
            .to_owned() + MAP,
    );
    add(
        "no list",
        Format::Threads,
        format!("\n--- Thread 7f01 (name: main/1) stack: ---\n0x400010\n{MAP}"),
    );
    add(
        "no stacks",
        Format::Threads,
        "--- threadz 1 ---\n---- no stack trace for thread 1\n0x400010\n".to_owned(),
    );
    let cycles = "cycles/second = 3201000000\nsampling period = 100\nms since reset = 16502830\ndiscarded samples = 0\n";
    add(
        "contention",
        Format::Contention,
        format!("--- contentionz 1 ---\n{cycles}  19490304  27 @ 0x400010 0x400020\n{MAP}"),
    );
    add(
        "mutex",
        Format::Contention,
        "--- mutex:\ncycles/second=1000000000\nsampling period=0x5\n70 2 @ 0x5 0x6\n#\t0x4 f\n"
            .to_owned(),
    );
    add(
        "block",
        Format::Contention,
        "--- contention:\ncycles/second=2600000000\n\n70 2 @ 0x5 0x6\n71 3 @ 0x5\n".to_owned(),
    );
    add(
        "no cycles",
        Format::Contention,
        "--- contention:\n70 2 @ 0x5 0x6\n--- other ---\n5 5 @\n".to_owned(),
    );
    let symbols = "\n 0x03 com.example.Cart.add (Cart.java:13)\n 0x4 java.lang.Thread.run (Thread.java:-1)\n\
                   0x05 memcpy (/lib/x86/libc.so.6)\n0x06 generated stub/JIT\n0x07 GC (in) VM\n0x99 unused (A.java:1)\n";
    add(
        "heap of Java",
        Format::JavaHeap,
        format!(
            "--- heapz 1 ---\nformat = java\nresolution = bytes\n  4096 2 @ 0x03 0x04 0x08\n 70 1 @ 0x05 0x06 0x07\n{symbols}"
        ),
    );
    add(
        "contention of Java",
        Format::Contention,
        format!(
            "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 10\nms since reset = 9\n\
             14 1 @ 0x03 0x04\n 7 2 @ 0x05 0x00\n{symbols}"
        ),
    );
    for (name, width, big_endian) in [
        ("32 bit", 4, false),
        ("32 bit, big-endian", 4, true),
        ("64 bit", 8, false),
        ("64 bit, big-endian", 8, true),
    ] {
        let words = |numbers: &[u64]| words(numbers, width, big_endian);
        let native = [
            0, 3, 0, 10_000, 0, 5, 2, 0x40_0010, 0x40_0021, 1, 3, 0x40_0030, 0x40_0031, 0x40_0021,
            2, 1, 9, 0, 1, 0,
        ];
        files.push((
            name,
            Format::Cpu,
            [words(&native), MAP.as_bytes().to_vec()].concat(),
        ));
        let java = [0, 3, 1, 10_000, 0, 5, 2, 3, 4, 1, 1, 7, 0, 1, 0];
        files.push((
            name,
            Format::Cpu,
            [words(&java), symbols.as_bytes().to_vec()].concat(),
        ));
    }
    // The signal handler's two frames, below all leaves but one.
    let mut handled = vec![0, 3, 0, 1, 0];
    for i in 0..64 {
        let frames = if i == 7 {
            [0x1, 0x2, 0x3, 0x4]
        } else {
            [0x100 + i, 0x201, 0x301, 0x401]
        };
        handled.extend([1, 4].into_iter().chain(frames));
    }
    files.push((
        "the handler's frames",
        Format::Cpu,
        words(&handled, 8, false),
    ));
    files
}

/// Numbers as words of a width, as a binary CPU profile has them.
pub fn words(numbers: &[u64], width: usize, big_endian: bool) -> Vec<u8> {
    let word = |n: &u64| {
        if big_endian {
            n.to_be_bytes()[8 - width..].to_vec()
        } else {
            n.to_le_bytes()[..width].to_vec()
        }
    };
    numbers.iter().flat_map(word).collect()
}
