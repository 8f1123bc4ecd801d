//! How files begin that are not read, and what each is called. A message may name the command that
//! makes one that is read.

use super::format::UnsupportedFormat::{self, Imported, Other, Profile};

/// Bytes that a file begins with.
pub(super) const MAGIC: &[(&[u8], UnsupportedFormat)] = &[
    (b"PERFILE2", Imported("a perf recording (perf.data)")),
    (
        b"2ELIFREP",
        Profile("a big-endian perf recording (perf.data)"),
    ),
    (b"SIMPLEPERF", Imported("a simpleperf recording")),
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
    (b"memray\0", MEMRAY),
    (
        b"rbspy0",
        Profile("an rbspy recording (`rbspy report -f speedscope` converts it)"),
    ),
    (
        b"JAVA PROFILE ",
        Profile(
            "a Java heap dump (HPROF; for allocations, `jcmd PID JFR.start settings=profile` records JFR)",
        ),
    ),
    (
        b"gmon\x01",
        Profile("a gprof profile (gmon.out; record with `perf record -g` or callgrind instead)"),
    ),
    (
        b"PERFFILE",
        Profile("a recording from an old perf version (`perf script` prints it as text)"),
    ),
    (
        b"hdrb",
        Profile("a GHC event log (`hs-speedscope` converts it)"),
    ),
    (
        b"\x17\x08\x44tracing",
        Profile("a trace-cmd recording (trace.dat; record with `perf record -g` instead)"),
    ),
    (b"*version\n", Imported("an Android method trace")),
    (
        b"v8-version,",
        Profile("a raw V8 log (`node --prof-process --preprocess` converts it)"),
    ),
    (b"SLOW", Profile("a streamed Android method trace")),
    (b"HCAT\x01\0\0\0", Imported("a CPython profile (binary)")),
    (b"HCAT\x02\0\0\0", Imported("a CPython profile (binary)")),
    (b"TACH\0\0\0\x01", Imported("a CPython profile (binary)")),
    (b"TACH\0\0\0\x02", Imported("a CPython profile (binary)")),
    (
        b"\xdc\xdfJSLB\x01\0",
        Imported("a Firefox profile (JsonSlabs)"),
    ),
    (b"\xfb)\x03", CPROFILE),
    (b"\xfb\xa9\x03", CPROFILE),
    (b"{)\x03", CPROFILE),
    (b"{\xa9\x03", CPROFILE),
    (b"{(\x03\0\0\0", CPROFILE),
    (b"\x80\x02", PICKLE),
    (b"\x80\x03", PICKLE),
    (b"\x80\x04\x95", PICKLE),
    (b"\x80\x05\x95", PICKLE),
    (b"# callgrind format", Imported("a callgrind profile")),
    (b"\x28\xb5\x2f\xfd", Imported("a zstd archive")),
    (b"PK\x03\x04", Imported("a zip archive")),
    (b"\xfd7zXZ\0", Profile("an xz archive")),
    (b"BZh", Profile("a bzip2 archive")),
    (b"7z\xbc\xaf\x27\x1c", Profile("a 7z archive")),
    (
        b"\x7fELF",
        Other("a program (ELF; drop it on a profile in the viewer to symbolize that profile)"),
    ),
    (b"\xce\xfa\xed\xfe", MACH_O),
    (b"\xcf\xfa\xed\xfe", MACH_O),
    (b"\xca\xfe\xba\xbf", MACH_O),
    (
        b"MODULE ",
        Other("Breakpad symbols (drop them on a profile in the viewer to symbolize it)"),
    ),
    (b"\0asm", Other("a WebAssembly module")),
    (b"\x89PNG", Other("an image (PNG)")),
    (b"\xff\xd8\xff", Other("an image (JPEG)")),
    (b"%PDF", Other("a PDF document")),
    (
        b"SQLite format 3\0",
        Other(
            "a SQLite database (if it is from rocprofv3, `rocpd convert` writes a Perfetto trace)",
        ),
    ),
    (b"PAR1", Other("a Parquet file")),
];

pub(super) const MACH_O: UnsupportedFormat =
    Other("a program (Mach-O; drop it on a profile in the viewer to symbolize that profile)");
pub(super) const MEMRAY: UnsupportedFormat =
    Profile("a memray recording (`memray transform gprof2dot` converts it)");
const BCC: UnsupportedFormat = Profile("output of a bcc tool (`-f` prints folded stacks)");
const CPROFILE: UnsupportedFormat = Imported("a Python cProfile profile (pstats)");
const PICKLE: UnsupportedFormat = Other(
    "a Python pickle (if it is from yappi, `stats.save(FILE, type=\"pstat\")` writes pstats)",
);
const GOROUTINES: UnsupportedFormat = Imported("a goroutine dump (debug=2)");
const PMCSTAT: UnsupportedFormat = Imported("pmcstat output");
const JAVA_THREADS: UnsupportedFormat = Imported("a Java thread dump");
const BACKTRACES: UnsupportedFormat = Imported("debugger backtraces");
const MASSIF: UnsupportedFormat = Imported("a massif profile");
const HEAPTRACK: UnsupportedFormat = Imported("a heaptrack recording");
const PERF_REPORT: UnsupportedFormat = Imported("a perf report");
const VTUNE: UnsupportedFormat = Imported("a VTune report");
const XDEBUG: UnsupportedFormat = Imported("an Xdebug trace");
const MACOS_SAMPLE: UnsupportedFormat = Imported("a macOS sample report");

/// Words that all occur near the beginning of a text that begins with the first. Formats in JSON are
/// told by their keys ([`JsonFormat`](crate::formats::json::format::JsonFormat)).
pub(super) const TEXTS: &[(&str, &[&str], UnsupportedFormat)] = &[
    ("", &["\nevents:", "\nfn="], Imported("a callgrind profile")),
    ("events:", &["\nfn="], Imported("a callgrind profile")),
    ("desc:", &["\ncmd:", "\ntime_unit:"], MASSIF),
    ("", &["\ndesc:", "\ncmd:", "\ntime_unit:"], MASSIF),
    (
        "",
        &["debuggee command was: ", " allocation functions"],
        Profile("a heaptrack_print report (open the recording it was made from instead)"),
    ),
    ("v ", &["\nX ", "\ns "], HEAPTRACK),
    ("", &["\nv ", "\nX ", "\ns ", "\ni ", "\nt "], HEAPTRACK),
    ("goroutine ", &["]:\n"], GOROUTINES),
    ("", &["\ngoroutine ", "]:\n"], GOROUTINES),
    (
        "# ========",
        &["# captured on"],
        Imported("perf script output"),
    ),
    (
        "",
        &["Time and Allocation Profiling Report"],
        Imported("a GHC profile"),
    ),
    ("", &["\tSymbol Name"], Imported("an Instruments deep copy")),
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
        Imported("a Visual Studio profiler report"),
    ),
    (
        "0SECTION",
        &["javacore"],
        Profile("an OpenJ9 javacore (`jcmd PID Thread.print` prints a thread dump instead)"),
    ),
    (
        "a:",
        &["==>", "\"ct\";i:"],
        Profile(
            "a PHP-serialized xhprof profile (`php -r 'echo json_encode(unserialize(file_get_contents($argv[1])));' FILE` converts it)",
        ),
    ),
    ("", &["sample.interval="], Imported("an R profile (Rprof)")),
    ("", &["@[\n", "\n]: "], Imported("bpftrace stacks")),
    (
        "<",
        &["<svg", "brendangregg/flamegraph"],
        Imported("a flame graph (SVG)"),
    ),
    (
        "<",
        &["<html", "async-profiler", "function f("],
        Imported("an async-profiler flame graph (HTML)"),
    ),
    (
        "<",
        &["<html", "<title>memray - "],
        Profile("a memray report (HTML; `memray transform gprof2dot` converts the recording)"),
    ),
    ("<", &["<html"], Other("a web page (HTML)")),
    ("<", &["<!doctype html"], Other("a web page (HTML)")),
    ("<", &["<svg"], Other("an image (SVG)")),
    (
        "<",
        &["<trace-query-result"],
        Profile("an Instruments export (XML; use Edit > Deep Copy instead and paste the tree)"),
    ),
    ("@ ", &[" samples]"], PMCSTAT),
    ("", &["\n@ ", " samples]"], PMCSTAT),
    ("<?xml", &[], Other("XML")),
    (
        "",
        &["    -                ", ")\n", "\n        "],
        Imported("bcc stacks"),
    ),
    ("", &["... hit ctrl-c to end."], BCC),
];
