//! Events with a duration → samples: at each moment the innermost event of a thread is what runs.
//!
//! - Events need not be in order. Of those that begin together, the longest is outside, then the one
//!   that comes first in the file.
//! - An end closes the last open event of its name, and those that were begun in it; one without a
//!   name closes the last. An end of nothing is left out. What is never closed ends with its thread.
//! - An event that ends after the one around it is cut off there.
//! - What takes no time is left out.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::sort::sort_rows;
use crate::base::warnings::Warnings;
use crate::imports::error::FormatError;
use crate::imports::frames::Frame;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LabelSetId, LocationId, StackId, StringId};

/// What an event that has no name is called.
const UNNAMED: &str = "(unnamed)";

/// What an event says of a span.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Begin,
    End,
    Whole,
}

/// All events with a duration.
pub(super) struct Spans {
    /// The name of the format, for errors.
    format: &'static str,
    rows: Vec<Row>,
    /// Ends of nothing.
    stray: u64,
    /// Events that end with what is around them, or with their thread.
    unclosed: u64,
}

struct Row {
    kind: Kind,
    thread: u32,
    /// Empty when an end has none.
    name: StringId,
    /// None of an end.
    location: Option<LocationId>,
    start: i64,
    /// That of a beginning is found by its end.
    end: i64,
}

impl Spans {
    /// None yet.
    pub(super) fn new(format: &'static str) -> Self {
        Self {
            format,
            rows: Vec::new(),
            stray: 0,
            unclosed: 0,
        }
    }

    /// Appends an event: its name and what it says beside that, its start and end.
    pub(super) fn push(
        &mut self,
        kind: Kind,
        thread: u32,
        (name, detail): (&str, &str),
        (start, end): (i64, i64),
        builder: &mut ProfileBuilder,
    ) {
        let is_unnamed = name.is_empty() && kind != Kind::End;
        let name = builder.string(if is_unnamed { UNNAMED } else { name });
        let location = (kind != Kind::End).then(|| {
            let shown = if detail.is_empty() {
                name
            } else {
                let text = format!("{} {detail}", builder.profile().text(name));
                builder.string(&text)
            };
            Frame::named(shown).location(builder)
        });
        self.rows.push(Row {
            kind,
            thread,
            name,
            location,
            start,
            end,
        });
    }

    /// First and last time, if there is an event.
    pub(super) fn range(&self) -> Option<(i64, i64)> {
        let times = self.rows.iter().map(|row| (row.start, row.end));
        times.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// Writes samples, and their type if there are any. Times count from `origin`.
    pub(super) fn write(
        mut self,
        builder: &mut ProfileBuilder,
        labels: &[Option<LabelSetId>],
        origin: i64,
        warnings: &mut Warnings,
    ) -> Result<(), FormatError> {
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        self.sort(&mut order);
        self.close(&order, builder.profile().strings().len());
        order.retain(|&row| {
            let row = &self.rows[row as usize];
            row.location.is_some() && row.end > row.start
        });
        // Ends are known now.
        self.sort(&mut order);
        let column = if order.is_empty() {
            0
        } else {
            builder.sample_type("wall", "nanoseconds")
        };
        // Events that end after what is around them.
        let mut cut = 0u64;
        for spans in order.chunk_by(|&a, &b| self.thread(a) == self.thread(b)) {
            let labels = labels[self.thread(spans[0]) as usize];
            let mut running = Running {
                format: self.format,
                builder: &mut *builder,
                values: vec![0; column + 1],
                labels,
                origin,
                now: i64::MIN,
                open: Vec::new(),
            };
            for &row in spans {
                let row = &self.rows[row as usize];
                cut += u64::from(running.begin(row)?);
            }
            running.advance(i64::MAX);
        }
        for (count, what) in [
            (
                self.stray,
                "end events left out, since no begin event matches them",
            ),
            (
                self.unclosed,
                "events without an end, which end with the enclosing event",
            ),
            (cut, "events cut off at the end of the enclosing event"),
        ] {
            if count > 0 {
                warnings.add(|| format!("{what}: {count}"));
            }
        }
        Ok(())
    }

    fn thread(&self, row: u32) -> u32 {
        self.rows[row as usize].thread
    }

    /// By thread and start, the longest first.
    fn sort(&self, order: &mut [u32]) {
        let place = |row: u32| {
            let row = &self.rows[row as usize];
            (row.thread, row.start, std::cmp::Reverse(row.end))
        };
        sort_rows(order, &mut |a, b| place(a).cmp(&place(b)));
    }

    /// Finds the end of each beginning.
    fn close(&mut self, order: &[u32], names: usize) {
        // Open events of each name.
        let mut count = vec![0u32; names];
        let mut open: Vec<u32> = Vec::new();
        let mut last = i64::MIN;
        for (i, &row) in order.iter().enumerate() {
            let Row {
                kind,
                thread,
                name,
                start,
                end,
                ..
            } = self.rows[row as usize];
            last = last.max(end);
            match kind {
                Kind::Whole => {}
                Kind::Begin => {
                    open.push(row);
                    count[name.index()] += 1;
                }
                Kind::End if open.is_empty() || (!name.is_empty() && count[name.index()] == 0) => {
                    self.stray += 1;
                }
                Kind::End => {
                    while let Some(row) = open.pop() {
                        let span = &mut self.rows[row as usize];
                        span.end = start;
                        count[span.name.index()] -= 1;
                        if name.is_empty() || span.name == name {
                            break;
                        }
                        self.unclosed += 1;
                    }
                }
            }
            let is_last = order
                .get(i + 1)
                .is_none_or(|&next| self.thread(next) != thread);
            if is_last {
                for row in open.drain(..) {
                    let span = &mut self.rows[row as usize];
                    span.end = last;
                    count[span.name.index()] -= 1;
                    self.unclosed += 1;
                }
                last = i64::MIN;
            }
        }
    }
}

/// A thread at a moment.
struct Running<'a> {
    format: &'static str,
    builder: &'a mut ProfileBuilder,
    values: Vec<i64>,
    labels: Option<LabelSetId>,
    origin: i64,
    now: i64,
    /// End and stack of each event that runs, each within the one before.
    open: Vec<(i64, StackId)>,
}

impl Running<'_> {
    /// Goes to the start of an event and begins it. Whether it ends after what is around it.
    fn begin(&mut self, row: &Row) -> Result<bool, FormatError> {
        self.advance(row.start);
        if self.open.len() >= MAX_STACK_DEPTH {
            let place = format!("time {} µs", row.start / 1_000);
            let problem = format!("more than {MAX_STACK_DEPTH} events run at once");
            return Err(FormatError::at(self.format, place, problem));
        }
        let Some(location) = row.location else {
            return Ok(false);
        };
        let around = self.open.last().copied();
        let stack = self.builder.stack(around.map(|(_, stack)| stack), location);
        let end = around.map_or(row.end, |(end, _)| end.min(row.end));
        self.open.push((end, stack));
        Ok(end < row.end)
    }

    /// Goes to a time. What ends by then is over.
    fn advance(&mut self, to: i64) {
        while let Some(&(end, stack)) = self.open.last() {
            let until = end.min(to);
            if until > self.now {
                let value = until.saturating_sub(self.now);
                if let Some(last) = self.values.last_mut() {
                    *last = value;
                }
                let time = self.now.saturating_sub(self.origin);
                self.builder
                    .sample_at(time, Some(stack), self.labels, &self.values);
                self.now = until;
            }
            if end > to {
                break;
            }
            self.open.pop();
        }
        self.now = self.now.max(to);
    }
}
