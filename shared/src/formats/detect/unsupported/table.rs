//! How files begin that are not read, and what each is called. A message may name the command that
//! makes one that is read.

use super::format::UnsupportedFormat::{self, Other, Profile};

/// Bytes that a file begins with.
pub(super) const MAGIC: &[(&[u8], UnsupportedFormat)] = &[
    (b"PERFILE2", Profile("a perf recording (perf.data)")),
    (
        b"2ELIFREP",
        Profile("a big-endian perf recording (perf.data)"),
    ),
    (b"SIMPLEPERF", Profile("a simpleperf recording")),
    (
        b"Nettrace",
        Profile("a .NET trace (`dotnet-trace convert --format Speedscope` converts it)"),
    ),
    (
        b"MMPD",
        Profile("a rustc self-profile (`crox` converts it)"),
    ),
    (
        b"MOJ",
        Profile("an Austin recording (MOJO; `mojo2austin` converts it)"),
    ),
    (
        b"memray\0",
        Profile("a memray recording (`memray transform gprof2dot` converts it)"),
    ),
    (
        b"rbspy0",
        Profile("an rbspy recording (`rbspy report -f speedscope` converts it)"),
    ),
    (b"JAVA PROFILE ", Profile("a Java heap dump (HPROF)")),
    (b"gmon\x01", Profile("a gprof profile (gmon.out)")),
    (
        b"hdrb",
        Profile("a GHC event log (`hs-speedscope` converts it)"),
    ),
    (
        b"\x17\x08\x44tracing",
        Profile("a trace-cmd recording (trace.dat)"),
    ),
    (b"*version\n", Profile("an Android method trace")),
    (b"SLOW", Profile("an Android method trace")),
    (b"HCAT\x01\0\0\0", Profile("a CPython profile (binary)")),
    (b"HCAT\x02\0\0\0", Profile("a CPython profile (binary)")),
    (b"TACH\0\0\0\x01", Profile("a CPython profile (binary)")),
    (b"TACH\0\0\0\x02", Profile("a CPython profile (binary)")),
    (
        b"\xdc\xdfJSLB\x01\0",
        Profile("a Firefox profile (JsonSlabs)"),
    ),
    (b"\xfb)\x03", CPROFILE),
    (b"\xfb\xa9\x03", CPROFILE),
    (b"{)\x03", CPROFILE),
    (b"{\xa9\x03", CPROFILE),
    (b"{(\x03\0\0\0", CPROFILE),
    (
        b"\x04\x08",
        Profile("a Ruby Marshal dump (for stackprof's, `stackprof --json` prints JSON)"),
    ),
    (b"\x80\x02", PICKLE),
    (b"\x80\x03", PICKLE),
    (b"\x80\x04\x95", PICKLE),
    (b"\x80\x05\x95", PICKLE),
    (b"# callgrind format", Profile("a callgrind profile")),
    (b"\x28\xb5\x2f\xfd", Profile("a zstd archive")),
    (b"PK\x03\x04", Profile("a zip archive")),
    (b"\xfd7zXZ\0", Profile("an xz archive")),
    (b"BZh", Profile("a bzip2 archive")),
    (b"7z\xbc\xaf\x27\x1c", Profile("a 7z archive")),
    (b"\x7fELF", Other("a program (ELF)")),
    (b"\xce\xfa\xed\xfe", Other("a program (Mach-O)")),
    (b"\xcf\xfa\xed\xfe", Other("a program (Mach-O)")),
    (b"\xca\xfe\xba\xbf", Other("a program (Mach-O)")),
    (b"MODULE ", Other("Breakpad symbols")),
    (b"\0asm", Other("a WebAssembly module")),
    (b"\x89PNG", Other("an image (PNG)")),
    (b"\xff\xd8\xff", Other("an image (JPEG)")),
    (b"%PDF", Other("a PDF document")),
    (b"SQLite format 3\0", Other("a SQLite database")),
];

const CPROFILE: UnsupportedFormat = Profile("a Python cProfile profile (pstats)");
const PICKLE: UnsupportedFormat = Other("a Python pickle");
const GOROUTINES: UnsupportedFormat = Profile("a goroutine dump (debug=2)");
const PMCSTAT: UnsupportedFormat = Profile("pmcstat output");
const JAVA_THREADS: UnsupportedFormat = Profile("a Java thread dump");
const BACKTRACES: UnsupportedFormat = Profile("debugger backtraces");
const MASSIF: UnsupportedFormat = Profile("a massif profile");
const HEAPTRACK: UnsupportedFormat = Profile("a heaptrack recording");
const PERF_REPORT: UnsupportedFormat = Profile("a perf report");
const VTUNE: UnsupportedFormat = Profile("a VTune report");
const XDEBUG: UnsupportedFormat = Profile("an Xdebug trace");
const MACOS_SAMPLE: UnsupportedFormat = Profile("a report from macOS's sample");

/// Words that all occur near the beginning of a text that begins with the first. Formats in JSON are
/// told by their keys ([`JsonFormat`](crate::formats::json::format::JsonFormat)).
pub(super) const TEXTS: &[(&str, &[&str], UnsupportedFormat)] = &[
    ("", &["\nevents:", "\nfn="], Profile("a callgrind profile")),
    ("events:", &["\nfn="], Profile("a callgrind profile")),
    ("desc:", &["\ncmd:", "\ntime_unit:"], MASSIF),
    ("", &["\ndesc:", "\ncmd:", "\ntime_unit:"], MASSIF),
    ("v ", &["\nX ", "\ns "], HEAPTRACK),
    ("", &["\nv ", "\nX ", "\ns ", "\ni ", "\nt "], HEAPTRACK),
    ("goroutine ", &["]:\n"], GOROUTINES),
    ("", &["\ngoroutine ", "]:\n"], GOROUTINES),
    (
        "# ========",
        &["# captured on"],
        Profile("perf script output"),
    ),
    (
        "",
        &["Time and Allocation Profiling Report"],
        Profile("a GHC profile"),
    ),
    ("", &["\tSymbol Name"], Profile("an Instruments deep copy")),
    (
        "",
        &["full thread dump ", "java.lang.Thread.State: "],
        JAVA_THREADS,
    ),
    (
        "",
        &["\n#", " \"main\"", " java.base/java.lang."],
        JAVA_THREADS,
    ),
    ("", &["thread ", "):\n#0 "], BACKTRACES),
    ("", &["\ntid ", ":\n#0 "], BACKTRACES),
    ("", &["thread #1", "frame #0: 0x"], BACKTRACES),
    ("", &["#0  0x", "\n#1  0x", " in "], BACKTRACES),
    (
        "",
        &["analysis of sampling ", "\ncall graph:"],
        MACOS_SAMPLE,
    ),
    ("", &["\nanalysis tool:", "\ncall graph:"], MACOS_SAMPLE),
    ("", &["trace start [", "file format: "], XDEBUG),
    ("TRACE START [", &["-> "], XDEBUG),
    ("", &["\n# ....", "overhead  "], PERF_REPORT),
    ("", &["\n# ....", "children      self  "], PERF_REPORT),
    ("", &["function", ",cpu time"], VTUNE),
    ("", &["function", "\tcpu time"], VTUNE),
    ("", &["function", ";cpu time"], VTUNE),
    (
        "",
        &["function name,", "exclusive "],
        Profile("a Visual Studio profiler report"),
    ),
    (
        "0SECTION",
        &["javacore"],
        Profile("an OpenJ9 javacore (`jcmd PID Thread.print` prints threads)"),
    ),
    (
        "a:",
        &["==>", "\"ct\";i:"],
        Profile("an xhprof profile that PHP serialized"),
    ),
    ("", &["sample.interval="], Profile("an R profile (Rprof)")),
    ("", &["@[\n", "\n]: "], Profile("bpftrace stacks")),
    (
        "<",
        &["<svg", "brendangregg/flamegraph"],
        Profile("a flame graph (SVG)"),
    ),
    (
        "<",
        &["<html", "async-profiler", "function f("],
        Profile("an async-profiler flame graph (HTML)"),
    ),
    ("<", &["<svg"], Other("an image (SVG)")),
    (
        "<",
        &["<trace-query-result"],
        Profile("an Instruments export (XML; Edit > Deep Copy copies a tree)"),
    ),
    ("@ ", &[" samples]"], PMCSTAT),
    ("", &["\n@ ", " samples]"], PMCSTAT),
    ("<?xml", &[], Other("XML")),
    ("<", &["<html"], Other("a web page (HTML)")),
    ("<", &["<!doctype html"], Other("a web page (HTML)")),
];
