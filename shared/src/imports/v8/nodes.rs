//! The nodes of a call tree, which are a list where each names its parent or its children, or stand
//! in each other.

use std::borrow::Cow;

use super::frames::location;
use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::sort::sort_rows;
use crate::base::warnings::Warnings;
use crate::imports::error::FormatError;
use crate::imports::json::reader::{Problem, Reader};
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LocationId, StackId};

/// The outermost function of V8, which is no frame.
const ROOT: &str = "(root)";

/// Row of no node, and depth of a node that is being looked at.
const NONE: u32 = u32::MAX;

/// Nodes as they are read.
#[derive(Default)]
pub(super) struct Nodes {
    rows: Vec<Node>,
    /// Ids of children, those of one node behind those of the node before.
    children: Vec<u32>,
}

struct Node {
    /// 0 when it has none.
    id: u32,
    /// `None` for the root.
    location: Option<LocationId>,
    parent: Parent,
    /// Where its children end.
    children: u32,
    own: i64,
}

#[derive(Clone, Copy)]
enum Parent {
    None,
    Id(u32),
    Row(u32),
}

/// A node that is being read.
#[derive(Default)]
struct Draft<'a> {
    id: u32,
    parent: Option<u32>,
    /// `None` when there is no key for it.
    name: Option<Cow<'a, str>>,
    file: Cow<'a, str>,
    line: i64,
    column: i64,
    own: i64,
}

/// Nodes with their stacks.
pub(super) struct Stacks {
    nodes: Vec<Node>,
    /// Rows in the order of ids.
    by_id: Vec<u32>,
    stacks: Vec<Option<StackId>>,
}

impl Nodes {
    /// Reads a list of nodes.
    pub(super) fn read_list<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        builder: &mut ProfileBuilder,
    ) -> Result<(), Problem> {
        reader.list(&mut |reader| {
            let mut draft = Draft::default();
            reader.object(&mut |reader, key| match key {
                "children" => reader.list(&mut |reader| {
                    let id = id(reader)?;
                    self.children.push(id);
                    Ok(())
                }),
                key => draft.member(reader, key),
            })?;
            let row = self.push(Parent::None);
            self.fill(row, draft, reader, builder)
        })
    }

    /// Reads a node and those that stand in it.
    pub(super) fn read_tree<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        builder: &mut ProfileBuilder,
    ) -> Result<(), Problem> {
        // From the root to the node where the reader is.
        let mut open: Vec<(u32, Draft<'a>)> = Vec::new();
        if reader.begin()? {
            open.push((self.push(Parent::None), Draft::default()));
        }
        while let Some((row, draft)) = open.last_mut() {
            let row = *row;
            let is_child = match reader.key()? {
                Some(key) if key == "children" => reader.enter()?,
                Some(key) => {
                    draft.member(reader, &key)?;
                    false
                }
                None => {
                    let draft = std::mem::take(draft);
                    self.fill(row, draft, reader, builder)?;
                    open.pop();
                    !open.is_empty() && reader.item()?
                }
            };
            if is_child {
                let parent = open
                    .last()
                    .map_or(Parent::None, |&(row, _)| Parent::Row(row));
                if open.len() >= MAX_STACK_DEPTH {
                    return Err(reader.problem(too_deep()));
                }
                if !reader.begin()? {
                    return Err(reader.problem("a child is null"));
                }
                open.push((self.push(parent), Draft::default()));
            }
        }
        Ok(())
    }

    /// Appends a node that is known.
    pub(super) fn add(&mut self, id: u32, parent: Option<u32>, location: LocationId) {
        let row = self.push(parent.map_or(Parent::None, Parent::Id)) as usize;
        self.rows[row].id = id;
        self.rows[row].location = Some(location);
    }

    fn push(&mut self, parent: Parent) -> u32 {
        self.rows.push(Node {
            id: 0,
            location: None,
            parent,
            children: self.children.len() as u32,
            own: 0,
        });
        self.rows.len() as u32 - 1
    }

    fn fill(
        &mut self,
        row: u32,
        draft: Draft<'_>,
        reader: &Reader<'_>,
        builder: &mut ProfileBuilder,
    ) -> Result<(), Problem> {
        let Some(name) = draft.name else {
            return Err(reader.problem("a node has no \"functionName\""));
        };
        let node = &mut self.rows[row as usize];
        node.id = draft.id;
        node.own = draft.own;
        if let Some(parent) = draft.parent {
            node.parent = Parent::Id(parent);
        }
        if name != ROOT {
            let frame = location(builder, &name, &draft.file, draft.line, draft.column);
            node.location = Some(frame);
        }
        Ok(())
    }

    /// Finds the parents and makes the stacks. An id that no node has is left out with a warning.
    pub(super) fn stacks(
        self,
        builder: &mut ProfileBuilder,
        format: &'static str,
        warnings: &mut Warnings,
    ) -> Result<Stacks, FormatError> {
        let nodes = self.rows;
        let mut by_id: Vec<u32> = (0..nodes.len() as u32).collect();
        let id = |row: u32| nodes[row as usize].id;
        sort_rows(&mut by_id, &mut |a, b| id(a).cmp(&id(b)));
        let twice = by_id
            .windows(2)
            .filter(|two| id(two[0]) == id(two[1]) && id(two[0]) != 0)
            .count();
        if twice > 0 {
            warnings.add(|| {
                format!("{twice} nodes repeat the ID of another node; the first one is used")
            });
        }
        let mut found = Stacks {
            by_id,
            stacks: vec![None; nodes.len()],
            nodes,
        };
        let parents = found.parents(&self.children, warnings);
        found.fill(&parents, builder, format)?;
        Ok(found)
    }
}

impl Stacks {
    /// The stack of the node with an id; `None` when there is no such node.
    pub(super) fn of(&self, id: u32) -> Option<Option<StackId>> {
        self.row(id).map(|row| self.stacks[row as usize])
    }

    /// Each node's stack and its own value.
    pub(super) fn values(&self) -> impl Iterator<Item = (Option<StackId>, i64)> {
        self.stacks
            .iter()
            .zip(&self.nodes)
            .map(|(&stack, node)| (stack, node.own))
    }

    fn row(&self, id: u32) -> Option<u32> {
        let id_of = |row: u32| self.nodes[row as usize].id;
        let place = self.by_id.partition_point(|&row| id_of(row) < id);
        self.by_id
            .get(place)
            .copied()
            .filter(|&row| id != 0 && id_of(row) == id)
    }

    /// The row of each node's parent.
    fn parents(&self, children: &[u32], warnings: &mut Warnings) -> Vec<u32> {
        let mut parents = vec![NONE; self.nodes.len()];
        let mut missing = 0u64;
        for (node, parent) in self.nodes.iter().zip(&mut parents) {
            *parent = match node.parent {
                Parent::None => NONE,
                Parent::Row(row) => row,
                Parent::Id(id) => self.row(id).unwrap_or_else(|| {
                    missing += 1;
                    NONE
                }),
            };
        }
        let mut first = 0;
        for (row, node) in self.nodes.iter().enumerate() {
            let end = node.children as usize;
            for &child in &children[first..end] {
                match self.row(child) {
                    Some(child) if parents[child as usize] == NONE => {
                        parents[child as usize] = row as u32;
                    }
                    Some(_) => {}
                    None => missing += 1,
                }
            }
            first = end;
        }
        if missing > 0 {
            warnings.add(|| format!("{missing} parent or child IDs refer to missing nodes"));
        }
        parents
    }

    fn fill(
        &mut self,
        parents: &[u32],
        builder: &mut ProfileBuilder,
        format: &'static str,
    ) -> Result<(), FormatError> {
        // Frames of each stack and one; 0 as long as nobody asked, NONE when somebody waits for it.
        let mut depths = vec![0u32; parents.len()];
        let mut path: Vec<usize> = Vec::new();
        for row in 0..parents.len() {
            let mut at = row as u32;
            while at != NONE && depths[at as usize] == 0 {
                depths[at as usize] = NONE;
                path.push(at as usize);
                at = parents[at as usize];
            }
            let wrong = |problem: String| {
                let place = format!("node {}", self.nodes[row].id);
                FormatError::at(format, place, problem)
            };
            let (mut stack, mut depth) = match at {
                NONE => (None, 1),
                at if depths[at as usize] == NONE => {
                    return Err(wrong("its callers form a loop".to_owned()));
                }
                at => (self.stacks[at as usize], depths[at as usize]),
            };
            while let Some(row) = path.pop() {
                if let Some(location) = self.nodes[row].location {
                    depth += 1;
                    if depth as usize > MAX_STACK_DEPTH + 1 {
                        return Err(wrong(too_deep()));
                    }
                    stack = Some(builder.stack(stack, location));
                }
                self.stacks[row] = stack;
                depths[row] = depth;
            }
        }
        Ok(())
    }
}

impl<'a> Draft<'a> {
    fn member(&mut self, reader: &mut Reader<'a>, key: &str) -> Result<(), Problem> {
        match key {
            "id" => self.id = id(reader)?,
            "parent" => self.parent = Some(id(reader)?),
            "hitCount" | "selfSize" => self.own = reader.number(1)?.unwrap_or(0),
            "callFrame" => reader.object(&mut |reader, key| self.frame(reader, key))?,
            key => self.frame(reader, key)?,
        }
        Ok(())
    }

    /// A key of `callFrame`, or of the node itself in old files.
    fn frame(&mut self, reader: &mut Reader<'a>, key: &str) -> Result<(), Problem> {
        match key {
            "functionName" => self.name = Some(reader.text()?),
            "url" => self.file = reader.text()?,
            "lineNumber" => self.line = from_one(reader)?,
            "columnNumber" => self.column = from_one(reader)?,
            _ => reader.skip()?,
        }
        Ok(())
    }
}

/// A number of a node. V8 counts them from 1.
pub(super) fn id(reader: &mut Reader<'_>) -> Result<u32, Problem> {
    let number = reader.number(1)?.unwrap_or(0);
    u32::try_from(number)
        .map_err(|_| reader.problem(format!("node number {number} does not fit in 32 bits")))
}

/// A line or column that counts from 0, where -1 is unknown.
fn from_one(reader: &mut Reader<'_>) -> Result<i64, Problem> {
    let number = reader.number(1)?.unwrap_or(-1);
    Ok(number.saturating_add(1).max(0))
}

fn too_deep() -> String {
    format!("a stack has more than {MAX_STACK_DEPTH} frames")
}
