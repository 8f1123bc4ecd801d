//! Lines of other programs among those of each text format: samples stay what they are, and a note
//! says what was left out.

use super::drawn;
use crate::formats::start::Start;
use crate::imports::FORMATS;

/// Lines that programs print between.
const FOREIGN: [&str; 5] = [
    "warning: something odd happened",
    "2026-11-28 12:00:00 INFO hello world",
    "[main] 12.700000: GC pause 5 ms:",
    "Killed",
    "[12345.678] systemd: stopped",
];

/// A format, a file of it, and its lines before which a foreign line is no damage and says nothing,
/// counted from 0: anything may stand there.
const FILES: &[(&str, &str, &[usize])] = &[
    (
        "callgrind",
        "# callgrind format\nversion: 1\ncreator: x\npid: 1\ncmd: ./a b=c\npart: 1\ndesc: I1 cache: 32\n\n\
         positions: line\nevents: Ir Dr\nsummary: 31 3\n\nob=(1) /x\nfl=(1) a.c\nfn=(1) main\n16 20 1\ncfi=(2) b.c\n\
         cfn=(2) f\ncalls=1 2\n+1 11 2\njump=1 +2\n* 3\n\nfn=(2)\n-1 11\n\ntotals: 31 3\n",
        &[],
    ),
    (
        "goroutine dump",
        "panic: no\n[signal 11]\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/a.go:12 +0x1d\nmain.main()\n\t/a.go:5\n\n\
         goroutine 7 [select, 5 minutes]:\nmain.g(...)\n\t/a.go:7\ncreated by main.main in goroutine 1\n\t/a.go:4\n\n",
        &[0, 1, 2, 3],
    ),
    (
        "debugger backtraces",
        "[New LWP 12]\n\nThread 2 (LWP 12):\n#0  0x1 in f (s=0x5 \"(\",\n    n=1)\n    at t.c:8\n        x = (1\n\
         No locals.\n#1  0x2 in ?? () from /x.so\n\nThread 1 (LWP 11):\n#0  0x3 in g ()\n    at a.c:5\n#1  main () at a.c:9\n\n",
        &[0, 1, 2, 10, 15],
    ),
    (
        "debugger backtraces",
        "Process 7 stopped\n* thread #1, name = 'a'\n    frame #0: 0x1 a`f\n\n(lldb) bt all\n\
         * thread #1, name = 'a'\n  * frame #0: 0x1 a`f\n    frame #1: 0x2 a`h() [inlined] g(x=1) at a.c:5:7\n\
         \x20 thread #2\n    frame #0: 0x2 a`g\n    frame #1: 0x3 a`main + 4\n",
        &[0, 1, 2, 3, 4, 5],
    ),
    (
        "GHC profile (text)",
        "\tx Time and Allocation Profiling Report\n\n\ttotal time  =  0.80 secs   (8 ticks @ 1 us)\n\
         \ttotal alloc = 1,000 bytes\n\nCOST CENTRE MODULE SRC no. entries %time ticks\n\n\
         MAIN MAIN <built-in> 1 2 0.0 1.0 0.0 1.0 3 4\n f A a.hs:17:1 2 7 2.0 0.0 2.0 0.0 5 6\n",
        &[0, 1, 2, 3, 4, 5],
    ),
    (
        "Instruments deep copy",
        "Weight\tSelf Weight\tSymbol Names\n4.93 s  100.0%\t0 s\t start\n2.4 s  0.0%\t846.00 ms\t  f\n",
        &[],
    ),
    (
        "pmcstat call graph",
        "@ e [10 samples]\n\n60.00%  [6]  a @ /k/z\n 100.0%  [5]   b\n4%  [4]  c\n@ g [3 samples]\n\n100%  [3]  a\n",
        &[],
    ),
    (
        "perf script",
        "a 1 1.5: 3 c:\n\t 40052d f (/x)\n\t 40066b g (/x)\n\na 2 1.6: 4 c:\n\t 40066b g (/x)\n\n",
        &[],
    ),
    (
        "Austin",
        "# austin: 3.7.0\n# mode: full\n\nP1;T0:2;/a.py:f:3;:GC: 5,0,-6\nP1;T2;m:f:3 7,1,0\n",
        &[],
    ),
    (
        "folded stacks with two counts",
        "a;b 1 2\na;c 3 4\na;b 5 6\n",
        &[],
    ),
    (
        "bpftrace stacks",
        "Attaching 2 probes...\n@[\n    f+1\n    main+2\n]: 12\n@k[comm,\n    g\n,\n    h\n, bash, 7]: 3\n",
        &[0, 1, 5, 10],
    ),
    (
        "bcc stacks",
        "Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.\n\n    f\n    --\n    main\n\
         \x20   -                bash (8)\n        3\n\n",
        &[],
    ),
    (
        "R profile (Rprof)",
        "memory profiling: line profiling: sample.interval=10\n#File 1: a.R\n:1:2:3:0:1#3 \"f\" 1#5 \"g\" \n\"g\" \n",
        &[],
    ),
    (
        "massif profile",
        "desc: (none)\ncmd: ./m\ntime_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=7\nmem_heap_B=159\n\
         heap_tree=peak\nn2: 159 (heap allocation functions) malloc\n n1: 150 0x10: a (m.c:4)\n  n0: 150 0x20: main (m.c:7)\n\
         \x20n0: 9 in 3 places, all below massif's threshold (1.00%)\n#-----------\nsnapshot=1\nheap_tree=empty\n",
        &[],
    ),
    (
        "Xdebug trace",
        "Version: 3.2.0\nFile format: 4\nTRACE START [2026-01-01 00:00:00.5]\n\
         1\t0\t0\t0.5\t1000\t{main}\t1\t\t/w.php\t0\t0\n2\t1\t0\t0.6\t1100\tA->f\t0\t\t/w.php\t7\t0\n\
         2\t1\t1\t0.7\t1300\n2\t1\tR\t\t\t5\n\t\t\t0.8\t9\nTRACE END   [2026-01-01 00:00:01]\n",
        &[],
    ),
    (
        "perf report",
        "# Samples: 6  of event 'cycles'\n# Event count (approx.): 1000\n#\n# Overhead  Command  Symbol\n\
         # ........  .......  ......\n#\n    90.45%  w        [.] f\n            |\n            ---f\n\
         \x20              |          \n               |--60.34%--a\n               |          main\n\
         \x20              |          \n                --30.11%--b\n\n     9.55%  w        [.] g\n9.55% g;c\n\n#\n",
        &[],
    ),
    (
        "VTune report",
        "Function Stack,CPU Time:Self,Module\nTotal,0.0,[Unknown]\n main,0.5,a\n  f,0.01,c\n main,0.25,a\n",
        &[],
    ),
    (
        "Visual Studio profiler report",
        "Level,Function Name,Inclusive Samples,Exclusive Samples,Module Name,\n0,\"a.exe\",\"8,735\",0,\"\",\n1,\"main\",\"8,735\",1,\"a.exe\",\n",
        &[],
    ),
    (
        "heaptrack recording",
        "v 10400 3\nX ./m\nI 1000 5e298d\ns 4 main\ns 1 f\ni a0 0 1\nt 1 0\ni b0 0 2\nt 2 1\na 10 2\n+ 0\nc 5\n+ 0\n- 0\nA\n",
        &[],
    ),
];

#[test]
fn foreign_lines_change_no_sample_and_are_noted() {
    for &(name, file, silent) in FILES {
        let format = FORMATS.iter().find(|format| format.name == name);
        let format = format.expect("in the table");
        let whole = (format.decode)(file.as_bytes()).expect("good");
        let lines: Vec<&str> = file.lines().collect();
        for foreign in FOREIGN {
            for at in 0..=lines.len() {
                let mut text = lines.clone();
                text.insert(at, foreign);
                let text = text.join("\n");
                let decoded =
                    (format.decode)(text.as_bytes()).unwrap_or_else(|e| panic!("{text}\n{e}"));
                assert_eq!(drawn(&decoded.profile), drawn(&whole.profile), "{text}");
                let noted = decoded.warnings.len() - whole.warnings.len();
                assert_eq!(
                    noted,
                    usize::from(!silent.contains(&at)),
                    "{name}, line {at}: {text}"
                );
                assert!((format.sniff)(Start::of(text.as_bytes())), "{text}");
                let sent_on = matches!(
                    crate::open(text.as_bytes(), 1 << 20),
                    Err(crate::OpenError::Unsupported(
                        crate::UnsupportedFormat::Imported(_)
                    ))
                );
                assert!(sent_on, "{text}");
            }
        }
    }
}
