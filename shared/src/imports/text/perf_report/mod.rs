//! Reports of perf (`perf report --stdio`): what each function has of an event, in percent, and how
//! it was called, drawn as a tree, flat or folded.
//!
//! Source: `perf-report(1)`, and `ui/stdio/hist.c` of perf.
//!
//! - Each event is a sample type. Its values are the shares times `Event count (approx.)`, or
//!   hundredths of a percent without that; with a column `Period` (`-F +period`) they are exact.
//! - The shares of functions themselves count (`Overhead`, or `Self` beside `Children`). The tree
//!   below one ([`chains`]) says on which stacks.
//! - Branches that perf leaves out of a tree (below 0.5%) end where the tree does.
//! - Lines of other programs are left out with a warning.

mod chains;
mod entry;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::rows::{Rows, lines, perf_event};
use chains::Chains;
use entry::{Entry, WHOLE, hundredths, location};

/// What it is called in messages.
pub(crate) const NAME: &str = "perf report";

/// Columns of values.
const VALUES: [&str; 5] = ["Overhead", "Children", "Self", "Samples", "Period"];

/// What columns of branches begin with: rows are branches then, or stacks continue with them.
const BRANCHES: [&str; 9] = [
    "Source S",
    "Source A",
    "Target S",
    "Target A",
    "From Source:",
    "To Source:",
    "Branch ",
    "Basic Block",
    "IPC ",
];

/// Whether a line has the names of the columns.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.texts().any(is_head)
}

fn is_head(line: &str) -> bool {
    let names = line.strip_prefix('#').unwrap_or("").trim_start();
    // Two blanks or a separator are between names, one is within a sentence.
    let is_overhead = names.strip_prefix("Overhead").is_some_and(|rest| {
        !rest.starts_with(|c: char| c.is_alphanumeric())
            && (!rest.starts_with(' ') || rest.starts_with("  "))
    });
    is_overhead || names.starts_with("Children ") && names.contains(" Self ")
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut report = Report {
        rows: Rows::new(NAME, bytes.len()),
        head: String::new(),
        columns: Vec::new(),
        event: String::new(),
        count: None,
        events: Vec::new(),
        entries: Vec::new(),
        chains: Chains::default(),
    };
    for (number, line) in lines(bytes).filter(|(_, line)| !line.is_empty()) {
        let is_known = report
            .read(&line)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        if !is_known {
            report
                .rows
                .warn_left_out(number, "not part of a report", &line);
        }
        report.rows.check()?;
    }
    report.write()
}

struct Report {
    rows: Rows,
    /// The last line that had the names of the columns.
    head: String,
    /// Name and place of each.
    columns: Vec<(String, Range<usize>)>,
    /// Of the section that is read.
    event: String,
    count: Option<i64>,
    events: Vec<Event>,
    entries: Vec<Entry>,
    chains: Chains,
}

/// The event of a section.
struct Event {
    sample_type: usize,
    /// What all shares together would be.
    count: i64,
    /// Shares of its entries that were multiplied.
    shares: i64,
}

impl Report {
    /// Reads a line. Whether it is one of a report.
    fn read(&mut self, line: &str) -> Result<bool, String> {
        if let Some(comment) = line.strip_prefix('#') {
            self.comment(comment, line)?;
            return Ok(true);
        }
        if self.columns.is_empty() {
            return Ok(false);
        }
        let text = line.trim_start();
        let column = line.len() - text.len();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        if column > 0 && !rest.is_empty() && word.ends_with('%') && !word.starts_with('-') {
            self.entry(line)?;
            return Ok(true);
        }
        Ok(!self.entries.is_empty() && self.chains.read(line, &mut self.rows)?)
    }

    fn comment(&mut self, comment: &str, line: &str) -> Result<(), String> {
        let text = comment.trim();
        let samples = text.strip_prefix("Samples: ");
        if let Some((_, event)) = samples.and_then(|rest| rest.split_once(" of event")) {
            let quoted = event.split_once('\'').map_or("", |(_, rest)| rest);
            let (event, _) = quoted.rsplit_once('\'').unwrap_or_default();
            self.event = event.to_owned();
            self.count = None;
            self.columns.clear();
        }
        if let Some((_, count)) = text.split_once("Event count (approx.): ") {
            let count = count.split_whitespace().next().unwrap_or("").parse();
            self.count = count.ok();
        } else if is_head(line) {
            self.head = line.to_owned();
        } else if text.starts_with("..") && !self.head.is_empty() {
            self.begin(line)?;
        }
        Ok(())
    }

    /// Begins a table, of which a line of dots shows the columns.
    fn begin(&mut self, dots: &str) -> Result<(), String> {
        let head = std::mem::take(&mut self.head);
        if head.contains(" / ") {
            return Err(
                "reports made with --hierarchy are not supported; run perf report without it"
                    .to_owned(),
            );
        }
        if BRANCHES.iter().any(|column| head.contains(column)) {
            return Err("branch reports are not supported; run perf report with --no-branch-stack and without --branch-history".to_owned());
        }
        // Of events that `--group` puts together there are no braces.
        if self.event.contains('{') || self.event.contains(", ") {
            return Err(
                "event group reports are not supported; run perf report with --no-group".to_owned(),
            );
        }
        self.columns.clear();
        let mut at = 0;
        while let Some(begin) = dots[at..].find('.') {
            let start = at + begin;
            let length = dots[start..].bytes().take_while(|&b| b == b'.').count();
            at = start + length;
            // Names and values of the last column may be longer.
            let end = if at == dots.len() { usize::MAX } else { at };
            let name = cell(&head, &(start..end)).to_owned();
            self.columns.push((name, start..end));
        }
        let event = if self.event.is_empty() {
            "samples"
        } else {
            &self.event
        };
        let (kind, unit) = perf_event(event, true);
        let unit = if self.count.is_some() {
            unit
        } else {
            "basis points"
        };
        let sample_type = self.rows.sample_type(kind, unit);
        self.events.push(Event {
            sample_type: sample_type.map_err(|error| error.problem)?,
            count: self.count.unwrap_or(WHOLE),
            shares: 0,
        });
        Ok(())
    }

    /// The cell of a column.
    fn cell<'a>(&self, line: &'a str, name: &str) -> Option<&'a str> {
        let mut columns = self.columns.iter();
        let (_, range) = columns.find(|column| column.0 == name)?;
        Some(cell(line, range))
    }

    /// The last cell that is no value: what `--sort` asked for.
    fn key<'a>(&self, line: &'a str) -> &'a str {
        let mut columns = self.columns.iter().rev();
        let key = columns.find(|column| !VALUES.contains(&column.0.as_str()));
        key.map_or("", |(_, range)| cell(line, range))
    }

    fn entry(&mut self, line: &str) -> Result<(), String> {
        let share = |name| {
            let cell = self.cell(line, name)?;
            Some(hundredths(cell).ok_or_else(|| format!("not a percentage: {:?}", cut(cell))))
        };
        let total = share("Children").or_else(|| share("Overhead"));
        let total = total.ok_or("no Children or Overhead column")??;
        let own = share("Self").unwrap_or(Ok(total))?;
        let period = self.columns.iter().find(|column| column.0 == "Period");
        let period = period.and_then(|(_, range)| cell(line, range).parse().ok());
        let row = self.events.len().saturating_sub(1);
        let event = &mut self.events[row];
        let value = period.unwrap_or_else(|| {
            event.shares = event.shares.saturating_add(own);
            let value = i128::from(own) * i128::from(event.count) + i128::from(WHOLE / 2);
            i64::try_from(value / i128::from(WHOLE)).unwrap_or(i64::MAX)
        });
        let object = self.cell(line, "Shared Object").unwrap_or("");
        let command = self.cell(line, "Command").unwrap_or("");
        let function = self.cell(line, "Symbol");
        let symbol = function.unwrap_or(object);
        let symbol = if symbol.is_empty() { command } else { symbol };
        let symbol = if symbol.is_empty() {
            self.key(line)
        } else {
            symbol
        };
        // `[.] main` is one of a program, `[k]` one of the kernel.
        let name = match symbol.as_bytes() {
            [b'[', _, b']', b' ', ..] => symbol[4..].trim_start(),
            _ => symbol,
        };
        let is_function = function.is_some();
        let rows = &mut self.rows;
        let mapping = rows.module(object);
        let label = (!command.is_empty()).then(|| rows.text("thread", command));
        let labels = label.and_then(|label| rows.builder.label_set(&mut [label]));
        let name = rows.builder.string(name);
        self.entries.push(Entry {
            event: row as u32,
            own,
            total,
            value,
            name,
            is_function,
            location: location(rows, name, mapping),
            labels,
            nodes: self.chains.begin(),
        });
        rows.beside += size_of::<Entry>();
        Ok(())
    }

    /// Writes the samples of all entries.
    fn write(mut self) -> Result<Decoded, FormatError> {
        if self.events.is_empty() {
            let problem = "the line of dots below the column names is missing; run perf report without --field-separator";
            return Err(FormatError::new(NAME, problem));
        }
        let has_children = self.columns.iter().any(|column| column.0 == "Children");
        if !self.chains.decide(&self.entries, has_children) {
            let order = if has_children {
                "callers first (-g caller)"
            } else {
                "callees first (-g callee)"
            };
            self.rows.warnings.add(|| {
                format!(
                    "the order of the trees is unknown; they are read as {order}, perf's default"
                )
            });
        }
        if has_children && self.chains.begins_with_callee() {
            self.rows.warnings.add(|| {
                "trees start with the callees (-g callee) and totals include children, so a function's own value is divided between its callers by shares that include its callees; use perf report --no-children for exact values".to_owned()
            });
        }
        for (row, entry) in self.entries.iter().enumerate() {
            let next = self.entries.get(row + 1).map(|next| next.nodes);
            let sample_type = self.events[entry.event as usize].sample_type;
            self.chains
                .write(entry, next, sample_type, &mut self.rows)?;
        }
        for Event {
            sample_type,
            count,
            shares,
        } in self.events.into_iter().filter(|event| event.shares > 0)
        {
            let profile = self.rows.builder.profile();
            let (kind, _) = profile.type_text(profile.sample_types()[sample_type]);
            let (kind, percent) = (kind.to_owned(), shares as f64 / 100.0);
            self.rows.warnings.add(|| {
                format!("{kind}: values are shares of {count}, rounded by perf to 0.01%; together they make up {percent:.2}%")
            });
        }
        self.rows.finish()
    }
}

fn cell<'a>(line: &'a str, range: &Range<usize>) -> &'a str {
    let end = range.end.min(line.len());
    line.get(range.start..end).unwrap_or("").trim()
}
