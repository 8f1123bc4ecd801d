//! The columns of a table, and the cells of a row.

use std::borrow::Cow;

use crate::imports::outline::Below;

pub(super) const TREE: &str = "Function Stack";
const CALLERS: &str = "Function / Call Stack";
const FUNCTION: &str = "Function";
pub(super) const TIME: &str = "CPU Time";

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
