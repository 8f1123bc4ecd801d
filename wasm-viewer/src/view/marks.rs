//! What is marked in a tree: what a search found, and the selected function.

use pilotlight_core::{Pattern, search};

use super::View;
use super::values::{Values, both};
use crate::answers::SearchInfo;
use crate::error::SessionError;

impl View {
    /// Marks what matches.
    pub fn search(&mut self, query: &str) -> Result<SearchInfo, SessionError> {
        let Some(pattern) = Pattern::parse(query)? else {
            self.matches = None;
            return Ok(SearchInfo::default());
        };
        let (frames, nodes, total) = match &self.values {
            Values::Call(tree) => {
                let m = search(tree, &pattern);
                (m.frames, m.nodes, [m.total[0], 0])
            }
            Values::Diff(diff) => {
                let m = search(diff, &pattern);
                (m.frames, m.nodes, m.total)
            }
        };
        let mut nodes = nodes;
        nodes.retain(|&node| !self.is_pause(node));
        let info = SearchInfo {
            matches: nodes.len() as u32,
            fraction: self.values.fraction(total),
            total: both(total),
            side_fractions: self.values.side_fractions(total, self.normalised_to),
        };
        self.matches = Some((frames, nodes));
        Ok(info)
    }

    /// The n-th match, counted around the end in either direction; 0 when there is none.
    pub fn match_at(&self, n: i32) -> u32 {
        match &self.matches {
            Some((_, nodes)) if !nodes.is_empty() => {
                nodes[(i64::from(n)).rem_euclid(nodes.len() as i64) as usize].0
            }
            _ => 0,
        }
    }

    /// Marks the function of a node; the root, or a number that is no node, clears.
    pub fn select(&mut self, number: u32) {
        self.selected = self
            .shape()
            .node(number)
            .map(|n| self.shape().frame_index(n))
            .filter(|&frame| frame != 0);
    }
}
