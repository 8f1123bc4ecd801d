//! DHAT's JSON, which Valgrind and the crate `dhat` write.
//!
//! Source: Valgrind's description of the format, version 2, in `dhat/dh_main.c`.
//!
//! - A program point is a stack, the leaf first, with the blocks and bytes that it allocated: all of
//!   them, those alive when most were (the peak), and those alive at the end. Profiles without the
//!   lifetimes of blocks have only the first.
//! - Profiles that count events of another kind (`ad-hoc`) have units and events.
//! - Lifetimes and counts of accesses are left out.
//! - A frame is a text: an address, a name, and the file and line or the library in parentheses.

use serde::Deserialize;
use serde::de::Deserializer;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::json::each;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::{Start, without_mark};
use crate::imports::error::FormatError;
use crate::imports::frames::valgrind_location;
use crate::imports::json::columns::{Numbers, Texts};
use crate::model::builder::ProfileBuilder;

pub(crate) const NAME: &str = "DHAT profile";

/// The version that is read.
const VERSION: i64 = 2;

/// Types and units, in the order of [`Points::values`].
const OF_HEAP: [(&str, &str); 6] = [
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("peak_objects", "count"),
    ("peak_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
];

/// The same of events.
const OF_EVENTS: [(&str, &str); 2] = [("events", "count"), ("units", "count")];

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "dhatFileVersion")]
    version: i64,
    #[serde(default)]
    mode: String,
    /// Whether lifetimes of blocks are known.
    #[serde(default, rename = "bklt")]
    lifetimes: bool,
    /// Microseconds or instructions.
    #[serde(default, rename = "tu")]
    time_unit: String,
    /// The end.
    #[serde(default, rename = "te")]
    end: f64,
    #[serde(rename = "pps")]
    points: Points,
    #[serde(rename = "ftbl")]
    frames: Texts,
}

/// All program points.
#[derive(Default)]
struct Points {
    values: Vec<[i64; 6]>,
    frames: Vec<u32>,
    /// Where the frames of each end.
    ends: Vec<u32>,
}

#[derive(Deserialize)]
struct Point {
    tb: i64,
    tbk: i64,
    #[serde(default)]
    gb: i64,
    #[serde(default)]
    gbk: i64,
    #[serde(default)]
    eb: i64,
    #[serde(default)]
    ebk: i64,
    fs: Numbers,
}

/// Whether this is DHAT's.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Dhat)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let document: Document = serde_json::from_slice(without_mark(bytes))
        .map_err(|error| FormatError::json(NAME, &error))?;
    let mut warnings = Warnings::default();
    if document.version != VERSION {
        let version = document.version;
        warnings.add(|| format!("version {version} is not supported; expected {VERSION}"));
    }
    let mut builder = ProfileBuilder::new();
    let types = match (document.mode.as_str(), document.lifetimes) {
        ("ad-hoc", _) => &OF_EVENTS[..],
        (_, true) => &OF_HEAP[..],
        (_, false) => &OF_HEAP[..2],
    };
    for (kind, unit) in types {
        builder.sample_type(kind, unit);
    }
    let default = builder.string(types[1].0);
    let header = builder.header();
    header.default_sample_type = default;
    if document.time_unit == "µs" {
        header.duration_nanos = (document.end * 1e3).max(0.0) as i64;
    }
    let Points {
        values,
        frames,
        ends,
    } = &document.points;
    let mut locations = vec![None; document.frames.len()];
    let mut start = 0;
    for (point, (values, &end)) in values.iter().zip(ends).enumerate() {
        let end = end as usize;
        let mut stack = None;
        for &frame in frames[start..end].iter().rev() {
            let Some(text) = document.frames.get(frame as usize) else {
                let problem = format!("there is no frame {frame}");
                return Err(FormatError::at(
                    NAME,
                    format!("program point {point}"),
                    problem,
                ));
            };
            let known = &mut locations[frame as usize];
            let location = *known.get_or_insert_with(|| valgrind_location(text, &mut builder));
            stack = Some(builder.stack(stack, location));
        }
        builder.sample(stack, None, values);
        start = end;
    }
    Ok(Decoded {
        profile: builder.finish(),
        warnings: warnings.finish(),
    })
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut points = Self::default();
        each(deserializer, "a list of program points", |point: Point| {
            let Numbers(frames) = point.fs;
            if frames.len() > MAX_STACK_DEPTH {
                return Err(format!("a stack has more than {MAX_STACK_DEPTH} frames"));
            }
            let Point {
                tb,
                tbk,
                gb,
                gbk,
                eb,
                ebk,
                ..
            } = point;
            points.values.push([tbk, tb, gbk, gb, ebk, eb]);
            // What does not fit is in no table.
            let frames = frames
                .into_iter()
                .map(|frame| u32::try_from(frame).unwrap_or(u32::MAX));
            points.frames.extend(frames);
            points.ends.push(points.frames.len() as u32);
            Ok(())
        })?;
        Ok(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    fn open(head: &str, points: &str) -> Result<Decoded, FormatError> {
        let text = format!(
            r#"{{"dhatFileVersion":2,{head}"pps":[{points}],"ftbl":["[root]","0x10: f<(a)> (a.rs:2:9)",
            "0x20: g (in /lib/libc.so)","0x30: ??? (in /lib/x.so)","main","0x40: ???"]}}"#
        );
        decode(text.as_bytes())
    }

    #[test]
    fn blocks_with_their_lifetimes() {
        let decoded = open(
            r#""bklt":true,"mode":"heap","tu":"µs","te":7,"#,
            r#"{"tb":6,"tbk":1,"tl":9,"gb":5,"gbk":2,"eb":4,"ebk":3,"fs":[1,2,3,5,4]}"#,
        )
        .expect("opens");
        assert_eq!(
            drawn(&decoded.profile),
            "alloc_objects/count\nalloc_space/bytes\npeak_objects/count\npeak_space/bytes\n\
             inuse_objects/count\ninuse_space/bytes\n\
             main;0x40;0x30 [x.so];g;f<(a)> a.rs:2:9 1 6 2 5 3 4\n"
        );
        assert_eq!(decoded.profile.header().duration_nanos, 7000);
        assert_eq!(decoded.profile.default_type(), 1);
    }

    #[test]
    fn other_modes_have_less() {
        let point = r#"{"tb":6,"tbk":1,"fs":[4]}"#;
        let draw = |head: &str| drawn(&open(head, point).expect("opens").profile);
        assert_eq!(
            draw(""),
            "alloc_objects/count\nalloc_space/bytes\nmain 1 6\n"
        );
        let events = r#""mode":"ad-hoc","#;
        assert_eq!(draw(events), "events/count\nunits/count\nmain 1 6\n");
    }

    #[test]
    fn what_is_wrong() {
        let error = open("", r#"{"tb":6,"tbk":1,"fs":[9]}"#).expect_err("is damaged");
        let expect = "DHAT profile, program point 0: there is no frame 9";
        assert_eq!(error.to_string(), expect);
        let error = open("", r#"{"tb":6,"fs":[9]}"#).expect_err("is damaged");
        assert!(error.to_string().contains("missing field `tbk`"), "{error}");
    }
}
