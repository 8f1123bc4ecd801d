//! A call tree of Instruments, copied with "Edit > Deep Copy": a table of tabs, one line for each
//! node, indented by its depth. An export as XML is another format.
//!
//! - The columns are told by their names: the first is what a node and all below it take, one that
//!   begins with `Self` what it takes itself, the last its name. Without `Self`, a node takes itself
//!   what is left of the first.
//! - Times become nanoseconds, sizes bytes (of 1,024 a step, as Instruments counts), cycles a count.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::{FIRST_LINES, Start};
use crate::imports::error::{FormatError, too_deep};
use crate::imports::rows::{Rows, lines};
use crate::imports::text::cells::check_commas;
use crate::model::id::StackId;

/// What it is called in messages.
pub(crate) const NAME: &str = "Instruments deep copy";

/// What a line is that is left out.
const FOREIGN: &str = "not part of the table";

/// Whether one of the first lines has the names of the columns.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let mut lines = start.texts().take(FIRST_LINES);
    lines.any(|line| Columns::of(line).is_some())
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut lines = lines(bytes).filter(|(_, line)| !line.is_empty());
    let mut rows = Rows::new(NAME, bytes.len());
    let columns = lines.by_ref().find_map(|(number, line)| {
        let columns = Columns::of(&line);
        if columns.is_none() {
            rows.warn_left_out(number, FOREIGN, &line);
        }
        columns
    });
    let Some(columns) = columns else {
        let missing = "no header line with column names";
        return Err(FormatError::new(NAME, missing));
    };
    let mut reader = Reader {
        rows,
        columns,
        measure: None,
        open: Vec::new(),
    };
    for (number, line) in lines {
        // A node, be it cut off, begins with a value; a date does not.
        let has_value = || quantity(line.trim(), "").is_ok_and(|value| value.is_some());
        if !line.contains('\t') && !has_value() {
            reader.rows.warn_left_out(number, FOREIGN, &line);
            continue;
        }
        reader
            .read(&line)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        reader.rows.check()?;
    }
    while let Some(node) = reader.open.pop() {
        reader.end(&node);
    }
    reader.rows.finish()
}

/// Where is what.
struct Columns {
    /// Of what a node takes itself, and the unit that the column's name has: `Self (ms)`.
    own: Option<(usize, String)>,
    name: usize,
}

impl Columns {
    fn of(line: &str) -> Option<Self> {
        let names: Vec<&str> = line.split('\t').map(str::trim).collect();
        let name = names
            .iter()
            .position(|name| matches!(*name, "Symbol Name" | "Symbol Names"))?;
        let own = names.iter().position(|name| name.starts_with("Self"));
        let own = own.map(|column| {
            let unit = names[column]
                .split_once('(')
                .and_then(|(_, rest)| rest.strip_suffix(')'));
            (column, unit.unwrap_or("").to_owned())
        });
        (name > 0).then_some(Self { own, name })
    }
}

/// What the values are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Time,
    Cycles,
    Bytes,
}

struct Reader {
    rows: Rows,
    columns: Columns,
    measure: Option<Measure>,
    /// The nodes on the way to the last one.
    open: Vec<Node>,
}

struct Node {
    /// How far its name is indented.
    indent: usize,
    stack: StackId,
    /// What it takes itself; while it is open, without those below.
    own: i64,
}

impl Reader {
    fn read(&mut self, line: &str) -> Result<(), String> {
        let cell = |column| line.split('\t').nth(column);
        let (Some(total), Some(cell_name)) = (cell(0), self.name(line)) else {
            return Err(format!("fewer columns than column names: {:?}", cut(line)));
        };
        let name = cell_name.trim_start();
        let indent = cell_name.len() - name.len();
        while let Some(last) = self.open.pop_if(|last| last.indent >= indent) {
            self.end(&last);
        }
        if self.open.len() == MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        let own = match &self.columns.own {
            Some((column, unit)) => {
                let unit = unit.clone();
                let own = cell(*column).unwrap_or("");
                self.value(own, &unit)?
            }
            None => {
                let total = self.value(total, "")?;
                if let Some(parent) = self.open.last_mut() {
                    parent.own = parent.own.saturating_sub(total);
                }
                total
            }
        };
        let parent = self.open.last().map(|node| node.stack);
        let function = self.rows.function(name, "");
        let location = self.rows.location(None, function, 0);
        let stack = self.rows.builder.stack(parent, location);
        self.open.push(Node { indent, stack, own });
        Ok(())
    }

    /// The cell of the name, with the blanks before it.
    fn name<'a>(&self, line: &'a str) -> Option<&'a str> {
        line.splitn(self.columns.name + 1, '\t')
            .nth(self.columns.name)
    }

    /// Reads `4.93 s 100.0%`, `713.0ms`, `1.00 Mc` or `-`.
    fn value(&mut self, text: &str, unit: &str) -> Result<i64, String> {
        let text = text.trim();
        let Some((measure, value)) = quantity(text, unit)? else {
            return Ok(0);
        };
        let known = *self.measure.get_or_insert(measure);
        if known != measure {
            return Err(format!("a different unit than before: {:?}", cut(text)));
        }
        if self.rows.builder.profile().sample_types().is_empty() {
            let (kind, unit) = match measure {
                Measure::Time => ("cpu", "nanoseconds"),
                Measure::Cycles => ("cycles", "count"),
                Measure::Bytes => ("space", "bytes"),
            };
            self.rows.builder.sample_type(kind, unit);
        }
        Ok(value)
    }

    /// Adds the sample of a node of which all is read.
    fn end(&mut self, node: &Node) {
        if node.own > 0 {
            self.rows.sample(Some(node.stack), None, 0, node.own);
        }
    }
}

/// A number with its unit, or with one that stands elsewhere; `None` for an empty cell.
pub(super) fn quantity(text: &str, unit: &str) -> Result<Option<(Measure, i64)>, String> {
    if text.is_empty() || text == "-" {
        return Ok(None);
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','))
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    check_commas(digits, text)?;
    let number: f64 = digits
        .replace(',', "")
        .parse()
        .map_err(|_| format!("not a number: {:?}", cut(text)))?;
    let word = rest.split_whitespace().next().unwrap_or("");
    let word = if word.is_empty() { unit } else { word };
    let (measure, scale) =
        scale(word).ok_or_else(|| format!("an unknown unit: {:?}", cut(text)))?;
    Ok(Some((measure, (number * scale).round() as i64)))
}

/// What a unit measures, and how much of it.
fn scale(unit: &str) -> Option<(Measure, f64)> {
    use Measure::{Bytes, Cycles, Time};
    Some(match unit {
        "ns" => (Time, 1.0),
        "us" | "µs" | "μs" => (Time, 1e3),
        "ms" => (Time, 1e6),
        "s" => (Time, 1e9),
        "min" => (Time, 60e9),
        "h" => (Time, 3600e9),
        "cycles" => (Cycles, 1.0),
        "Kc" => (Cycles, 1e3),
        "Mc" => (Cycles, 1e6),
        "Gc" => (Cycles, 1e9),
        "Tc" => (Cycles, 1e12),
        "Bytes" | "B" => (Bytes, 1.0),
        "KB" | "KiB" => (Bytes, 1024.0),
        "MB" | "MiB" => (Bytes, 1024.0 * 1024.0),
        "GB" | "GiB" => (Bytes, 1024.0 * 1024.0 * 1024.0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{samples, type_names};

    fn check(text: &str, kind: &str, stacks: &[&str]) {
        let profile = decode(text.as_bytes())
            .unwrap_or_else(|e| panic!("{text}: {e}"))
            .profile;
        assert_eq!(type_names(&profile), [kind]);
        assert_eq!(samples(&profile), stacks);
    }

    #[test]
    fn columns_are_told_by_their_names() {
        check(
            "Weight\tSelf Weight\tSymbol Names\n4.93 s  100.0%\t0 s\t   start\n\
             2.45 s  \u{2007}0.0%\t846.00 ms\t    f(a, b)\n9.00 ms  0.0%\t1.5 µs\t     g\n\
             1.00 s 0.0%\t1.00 s\t    h\n",
            "cpu/nanoseconds",
            &[
                "start;f(a, b);g [1500]",
                "start;f(a, b) [846000000]",
                "start;h [1000000000]",
            ],
        );
        check(
            "Running Time\tSelf (ms)\t\tSymbol Name\n4,273.0ms   99.9%\t0\t \tstart\n\
             2126.0ms   49.7%\t693\t \t main\n",
            "cpu/nanoseconds",
            &["start;main [693000000]"],
        );
        check(
            "Weight\tSelf Weight\t\tSymbol Name\n96.08 Gc  100.0%\t-\t \tapp (4)\n\
             1.34 Kc 0.0%\t532 cycles\t \t f\n",
            "cycles/count",
            &["app (4);f [532]"],
        );
        check(
            "Bytes Used\tCount\t\tSymbol Name\n3.00 KB  100.0%\t7\t \tmain\n\
             1.50 KB  50.0%\t3\t \t a\n512 Bytes  50.0%\t3\t \t b\n",
            "space/bytes",
            &["main;a [1536]", "main;b [512]", "main [1024]"],
        );
    }

    #[test]
    fn damaged_lines_are_named() {
        let head = "Weight\tSelf Weight\tSymbol Name\n";
        for (line, expect) in [
            ("1 s\n", "fewer columns than column names: \"1 s\""),
            ("1 s\tx\tf\n", "not a number: \"x\""),
            (
                "9,9 s\t4,93 s\tf\n",
                "expected a decimal point, got a decimal comma: \"4,93 s\"",
            ),
            ("1 s\t1 parsec\tf\n", "an unknown unit: \"1 parsec\""),
            (
                "1 s\t1 s\tf\n1 s\t1 KB\tg\n",
                "a different unit than before: \"1 KB\"",
            ),
        ] {
            let error = decode(format!("{head}{line}").as_bytes()).expect_err(line);
            let number = line.lines().count() + 1;
            assert_eq!(
                error.to_string(),
                format!("Instruments deep copy, line {number}: {expect}")
            );
        }
        let error = decode(head.as_bytes()).expect_err("nothing").to_string();
        assert_eq!(error, "Instruments deep copy: there are no samples");
    }
}
