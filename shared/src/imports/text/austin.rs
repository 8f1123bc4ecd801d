//! Samples of Austin, a profiler of Python, in its text format: a line for each,
//! `P42;T0:43;app.py:main:7;app.py:work:12 1500`.
//!
//! Source: Austin's documentation.
//!
//! - Process and thread are the labels `process` and `thread`.
//! - The value is wall time in microseconds. `# mode: cpu` makes it CPU time, `# mode: memory` bytes.
//!   `# mode: full` has three values: wall time, whether the thread was idle, and bytes.
//! - Lines have no times of their own. MOJO, the binary format, is another one.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::formats::folded::variants::{Variant, variant};
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::rows::{Rows, lines};
use crate::model::id::{LocationId, StackId};

/// What it is called in messages.
pub(crate) const NAME: &str = "Austin";

/// Whether the text says so, or begins with a process and a thread.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    variant(start.bytes) == Some(Variant::Austin)
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    let mut mode = Mode::Wall;
    for (number, line) in lines(bytes) {
        if let Some(comment) = line.strip_prefix('#') {
            if rows.builder.profile().is_empty()
                && let Some(("mode", word)) = comment.trim().split_once(": ")
            {
                mode = Mode::of(word);
            }
            continue;
        }
        if line.is_empty() {
            continue;
        }
        let error = |problem: String| FormatError::at_line(NAME, number, problem);
        if !read(&mut rows, mode, &line).map_err(error)? {
            rows.warn_left_out(number, "not a sample", &line);
        }
        rows.check()?;
    }
    rows.finish()
}

/// What the values are.
#[derive(Clone, Copy)]
enum Mode {
    Wall,
    Cpu,
    Memory,
    Full,
}

impl Mode {
    fn of(word: &str) -> Self {
        match word.trim() {
            "cpu" => Self::Cpu,
            "memory" => Self::Memory,
            "full" => Self::Full,
            _ => Self::Wall,
        }
    }

    fn sample_types(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Wall => &[("wall", "nanoseconds")],
            Self::Cpu => &[("cpu", "nanoseconds")],
            Self::Memory => &[("memory", "bytes")],
            Self::Full => &[
                ("cpu", "nanoseconds"),
                ("memory", "bytes"),
                ("wall", "nanoseconds"),
            ],
        }
    }

    /// The value of each type; `None` where they are not of the form that the mode has.
    fn values(self, text: &str) -> Option<[i64; 3]> {
        let mut numbers = text.split(',').map(|word| word.parse::<i64>().ok());
        let first = numbers.next()??;
        let time = first.saturating_mul(1000);
        let values = match self {
            Self::Wall | Self::Cpu => [time, 0, 0],
            Self::Memory => [first, 0, 0],
            Self::Full => {
                let idle = numbers.next()?? != 0;
                let cpu = if idle { 0 } else { time };
                [cpu, numbers.next()??, time]
            }
        };
        numbers.next().is_none().then_some(values)
    }
}

/// Adds the sample of a line; false where it has none.
fn read(rows: &mut Rows, mode: Mode, line: &str) -> Result<bool, String> {
    let Some((stack, values)) = line.rsplit_once(' ') else {
        return Ok(false);
    };
    let Some(values) = mode.values(values) else {
        return Ok(false);
    };
    let mut parts = stack.split(';');
    let mut label = |prefix: char| parts.next().and_then(|part| part.strip_prefix(prefix));
    let (Some(process), Some(thread)) = (label('P'), label('T')) else {
        return Ok(false);
    };
    if rows.builder.profile().is_empty() {
        for &(kind, unit) in mode.sample_types() {
            rows.sample_type(kind, unit)
                .map_err(|error| error.problem)?;
        }
    }
    // The interpreter's number may come first.
    let thread = thread.rsplit(':').next().unwrap_or(thread);
    let mut labels = [rows.text("process", process), rows.text("thread", thread)];
    let labels = rows.builder.label_set(&mut labels);
    let mut stack: Option<StackId> = None;
    for (depth, part) in parts.filter(|part| !part.is_empty()).enumerate() {
        if depth == MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        let location = frame(rows, part);
        stack = Some(rows.builder.stack(stack, location));
    }
    rows.builder.sample(stack, labels, &values);
    Ok(true)
}

/// Of `app.py:main:7`, which newer versions write with more numbers: the line's end and columns.
/// `:GC:` is a frame without a place.
fn frame(rows: &mut Rows, text: &str) -> LocationId {
    let mut place = text;
    let mut line = 0;
    while let Some((rest, word)) = place.rsplit_once(':')
        && let Ok(number) = word.parse::<u32>()
    {
        (place, line) = (rest, i64::from(number));
    }
    let (file, name) = match place.rsplit_once(':') {
        Some((file, name)) if !name.is_empty() => (file, name),
        _ => ("", place.trim_matches(':')),
    };
    let function = rows.function(name, file);
    rows.location(None, function, line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{samples, type_names};

    fn check(text: &str, types: &[&str], stacks: &[&str]) -> Vec<String> {
        let decoded = decode(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(type_names(&decoded.profile), types);
        assert_eq!(samples(&decoded.profile), stacks);
        decoded.warnings
    }

    #[test]
    fn modes_say_what_values_are() {
        let warnings = check(
            "# austin: 3.7.0\n# mode: wall\n\nP42;T0:43;/a b.py:<module>:7;C:/x.py:f:8:9:1:2 15\n\
             P42;T0:43 2\nlost\n# duration: 5\n",
            &["wall/nanoseconds"],
            &[
                "<module>;f [15000] process=42 thread=43",
                " [2000] process=42 thread=43",
            ],
        );
        assert_eq!(
            warnings,
            ["line 6 is not a sample and was skipped: \"lost\""]
        );
        check(
            "# mode: full\nP1;T2;m:f:3 5,0,-64\nP1;T2;m:f:3;:GC: 5,1,64\n",
            &["cpu/nanoseconds", "memory/bytes", "wall/nanoseconds"],
            &[
                "f [5000, -64, 5000] process=1 thread=2",
                "f;GC [0, 64, 5000] process=1 thread=2",
            ],
        );
        check(
            "# mode: memory\nP1;T2;m:f:3 5\n",
            &["memory/bytes"],
            &["f [5] process=1 thread=2"],
        );
    }

    #[test]
    fn frames_keep_file_and_line() {
        let profile = decode(b"P1;T2;C:/x.py:f:8:9:1:2 1\n")
            .expect("good")
            .profile;
        let line = profile.lines(LocationId::new(0))[0];
        let function = profile.functions()[line.function.expect("one").index()];
        assert_eq!((profile.text(function.file), line.line), ("C:/x.py", 8));
    }
}
