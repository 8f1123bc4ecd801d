//! What `perf script` prints: a line for each sample, below it a line for each frame, the innermost
//! first, and a blank line. simpleperf's `report_sample.py` writes the same.
//!
//! Source: the manual page perf-script(1).
//!
//! - Each event is a sample type. Its values are the periods; a sample without one counts once.
//! - The name of a thread (its comm) is the label `thread`, its number `thread_id`, that of its
//!   process `process`.
//! - Inlined frames belong to the location of the frame that they were inlined into.
//! - A frame without a symbol keeps its address and its module. `[unknown]` is no name.
//! - `a->b->c` in a map of compiled code (`/tmp/perf-12.map`) are calls that were inlined into `a`.
//! - Of the fields of a sample, any may be missing (`-F`): its time, its thread, the whole head. Without
//!   stacks (`-g`), the frame stands beside the head.
//!   A line that looks like a head is left out if it lacks the fields of most heads and no stack of
//!   its own follows a blank line; also, if heads have no times, among the frames of a stack.
//! - If a text ends within a line, that line is left out.
//! - Branches and instructions of a sample are left out, with a count in a warning.
//! - Records that are no samples (`--show-lost-events` and the like) are passed over; events that
//!   were lost are counted in a warning.

mod branches;
mod fields;
mod line;

use crate::base::limits::{MAX_INLINED, MAX_STACK_DEPTH};
use crate::formats::decoded::Decoded;
use crate::formats::detect::unsupported::perf_script;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::rows::{Rows, lines};
use crate::model::id::{LabelSetId, LocationId};
use crate::model::profile::Line;
use fields::{Fields, Usual, is_frame};
use line::{Frame, Header, Record, frame, header, is_sure, record, source_line, timeless_header};

/// What it is called in messages.
pub(crate) const NAME: &str = "perf script";

/// Whether a text begins with a sample.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    perf_script(start)
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader {
        rows: Rows::new(NAME, bytes.len()),
        usual: Usual::of(bytes),
        sample: None,
        frames: Vec::new(),
        inlined: Vec::new(),
        lost: 0,
        left_out: 0,
    };
    let mut lines = lines(bytes).peekable();
    while let Some((number, line)) = lines.next() {
        let next = lines.peek().map(|(_, next)| next.as_ref());
        let takes_next = reader
            .read(number, &line, next)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        if takes_next {
            lines.next();
        }
        reader.rows.check()?;
    }
    reader.end_sample();
    for (count, what) in [
        (reader.lost, "events were lost during recording"),
        (
            reader.left_out,
            "samples have branches or instructions, which are left out",
        ),
    ] {
        reader.rows.warnings.count(count, what);
    }
    reader.rows.finish().map(Decoded::with_first_type)
}

struct Reader {
    rows: Rows,
    usual: Option<Usual>,
    /// The sample whose frames are read.
    sample: Option<Sample>,
    /// Its frames, the innermost first.
    frames: Vec<LocationId>,
    /// Inlined calls whose frame is yet to come.
    inlined: Vec<Line>,
    /// Events that the recorder lost.
    lost: u64,
    /// Samples with branches or instructions.
    left_out: u64,
}

struct Sample {
    time: Option<i64>,
    labels: Option<LabelSetId>,
    sample_type: usize,
    value: i64,
}

impl Reader {
    /// Reads a line, with a look at the next one, which a last line without line feed does not have.
    /// True when that belongs to this one.
    fn read(&mut self, number: usize, line: &str, next: Option<&str>) -> Result<bool, String> {
        let is_last = next.is_none();
        let next = next.unwrap_or("");
        let mut line = line;
        if let Some(before) = branches::before(line)? {
            self.left_out += 1;
            if before.trim().is_empty() {
                return Ok(false);
            }
            line = before;
        }
        if line.is_empty() {
            self.end_sample();
        } else if let Some(comment) = line.strip_prefix('#') {
            self.comment(comment);
        } else if let Some(record) = record(line) {
            self.end_sample();
            if let Record::Lost(count) = record {
                self.lost = self.lost.saturating_add(count);
            }
        } else if let Some(header) = self.header(line, next) {
            self.end_sample();
            if is_last && self.is_cut(line, &header) {
                self.rows.warn_left_out(number, "cut off", line);
                return Ok(false);
            }
            self.begin_sample(&header)?;
            if let Some(frame) = header.frame() {
                return self.add(&frame, next);
            }
        } else if let Some(frame) = self.frame(line) {
            if is_last && self.has_modules() && !line.ends_with(')') {
                self.rows.warn_left_out(number, "cut off", line);
                return Ok(false);
            }
            if self.sample.is_none() {
                self.begin_sample(&Header::of_comm(""))?;
            }
            return self.add(&frame, next);
        } else {
            self.rows
                .warn_left_out(number, "neither a sample nor a frame", line);
        }
        Ok(false)
    }

    /// The head of a sample: it has the fields of most heads, or a stack of its own.
    fn header<'a>(&self, line: &'a str, next: &str) -> Option<Header<'a>> {
        let begins_stack = self.sample.is_none() && is_frame(next);
        let header = header(line).or_else(|| self.timeless_header(line, next))?;
        let usual = self.usual.as_ref();
        let is_usual = usual.is_none_or(|usual| usual.fields == Fields::of(&header));
        (is_usual || begins_stack).then_some(header)
    }

    /// A head that has no time is only where one is expected: not among frames.
    fn timeless_header<'a>(&self, line: &'a str, next: &str) -> Option<Header<'a>> {
        if self.sample.is_some() && is_frame(line) {
            return None;
        }
        let frame_follows = is_frame(next);
        let header = timeless_header(line).filter(|header| {
            let is_named = !header.comm.is_empty() || !header.thread.is_empty();
            let usual = self.usual.as_ref();
            let is_usual = usual.is_some_and(|usual| usual.fields == Fields::of(header));
            let has_stacks = usual.is_some_and(|usual| usual.has_stacks);
            if has_stacks && header.rest.trim().is_empty() && !self.may_begin_stack(header, next) {
                return false;
            }
            let stands_alone =
                header.frame().is_some() || is_named && (is_usual || next.is_empty());
            let may_begin = is_named || self.sample.is_none();
            stands_alone || may_begin && (frame_follows || !header.rest.trim().is_empty())
        });
        let is_comm = self.sample.is_none() && frame_follows && !is_frame(line);
        header.or_else(|| is_comm.then(|| Header::of_comm_and_event(line)))
    }

    /// Whether a head without a time may stand where it does: behind a blank line and before its
    /// frames, or at least before a line of another program. One before a blank line or another head
    /// has no frames: it is a sample if its event is known. In a text that lost its blank lines, one
    /// of a known event before frames ends the stack before.
    fn may_begin_stack(&self, header: &Header<'_>, next: &str) -> bool {
        let profile = self.rows.builder.profile();
        let mut types = profile.sample_types().iter();
        let is_like = |next: &Header<'_>| Fields::of(next) == Fields::of(header);
        let is_other =
            || !next.is_empty() && !timeless_header(next).is_some_and(|next| is_like(&next));
        let mut is_known = || types.any(|kind| profile.type_text(*kind) == header.sample_type());
        match self.sample {
            None => is_other() || is_known(),
            Some(_) => is_frame(next) && is_known(),
        }
    }

    /// Whether the head on a last line without line feed lacks what other samples have.
    fn is_cut(&self, line: &str, header: &Header<'_>) -> bool {
        let profile = self.rows.builder.profile();
        match header.frame() {
            _ if profile.is_empty() => false,
            Some(_) => self.has_modules() && !line.ends_with(')'),
            None => !profile.stacks().is_empty() || header.rest.trim().is_empty(),
        }
    }

    fn has_modules(&self) -> bool {
        !self.rows.builder.profile().mappings().is_empty()
    }

    /// A frame, of the sample that is read or of one that has no head.
    fn frame<'a>(&self, line: &'a str) -> Option<Frame<'a>> {
        let found = frame(line).filter(|_| is_frame(line));
        found.filter(|frame| self.sample.is_some() || is_sure(frame.address))
    }

    /// The head of the file says how it was recorded.
    fn comment(&mut self, comment: &str) {
        if let Some((" cmdline ", command)) = comment.split_once(':')
            && self.rows.builder.profile().is_empty()
        {
            let command = self.rows.builder.string(command.trim());
            let header = self.rows.builder.header();
            if header.comments.is_empty() {
                header.comments.push(command);
            }
        }
    }

    fn begin_sample(&mut self, header: &Header<'_>) -> Result<(), String> {
        let rows = &mut self.rows;
        let mut labels = Vec::with_capacity(3);
        let thread = if header.comm.is_empty() {
            header.thread
        } else {
            header.comm
        };
        if !thread.is_empty() {
            labels.push(rows.text("thread", thread));
        }
        if let Ok(id) = header.thread.parse() {
            labels.push(rows.number("thread_id", id, ""));
        }
        if let Some(process) = header.process {
            labels.push(rows.text("process", process));
        }
        let labels = rows.builder.label_set(&mut labels);
        let (kind, unit) = header.sample_type();
        let sample_type = rows
            .sample_type(kind, unit)
            .map_err(|error| error.problem)?;
        self.sample = Some(Sample {
            time: header.time,
            labels,
            sample_type,
            value: header.period.unwrap_or(1),
        });
        Ok(())
    }

    /// Adds a frame. True when the next line is its line of the source.
    fn add(&mut self, frame: &Frame<'_>, next: &str) -> Result<bool, String> {
        if self.frames.len() == MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        let source =
            source_line(next).filter(|_| line::frame(next).is_none() && header(next).is_none());
        let (file, line) = source.unwrap_or_default();
        let rows = &mut self.rows;
        let mut add = |name| {
            let function = rows.function(name, file);
            self.inlined.push(Line::of(function, line));
        };
        if calls_inlined(frame) {
            frame.name.rsplit("->").for_each(add);
        } else if !frame.name.is_empty() {
            add(frame.name);
        }
        if self.inlined.len() > MAX_INLINED + 1 {
            return Err(format!(
                "more than {MAX_INLINED} inlined calls at one place"
            ));
        }
        if frame.module != "inlined" {
            let module = rows.module(frame.module);
            let location = rows
                .builder
                .location(module, frame.address, false, &self.inlined);
            self.inlined.clear();
            self.frames.push(location);
        }
        Ok(source.is_some())
    }

    fn end_sample(&mut self) {
        let Some(sample) = self.sample.take() else {
            return;
        };
        let builder = &mut self.rows.builder;
        if !self.inlined.is_empty() {
            let location = builder.location(None, 0, false, &self.inlined);
            self.inlined.clear();
            self.frames.push(location);
        }
        let stack = builder.stack_of(self.frames.drain(..).rev());
        let Sample {
            time,
            labels,
            sample_type,
            value,
        } = sample;
        match time {
            Some(time) => self.rows.sample_at(time, stack, labels, sample_type, value),
            None => self.rows.sample(stack, labels, sample_type, value),
        }
    }
}

/// Whether a name is `a->b->c`, as agents of Java's compiler write them into a map of compiled code.
fn calls_inlined(frame: &Frame<'_>) -> bool {
    let Frame { name, module, .. } = frame;
    let is_map = module
        .rsplit('/')
        .next()
        .is_some_and(|file| file.starts_with("perf-") && file.ends_with(".map"));
    is_map
        && name.contains("->")
        && !name.contains("operator->")
        && name.split("->").all(|call| !call.is_empty())
}

#[cfg(test)]
mod tests;
