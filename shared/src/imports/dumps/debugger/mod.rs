//! Backtraces of all threads, as debuggers print them: `thread apply all bt` of gdb (pstack and
//! gstack do the same), `bt all` of lldb, and eu-stack.
//!
//! Source: "Backtraces" in the manual of gdb, `thread-format` and `frame-format` of lldb, and
//! `src/stack.c` of elfutils.
//!
//! - Each thread is a sample. Its name, or else its number, is the label `thread`, and its dispatch
//!   queue the label `queue`. Several dumps in a file add up.
//! - A backtrace without the line of a thread is a thread.
//! - Arguments and variables are left out. A function without a name is its address.
//! - Where a debugger stops, it prints the innermost frame; that is no thread of a backtrace.
//! - Lines of other programs in a backtrace are left out with a warning, also within a frame. Outside
//!   of backtraces, the debugger says what it does.

mod frame;
#[cfg(test)]
mod tests;

use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::dumps::is_number;
use crate::imports::dumps::thread::Thread;
use crate::imports::error::FormatError;
use crate::imports::rows::{Rows, lines};
use crate::model::profile::Label;
use frame::{Brackets, location};

/// What it is called in messages.
pub(crate) const NAME: &str = "debugger backtraces";

/// How lines of debuggers in a backtrace begin that are no frames.
const KNOWN: [&str; 10] = [
    "Process ",
    "No locals.",
    "No symbol table info",
    "Backtrace stopped: ",
    "[Inferior ",
    "[New ",
    "[Thread ",
    "[Switching ",
    "(gdb)",
    "(lldb)",
];
/// Characters as arguments that are no brackets and no texts: `c=40 '('`.
const CHARACTERS: [&str; 3] = ["'('", "')'", "'\"'"];

/// Whether there is a thread's line, and the line of a first frame below it; or a first and a second
/// frame as gdb writes them.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let lines = start.lines().filter_map(|line| str::from_utf8(line).ok());
    let (mut is_thread, mut is_first) = (false, false);
    for line in lines {
        let frame = numbered(line);
        let is_frame = |wanted| frame.is_some_and(|(number, _)| number == wanted);
        let of_gdb = line.starts_with('#')
            && frame.is_some_and(|(_, text)| text.starts_with("0x") && text.contains(" in "));
        if is_thread && is_frame(0) || is_first && of_gdb && is_frame(1) {
            return true;
        }
        // Lines of other programs may be between.
        let is_other = frame.is_none() && !line.is_empty();
        is_first = of_gdb && is_frame(0) || is_first && is_other;
        is_thread = head(line).is_some() || is_thread && is_other;
    }
    false
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader {
        rows: Rows::new(NAME, bytes.len()),
        threads: 0,
        open: None,
        frame: String::new(),
        frame_line: 0,
        brackets: Brackets::default(),
        is_inside: false,
        is_stop: false,
        cut_off: 0,
        alone: 0,
    };
    reader.threads = reader.rows.sample_type("threads", "count")?;
    for (number, line) in lines(bytes) {
        reader
            .line(number, &line)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        reader.rows.check()?;
    }
    let result = reader.end_all();
    result.map_err(|problem| FormatError::new(NAME, problem))?;
    for (count, what) in [
        (
            reader.cut_off,
            "stacks have more frames than were printed; the printed frames are shown at the root",
        ),
        (
            reader.alone,
            "frames without a backtrace are left out; debuggers print such a frame whenever they stop",
        ),
    ] {
        reader.rows.warnings.count(count, what);
    }
    reader.rows.finish()
}

struct Reader {
    rows: Rows,
    threads: usize,
    open: Option<Open>,
    /// The frame that the next lines may belong to; empty for none.
    frame: String,
    /// The line where it begins.
    frame_line: usize,
    /// Those of the frame.
    brackets: Brackets,
    /// Whether a backtrace is read, which ends with an empty line.
    is_inside: bool,
    /// Whether lldb says where its threads stopped.
    is_stop: bool,
    /// Stacks of which the debugger printed the first frames only.
    cut_off: u64,
    /// First frames without a thread's line, before another backtrace.
    alone: u64,
}

struct Open {
    thread: Thread,
    /// The number that the next frame has.
    next: u64,
}

impl Reader {
    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        if line.starts_with("Process ") && line.ends_with(" stopped") {
            self.end()?;
            self.is_inside = false;
            self.is_stop = true;
        }
        self.is_stop &=
            !line.is_empty() && !line.starts_with("(lldb)") && !line.starts_with("Target ");
        if self.is_stop {
            return Ok(());
        }
        if let Some(labels) = head(line) {
            self.end()?;
            let labels = labels
                .map(|(key, value)| self.rows.text(key, value))
                .collect();
            self.begin(labels);
        } else if let Some((frame, text)) = numbered(line) {
            self.frame(number, frame, text)?;
        } else if line.contains("(More stack frames follow") {
            self.cut_off += 1;
        } else if line.is_empty() {
            self.flush()?;
            self.is_inside = false;
        } else if line.starts_with([' ', '\t']) {
            self.indented(line)?;
        } else if self.is_inside && !KNOWN.iter().any(|known| line.starts_with(known)) {
            self.rows
                .warn_left_out(number, "not part of a backtrace", line);
        }
        Ok(())
    }

    /// Begins a frame, and a thread where none is open.
    fn frame(&mut self, line: usize, number: u64, text: &str) -> Result<(), String> {
        self.flush()?;
        let next = self.open.as_ref().map(|open| open.next);
        if next.is_none() || number == 0 && next > Some(0) {
            self.end()?;
            self.begin(Vec::new());
        }
        if let Some(open) = &mut self.open {
            open.next = number.saturating_add(1);
            self.is_inside = !is_stop(open);
        }
        self.frame = text.to_owned();
        self.frame_line = line;
        for character in CHARACTERS {
            self.frame = self.frame.replace(character, "'_'");
        }
        self.brackets = Brackets::default();
        self.brackets.read(&self.frame);
        Ok(())
    }

    /// gdb breaks lines between arguments and before the place; variables begin otherwise.
    fn indented(&mut self, line: &str) -> Result<(), String> {
        let text = line.trim_start();
        let is_place = text.starts_with("at ") || text.starts_with("from ");
        let goes_on = is_place && !text.contains(" = ") || !self.brackets.are_closed();
        if self.frame.is_empty() || !goes_on || !line.starts_with("    ") {
            return self.flush();
        }
        self.brackets.read(text);
        self.frame.push(' ');
        self.frame.push_str(text);
        Ok(())
    }

    fn begin(&mut self, labels: Vec<Label>) {
        self.is_inside = true;
        self.open = Some(Open {
            thread: Thread::new(labels),
            next: 0,
        });
    }

    /// Adds the frame that is read.
    fn flush(&mut self) -> Result<(), String> {
        let text = std::mem::take(&mut self.frame);
        match &mut self.open {
            Some(open) if !text.is_empty() => {
                if !self.brackets.are_closed() {
                    let line = self.frame_line;
                    self.rows
                        .warnings
                        .add(|| format!("line {line} is an incomplete frame: {:?}", cut(&text)));
                }
                let location = location(&mut self.rows, &text);
                open.thread.push(location)
            }
            _ => Ok(()),
        }
    }

    /// Ends a thread, which another one follows.
    fn end(&mut self) -> Result<(), String> {
        if self.open.take_if(|open| is_stop(open)).is_some() {
            self.frame.clear();
            self.alone += 1;
        }
        self.end_all()
    }

    fn end_all(&mut self) -> Result<(), String> {
        self.flush()?;
        // Lists of threads have such lines, too, and no frames.
        if let Some(open) = self.open.take().filter(|open| open.next > 0) {
            open.thread.end(&mut self.rows, self.threads);
        }
        Ok(())
    }
}

/// Whether a first frame without a thread's line is all that is read.
fn is_stop(open: &Open) -> bool {
    open.thread.labels.is_empty() && open.next == 1
}

/// The labels of a thread, of which a line of these is the first:
/// `Thread 2 (Thread 0x7f (LWP 12) "name"):`, `Thread 2 (LWP 12):`, `TID 12:`,
/// `* thread #1, name = 'a', queue = 'b', stop reason = signal SIGSTOP`.
fn head(line: &str) -> Option<impl Iterator<Item = (&'static str, &str)>> {
    let (mut thread, mut queue) = (None, None);
    if let Some(rest) = line.strip_prefix("Thread ") {
        let (number, rest) = rest.strip_suffix(':')?.split_once(" (")?;
        let rest = rest.strip_suffix(')')?;
        let named = rest
            .split_once('"')
            .and_then(|(_, name)| name.strip_suffix('"'));
        let number = is_number(number).then_some(number)?;
        let process = rest.find("LWP ").map(|at| {
            let id = &rest[at..];
            id.find(')').map_or(id, |end| &id[..end])
        });
        thread = named.or(process).or(Some(number));
    } else if let Some(rest) = line.strip_prefix("TID ") {
        let number = rest.strip_suffix(':')?;
        thread = Some(is_number(number).then_some(number)?);
    } else {
        let rest = line
            .trim_start_matches([' ', '*'])
            .strip_prefix("thread #")?;
        for (place, part) in rest.split(", ").enumerate() {
            let quoted = |key: &str| part.strip_prefix(key)?.strip_suffix('\'');
            if place == 0 {
                let number = part.split(':').next().unwrap_or(part);
                thread = Some(is_number(number).then_some(part)?);
            } else if let Some(name) = quoted("name = '") {
                thread = Some(name);
            } else if let Some(name) = quoted("queue = '") {
                queue = Some(name);
            }
        }
    }
    let labels = [("thread", thread), ("queue", queue)];
    Some(
        labels
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?))),
    )
}

/// Number and rest of `#0  main () at a.c:5` or `* frame #0: 0x1 a.out`main + 4`.
fn numbered(line: &str) -> Option<(u64, &str)> {
    let text = match line.strip_prefix('#') {
        Some(text) => text,
        None => line
            .trim_start_matches([' ', '*'])
            .strip_prefix("frame #")?,
    };
    let end = text.find([' ', ':'])?;
    let (number, text) = text.split_at(end);
    let text = text.strip_prefix(':').unwrap_or(text).trim();
    Some((number.parse().ok().filter(|_| !text.is_empty())?, text))
}
