//! Drawing profiles and trees as text, for tests.

use std::fmt::Write as _;

use crate::ProfileBuilder;
use crate::model::profile::Profile;
use crate::tree::call_tree::{NodeId, Tree};

/// A profile from lines of `root;…;leaf value [value …]`, types `v0/count`, `v1/count`, ….
pub(crate) fn profile(text: &str) -> Profile {
    let mut builder = ProfileBuilder::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let names: Vec<&str> = words
            .next()
            .unwrap_or("")
            .split(';')
            .filter(|n| !n.is_empty())
            .collect();
        let values: Vec<i64> = words.map(|w| w.parse().expect("a number")).collect();
        while builder.profile().sample_types().len() < values.len() {
            let n = builder.profile().sample_types().len();
            builder.sample_type(&format!("v{n}"), "count");
        }
        let stack = builder.named_stack(&names);
        builder.sample(stack, None, &values);
    }
    builder.finish()
}

/// A tree as indented lines of `name totals/selfs`.
pub(crate) fn draw<const SIDES: usize>(tree: &Tree<SIDES>) -> String {
    let words = |values: [i64; SIDES]| values.map(|v| v.to_string()).join(",");
    let shape = tree.shape();
    let mut text = String::new();
    for node in (0..shape.len() as u32).map(NodeId) {
        let (name, indent) = (shape.name(node), " ".repeat(shape.depth(node) as usize));
        writeln!(
            text,
            "{indent}{name} {}/{}",
            words(tree.totals(node)),
            words(tree.own(node))
        )
        .expect("a String takes all");
    }
    text
}
