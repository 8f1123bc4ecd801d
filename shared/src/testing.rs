//! Drawing profiles and trees as text, for tests.

use std::fmt::Write as _;

use crate::ProfileBuilder;
use crate::model::profile::{Label, LabelValue, Profile};
use crate::tree::call_tree::{NodeId, Tree};
use crate::verbs::SymbolFrame;

/// A frame that symbols give an address.
pub(crate) fn frame(name: &str, line: i64) -> SymbolFrame {
    SymbolFrame {
        name: name.to_owned(),
        system_name: format!("_{name}"),
        file: "a.c".to_owned(),
        line,
        column: 0,
    }
}

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

/// Samples 1, 2, 4, 8, …, each of words: labels `key=text` and `key#number unit`, and the stack
/// `root;…;leaf`.
pub(crate) fn labelled(samples: &[&str]) -> Profile {
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "count");
    for (i, text) in samples.iter().enumerate() {
        let (mut stack, mut labels) = (None, Vec::new());
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let (key, value) = if let Some((key, value)) = word.split_once('=') {
                (b.string(key), LabelValue::Text(b.string(value)))
            } else if let Some((key, rest)) = word.split_once('#') {
                let letters = rest.find(char::is_alphabetic).unwrap_or(rest.len());
                let (number, unit) = rest.split_at(letters);
                let number = number.parse().expect("a number");
                (b.string(key), LabelValue::Number(number, b.string(unit)))
            } else {
                stack = b.named_stack(&word.split(';').collect::<Vec<_>>());
                continue;
            };
            labels.push(Label { key, value });
        }
        let set = b.label_set(&mut labels);
        b.sample(stack, set, &[1 << i]);
    }
    b.finish()
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
