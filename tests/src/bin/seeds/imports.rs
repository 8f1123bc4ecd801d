//! Small files of formats that people open, one of each kind of reader.

use crate::{Seeds, named};

/// A trace that a script of the golden texts made.
macro_rules! made {
    ($name:literal) => {
        include_bytes!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/golden/imports/made/",
            $name
        ))
        .to_vec()
    };
}

pub(super) fn imports() -> Seeds {
    let call = |name: &str| {
        format!(
            r#"{{"functionName":"{name}","scriptId":"1","url":"app.js","lineNumber":3,"columnNumber":5}}"#
        )
    };
    let [root, a, b] = ["(root)", "a", "b"].map(call);
    let cpu = format!(
        r#"{{"nodes":[{{"id":1,"callFrame":{root},"hitCount":0,"children":[2]}},{{"id":2,"callFrame":{a},"hitCount":1,"children":[3]}},{{"id":3,"callFrame":{b},"hitCount":2}}],
"startTime":100,"endTime":400,"samples":[2,3,3],"timeDeltas":[10,20,-5]}}"#
    );
    let heap = format!(
        r#"{{"head":{{"callFrame":{root},"selfSize":0,"id":1,"children":[{{"callFrame":{a},"selfSize":32,"id":2,"children":[]}}]}},"samples":[]}}"#
    );
    named([
        ("cpuprofile", cpu.into_bytes()),
        ("heapprofile", heap.into_bytes()),
        (
            "trace",
            br#"[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},{"ph":"B","name":"a","pid":1,"tid":2,"ts":10},
{"ph":"X","name":"b","pid":1,"tid":2,"ts":"12.5","dur":3},{"ph":"E","pid":1,"tid":2,"ts":20},"#
                .to_vec(),
        ),
        (
            "processed",
            br#"{"meta":{"interval":1,"preprocessedProfileVersion":3,"processType":0,"startTime":1},"libs":[],"threads":[{"name":"main","pid":1,"tid":2,
"samples":{"stack":[0,1,null],"time":[1,2,3],"length":3},"stackTable":{"frame":[0,1],"prefix":[null,0],"length":2},
"frameTable":{"func":[0,1],"address":[-1,16],"line":[null,7],"category":[0,0],"length":2},"funcTable":{"name":[0,1],"resource":[-1,-1],"fileName":[null,null],"length":2},
"resourceTable":{"lib":[],"length":0},"stringArray":["a","b"]}]}"#
                .to_vec(),
        ),
        ("slabs", b"\xdc\xdfJSLB\x01\0\x01\0\0\0\x02\0\0\0\0\0\0\0\x0a\0\0\x004\0\0\0\xf5\0\0\0\x04\0\0\0,\0\0\0\x08\0\0\0\xff\xff\xff\xff\0\0\0\0{\"meta\":{\"interval\":1,\"preprocessedProfileVersion\":70},\"shared\":{\"stackTable\":{\"prefix\":{\"$s\":1},\"frame\":[0,1]},\"frameTable\":{\"func\":[0,1]},\"funcTable\":{\"name\":[0,1]},\"stringArray\":[\"a\",\"b\"]},\"threads\":[{\"samples\":{\"stack\":[0,1],\"time\":[1,2]}}]}".to_vec()),
        (
            "flamebearer",
            br#"{"flamebearer":{"names":["total","a","b"],"levels":[[0,9,0,0],[0,9,4,1],[0,5,5,2]],"numTicks":9,"maxSelf":5},"metadata":{"format":"single","units":"samples"}}"#
                .to_vec(),
        ),
        (
            "stackprof",
            br#"{"version":1.2,"mode":"cpu","interval":1000,"samples":3,"frames":{"7":{"name":"a","file":"a.rb","line":1},"8":{"name":"b"}},"raw":[2,7,8,2,1,7,1]}"#
                .to_vec(),
        ),
        (
            "stackprof-dump",
            b"\x04\x08{\x0b:\x09mode:\x09wall:\x0dintervali\x0f:\x0csamplesi\x07:\x0bframes{\x07l+\x08\x01\0\0\0\0\x7f{\x07:\x09nameI\"\x06f\x06:\x06ET:\x09file\"\x06ai\x0c{\x07;\x0a\"\x06g;\x0c@\x0a:\x08raw[\x09i\x07l+\x08\x01\0\0\0\0\x7fi\x0ci\x07:\x0dmetadata}\x060f\x081.5F".to_vec(),
        ),
        (
            "react",
            br#"{"version":5,"dataForRoots":[{"commitData":[{"fiberSelfDurations":[[2,1.5],[3,0.5]],"timestamp":7.5}],"operations":[[1,1,2,1,66,1,3,5,2,0,1,0,0,4,3,9,12,1,3,1,2,1,0]],"snapshots":[[2,{"id":2,"children":[],"displayName":"A","type":5,"hocDisplayNames":["M"]}]]}]}"#
                .to_vec(),
        ),
        (
            "pstats",
            b"{\xa9\x03\xfa\x01a\xe9\x01\0\0\0\xda\x01f)\x05r\x02\0\0\0r\x02\0\0\0g\0\0\0\0\0\0\xe0?g\0\0\0\0\0\0\xe8?{r\0\0\0\0i\x07\0\0\0\x30\x30".to_vec(),
        ),
        (
            "pyinstrument",
            br#"{"duration":2,"sample_count":2,"root_frame":{"function":"f","file_path":"a","line_no":1,"time":0.5,"children":[{"function":"[self]","time":0.1,"children":[]},{"function":"g","time":0.2,"class_name":"C"}]}}"#
                .to_vec(),
        ),
        (
            "java-threads",
            b"Full thread dump X\n\n\"a\" #1 prio=5 tid=0x1 nid=0x2 runnable [0x3]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B$$L/0x1.c(java.base@17/B.java:5)\n\t- locked <0x1>\n\n".to_vec(),
        ),
        (
            "backtraces",
            b"Thread 2 (Thread 0x7f (LWP 12) \"a\"):\n#0  0x1 in f (s=0x5 \"(\\\"\",\n    n=1) at t.c:8\n#1  0x2 in ?? () from /x.so\n* thread #1, name = 'a'\n  * frame #0: 0x1 a.out`f(x=1) at a.c:5:7 [opt]\n".to_vec(),
        ),
        (
            "macos-sample",
            b"Analysis of sampling a (pid 7) every 1 millisecond\nCall graph:\n    9 Thread_1   DispatchQueue_1: q  (serial)\n    + 8 f  (in a) + 1,2,...  [0x1,0x2]  a.c:5\n    + ! 7 ???  (in b)  load address 0x1 + 0x28  [0x29]\n".to_vec(),
        ),
        (
            "massif",
            b"desc: x\ncmd: ./m\ntime_unit: i\nmem_heap_B=159\nheap_tree=peak\nn1: 159 (heap) malloc\n n1: 150 0x10: a (m.c:4)\n  n0: 99 0x20: main (in /m)\n#-\n".to_vec(),
        ),
        (
            "heaptrack",
            b"v 10400 3\nX m\ns 6 /bin/m\ns 1 f\ns 3 m.c\ni a0 1 2 3 7 2 3 9\nt 1 0\nt 1 1\na 10 2\n+ 0\na 8 1\n+ 1\n- 0\n".to_vec(),
        ),
        (
            "svg",
            b"<svg>\n<!-- https://github.com/brendangregg/FlameGraph -->\n<title>all (9 samples, 100%)</title><rect x=\"1.5\" y=\"9\" />\n<title>f&amp; (a.py:5) (4 samples, 1%)</title><rect x=\"0%\" y=\"5\" fg:x=\"0\"/>\n".to_vec(),
        ),
        (
            "async-profiler",
            b"<html>async-profiler\n\tfunction f(key) {\n\tfunction u(key, width\nconst cpool = [\n'all',\n' a.b',\n'!\\'c'\n];\nf(3,0,0,9)\nu(8,4)\nn(16)\n".to_vec(),
        ),
        (
            "rprof",
            b"line profiling: sample.interval=20\n#File 1: a.R\n1#3 \"f\" 1#5 \"g\" \n\"g\" \n".to_vec(),
        ),
        (
            "bpftrace",
            b"@[\n    f+200\n    g+0x1f\n]: 12\n@b[comm,\n\tffffff k+1 (vm)\n, bash]: 4\n".to_vec(),
        ),
        (
            "xdebug",
            b"Version: 3.2.0\nFile format: 4\nTRACE START [2026]\n1\t0\t0\t0.5\t9\t{main}\t1\t\t/w\t0\t0\n2\t1\t0\t0.6\t8\tf\t0\t\t/w\t7\t0\n2\t1\t1\t0.7\t5\n\t\t\t0.8\t9\n".to_vec(),
        ),
        (
            "perf-report",
            b"# Samples: 6  of event 'cycles'\n# Event count (approx.): 1000\n# Children      Self  Command  Symbol\n# ........  ........  .......  ......\n   99.38%    90.45%  w        [.] f\n            |          \n            |--90.45%--a\n            |          f\n            |          \n             --8.93%--f\n                       b\n\n9.55% f;c\n     9.55%     9.55%  w        [.] g\n            |\n            ---g\n               f\n".to_vec(),
        ),
        (
            "vtune",
            b"Function Stack,CPU Time:Self,Module\nTotal,0.0,[Unknown]\n main,0.5,a\n  \"f<a, \"\"b>\",0.01,\"c\"\n".to_vec(),
        ),
        (
            "vtune-callers",
            b"Function;Function Stack;CPU Time;Module\nf;;3;t\n;a;1;t\n;main;0;t\n;;;\n;b;1.5;t\n".to_vec(),
        ),
        (
            "xhprof",
            br#"{"main()==>f":{"ct":2,"wt":60,"mu":-8},"f==>f@1":{"ct":3,"wt":25},"main()":{"ct":1,"wt":99}}"#.to_vec(),
        ),
        (
            "gprof2dot",
            br#"{"costs":[{"description":"Memory","unit":"bytes"}],"events":[{"callchain":[1,0],"cost":[7]}],"functions":[{"module":"a","name":"b"},{"name":"c"}]}"#.to_vec(),
        ),
        (
            "perf-script",
            b"node 12/13 [001] 4.567890:  250000 cpu-clock:pppH: \n\t    7f00 work+0x1f (/usr/bin/node)\n\t    7e00 [unknown] ([kernel.kallsyms])\n\nnode 12 4.667890: cycles: \n\t 10 main (/a)\n\n"
                .to_vec(),
        ),
        (
            "callgrind",
            b"# callgrind format\nevents: Ir Dr\nfl=(1) a.c\nfn=(1) main\n1 10 2\ncfn=(2) work\ncalls=2 7\n+3 30 4\nfn=(2)\n7 30 4\n".to_vec(),
        ),
        (
            "goroutines",
            b"goroutine 1 [chan receive, 5 minutes]:\nmain.wait(0x1)\n\t/a/main.go:7 +0x1f\nmain.main()\n\t/a/main.go:3\n\ngoroutine 7 [running]:\n\tgoroutine running on other thread\n".to_vec(),
        ),
        ("perfetto-cpu", made!("cpu.pftrace")),
        ("perfetto-chrome", made!("chrome.pftrace")),
        ("perfetto-heap", made!("heap.pftrace")),
        ("perfetto-python", made!("python.pftrace")),
        ("perf-data", recording()),
        ("two-counts", b"main;a 1 2\nmain;b 3 4\n".to_vec()),
        (
            "austin",
            b"# austin: 3.7.0\n# mode: wall\nP1;T0:2;/a/app.py:main:3;/a/app.py:work:7 100\n".to_vec(),
        ),
        (
            "ghc",
            b"\tTime and Allocation Profiling Report  (Final)\n\nCOST CENTRE MODULE SRC no. entries %time %alloc %time %alloc\n\nMAIN MAIN <built-in> 1 0 0.0 0.0 100.0 100.0\n main Main a.hs:1:1 2 1 50.0 10.0 50.0 10.0\n".to_vec(),
        ),
    ])
}

/// A recording of perf from a pipe: an event with id 7, a file in memory, a sample.
fn recording() -> Vec<u8> {
    let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let record = |kind: u64, misc: u64, body: Vec<u8>| {
        let head = kind | misc << 32 | (8 + body.len() as u64) << 48;
        [head.to_le_bytes().to_vec(), body].concat()
    };
    // Number, address, thread, time, period and stack.
    let held = 1 << 16 | 1 | 1 << 1 | 1 << 2 | 1 << 8 | 1 << 5;
    let event = [48 << 32, 0, 4000, held, 0, 1 << 10 | 1 << 18, 7];
    let thread = 6 | 6 << 32;
    let name = u64::from_le_bytes(*b"/lib/a\0\0");
    [
        b"PERFILE2".to_vec(),
        words(&[16]),
        record(64, 0, words(&event)),
        record(
            1,
            2,
            words(&[thread, 0x7000, 0x1000, 0x2000, name, thread, 0, 7]),
        ),
        record(
            3,
            0,
            words(&[thread, u64::from_le_bytes(*b"main\0\0\0\0"), thread, 0, 7]),
        ),
        record(
            9,
            2,
            words(&[7, 0x7010, thread, 5, 100, 3, -512i64 as u64, 0x7010, 0x7021]),
        ),
    ]
    .concat()
}
