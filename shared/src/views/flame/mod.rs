//! The flame graph: the boxes of a tree that are visible in a viewport.
//!
//! The number of boxes is bounded by the pixels, not by the profile: siblings narrower than a pixel
//! become one box, and below it are the callees of the heaviest of them.

use crate::tree::call_tree::{NodeId, Shape, Tree};

mod paint;

pub use paint::{Paint, paint};

/// Narrower boxes are drawn together with their equally narrow neighbours.
const MIN_WIDTH: f64 = 1.0;

/// How wide such a box of a chart is at least before another one begins, in pixels: stacks differ from moment to moment.
const COLUMN_WIDTH: f64 = 2.0;

/// Below a box of narrow nodes, narrower ones are left out, in pixels.
const LEAST_WIDTH: f64 = 0.5;

/// What part of a tree is to be drawn, and how large.
#[derive(Clone, Copy, Debug)]
pub struct Viewport {
    /// The node that fills the width.
    pub zoom: NodeId,
    /// Left edge, as a fraction of the zoom node's width.
    pub x0: f64,
    /// Right edge, as a fraction of the zoom node's width.
    pub x1: f64,
    /// Width in pixels.
    pub width: f64,
    /// First depth to draw; the root has depth 0.
    pub depth0: u32,
    /// First depth not to draw.
    pub depth1: u32,
}

/// A box to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlameBox {
    /// Left edge in pixels; may lie outside of the viewport.
    pub x: f32,
    /// Width in pixels.
    pub width: f32,
    /// Row; the root has 0.
    pub depth: u32,
    /// The node, or the heaviest node of a run.
    pub node: NodeId,
    /// What it stands for.
    pub kind: BoxKind,
}

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxKind {
    /// One node.
    Node,
    /// The zoom node's caller, drawn over the full width.
    Ancestor,
    /// Several siblings, each narrower than a pixel.
    Run,
}

/// The visible boxes, callers before callees. An impossible viewport (no width, nothing between
/// `x0` and `x1`) shows none.
pub fn layout<const SIDES: usize>(tree: &Tree<SIDES>, view: Viewport) -> Vec<FlameBox> {
    layout_with(Widths { tree, side: None }, view, None)
}

/// The same of a chart, without its pauses, which are the nodes of one frame. What is narrow between pauses is drawn as runs of
/// some pixels.
pub fn layout_chart<const SIDES: usize>(
    tree: &Tree<SIDES>,
    pause: usize,
    view: Viewport,
) -> Vec<FlameBox> {
    layout_with(Widths { tree, side: None }, view, Some(pause))
}

/// The same with the widths of one side alone, so that its total fills the width. A side that lacks the
/// zoom node shows none.
pub fn layout_side<const SIDES: usize>(
    tree: &Tree<SIDES>,
    side: usize,
    view: Viewport,
) -> Vec<FlameBox> {
    let side = Some(side);
    layout_with(Widths { tree, side }, view, None)
}

fn layout_with<const SIDES: usize>(
    widths: Widths<'_, SIDES>,
    view: Viewport,
    pause: Option<usize>,
) -> Vec<FlameBox> {
    let weight = widths.of(view.zoom) as f64;
    let scale = view.width / ((view.x1 - view.x0) * weight);
    if !(scale.is_finite() && scale > 0.0 && view.width > 0.0) {
        return Vec::new();
    }
    let path = widths.tree.shape().path(view.zoom);
    let mut boxes: Vec<FlameBox> = (0..)
        .zip(&path[..path.len() - 1])
        .map(|(depth, &node)| ancestor(node, depth, view))
        .collect();
    boxes.retain(|b| (view.depth0..view.depth1).contains(&b.depth));
    let mut walk = Walk {
        widths,
        view,
        pause,
        scale,
        boxes,
    };
    let left = 0.0 - view.x0 * weight * scale;
    walk.descend(view.zoom, left, path.len() as u32 - 1);
    walk.boxes
}

/// Where a node is in the width of the whole tree, as fractions of that: its left and right edge.
pub fn place<const SIDES: usize>(tree: &Tree<SIDES>, node: NodeId) -> [f64; 2] {
    let shape = tree.shape();
    let mut left = 0i64;
    for step in shape.path(node).windows(2) {
        let before = shape
            .children(step[0])
            .take_while(|child| *child != step[1]);
        left = before.fold(left, |left, child| left.saturating_add(tree.weight(child)));
    }
    let whole = tree.weight(NodeId::ROOT).max(1) as f64;
    [left, left.saturating_add(tree.weight(node))].map(|edge| (edge as f64 / whole).min(1.0))
}

fn ancestor(node: NodeId, depth: u32, view: Viewport) -> FlameBox {
    FlameBox {
        x: 0.0,
        width: view.width as f32,
        depth,
        node,
        kind: BoxKind::Ancestor,
    }
}

/// How wide nodes are: by all sides together, or by one.
struct Widths<'a, const SIDES: usize> {
    tree: &'a Tree<SIDES>,
    side: Option<usize>,
}

impl<const SIDES: usize> Widths<'_, SIDES> {
    fn of(&self, node: NodeId) -> i64 {
        match self.side {
            None => self.tree.weight(node),
            Some(side) => self
                .tree
                .totals(node)
                .get(side)
                .map_or(0, |total| *total.max(&0)),
        }
    }
}

struct Walk<'a, const SIDES: usize> {
    widths: Widths<'a, SIDES>,
    view: Viewport,
    /// The frame of nodes that are room between others and never drawn.
    pause: Option<usize>,
    scale: f64,
    boxes: Vec<FlameBox>,
}

/// Neighbours that are too narrow to draw one by one.
#[derive(Clone, Copy)]
struct Run {
    x: f64,
    width: f64,
    /// Of those that are drawn.
    heaviest: Option<(i64, NodeId)>,
    count: u32,
}

impl<const SIDES: usize> Walk<'_, SIDES> {
    fn descend(&mut self, top: NodeId, left: f64, depth: u32) {
        let mut open = vec![(top, left, depth)];
        while let Some((node, x, depth)) = open.pop() {
            let width = self.widths.of(node) as f64 * self.scale;
            if depth >= self.view.depth1 || x + width <= 0.0 || x >= self.view.width {
                continue;
            }
            if self.is_pause(node) {
                continue;
            }
            self.emit(x, width, depth, node, BoxKind::Node);
            if depth + 1 < self.view.depth1 {
                self.children(self.widths.tree.shape(), node, x, depth + 1, &mut open);
            }
        }
    }

    fn children(
        &mut self,
        shape: &Shape,
        node: NodeId,
        x: f64,
        depth: u32,
        open: &mut Vec<(NodeId, f64, u32)>,
    ) {
        let mut left = x;
        let mut run: Option<Run> = None;
        for child in shape.children(node) {
            let weight = self.widths.of(child);
            let width = weight as f64 * self.scale;
            if width >= MIN_WIDTH {
                self.end_run(run.take(), depth);
                open.push((child, left, depth));
            } else if weight > 0 {
                let so_far = run.unwrap_or(Run {
                    x: left,
                    width: 0.0,
                    heaviest: None,
                    count: 0,
                });
                let is_drawn = !self.is_pause(child);
                let heaviest = match so_far.heaviest {
                    Some((most, _)) if weight <= most => so_far.heaviest,
                    _ if is_drawn => Some((weight, child)),
                    other => other,
                };
                run = Some(Run {
                    width: so_far.width + width,
                    heaviest,
                    count: so_far.count + u32::from(is_drawn),
                    ..so_far
                });
            }
            if self.pause.is_some() {
                self.end_run(run.take_if(|run| run.width >= COLUMN_WIDTH), depth);
            }
            left += width;
            if left >= self.view.width {
                break;
            }
        }
        self.end_run(run, depth);
    }

    fn end_run(&mut self, run: Option<Run>, depth: u32) {
        let Some(run) = run else { return };
        let kind = if run.count == 1 {
            BoxKind::Node
        } else {
            BoxKind::Run
        };
        if let Some((_, node)) = run.heaviest
            && run.x + run.width > 0.0
        {
            self.emit(run.x, run.width, depth, node, kind);
            self.callees(run, node, depth + 1, kind);
        }
    }

    /// Below narrow nodes: the heaviest callee of the heaviest of them, the heaviest that it calls,
    /// and so on.
    fn callees(&mut self, run: Run, node: NodeId, depth: u32, kind: BoxKind) {
        let (mut caller, mut width) = (node, run.width);
        for depth in depth..self.view.depth1 {
            let callees = self.widths.tree.shape().children(caller);
            let drawn = callees.filter(|&callee| !self.is_pause(callee));
            let Some(callee) = drawn.max_by_key(|&callee| self.widths.of(callee)) else {
                return;
            };
            width *= self.widths.of(callee) as f64 / self.widths.of(caller) as f64;
            if width < LEAST_WIDTH || run.x + width <= 0.0 {
                return;
            }
            self.emit(run.x, width, depth, callee, kind);
            caller = callee;
        }
    }

    fn is_pause(&self, node: NodeId) -> bool {
        self.pause
            .is_some_and(|pause| pause == self.widths.tree.shape().frame_index(node))
    }

    fn emit(&mut self, x: f64, width: f64, depth: u32, node: NodeId, kind: BoxKind) {
        if depth >= self.view.depth0 {
            self.boxes.push(FlameBox {
                x: x as f32,
                width: width as f32,
                depth,
                node,
                kind,
            });
        }
    }
}

#[cfg(test)]
mod tests;
