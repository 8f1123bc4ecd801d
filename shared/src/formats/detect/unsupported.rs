//! Names for what the first reader does not read: the viewer then loads [`crate::imports`], and a
//! person who pushes a recording of perf learns that it is one, not that protobuf is broken at byte
//! 0.
//!
//! Content decides, never the name of a file. A name is a guess that only words an error, so each
//! rule is a few bytes; what can be read is found before. Sources: the detection table that the
//! formats' own readers agree on (speedscope, the Firefox Profiler, Perfetto), and the formats'
//! documents.

use std::fmt;

use crate::formats::folded::variants::{Variant, variant};
use crate::formats::protobuf::{Value, Wire};
use crate::formats::start::Start;
use UnsupportedFormat::{Other, Profile};

/// What a file is that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedFormat {
    /// A profile, or what one may be packed into.
    Profile(&'static str),
    /// Something else.
    Other(&'static str),
}

impl fmt::Display for UnsupportedFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Profile(name) => write!(f, "{name}, which is not read yet"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

/// Bytes that a file begins with.
const MAGIC: &[(&[u8], UnsupportedFormat)] = &[
    (b"PERFILE2", Profile("a recording of perf (perf.data)")),
    (
        b"2ELIFREP",
        Profile("a big-endian recording of perf (perf.data)"),
    ),
    (b"SIMPLEPERF", Profile("a recording of simpleperf")),
    (
        b"Nettrace",
        Profile("a .NET trace (`dotnet-trace convert --format Speedscope` converts it)"),
    ),
    (
        b"MMPD",
        Profile("a self-profile of rustc (`crox` converts it)"),
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
    (b"gmon\x01", Profile("a profile of gprof (gmon.out)")),
    (
        b"hdrb",
        Profile("an event log of GHC (`hs-speedscope` converts it)"),
    ),
    (
        b"\x17\x08\x44tracing",
        Profile("a recording of trace-cmd (trace.dat)"),
    ),
    (b"*version\n", Profile("an Android method trace")),
    (b"SLOW", Profile("an Android method trace")),
    (b"HCAT\x01\0\0\0", Profile("a profile of CPython (binary)")),
    (b"HCAT\x02\0\0\0", Profile("a profile of CPython (binary)")),
    (b"TACH\0\0\0\x01", Profile("a profile of CPython (binary)")),
    (b"TACH\0\0\0\x02", Profile("a profile of CPython (binary)")),
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
        Profile("a dump of Ruby's Marshal (`stackprof --json` prints one of stackprof as JSON)"),
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
    (b"MODULE ", Other("symbols of a program (Breakpad)")),
    (b"\0asm", Other("a WebAssembly module")),
    (b"\x89PNG", Other("a picture (PNG)")),
    (b"\xff\xd8\xff", Other("a picture (JPEG)")),
    (b"%PDF", Other("a PDF document")),
    (b"SQLite format 3\0", Other("a SQLite database")),
];

const BINARY: UnsupportedFormat = Other("binary data of no known profiler");
const CPROFILE: UnsupportedFormat = Profile("a profile of Python's cProfile (pstats)");
const PICKLE: UnsupportedFormat = Other("a pickle of Python");
const PYINSTRUMENT: UnsupportedFormat = Profile("a pyinstrument profile");
const JAVA_THREADS: UnsupportedFormat = Profile("a dump of Java's threads");
const BACKTRACES: UnsupportedFormat = Profile("backtraces of a debugger");
const MACOS_SAMPLE: UnsupportedFormat = Profile("a report of macOS's sample");
const GOROUTINES: UnsupportedFormat = Profile("a dump of goroutines (debug=2)");

/// Words that all occur near the beginning of a text that begins with the first.
const TEXTS: &[(&str, &[&str], UnsupportedFormat)] = &[
    ("{", &["\"traceEvents\""], Profile("a Chrome trace")),
    ("[", &["\"ph\"", "\"ts\""], Profile("a Chrome trace")),
    (
        "{",
        &["\"head\"", "\"selfSize\""],
        Profile("a V8 heap profile (.heapprofile)"),
    ),
    (
        "{",
        &["\"nodes\"", "\"callFrame\""],
        Profile("a V8 CPU profile (.cpuprofile)"),
    ),
    (
        "{",
        &["\"head\"", "\"hitCount\""],
        Profile("a V8 CPU profile (.cpuprofile)"),
    ),
    (
        "{",
        &["\"snapshot\"", "\"node_fields\""],
        Profile("a V8 heap snapshot (`node --heap-prof` writes a profile)"),
    ),
    (
        "{",
        &["\"code\"", "\"functions\"", "\"ticks\""],
        Profile("a V8 log (node --prof)"),
    ),
    // Its libraries come first; the other keys may be megabytes away.
    (
        "{",
        &["\"code\"", "\"SHARED_LIB\""],
        Profile("a V8 log (node --prof)"),
    ),
    (
        "{",
        &["\"meta\"", "\"interval\""],
        Profile("a Firefox profile"),
    ),
    (
        "{",
        &["\"meta\"", "\"preprocessedProfileVersion\""],
        Profile("a Firefox profile"),
    ),
    (
        "{",
        &["\"meta\"", "\"categories\""],
        Profile("a Firefox profile"),
    ),
    (
        "{",
        &["\"markers\"", "\"frames\""],
        Profile("a Firefox profile"),
    ),
    (
        "{",
        &["\"resourceProfiles\""],
        Profile("an OTLP profile (JSON)"),
    ),
    (
        "{",
        &["\"flamebearer\""],
        Profile("a flame graph of Pyroscope (flamebearer)"),
    ),
    ("{", &["\"dhatFileVersion\""], Profile("a DHAT profile")),
    (
        "{",
        &["\"recording\"", "\"displayName\""],
        Profile("a Safari recording"),
    ),
    (
        "{",
        &["\"mode\"", "\"interval\"", "\"samples\""],
        Profile("a stackprof profile"),
    ),
    ("{", &["\"rts_arguments\""], Profile("a GHC profile (JSON)")),
    ("", &["\nevents:", "\nfn="], Profile("a callgrind profile")),
    ("events:", &["\nfn="], Profile("a callgrind profile")),
    (
        "desc:",
        &["\ncmd:", "\ntime_unit:"],
        Profile("a massif profile"),
    ),
    ("v ", &["\nX ", "\ns "], Profile("a heaptrack recording")),
    ("goroutine ", &["]:\n"], GOROUTINES),
    ("panic: ", &["\ngoroutine ", "]:\n"], GOROUTINES),
    ("fatal error: ", &["\ngoroutine ", "]:\n"], GOROUTINES),
    ("SIGQUIT: ", &["\ngoroutine ", "]:\n"], GOROUTINES),
    (
        "# ========",
        &["# captured on"],
        Profile("the output of perf script"),
    ),
    (
        "",
        &["Time and Allocation Profiling Report"],
        Profile("a GHC profile"),
    ),
    (
        "Weight\t",
        &["Symbol Name"],
        Profile("a deep copy of Instruments"),
    ),
    (
        "Bytes Used\t",
        &["Symbol Name"],
        Profile("a deep copy of Instruments"),
    ),
    (
        "Running Time\t",
        &["Symbol Name"],
        Profile("a deep copy of Instruments"),
    ),
    ("{", &["\"sample_count\"", "\"root_frame\""], PYINSTRUMENT),
    (
        "{",
        &["\"sample_count\"", "\"start_call_stack\""],
        PYINSTRUMENT,
    ),
    (
        "{",
        &["\"alloc_samples\"", "\"args\""],
        Profile("a scalene profile"),
    ),
    ("{", &["==>", "\"ct\""], Profile("an xhprof profile")),
    (
        "{",
        &["\"costs\"", "\"callchain\""],
        Profile("JSON of gprof2dot"),
    ),
    ("{", &["\"threadContainers\""], JAVA_THREADS),
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
    ("@ ", &[" samples]"], Profile("the output of pmcstat")),
    (
        "",
        &["trace start [", "file format: "],
        Profile("a trace of Xdebug (`xdebug.mode=profile` writes a profile)"),
    ),
    (
        "# To display the perf.data header info",
        &["overhead"],
        Profile("a report of perf (`perf script` prints what can be read)"),
    ),
    (
        "0SECTION",
        &["javacore"],
        Profile("a javacore of OpenJ9 (`jcmd PID Thread.print` prints threads)"),
    ),
    (
        "a:",
        &["==>", "\"ct\";i:"],
        Profile("an xhprof profile that PHP serialized"),
    ),
    ("", &["sample.interval="], Profile("a profile of R (Rprof)")),
    ("", &["@[\n", "\n]: "], Profile("stacks of bpftrace")),
    (
        "<",
        &["<svg", "brendangregg/flamegraph"],
        Profile("a flame graph (SVG)"),
    ),
    (
        "<",
        &["<html", "async-profiler", "function f("],
        Profile("a flame graph of async-profiler (HTML)"),
    ),
    ("<", &["<svg"], Other("a drawing (SVG)")),
    (
        "<",
        &["<trace-query-result"],
        Profile("an export of Instruments (XML; Edit > Deep Copy copies a tree)"),
    ),
    ("<?xml", &[], Other("XML")),
    ("<", &["<html"], Other("a web page (HTML)")),
    ("<", &["<!doctype html"], Other("a web page (HTML)")),
];

/// What a text is that looks like folded stacks and means more.
pub(crate) fn more_than_folded(bytes: &[u8]) -> Option<UnsupportedFormat> {
    Some(match variant(bytes)? {
        Variant::Difference => Profile("folded stacks with two counts"),
        Variant::Austin => Profile("an Austin recording (text)"),
    })
}

/// What a file is that no reader takes; `None` for one that begins as a profile of pprof does.
pub(crate) fn identify(bytes: &[u8]) -> Option<UnsupportedFormat> {
    let beginning = Start::of(bytes);
    let start = beginning.bytes;
    let magic = MAGIC
        .iter()
        .find(|(magic, _)| start.starts_with(magic))
        .map(|&(_, name)| name);
    magic
        .or_else(|| tar(start))
        .or_else(|| universal(start))
        .or_else(|| go_trace(start))
        .or_else(|| otlp(start))
        .or_else(|| text_format(beginning))
        .or_else(|| text_or_json(start))
        .or_else(|| (!begins_as_pprof(start)).then_some(BINARY))
}

/// Whether the first field is one of pprof's messages, texts or numbers.
fn begins_as_pprof(start: &[u8]) -> bool {
    const NUMBER: u8 = 0;
    const BYTES: u8 = 2;
    match start.first().map(|tag| (tag >> 3, tag & 7)) {
        Some((1..=6 | 11 | 13, BYTES)) => true,
        Some((7..=10 | 12..=14, NUMBER)) => true,
        Some(_) => false,
        None => true,
    }
}

/// What is left to say of a file that has no better name.
fn text_or_json(start: &[u8]) -> Option<UnsupportedFormat> {
    let start = &start[..start.len().min(512)];
    let text = start
        .iter()
        .all(|&b| b >= 0x20 || b"\t\r\n\x0c".contains(&b));
    match start.trim_ascii_start().first()? {
        _ if !text => None,
        b'{' | b'[' => Some(Other("JSON of no known profiler")),
        _ => Some(Other("text of no known profiler")),
    }
}

fn tar(start: &[u8]) -> Option<UnsupportedFormat> {
    (start.get(257..262)? == b"ustar").then_some(Profile("a tar archive"))
}

/// A program for several processors. Classes of Java begin with the same four bytes; they have a
/// version, from 45 on, where this has the number of processors.
fn universal(start: &[u8]) -> Option<UnsupportedFormat> {
    let count = start.strip_prefix(b"\xca\xfe\xba\xbe")?.first_chunk()?;
    Some(match u32::from_be_bytes(*count) {
        0..45 => Other("a program (Mach-O)"),
        _ => Other("a class of Java"),
    })
}

/// 16 bytes: `go 1.22 trace` and zeros.
fn go_trace(start: &[u8]) -> Option<UnsupportedFormat> {
    let head = start.get(..16)?;
    (head.starts_with(b"go 1.") && head.windows(7).any(|part| part == b" trace\0")).then_some(
        Profile("a Go execution trace (`go tool trace -pprof=sched` converts it)"),
    )
}

/// OTLP's ProfilesData: messages in messages, and a table of texts as field 5, of which the first
/// is empty. pprof's first field, a value type, has numbers inside, and its texts are field 6. The
/// tables of a large file are far behind, so a first resource with the name of an attribute will
/// do.
pub(crate) fn otlp(start: &[u8]) -> Option<UnsupportedFormat> {
    let texts = |start: &[u8]| start.windows(3).any(|part| part == b"\x2a\0\x2a");
    let inner = message(message(start)?)?;
    let named = || {
        // Field 1 is the key; names have dots.
        let (&[0x0a, length], rest) = message(inner)?.split_first_chunk::<2>()? else {
            return None;
        };
        let key = rest.get(..usize::from(length))?;
        let is_name = |b: &u8| b.is_ascii_lowercase() || b"._".contains(b);
        (key.contains(&b'.') && key.iter().all(is_name)).then_some(())
    };
    (texts(start) || named().is_some()).then_some(Profile("an OTLP profile"))
}

/// A trace of Perfetto: packets as field 1. The first has a field that neither a value type of pprof
/// nor a resource of OTLP has; and bytes that no text has, for a text may begin with a line feed,
/// which is the key of field 1.
pub(crate) fn perfetto(start: &[u8]) -> Option<UnsupportedFormat> {
    is_perfetto(start).then_some(Profile("a Perfetto trace"))
}

fn is_perfetto(start: &[u8]) -> bool {
    const KNOWN: std::ops::Range<u32> = 6..1000;
    let is_text = |start: &[u8]| start.iter().take(1024).all(|&b| b >= 8);
    if !start.starts_with(b"\x0a") || is_text(start) {
        return false;
    }
    match Wire::new(start).next_field() {
        Ok(Some((_, Value::Bytes(mut packet)))) => {
            let mut is_known = false;
            loop {
                match packet.next_field() {
                    Ok(Some((field, _))) => is_known |= KNOWN.contains(&field),
                    Ok(None) => return is_known,
                    Err(_) => return false,
                }
            }
        }
        // The packet goes beyond what is looked at: its first field is.
        Err(_) => {
            let key = message(start).and_then(|packet| Wire::new(packet).packed().ok()?);
            key.is_some_and(|key| u32::try_from(key >> 3).is_ok_and(|key| KNOWN.contains(&key)))
        }
        Ok(_) => false,
    }
}

/// What is inside of a message's first field, when that may be a message itself.
fn message(bytes: &[u8]) -> Option<&[u8]> {
    let (&key, rest) = bytes.split_first()?;
    let end = rest.iter().take(5).position(|b| b & 0x80 == 0)?;
    (key & 7 == 2).then(|| &rest[end + 1..])
}

fn text_format(start: Start<'_>) -> Option<UnsupportedFormat> {
    let fits = |(begin, words, _): &&(&str, &[&str], UnsupportedFormat)| {
        start.text.starts_with(begin.as_bytes()) && start.has(words)
    };
    TEXTS
        .iter()
        .find(fits)
        .map(|&(_, _, name)| name)
        .or_else(|| perf_script(start).then_some(Profile("the output of perf script")))
}

/// Whether a text is `comm 4711 [000] 12.345678: 250000 cpu-clock:` and so on: below it are the
/// frames, each with its address, or the next sample. Of a sample's head any field may be missing,
/// and messages may come before it: then a frame decides that has an address of four digits and a
/// module, `40052d main (/bin/a)`.
pub(crate) fn perf_script(start: Start<'_>) -> bool {
    const LOOKED_AT: usize = 16;
    let lines = start.lines().filter(|line| !line.starts_with(b"#"));
    let lines: Vec<_> = lines.take(LOOKED_AT).collect();
    let is_sample = |line: &[u8]| {
        let mut words = line.split(u8::is_ascii_whitespace);
        words.any(id) && words.any(time)
    };
    // Of the address.
    let digits = |line: &[u8]| {
        let mut words = line.trim_ascii_start().split(u8::is_ascii_whitespace);
        let address = words.next().unwrap_or(b"");
        let is_frame = (line.starts_with(b"\t") || line.starts_with(b" "))
            && address.iter().all(u8::is_ascii_hexdigit);
        if is_frame { address.len() } else { 0 }
    };
    // `(/bin/a)` or `([kernel.kallsyms])`; other texts have other brackets.
    let has_module = |line: &[u8]| {
        let mut pairs = line.windows(3);
        line.ends_with(b")") && pairs.any(|part| matches!(part, b" (/" | b" (["))
    };
    let begins = match lines[..] {
        [] => false,
        [first] => is_sample(first),
        [first, second, ..] => is_sample(first) && (digits(second) > 0 || is_sample(second)),
    };
    begins
        || lines
            .iter()
            .any(|line| digits(line) >= 4 && has_module(line))
}

/// `4711`, or `4711/4712`: a process and its thread.
fn id(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_digit)
        && word.iter().all(|b| b.is_ascii_digit() || *b == b'/')
}

/// `12.345678:`.
fn time(word: &[u8]) -> bool {
    let digits = word.strip_suffix(b":").unwrap_or(b"");
    digits.contains(&b'.') && digits.iter().all(|b| b.is_ascii_digit() || *b == b'.')
}
