//! Files of formats that are not read: named by their content, in the viewer and as a push.

use pilotlight_core::gzip::inflate;
use pilotlight_core::ingest::{Push, ingest};
use pilotlight_core::{UnixNanos, open};
use pilotlight_tests::corpus;

/// Files of the corpus and what they are.
const FILES: &[(&str, &str)] = &[
    ("agents/java/out-itimer.otlp", "an OTLP profile"),
    ("agents/java/out-alloc.otlp", "an OTLP profile"),
    (
        "perfdata/fibo.compressed2.pipe.data",
        "a perf recording (perf.data)",
    ),
    (
        "perfdata/sleep.compressed.data",
        "a perf recording (perf.data)",
    ),
    (
        "firefox/simpleperf-cpu-clock.trace.gz",
        "a simpleperf recording",
    ),
    (
        "firefox/art-trace-regular.trace.gz",
        "an Android method trace",
    ),
    ("firefox/gecko-1.json", "a Firefox profile"),
    ("firefox/processed-1.json", "a Firefox profile"),
    ("firefox/processed-3.json", "a Firefox profile"),
    ("samply/ls-profile.json", "a Firefox profile"),
    (
        "speedscope/Firefox/59/simple-firefox.json",
        "a Firefox profile",
    ),
    (
        "speedscope/Firefox/63/simple-firefox.json",
        "a Firefox profile",
    ),
    ("firefox/dhat.json.gz", "a DHAT profile"),
    (
        "firefox/hello.cjs-20231120T211435.cpuprofile",
        "a V8 CPU profile (.cpuprofile)",
    ),
    (
        "speedscope/Chrome/65/simple.cpuprofile",
        "a V8 CPU profile (.cpuprofile)",
    ),
    (
        "speedscope/node/10.11.0/example.cpuprofile",
        "a V8 CPU profile (.cpuprofile)",
    ),
    (
        "speedscope/node/10.11.0/Heap-20181003T105432.heapprofile",
        "a V8 heap profile (.heapprofile)",
    ),
    (
        "speedscope/node/8.5.0/simple.v8log.json.zip",
        "a zip archive",
    ),
    ("firefox/test.chrome-unchunked.json", "a Chrome trace"),
    (
        "speedscope/Chrome/65/simple-timeline.json",
        "a Chrome trace",
    ),
    ("speedscope/Chrome/70/worker.json", "a Chrome trace"),
    (
        "speedscope/Chrome/116/Trace-20230603T221323.json",
        "a Chrome trace",
    ),
    (
        "speedscope/trace-event/bex-interaction.json",
        "a Chrome trace",
    ),
    ("speedscope/trace-event/multiprocess.json", "a Chrome trace"),
    ("speedscope/trace-event/out-of-order.json", "a Chrome trace"),
    (
        "speedscope/trace-event/simple-partial.json",
        "a Chrome trace",
    ),
    (
        "speedscope/trace-event/x-events-matching-start.json",
        "a Chrome trace",
    ),
    (
        "speedscope/Chrome/65/sucrase.cpuprofile",
        "a V8 CPU profile (.cpuprofile)",
    ),
    ("speedscope/trace-event/simple.json", "a Chrome trace"),
    (
        "speedscope/trace-event/simple-object.json",
        "a Chrome trace",
    ),
    (
        "speedscope/trace-event/multi-thread-with-samples.json",
        "a Chrome trace",
    ),
    (
        "speedscope/trace-event/unbalanced-name.json",
        "a Chrome trace",
    ),
    (
        "speedscope/stackprof/simple-stackprof.json",
        "a stackprof profile",
    ),
    (
        "speedscope/stackprof/object-stackprof.json",
        "a stackprof profile",
    ),
    (
        "speedscope/Safari/13.1/simple.html-recording.json",
        "a Safari recording",
    ),
    ("speedscope/haskell/simple.prof", "a GHC profile (JSON)"),
    (
        "speedscope/callgrind/callgrind.example.log",
        "a callgrind profile",
    ),
    (
        "speedscope/callgrind/callgrind.multiple-event-types.log",
        "a callgrind profile",
    ),
    (
        "speedscope/callgrind/callgrind.name-compression.log",
        "a callgrind profile",
    ),
    (
        "speedscope/Instruments/16.0/simple-time-profile-deep-copy.txt",
        "an Instruments deep copy",
    ),
    (
        "speedscope/Instruments/7.3.1/simple-time-profile-deep-copy.txt",
        "an Instruments deep copy",
    ),
    (
        "speedscope/linux-perf/simple.linux-perf.txt",
        "perf script output",
    ),
    (
        "speedscope/linux-perf/simple-with-pid.linux-perf.txt",
        "perf script output",
    ),
    (
        "speedscope/linux-perf/forks.linux-perf.txt",
        "perf script output",
    ),
    (
        "speedscope/linux-perf/rust-mangled.linux-perf.txt",
        "perf script output",
    ),
    ("firefox/simple-perf.txt.gz", "perf script output"),
    ("speedscope/pmcstat/simple.txt", "pmcstat output"),
];

const READS: &str = "Pilotlight reads pprof, its predecessors (gperftools, old Go and Java), JFR, speedscope and folded stacks";

/// What the viewer says of a file.
fn opened(bytes: &[u8]) -> String {
    open(bytes, 64 << 20)
        .err()
        .map_or_else(|| "opens".to_owned(), |error| error.to_string())
}

/// What a sender hears who calls it pprof.
fn pushed(body: &[u8]) -> (u16, String) {
    let (query, content_type, tenant, client) = ("name=a&format=pprof", "", "anonymous", "");
    let error = ingest(&Push {
        query,
        content_type,
        body,
        tenant,
        client,
        now: UnixNanos(1),
        limits: Default::default(),
    })
    .expect_err("is no pprof");
    (error.status(), error.to_string())
}

#[test]
fn files_of_other_profilers_are_named() {
    for &(path, name) in FILES {
        let Some(file) = corpus::read(path) else {
            return;
        };
        let expected = format!("this is {name}, which the viewer can open; {READS}");
        assert_eq!(opened(&file.bytes), expected, "{path}");
        assert_eq!(
            pushed(&file.bytes),
            (
                422,
                format!(
                    "the body is {name}, which the server does not accept; open it in the viewer, or send pprof"
                )
            ),
            "{path}"
        );
    }
}

#[test]
fn what_is_no_profile_is_named_too() {
    let tar = [&[b'a'; 257][..], b"ustar\0", &[0; 300]].concat();
    let cases: [(&[u8], &str); 24] = [
        (
            b"\x7fELF\x02\x01\x01\0\0\0\0\0",
            "a program (ELF; drop it on a profile in the viewer to symbolize that profile)",
        ),
        (
            b"\xcf\xfa\xed\xfe\x07\0\0\x01",
            "a program (Mach-O; drop it on a profile in the viewer to symbolize that profile)",
        ),
        (
            b"\xca\xfe\xba\xbf\0\0\0\x02",
            "a program (Mach-O; drop it on a profile in the viewer to symbolize that profile)",
        ),
        (
            b"\xca\xfe\xba\xbe\0\0\0\x02\x01\0\0\x07",
            "a program (Mach-O; drop it on a profile in the viewer to symbolize that profile)",
        ),
        (
            b"\xca\xfe\xba\xbe\0\0\0\x41\0\x10\x0a\0",
            "a Java class file",
        ),
        (
            b"MODULE Linux x86_64 0A1B2C0 foo\nFILE 0 a.c\nFUNC 10 8 0 main\n10 8 3 0\n",
            "Breakpad symbols (drop them on a profile in the viewer to symbolize it)",
        ),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "an image (PNG)"),
        (
            b"\x80\x04\x95\x0a\0\0\0\0\0\0\0}\x94\x8c\x01a\x94K\x01s.",
            "a Python pickle (if it is from yappi, `stats.save(FILE, type=\"pstat\")` writes pstats)",
        ),
        (
            b"\x04\x08{\x06:\x0cversionf\x081.2",
            "a Ruby Marshal dump (if it is from stackprof, `stackprof --json` prints JSON), which Pilotlight can't open yet",
        ),
        (
            b"\xfb)\x03z\x1d/usr/lib/python3/threading.py\xe9X\x03\0\0\xda\x08__init__",
            "a Python cProfile profile (pstats), which the viewer can open",
        ),
        (&tar, "a tar archive, which Pilotlight can't open yet"),
        (
            b"\x0a\x02\x40\x05",
            "a Perfetto trace, which the viewer can open",
        ),
        (
            b"go 1.24 trace\0\0\0\x01\x02",
            "a Go execution trace (`go tool trace -pprof=sched` converts it), which Pilotlight can't open yet",
        ),
        (
            b"\n<!DOCTYPE html><title>Sign in</title>",
            "a web page (HTML)",
        ),
        (b"<?xml version=\"1.0\"?><svg></svg>", "an image (SVG)"),
        (
            b"v8-version,12,4,254,21,-node.33,0\ntick,0x1401,549,0,0x0,6\n",
            "a raw V8 log (`node --prof-process --preprocess` converts it), which Pilotlight can't open yet",
        ),
        (
            b"goroutine 1 [running]:\nmain.main()\n",
            "a goroutine dump (debug=2), which the viewer can open",
        ),
        (
            b"{\"resourceProfiles\":[]}",
            "an OTLP profile (JSON), which the viewer can open",
        ),
        (b"{\"a\": 1}", "JSON in an unknown format"),
        (
            b"{\"a\": 1, \"b\"",
            "incomplete JSON, perhaps from an interrupted download",
        ),
        (b"buy milk\n", "text in an unknown format"),
        (
            b"[Thread debugging using libthread_db enabled]\n",
            "text in an unknown format",
        ),
        (
            b"[1,\n2",
            "incomplete JSON, perhaps from an interrupted download",
        ),
        (
            b"\xef\xbb\xbf{\"traceEvents\":[]}",
            "a Chrome trace, which the viewer can open",
        ),
    ];
    for (bytes, name) in cases {
        assert!(
            opened(bytes).starts_with(&format!("this is {name}; ")),
            "{name}: {}",
            opened(bytes)
        );
        let pushed = pushed(bytes).1;
        match name.strip_suffix(", which the viewer can open") {
            Some(name) => assert_eq!(
                pushed,
                format!(
                    "the body is {name}, which the server does not accept; open it in the viewer, or send pprof"
                )
            ),
            None => assert_eq!(pushed, format!("the body is {name}; send pprof")),
        }
    }
    assert_eq!(
        pushed(b"main;work 12\n").1,
        "the body is folded stacks (format=groups); send pprof"
    );
    assert_eq!(
        pushed(br#"{"$schema":"https://www.speedscope.app/file-format-schema.json"}"#).1,
        "the body is speedscope JSON (format=speedscope); send pprof"
    );
}

#[test]
fn what_is_read_is_never_named_unread() {
    for sample in corpus::profiles() {
        assert_eq!(opened(&sample.bytes), "opens", "{}", sample.name);
        // Damaged, it is a damaged profile and not another format.
        let raw = inflate(&sample.bytes, 64 << 20)
            .expect("gzip")
            .unwrap_or(sample.bytes);
        for part in 1..20 {
            let said = opened(&raw[..raw.len() * part / 20]);
            assert!(
                !said.starts_with("this is"),
                "{}, {part}/20 of it: {said}",
                sample.name
            );
        }
    }
}
