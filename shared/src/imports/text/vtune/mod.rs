//! Tables of Intel's VTune: `vtune -report hotspots`, `top-down` or `callstacks` with `-format csv`,
//! and what its window saves or copies.
//!
//! Source: "Command Line Interface Reference" of VTune's user guide (`report`, `format`,
//! `csv-delimiter`), and tables that people published.
//!
//! - The columns are told by their names, commas, tabs or semicolons are between. Of each value a row
//!   has `CPU Time:Self`, or only `CPU Time`. Where only `CPU Time:Total` is there, a function has
//!   what those below it do not have; rows without a tree are refused then.
//! - In tables of functions and of their callers, `CPU Time` is own time. VTune names the times of a
//!   tree of callees (`:Self`, `:Total`). Where a tree only has `CPU Time`, it is own time if a row has
//!   less than a row below it; otherwise it includes callees.
//! - `Function Stack` is a tree, indented by depth: callees below callers. `Function / Call Stack` is
//!   one of callers below callees, of which `↖ a ← b` is several in a row. Other rows are functions
//!   without stacks.
//! - With both `Function` and `Function Stack`, the rows behind a function are its callers. A stack
//!   ends with an empty row, and its time is in its first row.
//! - Lines of other programs are left out with a warning.

mod columns;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::frames::Frame;
use crate::imports::outline::{Below, Outline};
use crate::imports::rows::{Rows, lines};
use crate::imports::text::cells::cells;
use crate::imports::text::instruments::quantity;
use crate::model::id::{LabelSetId, LocationId, StackId};
use columns::{Columns, Kind, SECONDS, TIME};

/// What it is called in messages.
pub(crate) const NAME: &str = "VTune report";

/// Of each value: its column, sample type and unit, and the unit of numbers without one.
const VALUES: [(&str, &str, &str, &str); 4] = [
    (TIME, "cpu", "nanoseconds", SECONDS),
    ("Wait Time", "wait", "nanoseconds", SECONDS),
    ("Clockticks", "cycles", "count", "cycles"),
    ("Instructions Retired", "instructions", "count", "cycles"),
];

/// The root of a tree, which is no function.
const TOTAL: &str = "Total";
/// What VTune does not know.
const UNKNOWN: &str = "[Unknown]";

/// Whether a line has the names of the columns.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.texts().any(|line| Columns::of(line).is_some())
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    // Before a tree there may be the functions that cost most, once more.
    let heads = || lines(bytes).filter_map(|(number, line)| Some((number, Columns::of(&line)?)));
    let head = heads().find(|(_, columns)| columns.kind != Kind::Flat);
    let Some((head, mut columns)) = head.or_else(|| heads().next()) else {
        return Err(FormatError::new(NAME, "no header line with column names"));
    };
    let is_tree = matches!(columns.kind, Kind::Tree(_));
    if columns.is_total && !is_tree {
        let problem = "CPU Time:Total includes callees, which these rows don't show; export CPU Time:Self, or the top-down report";
        return Err(FormatError::at_line(NAME, head, problem));
    }
    if columns.is_unclear() {
        let table = lines(bytes).filter(|(number, _)| *number > head);
        if columns.are_totals(table.map(|(_, line)| line)) == Some(true) {
            columns.is_total = true;
            rows.warnings.add(|| "CPU Time is read as including callees, because no function has less than any of its callees; export CPU Time:Self to be sure".to_owned());
        }
    }
    let mut types = Vec::new();
    for (row, &value) in VALUES.iter().enumerate() {
        // Of what is divided there is one value.
        let is_divided = columns.is_total || columns.kind == Kind::Stacks;
        let column = columns.value(value.0);
        if let Some(column) = column.filter(|_| row == 0 || !is_divided) {
            rows.sample_type(value.1, value.2)?;
            types.push((column, value.3));
        }
    }
    let below = match columns.kind {
        Kind::Tree(below) => below,
        _ => Below::Callees,
    };
    let mut reader = Reader {
        rows,
        columns,
        types,
        outline: Outline::new(below, 0),
        open: Vec::new(),
        function: None,
        callers: Vec::new(),
        time: 0,
    };
    for (number, line) in lines(bytes) {
        // Between stacks; of tabs nothing is left.
        if line.is_empty() {
            reader.end_stack();
        }
        if number == head || line.is_empty() {
            continue;
        }
        if number < head || !line.contains(reader.columns.delimiter) {
            reader
                .rows
                .warn_left_out(number, "not a row of the table", &line);
            continue;
        }
        if Columns::of(&line).is_some() {
            reader
                .rows
                .warnings
                .add(|| format!("line {number} begins another table, which is left out"));
            break;
        }
        reader
            .read(&line)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        reader.rows.check()?;
    }
    reader.end_function();
    let Reader {
        mut rows,
        mut outline,
        ..
    } = reader;
    outline.finish(&mut rows)?;
    rows.finish()
}

struct Reader {
    rows: Rows,
    columns: Columns,
    /// Column of each sample type, and its unit.
    types: Vec<(usize, &'static str)>,
    /// A tree of values with what is below them.
    outline: Outline,
    /// A tree of own values: indentation and stack of the nodes on the way to the last one.
    open: Vec<(usize, Option<StackId>)>,
    /// The function whose callers come next, and what no stack of it has.
    function: Option<(LocationId, i64)>,
    /// Of the stack that is read, and its time.
    callers: Vec<LocationId>,
    time: i64,
}

impl Reader {
    fn read(&mut self, line: &str) -> Result<(), String> {
        let cells = cells(line, self.columns.delimiter);
        if cells.iter().all(|cell| cell.trim().is_empty()) {
            self.end_stack();
            return Ok(());
        }
        let Some(name) = cells.get(self.columns.name) else {
            return Err(format!("fewer columns than column names: {:?}", cut(line)));
        };
        let mut values = Vec::with_capacity(self.types.len());
        for &(column, unit) in &self.types {
            let text = cells.get(column).map_or("", |cell| cell.trim());
            if text.ends_with('%') {
                let column = &self.columns.names[column];
                return Err(format!(
                    "{column} is in percent; export it with -show-as=values"
                ));
            }
            values.push(quantity(text, unit)?.map_or(0, |(_, value)| value));
        }
        let text = name.trim();
        let indent = name.len() - name.trim_start().len();
        match self.columns.kind {
            Kind::Flat => {
                let location = self.location(text, &cells);
                let stack = self.rows.builder.stack(None, location);
                let labels = self.labels(&cells);
                self.rows.builder.sample(Some(stack), labels, &values);
                Ok(())
            }
            Kind::Tree(_) if self.columns.is_total => {
                let names = text.trim_start_matches("↖ ").split(" ← ");
                for (indent, name) in (indent..).zip(names) {
                    let location = self.node(name, &cells);
                    self.outline
                        .push(&mut self.rows, indent, location, values[0])?;
                }
                Ok(())
            }
            Kind::Tree(_) => {
                while self.open.pop_if(|open| open.0 >= indent).is_some() {}
                if self.open.len() == MAX_STACK_DEPTH {
                    return Err(too_deep());
                }
                let mut stack = self.open.last().and_then(|open| open.1);
                if let Some(location) = self.node(text, &cells) {
                    stack = Some(self.rows.builder.stack(stack, location));
                }
                self.open.push((indent, stack));
                if values.iter().any(|&value| value != 0) {
                    self.rows.builder.sample(stack, None, &values);
                }
                Ok(())
            }
            Kind::Stacks => {
                if !text.is_empty() {
                    self.end_function();
                    self.function = Some((self.location(text, &cells), values[0]));
                    return Ok(());
                }
                if self.callers.is_empty() {
                    self.time = values[0];
                }
                if self.callers.len() + 1 >= MAX_STACK_DEPTH {
                    return Err(too_deep());
                }
                let location = self.location(cell(&cells, self.columns.tree), &cells);
                self.callers.push(location);
                Ok(())
            }
        }
    }

    /// The location of a node of a tree, less the root.
    fn node(&mut self, name: &str, cells: &[Cow<'_, str>]) -> Option<LocationId> {
        let is_root = name == TOTAL && self.open.is_empty() && self.outline.depth() == 0;
        (!is_root).then(|| self.location(name, cells))
    }

    fn location(&mut self, name: &str, cells: &[Cow<'_, str>]) -> LocationId {
        let known = |column| Some(cell(cells, column)).filter(|&cell| cell != UNKNOWN);
        let file = known(self.columns.file).unwrap_or("");
        let module = known(self.columns.module).unwrap_or("");
        let mapping = self.rows.module(module);
        let builder = &mut self.rows.builder;
        let frame = Frame {
            file: builder.string(file),
            mapping,
            ..Frame::named(builder.string(name))
        };
        frame.location(builder)
    }

    /// Of rows that are grouped by them.
    fn labels(&mut self, cells: &[Cow<'_, str>]) -> Option<LabelSetId> {
        let mut labels = Vec::new();
        let columns = [
            (self.columns.process, "process"),
            (self.columns.thread, "thread"),
        ];
        for (column, key) in columns {
            let cell = cell(cells, column);
            if !cell.is_empty() {
                labels.push(self.rows.text(key, cell));
            }
        }
        self.rows.builder.label_set(&mut labels)
    }

    /// Writes the stack that is read, of which all callers are known.
    fn end_stack(&mut self) {
        let Some((location, left)) = &mut self.function else {
            return;
        };
        if self.callers.is_empty() {
            return;
        }
        let frames = self.callers.drain(..).rev().chain([*location]);
        let stack = self.rows.builder.stack_of(frames);
        *left = left.saturating_sub(self.time);
        self.rows.sample(stack, None, 0, self.time);
    }

    /// Writes what no stack of a function has.
    fn end_function(&mut self) {
        self.end_stack();
        if let Some((location, left)) = self.function.take()
            && left > 0
        {
            let stack = self.rows.builder.stack(None, location);
            self.rows.sample(Some(stack), None, 0, left);
        }
    }
}

/// A cell less white space; empty where there is none.
fn cell<'a>(cells: &'a [Cow<'_, str>], column: Option<usize>) -> &'a str {
    let cell = column.and_then(|column| cells.get(column));
    cell.map_or("", |cell| cell.trim())
}
