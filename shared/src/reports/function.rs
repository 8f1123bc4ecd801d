//! One function: what it takes, what calls it, what it calls, and its lines.

use serde::Serialize;
use thiserror::Error;

use super::calls::{Call, calls};
use super::markdown::{Document, NOTHING, about, code, shortened};
use super::{Markdown, Source, share};
use crate::base::sort::sort_by;
use crate::plans::QueryAnswer;
use crate::tree::call_tree::{CallTree, NodeId};
use crate::tree::frames::By;
use crate::tree::table::{FunctionRow, function_table};
use crate::verbs::{format_percent, format_value};
use crate::views::pyroscope::{Budget, TooLarge};

/// Most names that an error lists.
const MAX_CANDIDATES: usize = 10;

/// Bytes of names of a path in a text.
const MAX_PATH_BYTES: usize = 600;

/// Most frames of a path that are shown: the innermost ones.
const MAX_PATH: usize = 24;

/// A function over all places where it is called.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionReport {
    /// The profiles.
    #[serde(flatten)]
    pub source: Source,
    /// Its name.
    pub name: String,
    /// Without what it calls.
    #[serde(rename = "self")]
    pub own: i64,
    /// With what it calls; where it is recursive, each sample counts once. `source.total` is that of
    /// all functions.
    #[serde(rename = "functionTotal")]
    pub total: i64,
    /// The self value as a part of the whole.
    pub self_share: f64,
    /// The total as a part of the whole.
    pub total_share: f64,
    /// What calls it, with the values of the calls; the largest first. A call that begins a stack
    /// has no caller.
    pub callers: Vec<Call>,
    /// What it calls, with the values of the calls; the largest first.
    pub callees: Vec<Call>,
    /// Its source lines; those with the largest self values first.
    pub lines: Vec<LineValues>,
    /// The stacks on which it takes most, from the root to it; the largest first.
    pub paths: Vec<Path>,
    /// How many there are of each.
    pub coverage: CallCoverage,
}

/// The values of a source line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineValues {
    /// The source file.
    pub file: String,
    /// Its line, 0 when unknown.
    pub line: i64,
    /// Without what it calls.
    #[serde(rename = "self")]
    pub own: i64,
    /// With what it calls.
    pub total: i64,
}

/// A stack that leads to the function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Path {
    /// From the root to the function; of a deep stack only its inner end, after `…`.
    pub functions: Vec<String>,
    /// What the function takes there, with what it calls.
    pub value: i64,
    /// As a part of this function's total.
    pub share: f64,
}

/// How many callers, callees, lines and paths there are; each list has as many or is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CallCoverage {
    /// Functions that call it.
    pub callers: u64,
    /// Functions that it calls.
    pub callees: u64,
    /// Lines.
    pub lines: u64,
    /// Stacks that lead to it.
    pub paths: u64,
}

/// There is no report of a function.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FunctionError {
    /// Nothing is selected.
    #[error("{NOTHING}")]
    NoProfile,
    /// There is no such function.
    #[error(transparent)]
    NotFound(#[from] FunctionNotFound),
    /// The report would be too large.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// No function has the name, or too many contain it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", self.message())]
pub struct FunctionNotFound {
    name: String,
    /// Names that contain it, and how many do.
    candidates: Vec<String>,
    count: usize,
}

impl FunctionNotFound {
    fn message(&self) -> String {
        let Self {
            name,
            candidates,
            count,
        } = self;
        // A name may be as long as a push.
        let name = shortened(name);
        if candidates.is_empty() {
            return format!("no function in these profiles is named {name:?}");
        }
        let names: Vec<String> = candidates
            .iter()
            .map(|name| format!("{:?}", shortened(name)))
            .collect();
        let more = if *count > candidates.len() {
            " and more"
        } else {
            ""
        };
        format!(
            "no function is named {name:?}; {count} names contain it: {}{more}",
            names.join(", ")
        )
    }
}

impl FunctionReport {
    /// The function with a name, or the only one whose name contains it, in any case; with at most
    /// `limit` callers, callees, lines and paths each.
    pub fn new(
        source: Source,
        answer: &QueryAnswer,
        name: &str,
        limit: usize,
    ) -> Result<Self, FunctionError> {
        if answer.profiles == 0 {
            return Err(FunctionError::NoProfile);
        }
        let tree = answer.tree(By::Name)?;
        let FunctionRow {
            frame, own, total, ..
        } = resolved(&tree, name)?;
        let ([own], [total]) = (own, total);
        let name = tree.shape().text(tree.shape().frames()[frame].name);
        let mut budget = Budget::default();
        let [callers, callees] = calls(&tree, frame);
        let (callers, caller_count) = callers.largest(&tree, total, limit, &mut budget)?;
        let (callees, callee_count) = callees.largest(&tree, total, limit, &mut budget)?;
        let (paths, path_count) = paths(&tree, frame, total, limit, &mut budget)?;
        let (lines, line_count) = lines(answer, name, limit, &mut budget)?;
        Ok(Self {
            name: name.to_owned(),
            own,
            total,
            self_share: share(own, source.total),
            total_share: share(total, source.total),
            callers,
            callees,
            lines,
            paths,
            coverage: CallCoverage {
                callers: caller_count,
                callees: callee_count,
                lines: line_count,
                paths: path_count,
            },
            source,
        })
    }
}

/// The function with a name; in a tree of names each has one frame.
fn resolved(tree: &CallTree, name: &str) -> Result<FunctionRow<1>, FunctionNotFound> {
    let shape = tree.shape();
    let lower = name.to_lowercase();
    let mut similar = Vec::new();
    for row in function_table(tree) {
        let found = shape.text(shape.frames()[row.frame].name);
        if found == name {
            return Ok(row);
        }
        if !lower.is_empty() && found.to_lowercase().contains(&lower) {
            similar.push((found, row));
        }
    }
    if similar.len() == 1
        && let Some((_, only)) = similar.pop()
    {
        return Ok(only);
    }
    let mut similar: Vec<&str> = similar.into_iter().map(|(found, _)| found).collect();
    similar.sort_unstable();
    Err(FunctionNotFound {
        name: name.to_owned(),
        count: similar.len(),
        candidates: similar
            .into_iter()
            .take(MAX_CANDIDATES)
            .map(str::to_owned)
            .collect(),
    })
}

/// The stacks that lead to a function, of which none lies below another, and how many there are.
fn paths(
    tree: &CallTree,
    frame: usize,
    total: i64,
    limit: usize,
    budget: &mut Budget,
) -> Result<(Vec<Path>, u64), TooLarge> {
    let shape = tree.shape();
    let (mut places, mut next) = (Vec::new(), 1);
    while let Some(node) = shape.node(next) {
        if shape.frame_index(node) == frame {
            places.push((node, tree.total_value(node)));
            next = shape.end(node).0;
        } else {
            next += 1;
        }
    }
    let count = places.len() as u64;
    // Equal ones stay in the order of the tree, which is that of their names.
    sort_by(&mut places, |a, b| b.1.cmp(&a.1));
    places.truncate(limit);
    let path = |(node, value): (NodeId, i64)| {
        // The root is no function.
        let path = &shape.path(node)[1..];
        let mut functions: Vec<String> = Vec::with_capacity(path.len().min(MAX_PATH + 1));
        let skipped = path.len().saturating_sub(MAX_PATH);
        if skipped > 0 {
            functions.push("…".to_owned());
        }
        for &node in &path[skipped..] {
            budget.name(shape.name(node))?;
            functions.push(shape.name(node).to_owned());
        }
        Ok(Path {
            functions,
            value,
            share: share(value, total),
        })
    };
    let paths: Result<_, TooLarge> = places.into_iter().map(path).collect();
    Ok((paths?, count))
}

/// The lines of a function, and how many there are.
fn lines(
    answer: &QueryAnswer,
    name: &str,
    limit: usize,
    budget: &mut Budget,
) -> Result<(Vec<LineValues>, u64), TooLarge> {
    let tree = answer.tree(By::Line)?;
    let shape = tree.shape();
    let place = |row: &FunctionRow<1>| {
        let frame = &shape.frames()[row.frame];
        (shape.text(frame.file), frame.line)
    };
    let mut rows = function_table(&tree);
    rows.retain(|row| {
        let (file, line) = place(row);
        (line > 0 || !file.is_empty()) && shape.text(shape.frames()[row.frame].name) == name
    });
    let count = rows.len() as u64;
    sort_by(&mut rows, |a, b| {
        (b.own[0], b.total[0])
            .cmp(&(a.own[0], a.total[0]))
            .then_with(|| place(a).cmp(&place(b)))
    });
    rows.truncate(limit);
    // Many lines share a file whose name may be as long as a push.
    budget.names(rows.iter().map(|row| place(row).0))?;
    let values = |row: &FunctionRow<1>| {
        let (file, line) = place(row);
        LineValues {
            file: file.to_owned(),
            line,
            own: row.own[0],
            total: row.total[0],
        }
    };
    Ok((rows.iter().map(values).collect(), count))
}

impl Path {
    /// As many functions as have room, counted from the inner end.
    fn text(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        let mut length = 0;
        for name in self.functions.iter().rev() {
            let name = shortened(name);
            length += name.len();
            if length > MAX_PATH_BYTES && !names.is_empty() {
                names.push("…".to_owned());
                break;
            }
            names.push(name);
        }
        names.reverse();
        let names: Vec<String> = names.iter().map(|name| code(name)).collect();
        names.join(" → ")
    }
}

impl Markdown for FunctionReport {
    fn markdown(&self, most: usize) -> String {
        let (source, coverage) = (&self.source, &self.coverage);
        let mut document = Document::new(most);
        about(&mut document, source);
        let value = |value| format_value(value, &source.unit);
        document.paragraph(&format!(
            "{} uses {} itself ({}) and {} including its callees ({}).",
            code(&self.name),
            value(self.own),
            format_percent(self.own.into(), source.total.into()),
            value(self.total),
            format_percent(self.total.into(), source.total.into()),
        ));
        let of_function = |part: i64| format_percent(part.into(), self.total.into());
        let mut table = |head: String, unit: &str, rows: &mut dyn Iterator<Item = [String; 3]>| {
            document.table(1, [&head, unit, "% of the function's total"], rows);
        };
        let head = |what: &str, shown: usize, all: u64| format!("{what} ({shown} of {all})");
        table(
            head("line", self.lines.len(), coverage.lines),
            "self, total",
            &mut self.lines.iter().map(|line| {
                [
                    code(&format!("{}:{}", line.file, line.line)),
                    format!("{}, {}", value(line.own), value(line.total)),
                    of_function(line.total),
                ]
            }),
        );
        let call = |call: &Call| [code(&call.name), value(call.value), of_function(call.value)];
        table(
            head("called by", self.callers.len(), coverage.callers),
            "value",
            &mut self.callers.iter().map(call),
        );
        table(
            head("calls", self.callees.len(), coverage.callees),
            "value",
            &mut self.callees.iter().map(call),
        );
        table(
            head("stack", self.paths.len(), coverage.paths),
            "value",
            &mut self
                .paths
                .iter()
                .map(|path| [path.text(), value(path.value), of_function(path.value)]),
        );
        document.finish()
    }
}
