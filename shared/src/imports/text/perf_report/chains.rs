//! How functions of a report were called: lines of a tree, with branches and shares.
//!
//! - A tree begins with the function itself and goes on with its callers (`-g callee`), or begins
//!   with the roots (`-g caller`). What most functions begin with decides; where no tree has the name
//!   of its row, it is what perf does by itself.
//! - Shares of branches are those of all samples, or of the branch above (`-g fractal`): some exceed
//!   that then. Counts and periods (`-g count`) are only compared with each other.
//! - With `Children`, trees have what a function calls, too. From the roots, stacks that end with the
//!   function are its own. To the callers they cannot be told apart, so what the function has itself
//!   is divided between them by what their calls have.
//! - Values of a function add up to its own, rounded once.

use hashbrown::HashMap;

use super::entry::{Entry, WHOLE, hundredths, location, without_line};
use crate::base::limits::MAX_STACK_DEPTH;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::rows::Rows;
use crate::model::id::{LocationId, StackId, StringId};

/// How far a branch is right of the one above, and of a root.
const STEP: usize = 11;
const ROOT: usize = 3;

/// What a name with a source line takes.
const FUNCTION: usize = 24;
/// Frames of stacks for each line of a tree: the most that Linux records.
const FRAMES_A_NODE: usize = 1024;

/// The rest of a branch in a fractal tree.
const REST: &str = "[...]";

/// All trees, one after the other.
#[derive(Default)]
pub(super) struct Chains {
    nodes: Vec<Node>,
    /// Of names with the source lines that `-g address` puts behind them.
    functions: HashMap<StringId, StringId>,
    /// The nodes that lines may go on, each with the column of what is below it. Where branches come
    /// first, no node is above them.
    open: Vec<(usize, Option<u32>)>,
    /// Of a flat list, until its first function comes.
    flat: Option<i64>,
    begins_with_roots: bool,
    is_fractal: bool,
    has_counts: bool,
    /// Of all stacks that are written from callers.
    frames: usize,
}

struct Node {
    parent: Option<u32>,
    name: StringId,
    /// Of a branch; `None` where it has all of what is above.
    share: Option<i64>,
    depth: u32,
}

impl Chains {
    /// Begins the tree of the next function, whose nodes come from this row on.
    pub(super) fn begin(&mut self) -> u32 {
        self.open.clear();
        self.flat = None;
        self.nodes.len() as u32
    }

    /// Reads a line. Whether it is part of a tree.
    pub(super) fn read(&mut self, line: &str, rows: &mut Rows) -> Result<bool, String> {
        let text = line.trim_start_matches([' ', '|']);
        let column = line.len() - text.len();
        if text.is_empty() {
            return Ok(true);
        }
        if column == 0 {
            return self.folded(text, rows);
        }
        if let Some(name) = text.strip_prefix("---") {
            self.open.clear();
            let node = self.push(None, name, None, rows)?;
            self.open.push((column + ROOT, Some(node)));
            return Ok(true);
        }
        if let Some((share, name)) = self.branch(text) {
            // The column of its line, which the last branch does not draw.
            let column = column - 1;
            if self.open.is_empty() {
                self.open.push((column, None));
            }
            let Some(parent) = self.above(column) else {
                return Ok(false);
            };
            if name != REST {
                let node = self.push(parent, name, Some(share), rows)?;
                self.open.push((column + STEP, Some(node)));
            }
            return Ok(true);
        }
        if let Some(share) = text.strip_suffix('%').and_then(hundredths) {
            self.flat = Some(share);
            return Ok(true);
        }
        if let Some(share) = self.flat.take() {
            let node = self.push(None, text, Some(share), rows)?;
            self.open = vec![(column, Some(node))];
            return Ok(true);
        }
        let Some(Some(parent)) = self.above(column) else {
            return Ok(false);
        };
        let node = self.push(Some(parent), text, None, rows)?;
        if let Some(last) = self.open.last_mut() {
            last.1 = Some(node);
        }
        Ok(true)
    }

    /// The node whose lines go on at a column. Those further to the right are over.
    fn above(&mut self, column: usize) -> Option<Option<u32>> {
        let depth = self.open.iter().rposition(|open| open.0 <= column)?;
        let (at, node) = self.open[depth];
        if at != column {
            return None;
        }
        self.open.truncate(depth + 1);
        Some(node)
    }

    /// Reads `--12.34%--name`, of older perfs `--12.34%-- name`; of a count without `%`.
    fn branch<'a>(&mut self, text: &'a str) -> Option<(i64, &'a str)> {
        let (share, name) = text.strip_prefix("--")?.split_once("--")?;
        let number = hundredths(share)?;
        self.has_counts |= !share.ends_with('%');
        Some((number, name.trim_start()))
    }

    /// Reads `12.34% c;b;a`.
    fn folded(&mut self, line: &str, rows: &mut Rows) -> Result<bool, String> {
        let (share, names) = line.split_once(' ').unwrap_or_default();
        // `2 warnings` and `50% done` are lines of other programs.
        let is_share = share.ends_with('%') && share.contains('.');
        let Some(number) = hundredths(share).filter(|_| is_share || names.contains(';')) else {
            return Ok(false);
        };
        self.has_counts |= !share.ends_with('%');
        let (mut parent, mut share) = (None, Some(number));
        for name in names.split(';') {
            parent = Some(self.push(parent, name, share.take(), rows)?);
        }
        Ok(true)
    }

    fn push(
        &mut self,
        parent: Option<u32>,
        name: &str,
        share: Option<i64>,
        rows: &mut Rows,
    ) -> Result<u32, String> {
        let depth = parent.map_or(0, |parent| self.nodes[parent as usize].depth) + 1;
        if depth as usize > MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        rows.beside += size_of::<Node>();
        let function = without_line(name.trim());
        let name = rows.builder.string(name.trim());
        let function = rows.builder.string(function);
        if function != name && self.functions.insert(name, function).is_none() {
            rows.beside += FUNCTION;
        }
        self.nodes.push(Node {
            parent,
            name,
            share,
            depth,
        });
        Ok((self.nodes.len() - 1) as u32)
    }

    fn function(&self, name: StringId) -> StringId {
        self.functions.get(&name).copied().unwrap_or(name)
    }

    /// Finds out how all trees are drawn. Whether any tree tells.
    pub(super) fn decide(&mut self, entries: &[Entry], has_children: bool) -> bool {
        let (mut with_roots, mut with_itself) = (0, 0);
        let mut ends = entries.iter().map(|entry| entry.nodes as usize);
        ends.next();
        for entry in entries {
            let end = ends.next().unwrap_or(self.nodes.len());
            let nodes = &self.nodes[entry.nodes as usize..end];
            let mut tops = nodes.iter().filter(|node| node.parent.is_none());
            let share = entry.own.max(1);
            // Trees of modules and processes have no function of that name.
            if !nodes
                .iter()
                .any(|node| self.function(node.name) == entry.name)
            {
                continue;
            }
            if tops.any(|top| self.function(top.name) != entry.name) {
                with_roots += share;
            } else {
                with_itself += share;
            }
        }
        let is_told = with_roots + with_itself > 0;
        self.begins_with_roots = if is_told {
            with_roots > with_itself
        } else {
            has_children
        };
        self.is_fractal = !self.has_counts && self.exceeds(entries);
        is_told || self.nodes.is_empty()
    }

    /// Whether there are trees, and each begins with its function.
    pub(super) fn begins_with_callee(&self) -> bool {
        !self.begins_with_roots && !self.nodes.is_empty()
    }

    /// Whether branches have more than what they come from, beyond what rounding adds.
    fn exceeds(&self, entries: &[Entry]) -> bool {
        let mut left: Vec<i64> = Vec::with_capacity(self.nodes.len());
        let mut entry = entries.iter().peekable();
        let mut rest = 0;
        for (row, node) in self.nodes.iter().enumerate() {
            while let Some(next) = entry.next_if(|next| next.nodes as usize <= row) {
                rest = next.total;
            }
            let above = node
                .parent
                .map_or(&mut rest, |parent| &mut left[parent as usize]);
            let share = node.share.unwrap_or(*above);
            // Each number is off by half at most; the one above, too.
            *above -= (share - 1).max(0);
            if *above < -1 {
                return true;
            }
            left.push(share);
        }
        false
    }

    /// Writes the samples of a function, whose nodes end before `end`.
    pub(super) fn write(
        &mut self,
        entry: &Entry,
        end: Option<u32>,
        sample_type: usize,
        rows: &mut Rows,
    ) -> Result<(), FormatError> {
        if entry.value == 0 {
            return Ok(());
        }
        let start = entry.nodes as usize;
        let nodes = &self.nodes[start..end.map_or(self.nodes.len(), |end| end as usize)];
        let parts = self.parts(entry, nodes);
        let sum: f64 = parts.iter().map(|part| part.1).sum();
        let (mut so_far, mut given) = (0.0, 0);
        let mut stacks: Vec<StackId> = Vec::new();
        if self.begins_with_roots {
            for node in nodes {
                let parent = node.parent.map(|parent| stacks[parent as usize - start]);
                let location = frame(rows, node.name, entry);
                stacks.push(rows.builder.stack(parent, location));
            }
        }
        let last = parts.len() - 1;
        for (number, (node, part)) in parts.into_iter().enumerate() {
            so_far += part;
            // Periods may have more digits than an f64.
            let now = if number == last {
                entry.value
            } else {
                (entry.value as f64 * (so_far / sum)).round() as i64
            };
            let value = now - given;
            given = now;
            if value == 0 {
                continue;
            }
            let mut stack = None;
            let mut is_whole = false;
            if let Some(row) = node {
                if self.begins_with_roots {
                    stack = Some(stacks[row]);
                    is_whole = self.function(nodes[row].name) == entry.name || !entry.is_function;
                } else {
                    let mut next = Some(row);
                    self.frames += nodes[row].depth as usize;
                    if self.frames
                        > self
                            .nodes
                            .len()
                            .saturating_mul(FRAMES_A_NODE)
                            .saturating_add(MAX_STACK_DEPTH)
                    {
                        let problem = format!(
                            "stacks have on average more than {FRAMES_A_NODE} frames per line of a tree (the maximum)"
                        );
                        return Err(FormatError::new(rows.format, problem));
                    }
                    while let Some(row) = next {
                        let location = frame(rows, nodes[row].name, entry);
                        stack = Some(rows.builder.stack(stack, location));
                        next = nodes[row].parent.map(|parent| parent as usize - start);
                    }
                    is_whole = true;
                }
            }
            if !is_whole {
                stack = Some(rows.builder.stack(stack, entry.location));
            }
            rows.sample(stack, entry.labels, sample_type, value);
            rows.check()?;
        }
        Ok(())
    }

    /// The nodes at which stacks of a function end, and what each has, in hundredths; no node is the
    /// function by itself.
    fn parts(&self, entry: &Entry, nodes: &[Node]) -> Vec<(Option<usize>, f64)> {
        let start = entry.nodes as usize;
        // What each node has, and what none of its branches has; how many of them there are.
        let mut shares: Vec<(f64, f64, u32)> = Vec::with_capacity(nodes.len());
        // The first function on the way to it.
        let mut tops: Vec<StringId> = Vec::with_capacity(nodes.len());
        let mut covered = 0.0;
        for node in nodes {
            let parent = node.parent.map(|parent| parent as usize - start);
            let above = parent.map_or(entry.total as f64, |parent| shares[parent].0);
            let share = match node.share {
                Some(share) if self.is_fractal => above * share as f64 / WHOLE as f64,
                Some(share) => share as f64,
                None => above,
            };
            match parent {
                Some(parent) => {
                    shares[parent].1 -= share;
                    shares[parent].2 += 1;
                    tops.push(tops[parent]);
                }
                None => {
                    covered += share;
                    tops.push(self.function(node.name));
                }
            }
            shares.push((share, share, 0));
        }
        let has_callees = entry.own != entry.total && self.begins_with_roots;
        let mut parts = Vec::new();
        let mut sum = 0.0;
        for (row, &(_, left, branches)) in shares.iter().enumerate() {
            // Stacks that begin with it go on with what it calls.
            let node = &nodes[row];
            let is_own = !has_callees
                || self.function(node.name) == entry.name
                    && (tops[row] != entry.name || node.depth == 1);
            if is_own && (branches == 0 || left > f64::from(branches + 1)) {
                sum += left;
                parts.push((Some(row), left));
            }
        }
        let (whole, known) = if has_callees {
            (entry.own as f64, sum)
        } else {
            (entry.total as f64, covered)
        };
        if parts.is_empty() || sum <= 0.0 {
            return vec![(None, 1.0)];
        }
        // Less may be but rounded numbers.
        if !self.has_counts && whole - known > (nodes.len().min(8) + 1) as f64 {
            parts.push((None, whole - known));
        }
        parts
    }
}

/// The location of a function on a stack of another, or of itself.
fn frame(rows: &mut Rows, name: StringId, entry: &Entry) -> LocationId {
    if name == entry.name {
        entry.location
    } else {
        location(rows, name, None)
    }
}
