//! Searching a tree by name.

use regex_lite::Regex;
use thiserror::Error;

use crate::model::id::StringId;
use crate::selector::regex::{Case, RegexError, unanchored};
use crate::tree::call_tree::{NodeId, Tree};

/// What to look for: plain text anywhere in a name, or `/regex/`; case counts in neither, but that
/// of letters beyond ASCII does in a regular expression.
#[derive(Clone, Debug)]
pub struct Pattern(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Text(String),
    Regex(Regex),
}

/// A search whose regular expression is not valid, or too large.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{pattern:?}: {reason}")]
pub struct PatternError {
    /// The expression (cut to 64 characters).
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Pattern {
    /// Parses a search; `None` for an empty one.
    pub fn parse(text: &str) -> Result<Option<Self>, PatternError> {
        if text.is_empty() {
            return Ok(None);
        }
        let regex = text
            .strip_prefix('/')
            .and_then(|rest| rest.strip_suffix('/'))
            .filter(|inner| !inner.is_empty());
        let Some(regex) = regex else {
            return Ok(Some(Self(Kind::Text(text.to_lowercase()))));
        };
        let refused = |e: RegexError| PatternError {
            pattern: regex.chars().take(64).collect(),
            reason: e.to_string(),
        };
        Ok(Some(Self(Kind::Regex(
            unanchored(regex, Case::Ignored).map_err(refused)?,
        ))))
    }

    /// Whether a name matches.
    pub fn matches(&self, name: &str) -> bool {
        match &self.0 {
            Kind::Text(text) => name.to_lowercase().contains(text.as_str()),
            Kind::Regex(regex) => regex.is_match(name),
        }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Matches<const SIDES: usize> {
    /// For each frame of the tree, whether it matches.
    pub frames: Vec<bool>,
    /// Matching nodes, in preorder.
    pub nodes: Vec<NodeId>,
    /// Value under matching nodes, each sample once, a side each.
    pub total: [i64; SIDES],
}

/// Finds all nodes whose function's name matches.
pub fn search<const SIDES: usize>(tree: &Tree<SIDES>, pattern: &Pattern) -> Matches<SIDES> {
    let shape = tree.shape();
    // Frames are in order of name, so each name is tried once.
    let mut last = None;
    let mut matches = |name: StringId| match last {
        Some((before, matched)) if before == name => matched,
        _ => last.insert((name, pattern.matches(shape.text(name)))).1,
    };
    let mut frames: Vec<bool> = shape
        .frames()
        .iter()
        .map(|frame| matches(frame.name))
        .collect();
    frames[0] = false;
    let nodes: Vec<NodeId> = (1..shape.len() as u32)
        .map(NodeId)
        .filter(|&node| frames[shape.frame_index(node)])
        .collect();
    let mut total = [0i64; SIDES];
    let mut counted_until = 0;
    for &node in &nodes {
        if node.0 >= counted_until {
            counted_until = shape.end(node).0;
            for (sum, more) in total.iter_mut().zip(tree.totals(node)) {
                *sum = sum.saturating_add(more);
            }
        }
    }
    Matches {
        frames,
        nodes,
        total,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;
    use crate::{By, CallTree};

    fn found(query: &str) -> (usize, i64) {
        let tree = CallTree::new(
            &profile("main;Foo;bar;foo 3\nmain;barfoo 2\nmain 5"),
            0,
            By::Name,
        );
        let matches = search(&tree, &Pattern::parse(query).unwrap().unwrap());
        (matches.nodes.len(), matches.total[0])
    }

    #[test]
    fn nested_matches_count_once() {
        assert_eq!(found("foo"), (3, 5));
        assert_eq!(found("/^foo$/"), (2, 3));
        assert_eq!(found("/"), (0, 0));
        assert_eq!(found("total"), (0, 0));
        assert!(Pattern::parse("").unwrap().is_none());
        let refused = |text: &str| Pattern::parse(text).unwrap_err().to_string();
        assert_eq!(
            refused("/(/"),
            "\"(\": invalid regular expression: found open group without closing ')'"
        );
        assert!(refused("/(((a{100}){100}){100})/").ends_with("exceeded size limit"));
        assert!(
            refused(&format!("/{}/", "é".repeat(9999)))
                .ends_with("19998 bytes; at most 4096 are allowed")
        );
    }
}
