//! Timeline recordings of Safari's Web Inspector.
//!
//! Source: the recordings themselves, and WebKit's names of their keys. A recording has a list of
//! stack traces of scripts, the leaf first, and how long each lasted, in seconds. The times are
//! kept. Other records (network, layout, memory) are left out.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Deserializer;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::formats::json::each;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::{Start, without_mark};
use crate::imports::error::FormatError;
use crate::imports::frames::{Frame, whole};
use crate::model::builder::ProfileBuilder;
use crate::model::id::StackId;

pub(crate) const NAME: &str = "Safari recording";

/// What Web Inspector calls a function without a name.
const ANONYMOUS: &str = "(anonymous function)";

/// Nanoseconds of a second.
const SECOND: f64 = 1e9;

#[derive(Deserialize)]
struct Document {
    recording: Recording,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recording {
    #[serde(default)]
    start_time: f64,
    #[serde(default)]
    end_time: f64,
    #[serde(default)]
    sample_stack_traces: Traces,
    #[serde(default)]
    sample_durations: Vec<f64>,
}

/// All traces, as rows of a profile.
#[derive(Default)]
struct Traces {
    builder: ProfileBuilder,
    /// When each was taken, in seconds, and its stack.
    rows: Vec<(f64, Option<StackId>)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Trace<'a> {
    timestamp: f64,
    #[serde(borrow)]
    stack_frames: Vec<TraceFrame<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TraceFrame<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    url: Cow<'a, str>,
    /// Where the function begins.
    line: f64,
    column: f64,
    /// Where in it.
    #[serde(default)]
    expression_location: Option<Place>,
}

#[derive(Clone, Copy, Deserialize)]
struct Place {
    line: f64,
    column: f64,
}

/// Whether this is Safari's.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Safari)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let document: Document = serde_json::from_slice(without_mark(bytes))
        .map_err(|error| FormatError::json(NAME, &error))?;
    let Recording {
        start_time,
        end_time,
        sample_stack_traces: Traces { mut builder, rows },
        sample_durations: durations,
    } = document.recording;
    if rows.len() != durations.len() {
        let (rows, durations) = (rows.len(), durations.len());
        let problem = format!("{rows} stack traces, but {durations} durations");
        return Err(FormatError::new(NAME, problem));
    }
    builder.sample_type("time", "nanoseconds");
    for ((timestamp, stack), duration) in rows.into_iter().zip(durations) {
        let time = whole(timestamp - start_time, SECOND);
        builder.sample_at(time, stack, None, &[whole(duration, SECOND)]);
    }
    builder.header().duration_nanos = whole(end_time - start_time, SECOND).max(0);
    Ok(Decoded {
        profile: builder.finish(),
        warnings: Vec::new(),
    })
}

impl<'de> Deserialize<'de> for Traces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut traces = Self::default();
        each(
            deserializer,
            "a list of stack traces",
            |trace: Trace<'de>| traces.push(&trace),
        )?;
        Ok(traces)
    }
}

impl Traces {
    fn push(&mut self, trace: &Trace<'_>) -> Result<(), String> {
        if trace.stack_frames.len() > MAX_STACK_DEPTH {
            return Err(format!("a stack has more than {MAX_STACK_DEPTH} frames"));
        }
        let builder = &mut self.builder;
        let mut stack = None;
        for frame in trace.stack_frames.iter().rev() {
            let begin = Place {
                line: frame.line,
                column: frame.column,
            };
            let place = frame.expression_location.unwrap_or(begin);
            let name: &str = if frame.name.is_empty() {
                ANONYMOUS
            } else {
                &frame.name
            };
            let row = Frame {
                file: builder.string(&frame.url),
                start_line: begin.line.max(0.0) as i64,
                line: place.line.max(0.0) as i64,
                column: place.column.max(0.0) as i64,
                ..Frame::named(builder.string(name))
            };
            let location = row.location(builder);
            stack = Some(builder.stack(stack, location));
        }
        self.rows.push((trace.timestamp, stack));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    fn file(traces: &str, durations: &str) -> String {
        format!(
            r#"{{"version":1,"recording":{{"displayName":"x","startTime":4.5,"endTime":5,
            "sampleStackTraces":[{traces}],"sampleDurations":[{durations}]}}}}"#
        )
    }

    fn message(text: &str) -> String {
        decode(text.as_bytes()).expect_err("is damaged").to_string()
    }

    #[test]
    fn traces_with_their_times() {
        let text = file(
            r#"{"timestamp":4.75,"stackFrames":[
                {"name":"","url":"a.js","line":3,"column":5,"expressionLocation":{"line":4,"column":6}},
                {"name":"main","url":"a.js","line":1,"column":2}]},
            {"timestamp":4.5,"stackFrames":[]}"#,
            "0.001,0.25",
        );
        let decoded = decode(text.as_bytes()).expect("opens");
        assert_eq!(
            drawn(&decoded.profile),
            "time/nanoseconds\n\
             main a.js:1:2;(anonymous function) a.js:4:6 1000000 @250000000\n \
             250000000 @0\n"
        );
        assert_eq!(decoded.profile.header().duration_nanos, 500_000_000);
        let function = decoded.profile.functions()[1];
        assert_eq!(function.start_line, 3);
    }

    #[test]
    fn what_is_wrong() {
        let text = file(r#"{"timestamp":1,"stackFrames":[]}"#, "");
        assert_eq!(
            message(&text),
            "Safari recording: 1 stack traces, but 0 durations"
        );
        let text = file(r#"{"timestamp":"x"}"#, "");
        assert!(
            message(&text).contains("at line 2 column"),
            "{}",
            message(&text)
        );
    }
}
