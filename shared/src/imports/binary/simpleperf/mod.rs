//! Reports of simpleperf, Android's profiler, as `simpleperf report-sample --protobuf` writes them:
//! messages, each behind its length.
//!
//! Source: `simpleperf/cmd_report_sample.proto` of Android.
//!
//! - Each event is a sample type; its values are the counts of events.
//! - The names of thread and process are the labels `thread` and `process`; the number of the thread
//!   is `thread_id`.
//! - Files and threads may come after the samples that need them, so messages are read twice.

use hashbrown::HashMap;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::formats::protobuf::{Value, Wire};
use crate::formats::start::Start;
use crate::imports::binary::bytes::u32_at;
use crate::imports::error::{FormatError, Problem, too_deep};
use crate::imports::rows::Rows;
use crate::model::id::{LabelSetId, LocationId, MappingId};
use crate::model::profile::Line;

/// What it is called in messages.
pub(crate) const NAME: &str = "simpleperf";

const MAGIC: &[u8] = b"SIMPLEPERF";

/// What a file, a thread, an event or a symbol takes.
const ROW: usize = 128;
const SYMBOL: usize = 16;

/// Whether a file begins as one.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.bytes.starts_with(MAGIC)
}

/// Reads a file.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut report = Report {
        rows: Rows::new(NAME, bytes.len()),
        events: Vec::new(),
        files: HashMap::new(),
        threads: HashMap::new(),
        labels: HashMap::new(),
        lost: 0,
        frames: Vec::new(),
    };
    let records = bytes
        .strip_prefix(MAGIC)
        .and_then(|rest| rest.strip_prefix(&[1, 0]))
        .ok_or_else(|| FormatError::new(NAME, "unsupported version; expected version 1"))?;
    for pass in [Report::tables, Report::sample] {
        let mut at = 0;
        while let Some((record, next)) = record(records, at) {
            let place = || format!("byte {}", bytes.len() - records.len() + at);
            let record =
                record.ok_or_else(|| FormatError::at(NAME, place(), "the record is cut off"))?;
            pass(&mut report, Wire::new(record))
                .map_err(|problem| FormatError::at(NAME, place(), problem.0))?;
            report.rows.check()?;
            at = next;
        }
    }
    if report.lost > 0 {
        let lost = report.lost;
        report
            .rows
            .warnings
            .add(|| format!("simpleperf lost {lost} samples"));
    }
    report.rows.finish().map(Decoded::with_first_type)
}

/// The record behind the length at `at`, or `None` inside where it is cut off, and where the next
/// one begins. A length of 0 is the end.
fn record(bytes: &[u8], at: usize) -> Option<(Option<&[u8]>, usize)> {
    let length = u32_at(bytes, at);
    if length.is_none() && at < bytes.len() {
        return Some((None, at));
    }
    let length = length? as usize;
    let start = at + 4;
    let end = start.checked_add(length)?;
    (length > 0).then(|| (bytes.get(start..end), end))
}

struct Report<'a> {
    rows: Rows,
    /// Sample types of the events.
    events: Vec<usize>,
    files: HashMap<u64, File<'a>>,
    threads: HashMap<u64, Thread>,
    /// Labels of the threads of samples.
    labels: HashMap<u64, Option<LabelSetId>>,
    lost: u64,
    frames: Vec<LocationId>,
}

struct File<'a> {
    module: Option<MappingId>,
    symbols: Vec<&'a [u8]>,
}

struct Thread {
    process: u64,
    name: String,
}

impl<'a> Report<'a> {
    /// Reads what samples name.
    fn tables(&mut self, mut record: Wire<'a>) -> Result<(), Problem> {
        while let Some((field, value)) = record.next_field()? {
            let Value::Bytes(message) = value else {
                continue;
            };
            match field {
                2 => self.lost(message)?,
                3 => self.file(message)?,
                4 => self.thread(message)?,
                5 => self.meta(message)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn lost(&mut self, mut message: Wire<'a>) -> Result<(), Problem> {
        while let Some((field, value)) = message.next_field()? {
            if let (2, Value::Number(count)) = (field, value) {
                self.lost = self.lost.max(count);
            }
        }
        Ok(())
    }

    fn file(&mut self, mut message: Wire<'a>) -> Result<(), Problem> {
        let mut id = 0;
        let mut file = File {
            module: None,
            symbols: Vec::new(),
        };
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (1, Value::Number(number)) => id = number,
                (2, Value::Bytes(path)) => {
                    let path = String::from_utf8_lossy(path.bytes());
                    file.module = self.rows.module(&path);
                }
                (3, Value::Bytes(symbol)) => {
                    file.symbols.push(symbol.bytes());
                    self.rows.beside += SYMBOL;
                    self.rows.check()?;
                }
                _ => {}
            }
        }
        self.files.insert(id, file);
        self.rows.beside += ROW;
        Ok(())
    }

    fn thread(&mut self, mut message: Wire<'a>) -> Result<(), Problem> {
        let (mut id, mut process, mut name) = (0, 0, String::new());
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (1, Value::Number(number)) => id = number,
                (2, Value::Number(number)) => process = number,
                (3, Value::Bytes(text)) => {
                    name = String::from_utf8_lossy(text.bytes()).into_owned();
                }
                _ => {}
            }
        }
        self.rows.beside += ROW + name.len();
        self.threads.insert(id, Thread { process, name });
        Ok(())
    }

    fn meta(&mut self, mut message: Wire<'a>) -> Result<(), Problem> {
        while let Some((field, value)) = message.next_field()? {
            if let (1, Value::Bytes(event)) = (field, value) {
                let event = String::from_utf8_lossy(event.bytes());
                let clock = matches!(&*event, "cpu-clock" | "task-clock");
                let unit = if clock { "nanoseconds" } else { "count" };
                let row = self.rows.sample_type(&event, unit)?;
                self.events.push(row);
                self.rows.beside += ROW;
                self.rows.check()?;
            }
        }
        Ok(())
    }

    /// Reads a sample, if that is what the record is.
    fn sample(&mut self, mut record: Wire<'a>) -> Result<(), Problem> {
        while let Some((field, value)) = record.next_field()? {
            let (1, Value::Bytes(mut message)) = (field, value) else {
                continue;
            };
            let (mut time, mut thread, mut count, mut event) = (0, 0, 0, 0);
            self.frames.clear();
            while let Some((field, value)) = message.next_field()? {
                match (field, value) {
                    (1, Value::Number(number)) => time = number,
                    (2, Value::Number(number)) => thread = u64::from(number as u32),
                    (3, Value::Bytes(frame)) => self.frame(frame)?,
                    (4, Value::Number(number)) => count = number,
                    (5, Value::Number(number)) => event = number,
                    _ => {}
                }
            }
            let event = self.event(event)?;
            let labels = self.labels(thread);
            let builder = &mut self.rows.builder;
            let stack = builder.stack_of(self.frames.iter().rev().copied());
            let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
            self.rows
                .sample_at(whole(time), stack, labels, event, whole(count));
        }
        Ok(())
    }

    fn event(&mut self, event: u64) -> Result<usize, Problem> {
        if self.events.is_empty() && event == 0 {
            let row = self.rows.sample_type("samples", "count")?;
            self.events.push(row);
        }
        let known = usize::try_from(event).ok();
        known
            .and_then(|event| self.events.get(event).copied())
            .ok_or_else(|| Problem(format!("there is no event {event}")))
    }

    fn labels(&mut self, id: u64) -> Option<LabelSetId> {
        if let Some(&known) = self.labels.get(&id) {
            return known;
        }
        let number = id.to_string();
        let known = self.threads.get(&id);
        let named = |thread: Option<&Thread>| {
            let name = thread.map(|thread| thread.name.clone());
            name.filter(|name| !name.is_empty())
        };
        let thread = named(known).unwrap_or_else(|| number.clone());
        let process = known.map(|thread| thread.process);
        let process =
            process.map(|id| named(self.threads.get(&id)).unwrap_or_else(|| id.to_string()));
        let rows = &mut self.rows;
        let mut labels = vec![
            rows.text("thread", &thread),
            rows.number("thread_id", i64::try_from(id).unwrap_or(0), ""),
        ];
        if let Some(process) = process {
            labels.push(rows.text("process", &process));
        }
        let labels = rows.builder.label_set(&mut labels);
        rows.beside += ROW;
        self.labels.insert(id, labels);
        labels
    }

    fn frame(&mut self, mut message: Wire<'a>) -> Result<(), Problem> {
        let (mut address, mut file, mut symbol) = (0, 0, u64::MAX);
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (1, Value::Number(number)) => address = number,
                (2, Value::Number(number)) => file = number,
                (3, Value::Number(number)) => symbol = number,
                _ => {}
            }
        }
        if self.frames.len() == MAX_STACK_DEPTH {
            return Err(Problem(too_deep()));
        }
        let file = self.files.get(&file);
        let module = file.and_then(|file| file.module);
        // -1 is an address without a symbol.
        let symbol = usize::try_from(symbol).ok();
        let name = symbol.and_then(|symbol| file?.symbols.get(symbol).copied());
        let location = match name {
            Some(name) => {
                let function = self.rows.function(&String::from_utf8_lossy(name), "");
                let line = Line::of(function, 0);
                self.rows.builder.location(module, address, false, &[line])
            }
            None => self.rows.builder.location(module, address, false, &[]),
        };
        self.frames.push(location);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
