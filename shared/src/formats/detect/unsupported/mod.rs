//! Names for what the first reader does not read: the viewer then loads [`crate::imports`], and a
//! person who pushes a recording of perf learns that it is one, not that protobuf is broken at byte
//! 0.
//!
//! Content decides, never the name of a file. A name is a guess that only words an error, so each
//! rule is a few bytes; what can be read is found before. Sources: the detection table that the
//! formats' own readers agree on (speedscope, the Firefox Profiler, Perfetto), and the formats'
//! documents.

mod format;
mod table;

use crate::formats::folded::variants::{Variant, variant};
use crate::formats::json::format::JsonFormat;
use crate::formats::protobuf::{Value, Wire};
use crate::formats::start::{FIRST_LINES, Start};
pub use format::UnsupportedFormat;
use format::UnsupportedFormat::{Imported, Other, Profile};
use table::{MACH_O, MAGIC, MEMRAY, TEXTS};

/// What a text is that looks like folded stacks and means more.
pub(crate) fn more_than_folded(bytes: &[u8]) -> Option<UnsupportedFormat> {
    Some(match variant(bytes)? {
        Variant::Difference => Imported("folded stacks with two counts"),
        Variant::Austin => Imported("an Austin recording (text)"),
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
        .or_else(|| lz4(start))
        .or_else(|| marshal(start))
        .or_else(|| tar(start))
        .or_else(|| universal(start))
        .or_else(|| go_trace(start))
        .or_else(|| otlp(start))
        .or_else(|| beginning.json.map(json))
        .or_else(|| text_format(beginning))
        .or_else(|| text_or_json(start, bytes))
        .or_else(|| (!begins_as_pprof(start)).then_some(Other("binary data in an unknown format")))
}

/// Whether the first field is one of pprof's messages, texts or numbers, as far as its message is
/// whole: bytes of another format may begin with the key of one.
fn begins_as_pprof(start: &[u8]) -> bool {
    const NUMBER: u8 = 0;
    const BYTES: u8 = 2;
    match start.first().map(|tag| (tag >> 3, tag & 7)) {
        Some((field @ (1..=6 | 11 | 13), BYTES)) => has_fields_of(field, start),
        Some((7..=10 | 12..=14, NUMBER)) => true,
        Some(_) => false,
        None => true,
    }
}

/// Whether the message that is a file's first field has only fields that pprof's has.
fn has_fields_of(field: u8, start: &[u8]) -> bool {
    let known = match field {
        1 | 11 => 1..=2,
        2 => 1..=3,
        3 => 1..=10,
        4 | 5 => 1..=5,
        // A text, or numbers.
        _ => return true,
    };
    let mut fields = match Wire::new(start).next_field() {
        Ok(Some((_, Value::Bytes(message)))) => message,
        // It goes beyond what there is, or is looked at.
        _ => Wire::new(message(start).unwrap_or_default()),
    };
    loop {
        let left = fields.end() - fields.offset();
        match fields.next_field() {
            Ok(Some((field, _))) if known.contains(&field) => {}
            Ok(Some(_)) => return false,
            Ok(None) => return true,
            // It is cut off or damaged; its key decides.
            Err(_) => {
                let bytes = fields.bytes();
                let key = bytes.get(bytes.len() - left);
                return key.is_none_or(|key| known.contains(&u32::from(key >> 3)));
            }
        }
    }
}

const CUT_JSON: &str = "incomplete JSON, perhaps from an interrupted download";

/// What is left to say of a file that has no better name.
fn text_or_json(start: &[u8], bytes: &[u8]) -> Option<UnsupportedFormat> {
    let start = &start[..start.len().min(512)];
    let text = start
        .iter()
        .all(|&b| b >= 0x20 || b"\t\r\n\x0c".contains(&b));
    let start = start.trim_ascii_start();
    match start.first()? {
        _ if !text => None,
        _ if !begins_as_json(start) => Some(Other("text in an unknown format")),
        b'{' if !bytes.trim_ascii_end().ends_with(b"}") => Some(Other(CUT_JSON)),
        b'[' if !bytes.trim_ascii_end().ends_with(b"]") => Some(Other(CUT_JSON)),
        _ => Some(Other("JSON in an unknown format")),
    }
}

/// Whether a text can be the beginning of an object or a list in JSON. Other texts begin with
/// brackets, too: `[main] INFO`, `[0.012] Linux`. Only the first bytes decide, for the rest of a
/// JSON document can be damaged.
fn begins_as_json(start: &[u8]) -> bool {
    let Some((bracket, inside)) = start.split_first() else {
        return false;
    };
    let inside = inside.trim_ascii_start();
    match (bracket, inside.first()) {
        (b'{' | b'[', None) => true,
        (b'{', Some(first)) => b"\"}".contains(first),
        (b'[', Some(b'"' | b'[' | b'{')) => true,
        (b'[', Some(_)) => begins_as_list(inside),
        _ => false,
    }
}

/// Whether a list of JSON can have this inside: a number or a literal, then a comma or the closing
/// bracket; only another document may follow, on a line of its own.
fn begins_as_list(inside: &[u8]) -> bool {
    const LITERALS: [&[u8]; 3] = [b"true", b"false", b"null"];
    let ends = |b: &u8| b.is_ascii_whitespace() || b",]".contains(b);
    let length = inside.iter().position(ends).unwrap_or(inside.len());
    let (value, rest) = inside.split_at(length);
    let rest = rest.trim_ascii_start();
    let of_number = |b: &u8| b.is_ascii_digit() || b"+-.eE".contains(b);
    let is_number = value.iter().all(of_number) && value.iter().any(u8::is_ascii_digit);
    let is_literal = LITERALS
        .iter()
        .any(|word| *word == value || (rest.is_empty() && word.starts_with(value)));
    let is_empty = value.is_empty() && rest.starts_with(b"]");
    (is_number || is_literal || is_empty)
        && match rest {
            [] | [b',', ..] => true,
            [b']', after @ ..] => {
                let next = after.trim_ascii_start();
                let between = &after[..after.len() - next.len()];
                next.is_empty() || (between.contains(&b'\n') && b"[{".contains(&next[0]))
            }
            _ => false,
        }
}

/// A format in JSON.
pub(crate) fn json(format: JsonFormat) -> UnsupportedFormat {
    if format.is_imported() {
        Imported(format.name())
    } else {
        Profile(format.name())
    }
}

/// A frame of LZ4. memray packs its recordings so, which begin with their name.
fn lz4(start: &[u8]) -> Option<UnsupportedFormat> {
    let mut parts = start.strip_prefix(b"\x04\x22\x4d\x18")?.windows(7).take(32);
    Some(if parts.any(|part| part == b"memray\0") {
        MEMRAY
    } else {
        Profile("an LZ4 archive (`lz4 -d` unpacks it)")
    })
}

/// A dump of Ruby. Of those, stackprof's are read.
fn marshal(start: &[u8]) -> Option<UnsupportedFormat> {
    let dump = start.strip_prefix(b"\x04\x08")?;
    let has = |mark: &[u8]| dump.windows(mark.len()).any(|part| part == mark);
    Some(if has(b":\x09mode") && has(b":\x0dinterval") {
        Imported("a stackprof dump")
    } else {
        Profile("a Ruby Marshal dump (if it is from stackprof, `stackprof --json` prints JSON)")
    })
}

fn tar(start: &[u8]) -> Option<UnsupportedFormat> {
    (start.get(257..262)? == b"ustar").then_some(Profile("a tar archive"))
}

/// A program for several processors. Classes of Java begin with the same four bytes; they have a
/// version, from 45 on, where this has the number of processors.
fn universal(start: &[u8]) -> Option<UnsupportedFormat> {
    let count = start.strip_prefix(b"\xca\xfe\xba\xbe")?.first_chunk()?;
    Some(match u32::from_be_bytes(*count) {
        0..45 => MACH_O,
        _ => Other("a Java class file"),
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
    (texts(start) || named().is_some()).then_some(Imported("an OTLP profile"))
}

/// A trace of Perfetto: packets as field 1. The first has a field that neither a value type of pprof
/// nor a resource of OTLP has; and bytes that no text has, for a text may begin with a line feed,
/// which is the key of field 1.
pub(crate) fn perfetto(start: &[u8]) -> Option<UnsupportedFormat> {
    is_perfetto(start).then_some(Imported("a Perfetto trace"))
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
        .or_else(|| perf_script(start).then_some(Imported("perf script output")))
}

/// Whether a text is `comm 4711 [000] 12.345678: 250000 cpu-clock:` and so on: below it are the
/// frames, each with its address, or the next sample. Of a sample's head any field may be missing,
/// and messages may come before it: then a frame decides that has an address of four digits and a
/// module, `40052d main (/bin/a)`, or two that stand in perf's columns.
pub(crate) fn perf_script(start: Start<'_>) -> bool {
    let lines = start.lines().filter(|line| !line.starts_with(b"#"));
    let lines: Vec<_> = lines.take(FIRST_LINES).collect();
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
    let has_address = |line: &&&[u8]| digits(line) >= 4;
    let in_columns = || lines.iter().filter(|line| is_in_columns(line));
    let mut rows = lines.iter().filter(|line| is_row(line));
    begins
        || rows.by_ref().take(2).count() == 2
        || lines
            .iter()
            .filter(has_address)
            .any(|line| has_module(line))
        || in_columns().count() > 1 && in_columns().any(|line| has_address(&line))
}

/// Where the head of a sample ends that has its frame beside it: `comm 12      40052d main`, with the
/// address right in 16 columns behind a blank.
pub(crate) fn head_in_columns(line: &[u8]) -> Option<usize> {
    const WIDTH: usize = 1 + 16;
    let (mut end, mut at) = (0, 0);
    for word in line.split(|&b| b == b' ') {
        let start = at;
        at += word.len() + 1;
        if word.is_empty() {
            continue;
        }
        let width = start + word.len() - end;
        if width >= WIDTH && word.len() < WIDTH && word.iter().all(u8::is_ascii_hexdigit) {
            // Without a head it is a frame below one.
            return (end > 0).then_some(end);
        }
        end = start + word.len();
    }
    None
}

/// Whether a line is such a sample that begins with the name of its thread, right in 16 columns, and
/// has an address of four digits.
fn is_row(line: &[u8]) -> bool {
    let Some((comm, rest)) = line.split_at_checked(16) else {
        return false;
    };
    let digits = |end: usize| {
        let address = line[end..].trim_ascii_start();
        address.iter().take_while(|b| **b != b' ').count()
    };
    comm.starts_with(b" ")
        && !comm.ends_with(b" ")
        && rest.starts_with(b" ")
        && head_in_columns(line).is_some_and(|end| digits(end) >= 4)
}

/// Whether an address is where perf prints it: behind a tab, or as many blanks, right in 16 columns.
fn is_in_columns(line: &[u8]) -> bool {
    let inner = line
        .strip_prefix(b"\t")
        .or_else(|| line.strip_prefix(b"        "));
    let columns = inner.and_then(|inner| inner.split_at_checked(inner.len().min(16)));
    columns.is_some_and(|(address, rest)| {
        let digits = address.trim_ascii_start();
        address.len() == 16
            && !digits.is_empty()
            && digits.iter().all(u8::is_ascii_hexdigit)
            && matches!(rest, [] | [b' ', ..])
    })
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
