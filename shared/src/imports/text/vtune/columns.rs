//! The columns of a table, and the cells of a row.

use std::borrow::Cow;

use crate::imports::outline::Below;
use crate::imports::text::instruments::quantity;

pub(super) const TREE: &str = "Function Stack";
const CALLERS: &str = "Function / Call Stack";
const FUNCTION: &str = "Function";
pub(super) const TIME: &str = "CPU Time";
/// The unit of times without one.
pub(super) const SECONDS: &str = "s";

/// What rows are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Flat,
    Tree(Below),
    /// A function, then its callers in a column of their own.
    Stacks,
}

/// Where is what.
pub(super) struct Columns {
    pub(super) delimiter: char,
    pub(super) names: Vec<String>,
    pub(super) kind: Kind,
    /// The column of the functions.
    pub(super) name: usize,
    /// Whether values are those of a function with what is below it.
    pub(super) is_total: bool,
}

impl Columns {
    pub(super) fn of(line: &str) -> Option<Self> {
        if !line.contains(FUNCTION) || !line.contains(TIME) {
            return None;
        }
        [',', '\t', ';'].into_iter().find_map(|delimiter| {
            let cells = cells(line, delimiter);
            let names: Vec<String> = cells
                .iter()
                .map(|name| name.trim().replace(": ", ":"))
                .collect();
            let column = |wanted: &str| names.iter().position(|name| name == wanted);
            let (tree, function) = (column(TREE), column(FUNCTION));
            let (name, kind) = match column(CALLERS) {
                Some(name) => (name, Kind::Tree(Below::Callers)),
                None => match (tree, function) {
                    (Some(_), Some(function)) => (function, Kind::Stacks),
                    (Some(tree), None) => (tree, Kind::Tree(Below::Callees)),
                    (None, Some(function)) => (function, Kind::Flat),
                    (None, None) => return None,
                },
            };
            let mut columns = Self {
                delimiter,
                kind,
                name,
                is_total: false,
                names,
            };
            if columns.value(TIME).is_none() {
                columns.is_total = true;
                columns.value(TIME)?;
            }
            columns.is_total |= kind == Kind::Tree(Below::Callers);
            Some(columns)
        })
    }

    /// Whether the only time of a tree of callees is `CPU Time`, which is own time or total time.
    pub(super) fn is_unclear(&self) -> bool {
        let is_tree = self.kind == Kind::Tree(Below::Callees);
        let other = [":Self", ":Total"].map(|kind| self.column(&format!("{TIME}{kind}")));
        is_tree && other == [None, None]
    }

    /// Whether no row of a tree has less time than a row below it. `None` if no row is below another.
    pub(super) fn are_totals<'a>(&self, lines: impl Iterator<Item = Cow<'a, str>>) -> Option<bool> {
        let column = self.column(TIME)?;
        let mut is_nested = None;
        let mut open: Vec<(usize, i64)> = Vec::new();
        for line in lines {
            let cells = cells(&line, self.delimiter);
            let (Some(name), Some(time)) = (cells.get(self.name), cells.get(column)) else {
                continue;
            };
            let Ok(Some((_, time))) = quantity(time.trim(), SECONDS) else {
                continue;
            };
            let indent = name.len() - name.trim_start().len();
            while open.pop_if(|open| open.0 >= indent).is_some() {}
            if let Some(above) = open.last() {
                if time > above.1 {
                    return Some(false);
                }
                is_nested = Some(true);
            }
            open.push((indent, time));
        }
        is_nested
    }

    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The column of a value.
    pub(super) fn value(&self, name: &str) -> Option<usize> {
        let own = self
            .column(&format!("{name}:Self"))
            .or_else(|| self.column(name));
        match self.is_total {
            true => own.or_else(|| self.column(&format!("{name}:Total"))),
            false => own,
        }
    }
}

/// The cells of a row. Those in quotes may have the delimiter, and quotes twice; blanks may come
/// before them.
pub(super) fn cells(line: &str, delimiter: char) -> Vec<Cow<'_, str>> {
    let mut cells = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let blank = text.len() - text.trim_start_matches(' ').len();
        let Some(quoted) = text[blank..].strip_prefix('"') else {
            let (cell, behind) = match text.split_once(delimiter) {
                Some((cell, behind)) => (cell, Some(behind)),
                None => (text, None),
            };
            cells.push(Cow::Borrowed(cell));
            rest = behind;
            continue;
        };
        let mut cell = text[..blank].to_owned();
        let mut at = 0;
        while let Some(length) = quoted[at..].find('"') {
            cell += &quoted[at..at + length];
            at += length + 1;
            if !quoted[at..].starts_with('"') {
                break;
            }
            cell.push('"');
            at += 1;
        }
        cells.push(Cow::Owned(cell));
        rest = quoted[at..].split_once(delimiter).map(|(_, rest)| rest);
    }
    cells
}
