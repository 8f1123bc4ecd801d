//! Profiles of Firefox and of all that write its formats: samply, Python's `profiling.sampling`,
//! perf's `gecko` report, vernier.
//!
//! Sources: the Firefox Profiler's descriptions of the raw (Gecko) and the processed format.
//!
//! - Raw profiles have rows with a schema and hold a profile of each process; processed ones have
//!   columns. Processed ones of every version are read: with tables in each thread, and with shared
//!   strings (56), sources (58) or all tables (60). The developer tools' old files hold a raw one.
//! - A sample counts one, or its weight: `samples/count`, `time/nanoseconds` where weights are
//!   milliseconds, `space/bytes`. One without a stack counts nothing, as in the Firefox Profiler: it
//!   says that the thread was not seen then. A warning says how many there are.
//! - Labels are `thread`, `process` and the `category` of the leaf.
//! - Times are kept, from the start of the file's first process on.
//! - Calls that were inlined are lines of one location. `(root)` is no frame.
//! - A frame that is only an address has no function; the address is relative to its library.
//! - Left out: markers, counters, CPU usage, allocations, screenshots.

mod document;
pub(crate) mod slabs;
mod stacks;
mod symbols;
mod table;
mod tables;

use hashbrown::HashMap;

use crate::base::limits::MAX_START_NANOS;
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::{Start, without_mark};
use crate::imports::error::FormatError;
use crate::imports::frames::{text_label, whole};
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LabelSetId, StackId};
use crate::model::profile::Label;
use document::{Document, Thread};
use stacks::Stacks;
use symbols::Names;
use tables::Tables;

pub(crate) const NAME: &str = "Firefox profile";

/// Nanoseconds of a millisecond.
const MILLISECOND: f64 = 1e6;

/// Whether this is Firefox's.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Firefox)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let document: Document = serde_json::from_slice(without_mark(bytes))
        .map_err(|error| FormatError::json(NAME, &error))?;
    let of_file = document.profile.as_deref().unwrap_or(&document);
    let start = of_file.meta.start_time.unwrap_or(0.0);
    let mut reader = Reader::default();
    reader.columns(&document);
    reader.process(&document, start);
    let Reader {
        mut builder,
        mut warnings,
        sound,
        first_error,
        without_stack,
        ends,
        ..
    } = reader;
    if sound == 0 {
        if let Some(error) = first_error {
            return Err(error);
        }
        warnings.add(|| "no thread in the file has samples".to_owned());
    }
    if without_stack > 0 {
        let samples = match without_stack {
            1 => "1 sample has no stack and is".to_owned(),
            many => format!("{many} samples have no stack and are"),
        };
        warnings.add(|| format!("{samples} left out of the total"));
    }
    let period = whole(of_file.meta.interval.unwrap_or(0.0), MILLISECOND);
    if period > 0 {
        let wall = builder.value_type("wall", "nanoseconds");
        let header = builder.header();
        (header.period_type, header.period) = (Some(wall), period);
    }
    let header = builder.header();
    header.time_nanos = whole(start, MILLISECOND).clamp(0, MAX_START_NANOS);
    header.duration_nanos = ends.map_or(0, |(first, last)| last.saturating_sub(first));
    Ok(Decoded {
        profile: builder.finish(),
        warnings: warnings.finish(),
    })
}

/// A file as it is read.
#[derive(Default)]
struct Reader {
    builder: ProfileBuilder,
    warnings: Warnings,
    /// What the columns of values count.
    types: Vec<Weight>,
    /// How many threads came so far.
    threads: usize,
    /// How many of them are read.
    sound: usize,
    /// What is wrong with the first that isn't.
    first_error: Option<FormatError>,
    /// How many samples have no stack.
    without_stack: u64,
    /// The first and the last time.
    ends: Option<(i64, i64)>,
}

/// What the weight of a sample is measured in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    Samples,
    Milliseconds,
    Bytes,
}

impl Weight {
    fn of(name: &str) -> Self {
        match name {
            "tracing-ms" => Self::Milliseconds,
            "bytes" => Self::Bytes,
            _ => Self::Samples,
        }
    }

    /// Type, unit, and how many of the unit are one.
    fn sample_type(self) -> (&'static str, &'static str, f64) {
        match self {
            Self::Samples => ("samples", "count", 1.0),
            Self::Milliseconds => ("time", "nanoseconds", MILLISECOND),
            Self::Bytes => ("space", "bytes", 1.0),
        }
    }
}

impl Reader {
    /// Makes the columns of values and room for all samples.
    fn columns(&mut self, document: &Document) {
        let (mut samples, mut timed) = (0, false);
        document.for_each_thread(&mut |thread| {
            let table = &thread.samples;
            let weight = Weight::of(&table.weight_type);
            if !self.types.contains(&weight) {
                self.types.push(weight);
            }
            samples += table.rows();
            let times = ["time", "timeDeltas"].map(|name| table.column(name));
            timed |= times.iter().any(|times| !times.is_empty());
        });
        if self.types.is_empty() {
            self.types.push(Weight::Samples);
        }
        for weight in &self.types {
            let (kind, unit, _) = weight.sample_type();
            self.builder.sample_type(kind, unit);
        }
        self.builder.reserve_samples(samples, timed);
    }

    /// Adds the threads of a process and the processes in it. `start` is when the file's times
    /// begin. What is damaged is left out with a warning.
    fn process(&mut self, process: &Document, start: f64) {
        let offset = process.meta.start_time.map_or(0.0, |own| own - start);
        let no_tables = Thread::default();
        let shared = process.shared.as_deref().unwrap_or(&no_tables);
        let mut shared_names = Names::default();
        // Tables that threads share are read once.
        let mut needed = vec![false; shared.stack_table.rows()];
        let sharing = |thread: &&Thread| thread.stack_table.rows() == 0;
        for thread in process.threads.own.iter().filter(sharing) {
            mark(thread, &mut needed);
        }
        let tables = Tables::of(&no_tables, shared, &process.libs);
        let shared_stacks = tables.add(needed, &mut self.builder, &mut shared_names);
        for damaged in &process.threads.damaged {
            let name = match damaged.name.as_str() {
                "" => "a thread".to_owned(),
                name => format!("thread {name}"),
            };
            self.leave_out(FormatError::at(NAME, name, &damaged.problem), "thread");
        }
        for damaged in &process.processes.damaged {
            let name = format!("process {}", damaged.name);
            self.leave_out(FormatError::at(NAME, name, &damaged.problem), "process");
        }
        for thread in &process.threads.own {
            let name = first_of([&thread.name.0, &thread.tid.0]);
            let place = format!("thread {} ({name})", self.threads);
            let own_stacks;
            let stacks = if sharing(&thread) {
                &shared_stacks
            } else {
                let mut needed = vec![false; thread.stack_table.rows()];
                mark(thread, &mut needed);
                let tables = Tables::of(thread, shared, &process.libs);
                let mut own_names = Names::default();
                let own_strings = thread.string_array.len() > 0;
                let names = if own_strings {
                    &mut own_names
                } else {
                    &mut shared_names
                };
                own_stacks = tables.add(needed, &mut self.builder, names);
                &own_stacks
            };
            match check(thread, stacks, &place) {
                Ok(()) => {
                    self.thread(process, thread, stacks, &place, offset);
                    self.sound += 1;
                }
                Err(error) => self.leave_out(error, "thread"),
            }
            self.threads += 1;
        }
        for inner in process.inner() {
            self.process(inner, start);
        }
    }

    fn leave_out(&mut self, error: FormatError, what: &str) {
        let place = error.place.as_deref().unwrap_or_default();
        let problem = &error.problem;
        self.warnings
            .add(|| format!("{place}: {problem}; this {what} is left out"));
        self.first_error.get_or_insert(error);
    }

    fn thread(
        &mut self,
        process: &Document,
        thread: &Thread,
        stacks: &Stacks,
        place: &str,
        offset: f64,
    ) {
        let samples = &thread.samples;
        let weight = Weight::of(&samples.weight_type);
        let column = self.types.iter().position(|known| *known == weight);
        let (column, (_, _, scale)) = (column.unwrap_or(0), weight.sample_type());
        let labels = [
            text_label(
                &mut self.builder,
                "thread",
                first_of([&thread.name.0, &thread.tid.0]),
            ),
            text_label(
                &mut self.builder,
                "process",
                first_of([&thread.process_name.0, &thread.pid.0]),
            ),
        ];
        let mut of_category: HashMap<Option<usize>, Option<LabelSetId>> = HashMap::new();
        let mut times = Times::of(thread, offset);
        let (stack, weights) = (samples.column("stack"), samples.column("weight"));
        for row in 0..samples.rows() {
            let stack = stack.index(row);
            if stack.is_none() {
                let count = match weight == Weight::Samples && !weights.is_empty() {
                    true => whole(weights.number(row), scale).max(0) as u64,
                    false => 1,
                };
                self.without_stack = self.without_stack.saturating_add(count);
            }
            let id = stack.and_then(|stack| stacks.ids[stack]);
            let category = stack.and_then(|stack| stacks.category(stack));
            let labels = *of_category.entry(category).or_insert_with(|| {
                let names = &process.meta.categories.0;
                let name = category.and_then(|category| names.get(category));
                label_set(&mut self.builder, labels, name.unwrap_or(""))
            });
            let mut values = [0; 3];
            values[column] = match stack {
                None => 0,
                // A weight that is not a number counts nothing.
                Some(_) if weights.is_empty() => scale as i64,
                Some(_) => whole(weights.number(row), scale),
            };
            self.sample(times.next(row), id, labels, &values);
        }
        if times.back > 0 {
            let back = times.back;
            self.warnings.add(|| {
                format!(
                    "{place}: {back} samples are earlier than the previous sample and get its time"
                )
            });
        }
    }

    fn sample(
        &mut self,
        time: Option<i64>,
        stack: Option<StackId>,
        labels: Option<LabelSetId>,
        values: &[i64],
    ) {
        let Some(time) = time else {
            return self.builder.sample(stack, labels, values);
        };
        let (first, last) = self.ends.unwrap_or((time, time));
        self.ends = Some((first.min(time), last.max(time)));
        self.builder.sample_at(time, stack, labels, values);
    }
}

/// Times of a thread's samples.
struct Times<'a> {
    absolute: table::Column<'a>,
    deltas: table::Column<'a>,
    /// In milliseconds.
    now: f64,
    offset: f64,
    /// How many were earlier than the one before.
    back: u64,
}

impl<'a> Times<'a> {
    fn of(thread: &'a Thread, offset: f64) -> Self {
        Self {
            absolute: thread.samples.column("time"),
            deltas: thread.samples.column("timeDeltas"),
            now: f64::NEG_INFINITY,
            offset,
            back: 0,
        }
    }

    /// That of the next sample in nanoseconds, `None` where there are none.
    fn next(&mut self, row: usize) -> Option<i64> {
        let time = if !self.absolute.is_empty() {
            self.absolute.number(row)
        } else if !self.deltas.is_empty() {
            self.now.max(0.0) + self.deltas.number(row)
        } else {
            return None;
        };
        self.back += u64::from(time < self.now);
        // What is no number is no later either.
        self.now = self.now.max(time);
        let now = if self.now.is_finite() { self.now } else { 0.0 };
        Some(whole(now + self.offset, MILLISECOND))
    }
}

/// Marks the stacks of a thread's samples.
fn mark(thread: &Thread, needed: &mut [bool]) {
    let stacks = thread.samples.column("stack");
    for row in 0..thread.samples.rows() {
        if let Some(needed) = stacks.index(row).and_then(|stack| needed.get_mut(stack)) {
            *needed = true;
        }
    }
}

fn label_set(
    builder: &mut ProfileBuilder,
    labels: [Option<Label>; 2],
    category: &str,
) -> Option<LabelSetId> {
    let category = text_label(builder, "category", category);
    let mut all: Vec<Label> = labels.into_iter().flatten().chain(category).collect();
    builder.label_set(&mut all)
}

fn first_of(texts: [&String; 2]) -> &str {
    let [first, second] = texts;
    if first.is_empty() { second } else { first }
}

/// Whether each sample of a thread has a stack that is sound.
fn check(thread: &Thread, stacks: &Stacks, place: &str) -> Result<(), FormatError> {
    let column = thread.samples.column("stack");
    for row in 0..thread.samples.rows() {
        let Some(stack) = column.index(row) else {
            continue;
        };
        let rows = stacks.ids.len();
        let problem = if stack >= rows {
            let problem = format!("its stack is not in the table of {rows} stacks");
            Some((format!("sample {row}"), problem))
        } else {
            stacks.problem_text(stack)
        };
        if let Some((at, problem)) = problem {
            return Err(FormatError::at(NAME, format!("{place}, {at}"), problem));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
