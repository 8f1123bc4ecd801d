//! Function traces of PHP's Xdebug for computers (`xdebug.trace_format=1`): a line for each time
//! that a function begins or ends, with columns between tabs.
//!
//! Source: "Function Trace" of Xdebug's documentation, file formats 2 and 4.
//!
//! - `level, number, 0, seconds, bytes, name, whether it is PHP's code, included file, file, line`
//!   begins a call, `level, number, 1, seconds, bytes` ends it, as the end of any call around it
//!   does. Returned values and assignments have other letters.
//! - What passes between two lines, in time and in memory in use, is that of the innermost function.
//!   Memory that a function frees is negative.
//! - A file may have several traces (`xdebug.trace_options=1` appends). Each lies at its own start.
//! - File and line are where a function is called, so the line is its caller's, and the file as well.
//! - Lines of other programs are left out with a warning.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::parse_time::date;
use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::frames::{Frame, whole};
use crate::imports::rows::{Rows, lines};
use crate::model::id::{StackId, StringId};

/// What it is called in messages.
pub(crate) const NAME: &str = "Xdebug trace";

/// What a function takes whose file is known.
const FILE: usize = 32;
const NANOSECONDS: f64 = 1e9;
/// Names that are no functions'.
const MAIN: &str = "{main}";
const EVALUATED: &str = "eval";

/// Behind it is the time at which a trace starts.
const START: &str = "TRACE START [";

/// Whether a line says that a trace starts.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let mut lines = start.lines();
    lines.any(|line| line.starts_with(START.as_bytes()))
}

/// Reads a trace. Memory is linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    rows.sample_type("wall", "nanoseconds")?;
    rows.sample_type("space", "bytes")?;
    let default = rows.builder.string("wall");
    rows.builder.header().default_sample_type = default;
    let mut trace = Trace {
        files: files(bytes, &mut rows),
        rows,
        open: Vec::new(),
        last: None,
        start: 0,
        offset: None,
    };
    let mut is_known = false;
    for (number, line) in lines(bytes).filter(|(_, line)| !line.is_empty()) {
        let (level, _) = line.split_once('\t').unwrap_or(("?", ""));
        if level.bytes().all(|b| b.is_ascii_digit()) {
            trace
                .read(&line)
                .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
            trace.rows.check()?;
        } else if line.starts_with("File format: ") {
            is_known = true;
        } else if let Some(time) = line.strip_prefix(START) {
            if !std::mem::take(&mut is_known) {
                let readable = "the trace is in the human-readable format; record it with xdebug.trace_format=1";
                return Err(FormatError::at_line(NAME, number, readable));
            }
            trace.restart(started(time));
        } else if !line.starts_with("TRACE END ") && !line.starts_with("Version: ") {
            trace
                .rows
                .warn_left_out(number, "not part of a trace", &line);
        }
    }
    trace.rows.finish()
}

/// The columns of a call that begins, from its name on.
struct Call<'a> {
    name: &'a str,
    included: &'a str,
    file: &'a str,
    line: i64,
}

impl<'a> Call<'a> {
    fn of(mut columns: impl Iterator<Item = &'a str>) -> Option<Self> {
        let name = columns.next()?;
        let is_code = columns.next()? == "1";
        let included = columns.next()?;
        Some(Self {
            name,
            // Of `eval` it is the code.
            included: if is_code && name != EVALUATED {
                included
            } else {
                ""
            },
            file: columns.next()?,
            line: columns.next()?.parse().ok()?,
        })
    }
}

struct Trace {
    rows: Rows,
    /// Of functions, by their names.
    files: HashMap<StringId, StringId>,
    open: Vec<Open>,
    /// Time and memory of the last line, in nanoseconds and bytes.
    last: Option<(i64, i64)>,
    /// When this trace starts.
    start: i64,
    /// From its clock, which counts from the start of the script, to that of the file. Its first line
    /// sets it.
    offset: Option<i64>,
}

/// A call that has not ended.
struct Open {
    level: usize,
    name: StringId,
    file: StringId,
    /// Down to its caller, at the line of the call.
    above: Option<StackId>,
    /// Down to itself.
    stack: StackId,
}

impl Trace {
    /// Begins another trace of the file: without a time, where the last one ends.
    fn restart(&mut self, start: Option<i64>) {
        let end = self.last.take().map_or(0, |(time, _)| time);
        self.start = start.unwrap_or(end);
        self.offset = None;
        self.open.clear();
    }

    fn read(&mut self, line: &str) -> Result<(), String> {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap_or("");
        let (level, _, kind) = (next(), next(), next());
        if matches!(kind, "R" | "A") {
            return Ok(());
        }
        let problem = || format!("neither the start nor the end of a call: {:?}", cut(line));
        let seconds: Option<f64> = next().parse().ok();
        let seconds = seconds.filter(|seconds| seconds.is_finite());
        let bytes: Option<i64> = next().parse().ok();
        let (Some(seconds), Some(bytes)) = (seconds, bytes) else {
            return Err(problem());
        };
        let time = whole(seconds, NANOSECONDS);
        let start = self.start.saturating_sub(time);
        let offset = *self.offset.get_or_insert(start);
        self.pass((time.saturating_add(offset), bytes));
        // The last line of a trace has no level.
        let level = match (level, kind) {
            ("", "") => 0,
            (level, "0" | "1") => level.parse().map_err(|_| problem())?,
            _ => return Err(problem()),
        };
        while self.open.pop_if(|open| open.level >= level).is_some() {}
        if kind == "0" {
            self.begin(level, &Call::of(columns).ok_or_else(problem)?)?;
        }
        Ok(())
    }

    /// Gives the time and memory since the last line to the function that ran.
    fn pass(&mut self, now: (i64, i64)) {
        if let (Some(last), Some(open)) = (self.last, self.open.last()) {
            let values = [
                now.0.saturating_sub(last.0).max(0),
                now.1.saturating_sub(last.1),
            ];
            if values != [0, 0] {
                let builder = &mut self.rows.builder;
                builder.sample_at(last.0, Some(open.stack), None, &values);
            }
        }
        self.last = Some(now);
    }

    fn begin(&mut self, level: usize, call: &Call<'_>) -> Result<(), String> {
        if self.open.len() == MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        let builder = &mut self.rows.builder;
        let name = builder.string(call.name);
        let called_in = builder.string(call.file);
        let file = if !call.included.is_empty() {
            builder.string(call.included)
        } else if call.name == MAIN {
            called_in
        } else {
            let known = self.files.get(&name).copied();
            known.unwrap_or(StringId::EMPTY)
        };
        let mut stack = |above, name, file, line| {
            let frame = Frame {
                file,
                line,
                ..Frame::named(name)
            };
            let location = frame.location(builder);
            builder.stack(above, location)
        };
        let above = self.open.last().map(|caller| {
            let line = if called_in == caller.file {
                call.line
            } else {
                0
            };
            stack(caller.above, caller.name, caller.file, line)
        });
        self.open.push(Open {
            level,
            name,
            file,
            above,
            stack: stack(above, name, file, 0),
        });
        Ok(())
    }
}

/// Nanoseconds of `2026-01-31 23:59:59.123456]`.
fn started(text: &str) -> Option<i64> {
    let (day, time) = text.split_once(']')?.0.split_once(' ')?;
    let day = date(day.replace('-', "").parse().ok()?)?;
    let mut seconds = 0.0;
    for part in time.split(':') {
        seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
    }
    Some(day.plus(whole(seconds, NANOSECONDS)).0)
}

/// The file of each function that calls another one: where it does so.
fn files(bytes: &[u8], rows: &mut Rows) -> HashMap<StringId, StringId> {
    let mut files = HashMap::new();
    let mut open: Vec<(usize, Option<StringId>)> = Vec::new();
    for (_, line) in lines(bytes) {
        if line.starts_with(START) {
            open.clear();
        }
        let mut columns = line.split('\t');
        let level: Option<usize> = columns.next().and_then(|level| level.parse().ok());
        let (Some(level), Some("0")) = (level, columns.nth(1)) else {
            continue;
        };
        let Some(call) = Call::of(columns.skip(2)) else {
            continue;
        };
        while open.pop_if(|open| open.0 >= level).is_some() {}
        if let Some(&(_, Some(caller))) = open.last() {
            let file = rows.builder.string(call.file);
            files.entry(caller).or_insert(file);
        }
        // Of code that is included or evaluated, the name is no function's.
        let is_function = call.included.is_empty() && call.name != EVALUATED;
        let name = is_function.then(|| rows.builder.string(call.name));
        if open.len() < MAX_STACK_DEPTH {
            open.push((level, name));
        }
    }
    rows.beside += files.len() * FILE;
    files
}
