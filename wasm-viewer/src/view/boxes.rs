//! Boxes as numbers: six words each, so that one typed array crosses the border for each picture.

use std::ops::Range;

use pilotlight_core::flame::{
    BoxKind, FlameBox, Paint, Viewport, layout, layout_chart, layout_side, place,
};

use super::View;
use super::values::Values;
use crate::error::SessionError;

/// Several siblings too narrow to draw.
const RUN: u32 = 1;
/// The function matches the search.
const MATCH: u32 = 2;
/// The function is the selected one.
const SAME: u32 = 4;
/// Only the comparison has it.
const NEW: u32 = 8;
/// Only the base has it.
const GONE: u32 = 16;
/// A caller of the zoom node, as wide as the view.
const ANCESTOR: u32 = 32;
/// There is a search, so what lacks [`MATCH`] is dimmed.
const SEARCHING: u32 = 64;

/// Bit of a colour word that stands for grey.
const GREY: u32 = 256;

/// Whose values the boxes of a comparison are as wide as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widths {
    /// Both sides together.
    Both,
    /// The base alone.
    Base,
    /// The comparison alone.
    Comparison,
}

impl Widths {
    /// `both`, `base` or `comparison`.
    pub fn parse(text: &str) -> Result<Self, SessionError> {
        match text {
            "both" => Ok(Self::Both),
            "base" => Ok(Self::Base),
            "comparison" => Ok(Self::Comparison),
            other => Err(SessionError::Widths(other.to_owned())),
        }
    }
}

impl View {
    /// `[x, width, depth, node, paint, flags]` of each visible box; `x` and `width` are the bits of
    /// an `f32`, in pixels.
    ///
    /// Paint of one profile: a hue from 0 to 255, or 256 for grey. Of a comparison: the change in
    /// 1/10,000 of the larger side, as 16 signed bits.
    ///
    /// A single profile has one side, and the same boxes whatever `widths` says.
    pub fn boxes(
        &self,
        zoom: u32,
        x0: f64,
        x1: f64,
        width: f64,
        depths: Range<u32>,
        widths: Widths,
    ) -> Result<Vec<u32>, SessionError> {
        let view = Viewport {
            zoom: self.node(zoom)?,
            x0,
            x1,
            width,
            depth0: depths.start,
            depth1: depths.end,
        };
        let boxes = match &self.values {
            Values::Call(tree) => match self.pause {
                None => layout(tree, view),
                Some(pause) => layout_chart(tree, pause, view),
            },
            Values::Diff(diff) => match widths {
                Widths::Both => layout(diff, view),
                Widths::Base => layout_side(diff, 0, view),
                Widths::Comparison => layout_side(diff, 1, view),
            },
        };
        Ok(boxes.iter().flat_map(|b| self.words(b)).collect())
    }

    /// Totals of nodes, two for each: those of both sides of a comparison; the second is zero in a
    /// single profile.
    pub fn totals(&self, nodes: &[u32]) -> Result<Vec<f64>, SessionError> {
        let mut totals = Vec::with_capacity(2 * nodes.len());
        for &number in nodes {
            let [base, comparison] = self.values.totals(self.node(number)?);
            totals.extend([base as f64, comparison as f64]);
        }
        Ok(totals)
    }

    /// Where a node is in the width of the whole, as fractions of that.
    pub fn place(&self, node: u32) -> Result<[f64; 2], SessionError> {
        let node = self.node(node)?;
        Ok(match &self.values {
            Values::Call(tree) => place(tree, node),
            Values::Diff(diff) => place(diff, node),
        })
    }

    /// Flags of functions: which match the search, and which is selected.
    pub fn marks(&self, funcs: &[u32]) -> Vec<u32> {
        let mark = |&func: &u32| self.marks_of(func as usize);
        funcs.iter().map(mark).collect()
    }

    fn words(&self, b: &FlameBox) -> [u32; 6] {
        [
            b.x.to_bits(),
            b.width.to_bits(),
            b.depth,
            b.node.0,
            self.paint_word(self.shape().frame_index(b.node), self.values.totals(b.node)),
            self.flags(b),
        ]
    }

    /// The colour of a frame with these totals.
    pub(super) fn paint_word(&self, frame: usize, totals: [i64; 2]) -> u32 {
        match &self.values {
            Values::Call(_) => match self.paints[frame] {
                Paint::Hue(hue) => u32::from(hue),
                Paint::Grey => GREY,
            },
            Values::Diff(_) => {
                let [base, comparison] = totals.map(|v| v as f64);
                let larger = base.max(comparison);
                let change = if larger > 0.0 {
                    (comparison - base) / larger * 10_000.0
                } else {
                    0.0
                };
                u32::from((change.round() as i16) as u16)
            }
        }
    }

    fn flags(&self, b: &FlameBox) -> u32 {
        let mut flags = match b.kind {
            BoxKind::Node => 0,
            BoxKind::Run => RUN,
            BoxKind::Ancestor => ANCESTOR,
        };
        flags |= self.marks_of(self.shape().frame_index(b.node));
        if matches!(self.values, Values::Diff(_)) {
            flags |= match self.values.totals(b.node) {
                [0, c] if c > 0 => NEW,
                [b, 0] if b > 0 => GONE,
                _ => 0,
            };
        }
        flags
    }

    fn marks_of(&self, frame: usize) -> u32 {
        let mut flags = 0;
        if let Some((frames, _)) = &self.matches {
            let matches = frames.get(frame).is_some_and(|&matches| matches);
            flags |= SEARCHING | if matches { MATCH } else { 0 };
        }
        if self.selected == Some(frame) {
            flags |= SAME;
        }
        flags
    }
}
