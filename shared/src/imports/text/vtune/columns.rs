//! The columns of a table.

use std::borrow::Cow;

use crate::imports::outline::Below;
use crate::imports::text::cells::cells;
use crate::imports::text::instruments::quantity;

const TREE: &str = "Function Stack";
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
    /// Of `Function Stack` and others, looked up once: there may be as many columns as rows.
    pub(super) tree: Option<usize>,
    pub(super) module: Option<usize>,
    pub(super) file: Option<usize>,
    pub(super) process: Option<usize>,
    pub(super) thread: Option<usize>,
}

/// Whether this behind the name of a value says which of both it is.
fn is_kind(text: &str) -> bool {
    matches!(text, ":Self" | ":Total")
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
                tree,
                module: column("Module"),
                file: column("Source File"),
                process: column("Process"),
                thread: column("Thread"),
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
        let has_kind = |name: &String| name.strip_prefix(TIME).is_some_and(is_kind);
        is_tree && !self.names.iter().any(has_kind)
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

    fn column(&self, name: &str) -> Option<usize> {
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
