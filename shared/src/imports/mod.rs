//! Formats that people open and no agent pushes: each is read into a
//! [`Profile`](crate::Profile), none is written. [`open`] reads all others, too.
//!
//! A format is a module here and a line in [`FORMATS`]. They are apart from
//! [`crate::formats`] for their size: the viewer loads them when a file asks for them, and the
//! worker has [`UPLOADED`] alone.

mod binary;
mod call_graph;
mod dumps;
mod error;
mod flame_graphs;
mod frames;
mod json;
mod outline;
mod rows;
mod spans;
#[cfg(test)]
mod testing;
mod text;
mod v8;

use crate::formats::decoded::Decoded;
use crate::formats::detect;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::formats::unpack::unpack;
use crate::formats::{jfr, speedscope};
pub use error::{FormatError, ImportError};

/// A format.
struct Format {
    /// What it is called in messages.
    name: &'static str,
    /// Whether a file is of it.
    sniff: fn(Start<'_>) -> bool,
    /// Reads a file of it.
    decode: fn(&[u8]) -> Result<Decoded, FormatError>,
}

/// What each of these modules reads.
macro_rules! formats {
    ($($($module:ident)::+,)*) => {
        &[$(Format {
            name: $($module)::+::NAME,
            sniff: $($module)::+::sniff,
            decode: $($module)::+::decode,
        }),*]
    };
}

/// All formats, those that are known for certain first.
const FORMATS: &[Format] = formats![
    binary::art_trace,
    binary::simpleperf,
    binary::perf_data,
    binary::perfetto,
    binary::python_binary,
    binary::pstats,
    binary::stackprof,
    json::gecko::slabs,
    v8::trace,
    v8::cpu_profile,
    v8::heap_profile,
    v8::log,
    json::gecko,
    json::safari,
    json::stackprof,
    json::react,
    json::pyinstrument,
    json::scalene,
    json::xhprof,
    json::gprof2dot,
    json::flamebearer,
    json::dhat,
    json::ghc,
    binary::otlp,
    text::callgrind,
    dumps::goroutines,
    dumps::java,
    dumps::debugger,
    text::ghc_text,
    text::instruments,
    text::macos_sample,
    text::massif,
    text::heaptrack,
    text::pmcstat,
    text::rprof,
    text::bpftrace,
    text::bcc,
    text::xdebug,
    text::perf_report,
    text::vtune,
    text::visual_studio,
    flame_graphs::svg,
    flame_graphs::async_profiler,
    text::perf_script,
    text::austin,
    text::difference,
];

/// Those that Pyroscope's page for single profiles takes.
const UPLOADED: &[Format] = formats![json::flamebearer, text::perf_script,];

/// A file that was opened.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What is in it.
    pub decoded: Decoded,
    /// The name of its format, for people; `None` for one of [`crate::open`]'s.
    pub format: Option<&'static str>,
}

/// Opens a profile in any format at all: those of this room, JFR, speedscope, and all that
/// [`crate::open`] reads; compressed with gzip or zstd, or both. After inflation it may have `cap`
/// bytes.
pub fn open(bytes: &[u8], cap: usize) -> Result<Opened, ImportError> {
    open_as(FORMATS, bytes, cap)
}

/// [`open`] without most formats of this room: of them only flame graphs of Pyroscope and the output
/// of `perf script`.
pub fn open_uploaded(bytes: &[u8], cap: usize) -> Result<Opened, ImportError> {
    open_as(UPLOADED, bytes, cap)
}

fn open_as(formats: &[Format], bytes: &[u8], cap: usize) -> Result<Opened, ImportError> {
    let unpacked = unpack(bytes, cap)?;
    let mut opened = open_unpacked(formats, &unpacked.bytes, cap)?;
    unpacked.note(&mut opened.decoded.warnings);
    Ok(opened)
}

fn open_unpacked(formats: &[Format], raw: &[u8], cap: usize) -> Result<Opened, ImportError> {
    if jfr::sniff(raw) && raw.len() <= cap {
        let recording = jfr::decode_with_times(raw)?;
        return Ok(Opened {
            decoded: recording.for_viewer(),
            format: Some("JFR"),
        });
    }
    let start = Start::of(raw);
    if start.json == Some(JsonFormat::Speedscope) && raw.len() <= cap {
        return Ok(Opened {
            decoded: speedscope::decode_with_times(raw)?,
            format: Some("speedscope"),
        });
    }
    if let Some(format) = formats.iter().find(|format| (format.sniff)(start))
        && raw.len() <= cap
    {
        let decoded = (format.decode)(raw)?;
        return Ok(Opened {
            decoded,
            format: Some(format.name),
        });
    }
    let (decoded, _) = detect::open_unpacked(raw, cap)?;
    Ok(Opened {
        decoded,
        format: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::unpack::DAMAGED_TEXT;

    #[test]
    fn utf16_is_read_as_any_text() {
        let wide = |text: &str| -> Vec<u8> {
            let text = format!("\u{feff}{text}");
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        };
        for (text, format) in [
            (
                "Full thread dump x:\n\n\"main\" #1 prio=5 tid=0x1 nid=0x2 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1)\n\n",
                Some("Java thread dump"),
            ),
            (
                r#"[{"ph":"X","ts":1,"dur":1000,"name":"a"}]"#,
                Some("Chrome trace"),
            ),
            (
                r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[0]],"weights":[1]}]}"#,
                Some("speedscope"),
            ),
            ("main;a 1\n", None),
            ("x profile: total 1\n1 @ 0x1 0x2\n", None),
        ] {
            let plain = open(text.as_bytes(), 1 << 20).expect("opens");
            assert_eq!(plain.format, format);
            let bytes = zstd::stream::encode_all(&wide(text)[..], 1).expect("memory");
            let opened = open(&bytes, 1 << 20).expect("opens");
            assert_eq!(opened.format, format);
            let totals = [&plain, &opened].map(|opened| opened.decoded.profile.total(0));
            assert_eq!(totals[0], totals[1]);
            assert!(totals[0] > 0, "{text}");
            assert_eq!(opened.decoded.warnings, plain.decoded.warnings);
            let cut = [wide(text), b"\xd8".to_vec()].concat();
            let cut = open(&cut, 1 << 20).expect("opens");
            assert_eq!(cut.decoded.warnings[0], DAMAGED_TEXT);
        }
    }
}
