//! Profiles of Python's scalene, as `scalene run -o` writes them.
//!
//! Source: `scalene/scalene_json.py`, versions 1.5 to 2.4.
//!
//! - `stacks` is a list of stacks of Python, the root first. Each has a count of samples, and its
//!   shares of the CPU time in Python and in native code. The shares of all stacks add up to 1; the
//!   file does not state the CPU time in seconds. A frame is a text, `file name:line;`.
//! - Shares of lines, memory and the GPU are left out: they have no stacks.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::json::reader::{Problem, Reader};
use crate::imports::rows::Rows;
use crate::model::id::StackId;

/// What it is called in messages.
pub(crate) const NAME: &str = "scalene profile";

const NANOSECONDS: i64 = 1_000_000_000;

/// Shares are kept in billionths, which viewers show as decimals.
const SHARE: (&str, &str) = ("cpu_share", "count/1000000000");
const BILLIONTHS: i64 = 1_000_000_000;

/// Whether this is scalene's.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Scalene)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut json = Reader::of(bytes, NAME)?;
    let mut rows = Rows::new(NAME, bytes.len());
    rows.sample_type("samples", "count")?;
    json.object(&mut |json, key| match key {
        "elapsed_time_sec" => {
            rows.builder.header().duration_nanos = json.number(NANOSECONDS)?.unwrap_or(0);
            Ok(())
        }
        "stacks" => json.list(&mut |json| entry(json, &mut rows)),
        _ => json.skip(),
    })
    .map_err(|problem| problem.of(NAME))?;
    if rows.builder.profile().is_empty() {
        return Err(FormatError {
            problem: "there are no stacks; run scalene with --stacks".to_owned(),
            ..FormatError::sampleless(NAME)
        });
    }
    rows.finish()
}

/// Reads a stack and what it took.
fn entry(json: &mut Reader<'_>, rows: &mut Rows) -> Result<(), Problem> {
    let mut part = 0;
    let (mut stack, mut count, mut share) = (None, 0, 0i64);
    json.list(&mut |json| {
        part += 1;
        match part {
            1 => stack = frames(json, rows)?,
            2 if json.peek()? == b'{' => json.object(&mut |json, key| {
                match key {
                    "count" => count = json.number(1)?.unwrap_or(0),
                    "python_time" | "c_time" => {
                        share = share.saturating_add(json.number(BILLIONTHS)?.unwrap_or(0));
                    }
                    _ => json.skip()?,
                }
                Ok(())
            })?,
            2 => count = json.number(1)?.unwrap_or(0),
            _ => json.skip()?,
        }
        Ok(())
    })?;
    if share != 0 {
        let (kind, unit) = SHARE;
        rows.sample_type(kind, unit)
            .map_err(|error| json.problem(error.problem))?;
    }
    let types = rows.builder.profile().sample_types().len();
    rows.builder.sample(stack, None, &[count, share][..types]);
    rows.check().map_err(|error| json.problem(error.problem))
}

fn frames(json: &mut Reader<'_>, rows: &mut Rows) -> Result<Option<StackId>, Problem> {
    let (mut stack, mut depth) = (None, 0);
    json.list(&mut |json| {
        let text = json.text()?;
        let text = text.trim_end_matches(';');
        let (place, line) = text.rsplit_once(':').unwrap_or((text, ""));
        let (file, name) = place.rsplit_once(' ').unwrap_or(("", place));
        depth += 1;
        if depth > MAX_STACK_DEPTH {
            return Err(json.problem(too_deep()));
        }
        let function = rows.function(name, file);
        let location = rows.location(None, function, line.parse().unwrap_or(0));
        stack = Some(rows.builder.stack(stack, location));
        Ok(())
    })?;
    Ok(stack)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    #[test]
    fn stacks_have_counts_and_shares() {
        let text = r#"{"alloc_samples":0,"args":["p.py"],"elapsed_time_sec":0.5,"files":{"a":[1]},
            "stacks":[[["/a b/p.py <module>:13;","/a b/p.py C.run:11;"],{"count":2,"c_time":0.5,
            "python_time":0.125,"cpu_samples":0.625}],[["p.py f:1"],{"count":3,"c_time":0,
            "python_time":0.375,"cpu_samples":0.375}]]}"#;
        assert!(sniff(Start::of(text.as_bytes())));
        let profile = decode(text.as_bytes()).expect("good").profile;
        assert_eq!(
            drawn(&profile),
            "samples/count\ncpu_share/count/1000000000\n\
             <module> /a b/p.py:13;C.run /a b/p.py:11 2 625000000\nf p.py:1 3 375000000\n"
        );
        assert_eq!(profile.header().duration_nanos, 500_000_000);
        // As older versions write them.
        let counts = br#"{"stacks":[[["p.py f:1"],3],[["p.py g:2"],4]]}"#;
        assert_eq!(
            drawn(&decode(counts).expect("good").profile),
            "samples/count\nf p.py:1 3\ng p.py:2 4\n"
        );
        let error = decode(b"{\"stacks\":[]}").expect_err("nothing");
        assert!(error.is_sampleless);
        assert_eq!(
            error.to_string(),
            "scalene profile: there are no stacks; run scalene with --stacks"
        );
    }
}
