//! Profiles of R's `Rprof()`.
//!
//! Source: `doprof` in R's `src/main/eval.c`, and the manual page of `Rprof`.
//!
//! - The first line has the interval in microseconds. Each further one is a sample: the names of the
//!   functions in quotes, the innermost first. Before a name may stand the file and line that it is
//!   in, `2#17`; lines `#File 2: a.R` have the files.
//! - Counts of memory at the beginning of a line are left out.
//! - Other lines are left out with a warning, before the first one, too.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::{FIRST_LINES, Start};
use crate::imports::error::{FormatError, too_deep};
use crate::imports::rows::{Rows, lines};
use crate::model::id::LocationId;

/// What it is called in messages.
pub(crate) const NAME: &str = "R profile (Rprof)";

const INTERVAL: &str = "sample.interval=";
const NANOSECONDS: i64 = 1_000;

/// Whether one of the first lines ends with an interval.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let mut lines = start.texts().take(FIRST_LINES);
    lines.any(|line| interval(line).is_some())
}

/// Microseconds between samples, at the end of a line that may first say what is profiled.
fn interval(line: &str) -> Option<i64> {
    let (what, digits) = line.rsplit_once(INTERVAL)?;
    let is_head = what
        .split_terminator(": ")
        .all(|word| word.ends_with(" profiling"));
    digits.parse().ok().filter(|_| is_head)
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    rows.sample_type("samples", "count")?;
    rows.sample_type("cpu", "nanoseconds")?;
    let mut time = None;
    let mut files: Vec<String> = Vec::new();
    for (number, line) in lines(bytes).filter(|(_, line)| !line.is_empty()) {
        let error = |problem: String| FormatError::at_line(NAME, number, problem);
        if let Some(file) = line.strip_prefix("#File ") {
            // They are numbered from 1 on, in order.
            let (_, file) = file.split_once(": ").unwrap_or(("", file));
            rows.beside += size_of::<String>() + file.len();
            files.push(file.to_owned());
            continue;
        }
        let Some(time) = time else {
            match interval(&line) {
                Some(interval) => time = Some(interval.saturating_mul(NANOSECONDS)),
                None => rows.warn_left_out(number, "before the sample.interval line", &line),
            }
            continue;
        };
        if !is_sample(&line) {
            rows.warn_left_out(number, "not a sample", &line);
            continue;
        }
        let frames = frames(&mut rows, &files, &line).map_err(error)?;
        let stack = rows.builder.stack_of(frames.into_iter().rev());
        rows.builder.sample(stack, None, &[1, time]);
        rows.check()?;
    }
    rows.finish()
}

/// Whether a line begins as a sample does: with a name, with its place, or with counts of memory.
fn is_sample(line: &str) -> bool {
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let text = line.trim_start();
    match text.strip_prefix(':') {
        Some(memory) => digits(memory) > 0,
        None => text.starts_with('"') || digits(text) > 0 && text[digits(text)..].starts_with('#'),
    }
}

/// The frames of a line, the innermost first.
fn frames(rows: &mut Rows, files: &[String], line: &str) -> Result<Vec<LocationId>, String> {
    let mut frames = Vec::new();
    let (mut file, mut place) = ("", 0);
    let mut rest = line;
    if line.starts_with(':') {
        // `:small:large:nodes:copies:`
        rest = line.splitn(6, ':').nth(5).unwrap_or("");
    }
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(frames);
        }
        if let Some(text) = rest.strip_prefix('"') {
            let end = text.find("\" ").or(text.strip_suffix('"').map(str::len));
            let end = end.ok_or_else(|| format!("a name has no closing quote: {:?}", cut(line)))?;
            if frames.len() == MAX_STACK_DEPTH {
                return Err(too_deep());
            }
            let function = rows.function(&text[..end], file);
            frames.push(rows.location(None, function, place));
            (file, place) = ("", 0);
            rest = &text[end + 1..];
        } else {
            let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
            let known = word.split_once('#').and_then(|(number, line)| {
                let number: usize = number.parse().ok()?;
                Some((files.get(number.checked_sub(1)?)?, line.parse().ok()?))
            });
            let (name, line) = known.ok_or_else(|| {
                format!(
                    "expected a quoted name, or a location like 1#23 in a file listed before; got {:?}",
                    cut(word)
                )
            })?;
            (file, place) = (name, line);
            rest = behind;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    fn draw(text: &str) -> String {
        assert!(sniff(Start::of(text.as_bytes())));
        drawn(
            &decode(text.as_bytes())
                .unwrap_or_else(|e| panic!("{text}: {e}"))
                .profile,
        )
    }

    #[test]
    fn the_innermost_is_first() {
        assert_eq!(
            draw("sample.interval=20000\n\"[.data.frame\" \"[\" \"f\" \n\"f\" \n\"<GC>\" \"f\" \n"),
            "samples/count\ncpu/nanoseconds\nf;[;[.data.frame 1 20000000\nf 1 20000000\nf;<GC> 1 20000000\n"
        );
    }

    #[test]
    fn lines_and_memory() {
        assert_eq!(
            draw(
                "memory profiling: GC profiling: line profiling: sample.interval=10\n\
                 #File 1: a b.R\n:1:2:3:0:1#3 \"f\" 1#5 \"g\" \"h i\" \n"
            ),
            "samples/count\ncpu/nanoseconds\nh i;g a b.R:5;f a b.R:3 1 10000\n"
        );
    }

    #[test]
    fn what_is_wrong() {
        for (line, expect) in [
            ("\"f", "a name has no closing quote: \"\\\"f\""),
            (
                "2#3 \"f\"",
                "expected a quoted name, or a location like 1#23 in a file listed before; got \"2#3\"",
            ),
            (
                "\"f\" g",
                "expected a quoted name, or a location like 1#23 in a file listed before; got \"g\"",
            ),
        ] {
            let error = decode(format!("sample.interval=1\n{line}\n").as_bytes()).expect_err(line);
            assert_eq!(error.to_string(), format!("{NAME}, line 2: {expect}"));
        }
        assert!(!sniff(Start::of(b"x sample.interval=1\n")));
    }
}
