//! JSON of Ruby's stackprof.
//!
//! Source: stackprof's own description and the field names of its results.
//!
//! - `raw` is a list of stacks: how many frames, their ids from the root on, how many samples in a
//!   row had it. `raw_lines` says at which line each frame was, packed like `raw`.
//! - Samples are counted. CPU time is samples times the interval; wall time is what the time stamps
//!   say, or else the same; objects are samples times the interval.
//! - A sample of time begins at the time of the one before; an object has its own.
//! - `(garbage collection)` is a stack of its own, as stackprof has it.
//! - Without `raw` a file has no stacks, only the self value of each function.

use std::borrow::Cow;
use std::fmt;

use hashbrown::HashMap;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::{Start, without_mark};
use crate::imports::error::FormatError;
use crate::imports::frames::{Frame, whole};
use crate::imports::json::columns::Numbers;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LocationId, StackId, StringId};

pub(crate) const NAME: &str = "stackprof profile";

/// Nanoseconds of a microsecond.
const MICROSECOND: f64 = 1e3;

#[derive(Deserialize)]
struct Document {
    mode: String,
    /// Microseconds, or objects.
    #[serde(default)]
    interval: f64,
    #[serde(default)]
    frames: Frames,
    #[serde(default)]
    raw: Option<Numbers>,
    #[serde(default)]
    raw_lines: Option<Numbers>,
    /// Microseconds from sample to sample.
    #[serde(default)]
    raw_timestamp_deltas: Option<Vec<f64>>,
    /// When each sample came, in microseconds.
    #[serde(default)]
    raw_sample_timestamps: Option<Vec<f64>>,
}

/// The table of frames.
#[derive(Default)]
struct Frames {
    builder: ProfileBuilder,
    rows: HashMap<i64, Row>,
}

/// A frame of the table.
#[derive(Clone, Copy)]
struct Row {
    name: StringId,
    file: StringId,
    line: u32,
    samples: i64,
}

#[derive(Deserialize)]
struct RawFrame<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    file: Option<Cow<'a, str>>,
    #[serde(default)]
    line: Option<u32>,
    /// How often it was the leaf.
    #[serde(default)]
    samples: i64,
}

/// Whether this is stackprof's.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Stackprof)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let document: Document = serde_json::from_slice(without_mark(bytes))
        .map_err(|error| FormatError::json(NAME, &error))?;
    let mut warnings = Warnings::default();
    let Frames { mut builder, rows } = document.frames;
    builder.sample_type("samples", "count");
    let deltas = document.raw_timestamp_deltas.unwrap_or_default();
    let scale = match document.mode.as_str() {
        "cpu" | "wall" => {
            builder.sample_type(&document.mode, "nanoseconds");
            document.interval * MICROSECOND
        }
        "object" => {
            builder.sample_type("alloc_objects", "count");
            document.interval
        }
        _ => 0.0,
    };
    let stamps = document.raw_sample_timestamps.unwrap_or_default();
    let mut reader = Reader {
        builder,
        rows,
        scale,
        stamps: if document.mode == "object" {
            stamps
        } else {
            Vec::new()
        },
        is_wall: document.mode == "wall" && !deltas.is_empty(),
        deltas,
        next: 0,
        now: 0.0,
    };
    match &document.raw {
        Some(Numbers(raw)) => {
            let lines = document.raw_lines.as_ref();
            reader.stacks(raw, lines.map_or(&[], |lines| &lines.0))?;
        }
        None => {
            warnings.add(|| {
                "the profile was recorded without \"raw: true\", so it has no stacks, only functions"
                    .to_owned()
            });
            reader.functions();
        }
    }
    Ok(Decoded {
        profile: reader.builder.finish(),
        warnings: warnings.finish(),
    })
}

impl Row {
    /// Where it was at a line; 0 for one that is not known.
    fn location(self, line: i64, builder: &mut ProfileBuilder) -> LocationId {
        let start_line = i64::from(self.line);
        let frame = Frame {
            file: self.file,
            start_line,
            line: if line > 0 { line } else { start_line },
            ..Frame::named(self.name)
        };
        frame.location(builder)
    }
}

struct Reader {
    builder: ProfileBuilder,
    rows: HashMap<i64, Row>,
    /// What a sample counts in the second column.
    scale: f64,
    /// Whether time stamps say what it counts there.
    is_wall: bool,
    deltas: Vec<f64>,
    /// When each object was allocated, in microseconds; empty when that isn't known.
    stamps: Vec<f64>,
    /// How many samples came so far.
    next: usize,
    /// When the last of them came, in microseconds.
    now: f64,
}

impl Reader {
    fn stacks(&mut self, raw: &[i64], lines: &[i64]) -> Result<(), FormatError> {
        let mut at = 0;
        while at < raw.len() {
            let place = |at: usize| format!("raw[{at}]");
            let cut = || FormatError::at(NAME, place(at), "the stack runs past the end");
            let depth = usize::try_from(raw[at]).unwrap_or(usize::MAX);
            if depth > MAX_STACK_DEPTH {
                let deep = format!("{} frames; at most {MAX_STACK_DEPTH} are allowed", raw[at]);
                return Err(FormatError::at(NAME, place(at), deep));
            }
            let ids = raw.get(at + 1..at + 1 + depth).ok_or_else(cut)?;
            let count = *raw.get(at + 1 + depth).ok_or_else(cut)?;
            let mut stack = None;
            for (number, &id) in ids.iter().enumerate() {
                let number = at + 1 + number;
                let Some(&row) = self.rows.get(&id) else {
                    let missing = format!("there is no frame {id}");
                    return Err(FormatError::at(NAME, place(number), missing));
                };
                let line = lines.get(number).copied().unwrap_or(0);
                let location = row.location(line, &mut self.builder);
                stack = Some(self.builder.stack(stack, location));
            }
            at += depth + 2;
            if !self.stamps.is_empty() {
                self.objects(count, stack);
                continue;
            }
            let (time, passed) = self.pass(count);
            let second = if self.is_wall {
                whole(passed, MICROSECOND)
            } else {
                whole(count as f64, self.scale)
            };
            match time {
                Some(time) => self.builder.sample_at(time, stack, None, &[count, second]),
                None => self.builder.sample(stack, None, &[count, second]),
            }
        }
        Ok(())
    }

    /// So many objects, each with its time; those without one have that of the last.
    fn objects(&mut self, count: i64, stack: Option<StackId>) {
        let first = self.stamps[0];
        let left = self.stamps.len() - self.next;
        let stamped = usize::try_from(count).unwrap_or(0).min(left);
        for _ in 0..stamped {
            self.now = self.stamps[self.next] - first;
            self.next += 1;
            self.object(1, stack);
        }
        if count != stamped as i64 {
            self.object(count - stamped as i64, stack);
        }
    }

    fn object(&mut self, count: i64, stack: Option<StackId>) {
        let (time, objects) = (
            whole(self.now, MICROSECOND),
            whole(count as f64, self.scale),
        );
        self.builder.sample_at(time, stack, None, &[count, objects]);
    }

    /// When the sample before so many of them came, in nanoseconds, and how many microseconds are
    /// between that and the last of them.
    fn pass(&mut self, count: i64) -> (Option<i64>, f64) {
        let count = usize::try_from(count).unwrap_or(0);
        let deltas = self.deltas.get(self.next..).unwrap_or(&[]);
        let deltas = &deltas[..count.min(deltas.len())];
        let passed: f64 = deltas.iter().sum();
        self.next += deltas.len();
        let time = (!self.deltas.is_empty()).then(|| whole(self.now, MICROSECOND));
        self.now += passed;
        (time, passed)
    }

    fn functions(&mut self) {
        let mut rows: Vec<(i64, Row)> = self.rows.drain().collect();
        rows.sort_unstable_by_key(|(id, _)| *id);
        for (_, row) in rows.iter().filter(|(_, row)| row.samples != 0) {
            let location = row.location(0, &mut self.builder);
            let stack = self.builder.stack(None, location);
            let second = whole(row.samples as f64, self.scale);
            self.builder
                .sample(Some(stack), None, &[row.samples, second]);
        }
    }
}

impl<'de> Deserialize<'de> for Frames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

impl<'de> Visitor<'de> for Frames {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of frames")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let id = key.parse();
            let id = id.map_err(|_| A::Error::custom("a frame's ID is not a number"))?;
            let raw: RawFrame<'de> = map.next_value()?;
            let builder = &mut self.builder;
            let row = Row {
                name: builder.string(raw.name.as_deref().unwrap_or("(unknown)")),
                file: builder.string(raw.file.as_deref().unwrap_or("")),
                line: raw.line.unwrap_or(0),
                samples: raw.samples,
            };
            self.rows.insert(id, row);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    const FRAMES: &str = r#""frames":{
        "5":{"name":"main","file":"a.rb","line":1,"samples":0},
        "7":{"name":null,"samples":3,"edges":{"5":1},"lines":{"2":[3,3]}}}"#;

    fn open(mode: &str, more: &str) -> Result<Decoded, FormatError> {
        let text = format!(
            r#"{{"version":1.2,"mode":"{mode}","interval":10,"samples":3,{FRAMES}{more}}}"#
        );
        decode(text.as_bytes())
    }

    fn draw(mode: &str, more: &str) -> String {
        drawn(&open(mode, more).expect("opens").profile)
    }

    #[test]
    fn each_mode_has_its_type() {
        let raw = r#","raw":[2,5,7,2,1,5,1],"raw_timestamp_deltas":[4,5,6]"#;
        assert_eq!(
            draw("wall", raw),
            "samples/count\nwall/nanoseconds\n\
             main a.rb:1;(unknown) 2 9000 @0\nmain a.rb:1 1 6000 @9000\n"
        );
        assert_eq!(
            draw("cpu", raw),
            "samples/count\ncpu/nanoseconds\n\
             main a.rb:1;(unknown) 2 20000 @0\nmain a.rb:1 1 10000 @9000\n"
        );
        let raw = r#","raw":[2,5,7,2],"raw_lines":[2,3,4,2]"#;
        assert_eq!(
            draw("object", raw),
            "samples/count\nalloc_objects/count\nmain a.rb:3;(unknown):4 2 20\n"
        );
        let raw = r#","raw":[1,5,2,2,5,7,2],"raw_sample_timestamps":[100,102,107]"#;
        assert_eq!(
            draw("object", raw),
            "samples/count\nalloc_objects/count\n\
             main a.rb:1 1 10 @0\nmain a.rb:1 1 10 @2000\nmain a.rb:1;(unknown) 1 10 @7000\nmain a.rb:1;(unknown) 1 10 @7000\n"
        );
        let raw = r#","raw":[2,5,7,2],"raw_lines":[2,3,4,2]"#;
        assert_eq!(
            draw("custom", raw),
            "samples/count\nmain a.rb:3;(unknown):4 2\n"
        );
    }

    #[test]
    fn without_stacks_functions_stand_alone() {
        let decoded = open("cpu", "").expect("opens");
        assert_eq!(
            drawn(&decoded.profile),
            "samples/count\ncpu/nanoseconds\n(unknown) 3 30000\n"
        );
        assert_eq!(decoded.warnings.len(), 1);
    }

    #[test]
    fn what_is_wrong() {
        for (raw, expect) in [
            ("[2,5,7]", "raw[0]: the stack runs past the end"),
            ("[1,5,1,1,6,1]", "raw[4]: there is no frame 6"),
            ("[-1]", "raw[0]: -1 frames; at most 16384 are allowed"),
        ] {
            let error = open("cpu", &format!(",\"raw\":{raw}")).expect_err("is damaged");
            assert_eq!(error.to_string(), format!("stackprof profile, {expect}"));
        }
    }
}
