//! What a chain of functions calls and what calls it, a few levels deep: a tree that a client opens
//! step by step, exact at each.
//!
//! Source of the shape: the pull request grafana/pyroscope#5666.
//!
//! # Algebra
//!
//! A chain stands where its functions call each other one after the other. Of places of which one
//! lies below the other the outer one counts, so each sample counts once.
//!
//! - The callees are what lies at and below the last function of those places, put on top of each
//!   other.
//! - The callers are what lies above their first function, upside down; the weight is the total of
//!   the last function there.

use hashbrown::HashMap;

use super::budget::{Budget, TooLarge};
use crate::base::sort::sort_by;
use crate::model::id::StringId;
use crate::tree::call_tree::{CallTree, NodeId, Shape};

/// Which way a tree goes from its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To what is called.
    Callees,
    /// To what calls.
    Callers,
}

/// A function at its place in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionNode {
    /// Its name; empty for the root of a tree of all stacks.
    pub name: String,
    /// Of callees: with what is called. Of callers: of the stacks that go through here.
    pub total: i64,
    /// Without what is called; of callers, whose total is what the root has below them, 0.
    pub own: i64,
    /// The largest total first.
    pub children: Vec<FunctionNode>,
    /// Whether there are more below, or above, than `children` shows or than the depth allowed.
    pub has_children: bool,
}

/// The tree of a chain of functions, root first, with `depth` levels of children. `None` when the
/// chain stands nowhere; an error when the budget has no room for the tree.
pub fn function_tree(
    tree: &CallTree,
    chain: &[String],
    direction: Direction,
    depth: usize,
    budget: &mut Budget,
) -> Result<Option<FunctionNode>, TooLarge> {
    let places = chain_places(tree.shape(), chain);
    let Some(root) = (match direction {
        Direction::Callees => chain.last(),
        Direction::Callers => chain.first(),
    }) else {
        return Ok(None);
    };
    if places.is_empty() {
        return Ok(None);
    }
    let mut rows = Rows::new(root, budget)?;
    for &place in &places {
        match direction {
            Direction::Callees => rows.add_callees(tree, place, depth)?,
            Direction::Callers => rows.add_callers(tree, place, chain.len() - 1, depth)?,
        }
    }
    rows.finish(tree.shape()).map(Some)
}

/// The tree of callees of the stacks that begin, at the root, with the functions of a path. Without
/// functions all stacks.
pub fn root_path(
    tree: &CallTree,
    path: &[String],
    depth: usize,
    budget: &mut Budget,
) -> Result<Option<FunctionNode>, TooLarge> {
    let shape = tree.shape();
    let place = names_of(shape, path).and_then(|names| {
        names.into_iter().try_fold(NodeId::ROOT, |place, name| {
            let mut children = shape.children(place);
            children.find(|&child| shape.frame(child).name == name)
        })
    });
    let Some(place) = place else {
        return Ok(None);
    };
    let mut rows = Rows::new(path.last().map_or("", String::as_str), budget)?;
    rows.add_callees(tree, place, depth)?;
    rows.finish(shape).map(Some)
}

/// The nodes of the last functions of a chain that have no other such place above, in preorder.
fn chain_places(shape: &Shape, chain: &[String]) -> Vec<NodeId> {
    let Some(names) = names_of(shape, chain) else {
        return Vec::new();
    };
    let stands = |node: NodeId| {
        let mut at = node;
        names.iter().rev().all(|&name| {
            let same = at != NodeId::ROOT && shape.frame(at).name == name;
            at = shape.parent(at);
            same
        })
    };
    let (mut places, mut next) = (Vec::new(), 1);
    while next < shape.len() as u32 {
        let node = NodeId(next);
        if !names.is_empty() && stands(node) {
            places.push(node);
            next = shape.end(node).0;
        } else {
            next += 1;
        }
    }
    places
}

/// The names of functions as the strings of a shape, of which each is there once; `None` when it
/// lacks one.
fn names_of(shape: &Shape, functions: &[String]) -> Option<Vec<StringId>> {
    let mut found: HashMap<&str, Option<StringId>> = HashMap::new();
    found.extend(functions.iter().map(|name| (name.as_str(), None)));
    // Frame 0 is the root's, which is no function.
    for frame in &shape.frames()[1..] {
        if let Some(name) = found.get_mut(shape.text(frame.name)) {
            *name = Some(frame.name);
        }
    }
    functions.iter().map(|name| found[name.as_str()]).collect()
}

/// A tree while it is put together; the first row is its root.
struct Rows<'a> {
    root: &'a str,
    budget: &'a mut Budget,
    rows: Vec<Row>,
    /// Row of a frame below a row.
    index: HashMap<(u32, u32), u32>,
}

#[derive(Clone, Copy, Default)]
struct Row {
    /// Frame of the node; of no meaning at the root.
    frame: u32,
    parent: u32,
    total: i64,
    own: i64,
    more: bool,
}

impl<'a> Rows<'a> {
    fn new(root: &'a str, budget: &'a mut Budget) -> Result<Self, TooLarge> {
        budget.node()?;
        Ok(Self {
            root,
            budget,
            rows: vec![Row::default()],
            index: HashMap::new(),
        })
    }

    fn child(&mut self, parent: u32, frame: u32) -> Result<u32, TooLarge> {
        if let Some(&row) = self.index.get(&(parent, frame)) {
            return Ok(row);
        }
        self.budget.node()?;
        let row = self.rows.len() as u32;
        self.rows.push(Row {
            frame,
            parent,
            ..Row::default()
        });
        self.index.insert((parent, frame), row);
        Ok(row)
    }

    fn add(&mut self, row: u32, total: i64, own: i64) {
        let row = &mut self.rows[row as usize];
        row.total = row.total.saturating_add(total);
        row.own = row.own.saturating_add(own);
    }

    /// A node and what it calls, `depth` levels deep.
    fn add_callees(
        &mut self,
        tree: &CallTree,
        place: NodeId,
        depth: usize,
    ) -> Result<(), TooLarge> {
        let shape = tree.shape();
        self.add(0, tree.total_value(place), tree.self_value(place));
        // End of the subtree and row of each open node, from the place down.
        let mut open = vec![(shape.end(place).0, 0)];
        let mut next = place.0 + 1;
        while next < shape.end(place).0 {
            let node = NodeId(next);
            while open.len() > 1 && open[open.len() - 1].0 <= next {
                open.pop();
            }
            let (_, parent) = open[open.len() - 1];
            // What is not above zero is no part of a flame graph either.
            if tree.total_value(node) <= 0 {
                next = shape.end(node).0;
                continue;
            }
            if open.len() > depth {
                self.rows[parent as usize].more = true;
                next = shape.end(node).0;
                continue;
            }
            let row = self.child(parent, shape.frame_index(node) as u32)?;
            self.add(row, tree.total_value(node), tree.self_value(node));
            open.push((shape.end(node).0, row));
            next += 1;
        }
        Ok(())
    }

    /// What leads to the first function of a chain whose last one is at a place, `above` levels
    /// below it.
    fn add_callers(
        &mut self,
        tree: &CallTree,
        place: NodeId,
        above: usize,
        depth: usize,
    ) -> Result<(), TooLarge> {
        let shape = tree.shape();
        let weight = tree.total_value(place);
        if weight <= 0 {
            return Ok(());
        }
        let mut node = (0..above).fold(place, |node, _| shape.parent(node));
        let (mut row, mut level, mut own) = (0, 0, tree.self_value(place));
        loop {
            let caller = shape.parent(node);
            self.add(row, weight, own);
            if caller == NodeId::ROOT {
                return Ok(());
            }
            if level == depth {
                self.rows[row as usize].more = true;
                return Ok(());
            }
            row = self.child(row, shape.frame_index(caller) as u32)?;
            (node, level, own) = (caller, level + 1, 0);
        }
    }

    fn finish(self, shape: &Shape) -> Result<FunctionNode, TooLarge> {
        let mut nodes: Vec<Option<FunctionNode>> = Vec::with_capacity(self.rows.len());
        for (i, row) in self.rows.iter().enumerate() {
            let name = match i {
                0 => self.root,
                _ => shape.text(shape.frames()[row.frame as usize].name),
            };
            self.budget.name(name)?;
            nodes.push(Some(FunctionNode {
                name: name.to_owned(),
                total: row.total,
                own: row.own,
                children: Vec::new(),
                has_children: row.more,
            }));
        }
        // A parent comes before its children, so each is whole when it is put below its parent.
        for i in (1..nodes.len()).rev() {
            let Some(mut node) = nodes[i].take() else {
                continue;
            };
            in_order(&mut node);
            if let Some(parent) = &mut nodes[self.rows[i].parent as usize] {
                parent.has_children = true;
                parent.children.push(node);
            }
        }
        let root = nodes.first_mut().and_then(Option::take);
        let mut root = root.unwrap_or_else(|| FunctionNode {
            name: String::new(),
            total: 0,
            own: 0,
            children: Vec::new(),
            has_children: false,
        });
        in_order(&mut root);
        Ok(root)
    }
}

fn in_order(node: &mut FunctionNode) {
    sort_by(&mut node.children, |a, b| {
        b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::By;
    use crate::testing::profile;

    const STACKS: &str = "main;a;b;c 1\nmain;a;b 2\nmain;x;a;b;a;b;d 4\nb 8\nx;a 16";

    fn draw(node: &FunctionNode) -> String {
        let children: Vec<String> = node.children.iter().map(draw).collect();
        let more = if node.has_children && children.is_empty() {
            " …".to_owned()
        } else {
            children.iter().map(|child| format!(" ({child})")).collect()
        };
        format!("{} {}/{}{more}", node.name, node.total, node.own)
    }

    fn tree(chain: &[&str], direction: Direction, depth: usize) -> String {
        let tree = CallTree::new(&profile(STACKS), 0, By::Name);
        let chain: Vec<String> = chain.iter().map(|name| (*name).to_owned()).collect();
        let mut budget = Budget::default();
        let found = function_tree(&tree, &chain, direction, depth, &mut budget).expect("small");
        found.as_ref().map_or_else(|| "nothing".to_owned(), draw)
    }

    #[test]
    fn callees_of_all_places() {
        let callees = |chain: &[&str], depth| tree(chain, Direction::Callees, depth);
        assert_eq!(callees(&["b"], 0), "b 15/10 …");
        assert_eq!(callees(&["b"], 1), "b 15/10 (a 4/0 …) (c 1/1)");
        assert_eq!(callees(&["a", "b"], 1), "b 7/2 (a 4/0 …) (c 1/1)");
        assert_eq!(callees(&["x", "a"], 1), "a 20/16 (b 4/0 …)");
        assert_eq!(callees(&["b", "b"], 1), "nothing");
        assert_eq!(callees(&[], 1), "nothing");
        assert_eq!(callees(&["a", "none"], 1), "nothing");
        // What the root is called is no function.
        assert_eq!(callees(&["total"], 1), "nothing");
        assert_eq!(callees(&["total", "main"], 1), "nothing");
    }

    #[test]
    fn callers_upside_down() {
        let callers = |chain: &[&str], depth| tree(chain, Direction::Callers, depth);
        assert_eq!(callers(&["b"], 0), "b 15/10 …");
        assert_eq!(callers(&["b"], 2), "b 15/10 (a 7/0 (x 4/0 …) (main 3/0))");
        assert_eq!(callers(&["a", "b"], 1), "a 7/2 (x 4/0 …) (main 3/0)");
        assert_eq!(callers(&["a"], 9), "a 23/16 (x 20/0 (main 4/0)) (main 3/0)");
    }

    #[test]
    fn the_path_from_the_root() {
        let tree = CallTree::new(&profile(STACKS), 0, By::Name);
        let path = |names: &[&str], depth| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let found = root_path(&tree, &names, depth, &mut Budget::default()).expect("small");
            found.as_ref().map_or_else(|| "nothing".to_owned(), draw)
        };
        assert_eq!(path(&[], 1), " 31/0 (x 16/0 …) (b 8/8) (main 7/0 …)");
        assert_eq!(path(&["main", "a"], 5), "a 3/0 (b 3/2 (c 1/1))");
        assert_eq!(path(&["a"], 1), "nothing");
    }

    #[test]
    fn a_budget_holds_for_all_trees_of_an_answer() {
        let long = "f".repeat(3 << 20);
        let stacks: String = (0..4).map(|i| format!("main;{i};{long} 1\n")).collect();
        let tree = CallTree::new(&profile(&stacks), 0, By::Name);
        let mut budget = Budget::default();
        let mut path =
            |depth| root_path(&tree, &[], depth, &mut budget).map(|found| found.is_some());
        assert_eq!([path(2), path(3)], [Ok(true), Ok(true)]);
        assert_eq!(path(3), Err(TooLarge::Names));
    }
}
