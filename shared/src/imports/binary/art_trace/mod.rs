//! Method traces of Android's runtime, written when the trace ends: a text with the threads and the
//! methods, then a record for each time that a method begins or ends. Those that are streamed are
//! not read.
//!
//! Source: `art/runtime/trace.cc` of Android.
//!
//! - A sample is what passes between two records of a thread, in CPU time, in wall time or in both.
//! - The thread's name is the label `thread`, its number `thread_id`.

use hashbrown::HashMap;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::binary::bytes::{u16_at, u32_at};
use crate::imports::error::FormatError;
use crate::imports::rows::{Rows, lines};
use crate::model::id::{LabelSetId, LocationId, StackId};

/// What it is called in messages.
pub(crate) const NAME: &str = "Android method trace";

/// What a thread that is open takes, and a method that is known.
const THREAD: usize = 128;
const METHOD: usize = 32;
/// What a call that has not ended takes.
const CALL: usize = 16;

/// Whether a file begins as one.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.bytes.starts_with(b"*version\n") || start.bytes.starts_with(b"SLOW")
}

/// Reads a file.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let error = |problem: &str| FormatError::new(NAME, problem);
    const END: &[u8] = b"\n*end\n";
    let text = bytes
        .windows(END.len())
        .position(|part| part == END)
        .map(|end| end + END.len())
        .ok_or_else(|| {
            error(if bytes.starts_with(b"SLOW") {
                "this is a streamed trace, which Pilotlight can't open yet"
            } else {
                "the *end line is missing"
            })
        })?;
    let mut trace = Trace {
        rows: Rows::new(NAME, bytes.len()),
        clocks: Clocks::Cpu,
        names: HashMap::new(),
        methods: HashMap::new(),
        threads: HashMap::new(),
        open: HashMap::new(),
        unmatched: 0,
    };
    trace.head(&bytes[..text])?;
    trace.records(&bytes[text..], text)?;
    if trace.unmatched > 0 {
        let count = trace.unmatched;
        trace
            .rows
            .warnings
            .add(|| format!("{count} method exits have no matching entry and are left out"));
    }
    trace.rows.finish()
}

/// Which clocks a record has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clocks {
    Cpu,
    Wall,
    Both,
}

struct Trace {
    rows: Rows,
    clocks: Clocks,
    /// Names of threads.
    names: HashMap<u32, String>,
    methods: HashMap<u32, LocationId>,
    threads: HashMap<u32, Thread>,
    /// How many calls of a method a thread is in.
    open: HashMap<(u32, u32), u32>,
    unmatched: u64,
}

struct Thread {
    labels: Option<LabelSetId>,
    /// The calls that it is in: the method, and the stack up to it.
    calls: Vec<(u32, StackId)>,
    /// Its last record, in microseconds.
    times: [u32; 2],
}

impl Trace {
    fn head(&mut self, text: &[u8]) -> Result<(), FormatError> {
        let mut section = "";
        for (number, line) in lines(text) {
            let error = |problem: &str| FormatError::at_line(NAME, number, problem);
            if let Some(name) = line.strip_prefix('*') {
                section = match name {
                    "version" => "version",
                    "threads" => "threads",
                    "methods" => "methods",
                    _ => "",
                };
                continue;
            }
            match section {
                "version" => self.setting(&line),
                "threads" => {
                    let (id, name) = line.split_once('\t').unwrap_or((&*line, ""));
                    let id = id.parse().map_err(|_| error("expected a thread ID"))?;
                    self.names.insert(id, name.to_owned());
                    self.rows.beside += THREAD + name.len();
                }
                "methods" => self.method(&line).ok_or_else(|| error("not a method"))?,
                _ => {}
            }
            self.rows.check()?;
        }
        match self.clocks {
            Clocks::Cpu => self.rows.sample_type("cpu", "nanoseconds")?,
            Clocks::Wall => self.rows.sample_type("wall", "nanoseconds")?,
            Clocks::Both => {
                self.rows.sample_type("cpu", "nanoseconds")?;
                self.rows.sample_type("wall", "nanoseconds")?
            }
        };
        Ok(())
    }

    fn setting(&mut self, line: &str) {
        match line {
            "clock=dual" => self.clocks = Clocks::Both,
            "clock=wall" => self.clocks = Clocks::Wall,
            "data-file-overflow=true" => self
                .rows
                .warnings
                .add(|| "the buffer was full before the trace ended".to_owned()),
            _ => {}
        }
    }

    /// `0x4`, class, method, signature, file.
    fn method(&mut self, line: &str) -> Option<()> {
        let mut parts = line.split('\t');
        let id = parts.next()?;
        // The first one is a bare 0.
        let id = u32::from_str_radix(id.strip_prefix("0x").unwrap_or(id), 16).ok()?;
        let (class, method) = (parts.next()?, parts.next()?);
        let file = parts.nth(1).unwrap_or("");
        let name = format!("{}.{method}", class.replace('/', "."));
        let function = self.rows.function(&name, file);
        let location = self.rows.location(None, function, 0);
        self.methods.insert(id, location);
        self.rows.beside += METHOD;
        Some(())
    }

    /// Reads what is behind the text, which begins at byte `start`.
    fn records(&mut self, bytes: &[u8], start: usize) -> Result<(), FormatError> {
        let error = |at: usize, problem: &str| {
            FormatError::at(NAME, format!("byte {}", start + at), problem)
        };
        let short =
            |at: usize| u16_at(bytes, at).ok_or_else(|| error(at, "the file ends too early"));
        if !bytes.starts_with(b"SLOW") {
            return Err(error(0, "no records begin here"));
        }
        let version = short(4)?;
        let mut at = usize::from(short(6)?);
        let clocks = if self.clocks == Clocks::Both { 2 } else { 1 };
        let thread_bytes = if version == 1 { 1 } else { 2 };
        let least = thread_bytes + 4 + 4 * clocks;
        let size = match version {
            1 | 2 => least,
            3 => usize::from(short(16)?),
            _ => {
                let problem = format!("version {version} is not supported; expected 1, 2 or 3");
                return Err(error(4, &problem));
            }
        };
        if size < least {
            return Err(error(
                16,
                "the records are too short for the clocks of the trace",
            ));
        }
        while let Some(record) = bytes.get(at..at + size) {
            let thread = match thread_bytes {
                1 => u32::from(record[0]),
                _ => u32::from(u16_at(record, 0).unwrap_or_default()),
            };
            let word = |row: usize| u32_at(record, thread_bytes + 4 * row).unwrap_or_default();
            let times = [word(1), if clocks == 2 { word(2) } else { 0 }];
            self.record(thread, word(0), times)
                .map_err(|problem| error(at, problem))?;
            self.rows.check()?;
            at += size;
        }
        if at < bytes.len() {
            self.rows
                .warnings
                .add(|| "the last record is cut off".to_owned());
        }
        Ok(())
    }

    /// A method begins or ends; the last two bits of its number say which.
    fn record(&mut self, id: u32, word: u32, times: [u32; 2]) -> Result<(), &'static str> {
        let (method, action) = (word & !3, word & 3);
        if !self.threads.contains_key(&id) {
            let thread = self.thread(id, times);
            self.threads.insert(id, thread);
        }
        let Some(thread) = self.threads.get_mut(&id) else {
            return Ok(());
        };
        let top = thread.calls.last().map(|&(_, stack)| stack);
        let passed = |row: usize| i64::from(times[row].saturating_sub(thread.times[row])) * 1000;
        let passed = [passed(0), passed(1)];
        if top.is_some() && passed != [0, 0] {
            // Wall time where there is both.
            let clock = usize::from(self.clocks == Clocks::Both);
            let time = i64::from(thread.times[clock]) * 1000;
            self.rows
                .builder
                .sample_at(time, top, thread.labels, &passed);
        }
        for (known, now) in thread.times.iter_mut().zip(times) {
            *known = now.max(*known);
        }
        if action == 0 {
            if thread.calls.len() == MAX_STACK_DEPTH {
                return Err("a stack has more than 16384 frames (the maximum)");
            }
            let location = match self.methods.get(&method) {
                Some(&known) => known,
                None => {
                    let function = self.rows.function(&format!("{method:#x}"), "");
                    self.rows.location(None, function, 0)
                }
            };
            let stack = self.rows.builder.stack(top, location);
            thread.calls.push((method, stack));
            let beside = &mut self.rows.beside;
            *self.open.entry((id, method)).or_insert_with(|| {
                *beside += METHOD;
                0
            }) += 1;
            self.rows.beside += CALL;
        } else if self.open.get(&(id, method)).is_none_or(|&open| open == 0) {
            self.unmatched += 1;
        } else {
            // What is above it ended without a record.
            while let Some((ended, _)) = thread.calls.pop() {
                self.rows.beside = self.rows.beside.saturating_sub(CALL);
                if let Some(open) = self.open.get_mut(&(id, ended)) {
                    *open = open.saturating_sub(1);
                }
                if ended == method {
                    break;
                }
            }
        }
        Ok(())
    }

    fn thread(&mut self, id: u32, times: [u32; 2]) -> Thread {
        let number = id.to_string();
        let name = self.names.get(&id).filter(|name| !name.is_empty());
        let name = name.unwrap_or(&number);
        let mut labels = [
            self.rows.text("thread", name),
            self.rows.number("thread_id", i64::from(id), ""),
        ];
        self.rows.beside += THREAD;
        Thread {
            labels: self.rows.builder.label_set(&mut labels),
            calls: Vec::new(),
            times,
        }
    }
}

#[cfg(test)]
mod tests;
