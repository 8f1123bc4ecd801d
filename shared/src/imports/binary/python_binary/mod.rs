//! What CPython's own sampling profiler writes with `--binary` (`profiling.sampling`, from 3.15 on).
//!
//! Source: `InternalDocs/profiling_binary_format.md` of CPython.
//!
//! - A sample stands for the interval at which samples were taken. What was sampled, wall time or
//!   another, is in the head.
//! - The thread's number is the label `thread`. The label `state` says whether it ran.
//! - Samples in a row of one stack and state are one sample.
//! - Numbers are of either byte order; samples may be packed with zstd.

mod cursor;
mod head;

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::base::limits::{MAX_PROFILE_BYTES, MAX_STACK_DEPTH};
use crate::formats::compression::inflate_sniffed;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::rows::Rows;
use crate::model::id::{LocationId, StackId};
use crate::model::profile::Line;
use cursor::{Cursor, Problem, unzigzag};
use head::{BIG, FOOT, HEAD, Head, LITTLE};

/// What it is called in messages.
pub(crate) const NAME: &str = "CPython profile";

/// What a text, a frame or a thread of the tables takes.
const ROW: usize = 16;
const THREAD: usize = 160;

/// Whether a file begins as one.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let rest = start.bytes.get(4..8);
    (start.bytes.starts_with(LITTLE) && matches!(rest, Some([1 | 2, 0, 0, 0])))
        || (start.bytes.starts_with(BIG) && matches!(rest, Some([0, 0, 0, 1 | 2])))
}

/// Reads a file.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let error = |problem: &str| FormatError::new(NAME, problem);
    let head =
        Head::of(bytes).ok_or_else(|| error("the file is cut off, or its header is damaged"))?;
    let (tables, samples) = (&bytes[head.texts..], &bytes[HEAD..head.texts]);
    let samples = match inflate_sniffed(samples, MAX_PROFILE_BYTES) {
        Ok(inflated) => inflated.map_or(Cow::Borrowed(samples), Cow::Owned),
        Err(problem) => return Err(FormatError::new(NAME, problem.to_string())),
    };
    let mut reader = Reader {
        rows: Rows::new(NAME, bytes.len() + samples.len()),
        big: head.big,
        frames: Vec::new(),
        threads: HashMap::new(),
        value: head.interval.saturating_mul(1000).max(1),
        pushed: Vec::new(),
    };
    let unit = if head.interval == 0 {
        "count"
    } else {
        "nanoseconds"
    };
    reader.rows.sample_type(head.kind, unit)?;
    let at = |base: usize| {
        move |(at, problem): (usize, &'static str)| {
            FormatError::at(NAME, format!("byte {}", base + at), problem)
        }
    };
    let frames = head.frames - head.texts;
    let foot = tables.len() - FOOT;
    let texts = reader
        .texts(Cursor::new(&tables[..frames]), head.text_count)
        .map_err(at(head.texts))?;
    reader
        .frames(Cursor::new(&tables[frames..foot]), head.frame_count, &texts)
        .map_err(at(head.frames))?;
    let mut cursor = Cursor::new(&samples);
    while !cursor.rest.is_empty() {
        let start = cursor.at();
        reader.record(&mut cursor).map_err(|(_, problem)| {
            FormatError::at(NAME, format!("byte {start} of the samples"), problem)
        })?;
        reader.rows.check()?;
    }
    reader.rows.finish()
}

const TOO_DEEP: &str = "a stack has more than 16384 frames (the maximum)";

struct Reader {
    rows: Rows,
    big: bool,
    frames: Vec<LocationId>,
    threads: HashMap<(u64, u32), Thread>,
    /// Of each sample.
    value: i64,
    /// Frames of a record, the innermost first.
    pushed: Vec<LocationId>,
}

#[derive(Default)]
struct Thread {
    /// Microseconds since the profiler started.
    time: u64,
    /// From the outermost frame on.
    stacks: Vec<StackId>,
}

impl Reader {
    fn texts<'a>(&mut self, mut cursor: Cursor<'a>, count: u32) -> Result<Vec<&'a [u8]>, Problem> {
        let mut texts = Vec::new();
        for _ in 0..count {
            let length = cursor.varint()?;
            texts.push(cursor.take(length)?);
            self.beside(&cursor, ROW)?;
        }
        Ok(texts)
    }

    fn frames(
        &mut self,
        mut cursor: Cursor<'_>,
        count: u32,
        texts: &[&[u8]],
    ) -> Result<(), Problem> {
        for _ in 0..count {
            let start = cursor.at();
            let mut text = || {
                let row = usize::try_from(cursor.varint()?).ok();
                row.and_then(|row| texts.get(row))
                    .map(|text| String::from_utf8_lossy(text))
                    .ok_or((start, "a frame refers to a missing string"))
            };
            let (file, name) = (text()?, text()?);
            let line = unzigzag(cursor.varint()?);
            cursor.varint()?;
            let column = unzigzag(cursor.varint()?);
            cursor.varint()?;
            cursor.take(1)?;
            let function = self.rows.function(&name, &file);
            let line = Line {
                function: Some(function),
                line: line.max(0),
                column: column.saturating_add(1).max(0),
            };
            let location = self.rows.builder.location(None, 0, false, &[line]);
            self.frames.push(location);
            self.beside(&cursor, ROW)?;
        }
        Ok(())
    }

    fn beside(&mut self, cursor: &Cursor<'_>, bytes: usize) -> Result<(), Problem> {
        self.rows.beside += bytes;
        let full = "the profile would need too much memory for a file of this size";
        self.rows.check().map_err(|_| (cursor.at(), full))
    }

    /// Reads one sample, or several of one stack.
    fn record(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Problem> {
        let start = cursor.at();
        let id = cursor.array()?;
        let interpreter = cursor.array()?;
        let key = match self.big {
            true => (u64::from_be_bytes(id), u32::from_be_bytes(interpreter)),
            false => (u64::from_le_bytes(id), u32::from_le_bytes(interpreter)),
        };
        let [encoding] = cursor.array()?;
        if !self.threads.contains_key(&key) {
            self.rows.beside += THREAD;
        }
        let mut thread = self.threads.remove(&key).unwrap_or_default();
        match encoding {
            0 => {
                // Samples of one state are one that stands for all of them.
                let mut run: Option<(u64, &'static str, i64)> = None;
                for _ in 0..cursor.varint()? {
                    thread.time = thread.time.saturating_add(cursor.varint()?);
                    let [status] = cursor.array()?;
                    match &mut run {
                        Some((_, known, count)) if *known == state(status) => *count += 1,
                        _ => {
                            let ended = run.replace((thread.time, state(status), 1));
                            self.add(key.0, &thread, ended);
                        }
                    }
                    self.beside(cursor, 0)?;
                }
                self.add(key.0, &thread, run);
            }
            1..=3 => {
                let delta = cursor.varint()?;
                let [status] = cursor.array()?;
                let depth = thread.stacks.len();
                let kept = match encoding {
                    1 => 0,
                    2 => cursor.count()?,
                    _ => depth.saturating_sub(cursor.count()?),
                };
                if kept > depth {
                    return Err((start, "a sample keeps more frames than the last stack has"));
                }
                self.frames_of(cursor)?;
                if kept + self.pushed.len() > MAX_STACK_DEPTH {
                    return Err((start, TOO_DEEP));
                }
                thread.stacks.truncate(kept);
                for &location in self.pushed.iter().rev() {
                    let parent = thread.stacks.last().copied();
                    thread
                        .stacks
                        .push(self.rows.builder.stack(parent, location));
                }
                thread.time = thread.time.saturating_add(delta);
                self.add(key.0, &thread, Some((thread.time, state(status), 1)));
            }
            _ => return Err((start, "an unknown kind of record")),
        }
        self.threads.insert(key, thread);
        Ok(())
    }

    fn frames_of(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Problem> {
        self.pushed.clear();
        for _ in 0..cursor.varint()? {
            let start = cursor.at();
            if self.pushed.len() == MAX_STACK_DEPTH {
                return Err((start, TOO_DEEP));
            }
            let known = self.frames.get(cursor.count()?).copied();
            let missing = (start, "a sample refers to a missing frame");
            self.pushed.push(known.ok_or(missing)?);
        }
        Ok(())
    }

    /// Adds a sample: its time, the thread's state, and for how many it stands.
    fn add(&mut self, id: u64, thread: &Thread, run: Option<(u64, &str, i64)>) {
        let Some((time, state, count)) = run else {
            return;
        };
        let mut labels = [
            self.rows.text("thread", &id.to_string()),
            self.rows.text("state", state),
        ];
        let labels = self.rows.builder.label_set(&mut labels);
        let time = i64::try_from(time).unwrap_or(i64::MAX).saturating_mul(1000);
        let stack = thread.stacks.last().copied();
        let value = self.value.saturating_mul(count);
        self.rows.sample_at(time, stack, labels, 0, value);
    }
}

/// What a thread did. It holds the interpreter's lock, or runs on a CPU.
fn state(status: u8) -> &'static str {
    match status {
        _ if status & 0b11 != 0 => "running",
        _ if status & 0b100 != 0 => "unknown",
        _ => "idle",
    }
}

#[cfg(test)]
mod tests;
