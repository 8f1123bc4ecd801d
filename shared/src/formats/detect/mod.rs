//! Opening a file without being told what it is.

pub(crate) mod unsupported;

use thiserror::Error;

use crate::formats::compression::CompressionError;
use crate::formats::decoded::Decoded;
use crate::formats::folded::{self, FoldedError};
use crate::formats::jfr;
use crate::formats::json::format::JsonFormat;
use crate::formats::legacy;
use crate::formats::pprof::{self, PprofError};
use crate::formats::unpack::unpack;
use crate::model::profile::{Profile, ValueType};
pub use unsupported::UnsupportedFormat;

/// Why a file cannot be opened.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OpenError {
    /// Damaged pprof, old or new; also what is like none of the formats.
    #[error(transparent)]
    Pprof(#[from] PprofError),
    /// Damaged folded stacks.
    #[error(transparent)]
    Folded(#[from] FoldedError),
    /// It cannot be inflated.
    #[error(transparent)]
    Compression(#[from] CompressionError),
    /// Nothing but white space, if anything.
    #[error(
        "the file {} ({length} bytes); expected a profile: record it again, or copy the whole file",
        if *length == 0 { "is empty" } else { "contains only white space" }
    )]
    Empty {
        /// Its size.
        length: usize,
    },
    /// None of the formats; what it is instead.
    #[error(
        "this is {0}; Pilotlight reads pprof, its predecessors (gperftools, old Go and Java), JFR, speedscope and folded stacks"
    )]
    Unsupported(UnsupportedFormat),
}

/// Opens a profile of the formats that most files have: pprof ([`crate::pprof`]), what was before it
/// ([`crate::legacy`]), or folded stacks ([`crate::folded`]); gzip, zstd or neither. After inflation
/// it may have `cap` bytes. [`crate::imports::open`] reads all others, too: the viewer loads them
/// when a file asks for them.
pub fn open(bytes: &[u8], cap: usize) -> Result<Decoded, OpenError> {
    open_named(bytes, cap).map(|(decoded, _)| decoded)
}

/// [`open`], and the name of the format for people.
pub fn open_named(bytes: &[u8], cap: usize) -> Result<(Decoded, &'static str), OpenError> {
    let unpacked = unpack(bytes, cap)?;
    let (mut decoded, name) = open_unpacked(&unpacked.bytes, cap)?;
    unpacked.note(&mut decoded.warnings);
    Ok((decoded, name))
}

/// The same of a file that is unpacked already.
pub(crate) fn open_unpacked(raw: &[u8], cap: usize) -> Result<(Decoded, &'static str), OpenError> {
    if raw.trim_ascii().is_empty() {
        return Err(OpenError::Empty { length: raw.len() });
    }
    if jfr::sniff(raw) {
        let recording = UnsupportedFormat::Imported("a JFR recording");
        return Err(OpenError::Unsupported(recording));
    }
    // One that is too large is told so below.
    if raw.len() <= cap
        && let Some(json) = JsonFormat::of(raw)
    {
        return Err(OpenError::Unsupported(unsupported::json(json)));
    }
    // It would be a pprof profile of many types and no samples.
    if let Some(trace) = unsupported::perfetto(raw) {
        return Err(OpenError::Unsupported(trace));
    }
    // The protobuf reader goes first, for it knows its own without doubt; folded stacks can only be
    // guessed.
    let error = match pprof::open(raw, cap) {
        Ok(decoded) if is_blank(&decoded.profile) => {
            return Err(OpenError::Unsupported(NOT_PPROF));
        }
        Ok(decoded) => {
            let name = legacy::sniff(raw).map_or("pprof", legacy::Format::name);
            return Ok((decoded, name));
        }
        Err(error) => error,
    };
    if !error.may_be_another_format() {
        return Err(error.into());
    }
    if let Some(other) = unsupported::more_than_folded(raw) {
        return Err(OpenError::Unsupported(other));
    }
    if folded::sniff(raw) {
        return Ok((folded::decode(raw)?, "folded stacks"));
    }
    Err(unsupported::identify(raw).map_or(error.into(), OpenError::Unsupported))
}

/// Other messages read as pprof, too: a push request's series are value types without names.
const NOT_PPROF: UnsupportedFormat =
    UnsupportedFormat::Other("a protobuf message without samples or named sample types");

/// Whether a profile has neither samples nor a sample type with a name.
fn is_blank(profile: &Profile) -> bool {
    let unnamed = |kind: &ValueType| profile.type_text(*kind).0.is_empty();
    profile.is_empty() && profile.sample_types().iter().all(unnamed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::gzip::GzipError;
    use crate::formats::pprof::{encode, encode_gzip};
    use crate::testing::profile;

    #[test]
    fn each_format_is_told_by_its_bytes() {
        let drawn = profile("main;a 1\nmain;b 2");
        let text = crate::formats::folded::encode(&drawn, 0, 1 << 10)
            .expect("small")
            .into_bytes();
        for (bytes, name) in [
            (encode(&drawn), "pprof"),
            (encode_gzip(&drawn), "pprof"),
            (text, "folded stacks"),
            (
                b"x profile: total 1\n3 @ 0x1 0x2\n".to_vec(),
                "legacy count profile",
            ),
        ] {
            let (decoded, format) = open_named(&bytes, 1 << 20).expect("opens");
            assert_eq!((decoded.profile.total(0), format), (3, name));
        }
    }

    #[test]
    fn only_text_that_can_be_json_is_called_so() {
        for (text, name) in [
            (
                "[Thread debugging using libthread_db enabled]\nUsing host libthread_db.\n",
                "text in",
            ),
            ("[main] INFO started 5 workers", "text in"),
            ("[    0.012345] Linux version 6.1", "text in"),
            ("[1] done\n", "text in"),
            ("[1234] [INFO] started\n", "text in"),
            ("[    0.000000] [Firmware Bug]: TSC\n", "text in"),
            ("[2026-11-22][main] x\n", "text in"),
            ("[--------]\n", "text in"),
            ("[....]\n", "text in"),
            ("[, x\n", "text in"),
            ("[n, x\n", "text in"),
            ("[NaN, 1]", "text in"),
            ("[ ]\n", "JSON in"),
            ("[] is empty", "text in"),
            ("[2026-11-22 10:00:00] started", "text in"),
            ("{closure}", "text in"),
            ("[main]", "text in"),
            ("[0.5, null]", "JSON in"),
            ("[\"a\"", "incomplete JSON,"),
            ("[ true, tru", "incomplete JSON,"),
            ("[tru", "incomplete JSON,"),
            ("[-1.5e+3", "incomplete JSON,"),
            ("[ ", "incomplete JSON,"),
            ("{\n", "incomplete JSON,"),
            ("[]", "JSON in"),
            ("{}", "JSON in"),
            ("[1]\n[2]", "JSON in"),
            ("[1] \r\n {\"a\"", "incomplete JSON,"),
            ("[[1] x]", "JSON in"),
            ("{\"a\": x}", "JSON in"),
        ] {
            let message = open(text.as_bytes(), 99).expect_err(text).to_string();
            assert!(
                message.starts_with(&format!("this is {name} ")),
                "{text}: {message}"
            );
        }
    }

    #[test]
    fn says_what_is_wrong_in_the_words_of_the_format() {
        let message = |bytes: &[u8], cap| open(bytes, cap).expect_err("is damaged").to_string();
        assert_eq!(
            message(b"", 10),
            "the file is empty (0 bytes); expected a profile: record it again, or copy the whole file"
        );
        assert_eq!(
            message(b" \r\n\n\t", 10),
            "the file contains only white space (5 bytes); expected a profile: record it again, or copy the whole file"
        );
        assert_eq!(
            message(b"main;a 1", 5),
            "pprof: the profile has 8 bytes; at most 5 are allowed"
        );
        let trace = b"{\"traceEvents\":[]}";
        assert_eq!(
            message(trace, 5),
            "pprof: the profile has 18 bytes; at most 5 are allowed"
        );
        assert!(
            message(trace, 18).starts_with("this is a Chrome trace, which the viewer can open")
        );
        assert_eq!(
            message(b"x profile: total 1\n?", 99),
            "legacy count profile, line 2: expected a line like \"1 @ 0x2 0x3\": \"?\""
        );
        let read = "Pilotlight reads pprof, its predecessors (gperftools, old Go and Java), JFR, speedscope and folded stacks";
        assert_eq!(
            message(b"hello", 10),
            format!("this is text in an unknown format; {read}")
        );
        assert_eq!(
            message(b"FLR\0\0\x02\0\0", 10),
            format!("this is a JFR recording, which the viewer can open; {read}")
        );
        assert_eq!(
            message(b"\x01\x02\xff\0", 10),
            format!("this is binary data in an unknown format; {read}")
        );
        assert_eq!(
            message(b"\x0a\x05\x08", 10),
            "pprof: not a valid protobuf message at byte 0: a length runs past the end"
        );
        // Random bytes may begin with the key of a field.
        for bytes in [
            &b"\x0a\x05\xff\x01\x02\x03\x04\x99"[..],
            b"\x0a\xff\x01\x93",
            b"\x12\x03\x7f\x01\x02\xff",
        ] {
            assert_eq!(
                message(bytes, 10),
                format!("this is binary data in an unknown format; {read}")
            );
        }
        for damaged in [
            &b"\x0a\x04\x08\x01\x10\x02\x12\xff"[..],
            b"\x0a\x02\x08\xff\xff\xff\xff\xff\xff",
            b"\x0a\x00\x0a\x05",
            b"\x32\x05a",
        ] {
            let message = message(damaged, 10);
            assert!(message.starts_with("pprof: "), "{message}");
        }
        // A push request: a series with the label a="b" and the sample "c".
        assert_eq!(
            message(b"\x0a\x0d\x0a\x06\x0a\x01a\x12\x01b\x12\x03\x0a\x01c", 99),
            format!("this is a protobuf message without samples or named sample types; {read}")
        );
        assert_eq!(
            message(b"MMPD\0", 10),
            format!(
                "this is a rustc self-profile (`crox` converts it), which Pilotlight can't open yet; {read}"
            )
        );
        let memray = "a memray recording (`memray transform gprof2dot` converts it)";
        let bcc = "output of a bcc tool (`-f` prints folded stacks)";
        for (bytes, name) in [
            (&b"memray\0\x0d\0"[..], memray),
            (
                b"\x04\x22\x4d\x18\x40\x40\xc0\xc0\x39\0\0\xf9\x05memray\0\x0d\0",
                memray,
            ),
            (
                b"\x04\x22\x4d\x18\x40\x40\xc0\xc0\x39\0\0\xf9\x05text",
                "an LZ4 archive (`lz4 -d` unpacks it)",
            ),
            (
                b"<!DOCTYPE html>\n<html lang=\"en\">\n<title>memray - flamegraph report</title><svg>",
                "a memray report (HTML; `memray transform gprof2dot` converts the recording)",
            ),
            (
                br#"{"total_num_allocations":1,"allocation_size_histogram":[]}"#,
                "memray statistics (`memray transform gprof2dot` converts the recording)",
            ),
            (
                b"reading file \"a.zst\"\nDebuggee command was: ./a\n\nMOST CALLS TO ALLOCATION FUNCTIONS\n60 calls to allocation functions with",
                "a heaptrack_print report (open the recording it was made from instead)",
            ),
            (
                b"Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.\n\n    b'do_idle'\n",
                bcc,
            ),
            (
                b"JAVA PROFILE 1.0.2\0",
                "a Java heap dump (HPROF; for allocations, `jcmd PID JFR.start settings=profile` records JFR)",
            ),
            (
                b"gmon\x01\0\0\0",
                "a gprof profile (gmon.out; record with `perf record -g` or callgrind instead)",
            ),
            (
                b"\x17\x08\x44tracing6",
                "a trace-cmd recording (trace.dat; record with `perf record -g` instead)",
            ),
            (
                br#"a:1:{s:12:"main()==>foo";a:2:{s:2:"ct";i:1;s:2:"wt";i:2;}}"#,
                "a PHP-serialized xhprof profile (`php -r 'echo json_encode(unserialize(file_get_contents($argv[1])));' FILE` converts it)",
            ),
            (
                b"v8-version,11,3,244,8,-node.38,0\nv8-platform,linux,linux\ntick,0x1401,549,0,0x0,6\n",
                "a raw V8 log (`node --prof-process --preprocess` converts it)",
            ),
            (
                b"PERFFILE\x68\0\0\0",
                "a recording from an old perf version (`perf script` prints it as text)",
            ),
            (
                b"\x04\x08{\x06:\x0cversionf\x081.2",
                "a Ruby Marshal dump (if it is from stackprof, `stackprof --json` prints JSON)",
            ),
        ] {
            assert_eq!(
                message(bytes, 999),
                format!("this is {name}, which Pilotlight can't open yet; {read}")
            );
        }
        for (bytes, name) in [
            (
                &b"\x7fELF\x02"[..],
                "a program (ELF; drop it on a profile in the viewer to symbolize that profile)",
            ),
            (b"PAR1\x15\x04", "a Parquet file"),
            (
                b"SQLite format 3\0\x10",
                "a SQLite database (if it is from rocprofv3, `rocpd convert` writes a Perfetto trace)",
            ),
            (
                b"\x80\x04\x95\x0a",
                "a Python pickle (if it is from yappi, `stats.save(FILE, type=\"pstat\")` writes pstats)",
            ),
            (
                b"    do_idle\n    -                swapper/0 (0)\n        12\n",
                "bcc stacks, which the viewer can open",
            ),
            (b"<!DOCTYPE html><svg></svg>", "a web page (HTML)"),
            (
                b"\x04\x08{\x09:\x0cversionf\x081.2:\x09mode:\x08cpu:\x0dintervali\x02",
                "a stackprof dump, which the viewer can open",
            ),
        ] {
            assert_eq!(message(bytes, 999), format!("this is {name}; {read}"));
        }
        let deep = format!("a;b 1\n{}b 1", "a;".repeat(16_384));
        assert_eq!(
            message(deep.as_bytes(), 1 << 20),
            "folded stacks, line 2: a stack of 16385 frames; at most 16384 are allowed"
        );
        assert!(matches!(
            open(&[0x1f, 0x8b, 0], 10),
            Err(OpenError::Compression(CompressionError::Gzip(
                GzipError::Damaged { .. }
            )))
        ));
    }
}
