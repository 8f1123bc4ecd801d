//! Small files of each format, cut off and changed at every byte.

use crate::imports::{FORMATS, open};

/// A file of each JSON format, and its name.
const JSON: &[(&str, &str)] = &[
    (
        "Firefox profile",
        r#"{"meta":{"interval":1,"startTime":9,"categories":[{"name":"JS"}]},"libs":[{"path":"x"}],
        "threads":[{"samples":{"stack":[1,null],"timeDeltas":[1,2],"weight":[1,2]},"stackTable":{
        "prefix":[null,0],"frame":[0,1]},"frameTable":{"func":[0,1],"address":[5,5],"inlineDepth":
        [0,1],"category":[0,0]},"funcTable":{"name":[0,1],"resource":[0,0]},"resourceTable":{"lib":
        [0]},"stringArray":["0x5","b"]}]}"#,
    ),
    (
        "Firefox profile",
        r#"{"meta":{"interval":1,"startTime":9},"libs":"[{\"name\":\"x\",\"start\":1,\"end\":99}]",
        "threads":[{"samples":{"schema":{"stack":0,"time":1},"data":[[1,2],[0,3]]},"stackTable":{
        "schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]},"frameTable":{"schema":{"location":
        0},"data":[[0],[1]]},"stringTable":["0x9","f (a.js:1:2)"]}]}"#,
    ),
    (
        "DHAT profile",
        r#"{"dhatFileVersion":2,"mode":"heap","bklt":true,"tu":"µs","te":1,"pps":[{"tb":1,"tbk":1,
        "fs":[1,0]}],"ftbl":["0x1: f (a.c:1)","g (in x)"]}"#,
    ),
    (
        "flamebearer",
        r#"{"flamebearer":{"names":["total","a"],"levels":[[0,2,0,0],[0,1,1,1,0,1,1,0]]},
        "metadata":{"format":"single","sampleRate":100,"units":"samples","name":"cpu"}}"#,
    ),
    (
        "GHC profile",
        r#"{"rts_arguments":[],"tick_interval":1,"cost_centres":[{"id":1,"label":"f","module":"M",
        "src_loc":"a.hs:(1,2)-(3,4)"}],"profile":{"id":1,"ticks":1,"children":[{"id":1,"alloc":1}]}}"#,
    ),
    (
        "OTLP profile",
        r#"{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1},
        "samples":[{"stackIndex":1,"values":["3"],"timestampsUnixNano":["5"]}]}]}]}],"dictionary":{
        "stringTable":["","a"],"functionTable":[{},{"nameStrindex":1}],"locationTable":[{},{"lines":
        [{"functionIndex":1}]}],"stackTable":[{},{"locationIndices":[1]}]}}"#,
    ),
    (
        "pyinstrument profile",
        r#"{"start_time":1.5,"duration":2,"sample_count":2,"root_frame":{"function":"f","file_path":
        "a","line_no":1,"time":0.5,"children":[{"function":"[self]","time":0.1,"children":[]},
        {"function":"g","time":0.2,"class_name":"C"}]}}"#,
    ),
    (
        "pyinstrument profile",
        r#"{"duration":2,"sample_count":2,"start_call_stack":[],"frame_records":[[["a\u0000<thread>",
        "f\u0000b\u00001\u0001l2\u0001cC"],0.5]]}"#,
    ),
    (
        "Java thread dump",
        r#"{"threadDump":{"threadContainers":[{"threads":[{"name":"a","state":"R","stack":[
        "b\/c.D(e:1)"]}]}]}}"#,
    ),
    (
        "gprof2dot JSON",
        r#"{"version":0,"costs":[{"description":"Memory","unit":"bytes"}],"events":[{"callchain":[1,0],
        "cost":[7]},{"callchain":[],"cost":[]}],"functions":[{"module":"a","name":"b"},{"name":"c"}]}"#,
    ),
    (
        "scalene profile",
        r#"{"alloc_samples":0,"args":["p"],"stacks":[[["a f:13;","b g:1;"],{"count":2,"c_time":0.25,
        "python_time":0.125}],[["c"],3]]}"#,
    ),
    (
        "xhprof profile",
        r#"{"main()==>f":{"ct":2,"wt":60,"mu":-8},"f==>f@1":{"ct":3,"wt":25},"main()":{"ct":1,"wt":99}}"#,
    ),
    (
        "Safari recording",
        r#"{"recording":{"displayName":"a","startTime":1,"endTime":2,"sampleStackTraces":[{
        "timestamp":1,"stackFrames":[{"name":"a","url":"b","line":1,"column":2}]}],
        "sampleDurations":[0.5]}}"#,
    ),
    (
        "React profile",
        r#"{"version":5,"dataForRoots":[{"commitData":[{"fiberSelfDurations":[[2,1.5],[3,0.5]],
        "timestamp":7.5}],"displayName":"A","operations":[[1,1,2,1,66,1,3,5,2,0,1,0,0,4,3,9,12,1,3,1,2,
        1,0]],"rootID":1,"snapshots":[[2,{"id":2,"children":[],"displayName":"A","type":5,
        "hocDisplayNames":["M"]}]]}]}"#,
    ),
    (
        "stackprof profile",
        r#"{"mode":"wall","interval":9,"samples":2,"frames":{"5":{"name":"f","line":1}},
        "raw":[1,5,2],"raw_lines":[1,3,2],"raw_timestamp_deltas":[1,2]}"#,
    ),
];

#[test]
fn each_is_told_by_its_content_and_no_damage_panics() {
    for (name, text) in JSON {
        let opened = open(text.as_bytes(), 1 << 20).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(opened.format, Some(*name));
        assert!(!opened.decoded.profile.is_empty(), "{name}");
        let format = FORMATS.iter().find(|format| format.name == *name);
        let decode = format.expect("in the table").decode;
        for at in 0..text.len() {
            let _ = decode(&text.as_bytes()[..at]);
            for change in [0x01, 0x0c, 0x10, 0x80] {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] ^= change;
                let _ = decode(&bytes);
            }
        }
    }
}

/// A file of each format that is read from texts or records.
const RECORDS: &[&[u8]] = &[
    b"a b 7/9 [001] 1.5:  25 cycles:u: \n\t 10 leaf+0x1 (/bin/a b)\n 5 in (inlined)\n\t 20 [unknown] (/x)\n\nb 1 2.5: x:\n",
    b"# callgrind format\npositions: instr line\nevents: T_(10ns) B\nob=(1) /x\nfl=(1) a\nfn=(1) m\n0x1 16 20 1\ncfi=(2) b\ncfn=(2) f\ncalls=1 2 50\n+1 16 300\ncfn=(1)\ncalls=1 1 1\n* * 3\nfn=(2)\n+3 -1 200\n",
    b"panic: x\n\ngoroutine 1 [select, 5 minutes]:\nm.(*T).f(0x1)\n\t/a.go:12 +0x1d\ncreated by m.g in goroutine 3\n\t/a.go:1 +0x2\n\ngoroutine 2 [idle]:\nm.h()\n",
    b"Weight\tSelf Weight\tSymbol Names\n4.93 s  100.0%\t0 s\t start\n2.4 s  0.0%\t846.00 ms\t  f\n",
    b"@ e [10 samples]\n\n60.00%  [6]  a @ /k/z\n 100.0%  [5]   b\n4%  [4]  c\n",
    b"a;b 1 2\na;c 3 4\n",
    b"\tx Time and Allocation Profiling Report\n\ttotal time  =  0.80 secs   (8 ticks @ 1 us)\n\ttotal alloc = 1,000 bytes\nCOST CENTRE MODULE SRC no. entries %time ticks\nMAIN MAIN <built-in> 1 2 0.0 1.0 0.0 1.0 3 4\n f A a.hs:17:1 2 7 2.0 0.0 2.0 0.0 5 6\n",
    b"HCAT\x01\0\0\0\x03\x0f\0\0\0\0\0\0\0\0\0\0\xf4\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x51\0\0\0\0\0\0\0\x53\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0\x01\x64\x03\x01\0\x01f\0\0\x0a\0\x08\0\xff\x01\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"\xdc\xdfJSLB\x01\0\x01\0\0\0\x02\0\0\0\0\0\0\0\x0a\0\0\x004\0\0\0\xf5\0\0\0\x04\0\0\0,\0\0\0\x08\0\0\0\xff\xff\xff\xff\0\0\0\0{\"meta\":{\"interval\":1,\"preprocessedProfileVersion\":70},\"shared\":{\"stackTable\":{\"prefix\":{\"$s\":1},\"frame\":[0,1]},\"frameTable\":{\"func\":[0,1]},\"funcTable\":{\"name\":[0,1]},\"stringArray\":[\"a\",\"b\"]},\"threads\":[{\"samples\":{\"stack\":[0,1],\"time\":[1,2]}}]}",
    b"# austin: 3.7.0\n# mode: full\n\nP1;T0:2;/a.py:f:3;:GC: 5,0,-6\n",
    b"*version\n2\nclock=wall\n*threads\n7\tmain\n*methods\n0x4\ta.C\tf\t()V\tC.java\n*end\nSLOW\x02\0\x10\0\0\0\0\0\0\0\0\0\x07\0\x04\0\0\0\x01\0\0\0\x07\0\x05\0\0\0\x09\0\0\0",
    b"\xfb\xa9\x03\xda\x01a\xe9\x01\0\0\0\xda\x01f)\x05r\x03\0\0\0\xe9\x02\0\0\0\xe7\0\0\0\0\0\0\xe0?\xe7\0\0\0\0\0\0\xe8?{\xa9\x03r\x02\0\0\0r\x05\0\0\0\xda\x01g\xa9\x04r\x03\0\0\0r\x03\0\0\0r\x06\0\0\0r\x06\0\0\x000\xa9\x03\xfa\x01~\xe9\0\0\0\0r\x09\0\0\0)\x05r\x03\0\0\0r\x03\0\0\0\xe7\0\0\0\0\0\0\xd0?r\x0e\0\0\0{00",
    b"7:\nFull thread dump X\n\n\"a\" #1 prio=5 tid=0x1 nid=0x2 runnable [0x3]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B$$L/0x1.c(java.base@17/B.java:5)\n\t- locked <0x1>\n\tat d(Native Method)\n\n\"V\" os_prio=0 nid=1 b\n",
    b"7\n2026-01-01T00:00:00Z\n25\n\n#3 \"main\" WAITING 2026\n    at java.base/java.lang.T.s(T.java:5)\n",
    b"Analysis of sampling a (pid 7) every 1 millisecond\nCall graph:\n    9 Thread_1   DispatchQueue_1: q  (serial)\n    + 8 f  (in a) + 1,2,...  [0x1,0x2]  a.c:5\n    + ! 7 ???  (in b)  load address 0x1 + 0x28  [0x29]\n    1 Thread_2\n\nTotal number in stack\n",
    b"desc: x\ncmd: ./m\ntime_unit: i\n#-\nsnapshot=0\n#-\nmem_heap_B=159\nheap_tree=peak\nn2: 159 (heap) malloc\n n1: 150 0x10: a (m.c:4)\n  n0: 99 0x20: main (in /m)\n n0: 9 in 3 places, all below massif's threshold (1.00%)\n#-\nsnapshot=1\n#-\nheap_tree=detailed\nn0: 5 (h) m\n",
    b"Thread 2 (Thread 0x7f (LWP 12) \"a\"):\n#0  0x1 in f (s=0x5 \"(\\\"\",\n    n=1) at t.c:8\n#1  0x2 in ?? () from /x.so\n(More stack frames follow...)\n",
    b"* thread #1, name = 'a', queue = 'b'\n  * frame #0: 0x1 a.out`f(int) + 4\n    frame #1: 0x2 a.out`g(x=1) at a.c:5:7 [opt]\n",
    b"memory profiling: line profiling: sample.interval=20\n#File 1: a.R\n:1:2:3:0:1#3 \"f\" 1#5 \"g\" \n\"g\" \n",
    b"Attaching\n@[\n    f+200\n    g+0x1f\n]: 12\n@b[comm,\n\tffffff k+1 (vm)\n, bash]: 4\n",
    b"Tracing off-CPU time (us) by user stack\n    ffffff81 f\n    --\n    b'g'\n    -                a (8)\n        3\n\n    h\n    -                b (9)\n        4\n\n",
    b"<?xml?>\n<svg>\n<!-- https://github.com/brendangregg/FlameGraph -->\n<title>all (9 samples, 100%)</title><rect x=\"1.5\" y=\"9\" />\n<title>f&amp; (a.py:5) (4 samples, 1%)</title><rect x=\"0%\" y=\"5\" fg:x=\"0\"/>\n</svg>",
    b"<!DOCTYPE html>\n<html>async-profiler\n\tfunction f(key) {\n\tfunction u(key, width\nconst cpool = [\n'all',\n' a.b',\n'!\\'c'\n];\nf(3,0,0,9)\nu(8,4)\nn(16)\n",
    b"<!DOCTYPE html>\n<html>async-profiler\n\tfunction f(level, left, width, type, title\nf(0,0,9,3,'all')\nf(1,0,7,1,'a(b, c\\')',1,2,3)\n",
    b"v 10400 3\nX m\ns 6 /bin/m\ns 1 f\ns 3 m.c\ni a0 1 2 3 7 2 3 9\nt 1 0\nt 1 1\na 10 2\n+ 0\n+ 0\na 8 1\n+ 1\n- 0\n",
    b"\x04\x08{\x0b:\x09mode:\x09wall:\x0dintervali\x0f:\x0csamplesi\x07:\x0bframes{\x07l+\x08\x01\0\0\0\0\x7f{\x08:\x09nameI\"\x06f\x06:\x06ET:\x09file\"\x06a:\x09linei\x02\xe8\x03i\x0c{\x07;\x0a\"\x06g;\x0c@\x0a:\x08raw[\x09i\x07l+\x08\x01\0\0\0\0\x7fi\x0ci\x07:\x0dmetadata}\x060f\x081.5F",
    b"Version: 3.2.0\nFile format: 4\nTRACE START [2026-01-01 00:00:00.5]\n1\t0\t0\t0.5\t1000\t{main}\t1\t\t/w.php\t0\t0\n2\t1\t0\t0.6\t1100\tA->f\t0\t\t/w.php\t7\t0\n2\t1\t1\t0.7\t1300\n2\t1\tR\t\t\t5\n\t\t\t0.8\t9\nTRACE END   [2026]\n",
    b"# Samples: 6  of event 'cycles'\n# Event count (approx.): 1000\n# Children      Self  Command  Symbol\n# ........  ........  .......  ......\n   99.38%    90.45%  w        [.] f\n            |          \n            |--90.45%--a\n            |          |          \n            |           --11.34%--f\n            |          \n             --8.93%--f\n                       b\n\n9.55% f;c\n     9.55%     9.55%  w        [.] g\n            |\n            ---g\n               f\n",
    b"Function Stack,CPU Time:Self,Module\nTotal,0.0,[Unknown]\n main,0.5,a\n  \"f<a, \"\"b>\",0.01,\"c\"\n",
    b"Level,Function Name,Exclusive Samples,Source File,Process Name,\n0,a,0,,b\n1,\"f<\"\"a>\",\"8,735\",a.c,b\n2,g,0.5,,\n",
    b"Function;Function Stack;CPU Time;Module\nf;;3;t\n;a;1;t\n;main;0;t\n;;;\n;b;1.5;t\n",
    b"SIMPLEPERF\x01\0\x0d\0\0\0\x2a\x0b\x0a\x09cpu-clock\x12\0\0\0\x0a\x10\x08\x05\x10\x07\x1a\x06\x08\x10\x10\x01\x18\x00\x20\x01\x28\0\x0d\0\0\0\x1a\x0b\x08\x01\x12\x04/a.b\x1a\x01f\0\0\0\0",
    b"PERFILE2\x10\0\0\0\0\0\0\0@\0\0\0\0\0@\0\0\0\0\x000\0\0\0\0\0\0\0\0\0\0\0\xa0\x0f\0\0\0\0\0\0'\x01\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x04\x04\0\0\0\0\0\x07\0\0\0\0\0\0\0\x01\0\0\0\x02\0H\0\x06\0\0\0\x06\0\0\0\0p\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0 \0\0\0\0\0\0/lib/a\0\0\x06\0\0\0\x06\0\0\0\0\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\x03\0\0\0\0\x000\0\x06\0\0\0\x06\0\0\0main\0\0\0\0\x06\0\0\0\x06\0\0\0\0\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\x09\0\0\0\x02\0P\0\x07\0\0\0\0\0\0\0\x10p\0\0\0\0\0\0\x06\0\0\0\x06\0\0\0\x05\0\0\0\0\0\0\0d\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\x10p\0\0\0\0\0\0!p\0\0\0\0\0\0",
    b"\n\x14P\x022\x10\n\x04\x08\x06\x10\x05\n\x08\x08@\x10\x01\x18\x01 \x09\n\x10P\x02\xe2\x03\x0b\x08\x01\"\x07\x08\x05\x10\x06*\x01t\nz@\x03P\x02h\x01\xda\x03\x0f\xa2\x06\x09\x12\x07\x12\x01w\"\x02ns\xd0\x03\x06bS*\x05\x08\x01\x12\x01a2\x04\x08\x01\x10\x01*\x05\x08\x02\x12\x01b\x92\x01\x05\x08\x01\x12\x01c2\x08\x08\x02\x10\x02(\x010\x01\x8a\x01\x05\x08\x01\x12\x01l\x82\x01\x07\x08\x01\x12\x03\x01\xab\xff\x9a\x01\x06\x08\x01\x10\x018\x012\x06\x08\x03\x18\x01 \x09:\x08\x08\x01\x10\x01\x10\x02\x10\x03\xba\x08\n\n\x04\x10\x05\x18\x060\x01X\x04\n\x0f@\x04P\x02h\x02\x92\x04\x06\x10\x05\x18\x06 \x01\n\x0d@\x04P\x02\xb2\x03\x06\n\x01\x01\x12\x01\x03\n\x14P\x02\xaa\x02\x0f*\x0d\x08\x05\x12\x06\x08\x01\x10\x09(\x01Z\x01h\n&\x92\x03#x\x9c\xe3\xe2s`\x0c`\x8a\xe2\xf0`\x8c`\xdc\xc5\xc8X\xcc\xc5\xe5\xc0\x09\xe4\xb3x0E0\x02\0A-\x04\x8f\n\x1a\xea\x03\x17\n\x02/l\x12\x03\x01\xab\xff\x1a\x0c\x08\x09\x12\x08\n\x01f\x12\x01g\x18\x03",
];

#[test]
fn damaged_records_never_panic() {
    for file in RECORDS {
        let opened = open(file, 1 << 20).unwrap_or_else(|e| panic!("{e}"));
        assert!(opened.format.is_some() && !opened.decoded.profile.is_empty());
        for at in 0..file.len() {
            let _ = open(&file[..at], 1 << 20);
            for flip in [1, 0x20, 0x80, 0xff] {
                let mut bytes = file.to_vec();
                bytes[at] ^= flip;
                let _ = open(&bytes, 1 << 20);
            }
        }
    }
}

#[test]
fn the_common_reader_sends_them_on() {
    for file in RECORDS {
        let error = crate::open(file, 1 << 20).expect_err("is not its own");
        let profile = matches!(
            error,
            crate::OpenError::Unsupported(crate::UnsupportedFormat::Imported(_))
        );
        assert!(profile, "{error}");
    }
}
