//! The call graph as text for Graphviz (DOT).
//!
//! The graph is that of [`super::call_graph`]. Labels are for people; the exact numbers stand in the
//! tooltips. A name stands in the text once, as a part of its node's label, and a very long one is cut
//! there.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use super::call_graph::{Edge, Trimming, call_graph};
use crate::model::profile_type::ProfileType;
use crate::tree::call_tree::{CallTree, NodeId};
use crate::tree::table::FunctionRow;
use crate::verbs::{MAX_NAME_BYTES, format_percent, format_value};

/// Nodes of a graph when a caller does not say.
pub const DEFAULT_NODES: usize = 100;

/// Most nodes of a graph. No layout of more can be read, and the time that residual edges take grows
/// with the square of the edges.
pub const MAX_NODES: usize = 1_000;

/// Largest font, for the function with the largest self value; the smallest has 8.
const FONT_SPAN: f64 = 16.0;

/// Width of an edge that is the whole profile, beyond that of the thinnest.
const PEN_SPAN: f64 = 5.0;

/// Writes the graph of a tree with at most so many nodes, and never more than [`MAX_NODES`]. Which
/// functions and calls are left out is that of pprof: [`Trimming`].
pub fn dot(tree: &CallTree, profile_type: &ProfileType, nodes: usize) -> String {
    let graph = call_graph(
        tree,
        Trimming {
            nodes: nodes.min(MAX_NODES),
            ..Trimming::default()
        },
    );
    let writer = Writer {
        tree,
        unit: &profile_type.sample_unit,
        largest: graph.nodes.iter().map(|row| row.own[0]).max().unwrap_or(0),
    };
    let mut text = format!("digraph \"{}\" {{\n", Escaped(&profile_type.to_string()));
    text += "node [shape=box style=filled fillcolor=\"#f8f8f8\"]\n";
    // A String takes all that is written to it.
    let _ = writeln!(
        text,
        "subgraph cluster_L {{ L [fontsize=16 label=\"Type: {}\\lTotal: {}\\lShowing {} of {} functions\\l\" tooltip=\"{}\"] }}",
        Escaped(&profile_type.sample_type),
        Escaped(&writer.rounded(tree.total())),
        graph.nodes.len(),
        graph.functions,
        Escaped(&writer.exact(tree.total())),
    );
    for (i, row) in graph.nodes.iter().enumerate() {
        writer.node(&mut text, i, row);
    }
    for edge in &graph.edges {
        writer.edge(&mut text, edge);
    }
    text += "}\n";
    text
}

struct Writer<'a> {
    tree: &'a CallTree,
    unit: &'a str,
    /// The largest self value.
    largest: i64,
}

impl Writer<'_> {
    fn node(&self, text: &mut String, node: usize, row: &FunctionRow<1>) {
        let shape = self.tree.shape();
        let (own, total) = (row.own[0], row.total[0]);
        let mut label = self.share(own);
        if own != total {
            let _ = write!(label, "\nof {}", self.share(total));
        }
        let font = 8.0 + FONT_SPAN * part(own, self.largest).sqrt();
        let _ = writeln!(
            text,
            "N{} [label=\"{}\\n{}\" fontsize={font:.0} tooltip=\"self {}, total {}\"]",
            node + 1,
            Escaped(&shown(shape.text(shape.frames()[row.frame].name))),
            Escaped(&label),
            Escaped(&self.exact(own)),
            Escaped(&self.exact(total)),
        );
    }

    fn edge(&self, text: &mut String, edge: &Edge<1>) {
        let total = edge.total[0];
        let width = 1.0 + PEN_SPAN * part(total, self.tree.total());
        let style = if edge.residual { " style=dotted" } else { "" };
        let _ = writeln!(
            text,
            "N{} -> N{} [label=\" {}\" penwidth={width:.1} tooltip=\"{}\"{style}]",
            edge.from + 1,
            edge.to + 1,
            Escaped(&self.rounded(total)),
            Escaped(&self.exact(total)),
        );
    }

    /// A value and how much of the whole it is.
    fn share(&self, value: i64) -> String {
        let whole = self.tree.totals(NodeId::ROOT)[0];
        let percent = format_percent(value.into(), whole.into());
        format!("{} ({percent})", self.rounded(value))
    }

    fn rounded(&self, value: i64) -> String {
        format_value(value, self.unit)
    }

    fn exact(&self, value: i64) -> String {
        format!("{value} {}", self.unit)
    }
}

/// As much of a name as a label shows: a thousand of 4 KiB take 4 MiB.
fn shown(name: &str) -> Cow<'_, str> {
    if name.len() <= MAX_NAME_BYTES {
        return name.into();
    }
    let end = name.floor_char_boundary(MAX_NAME_BYTES);
    format!("{}…", &name[..end]).into()
}

/// How much of a whole a value is, from 0 to 1.
fn part(value: i64, whole: i64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    (value as f64 / whole as f64).clamp(0.0, 1.0)
}

/// A text between quotes. Graphviz reads `\n`, `\N` and the like as commands and `&quot;` as what it
/// stands for, so neither may come from a name.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, c) in self.0.char_indices() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                '&' if is_entity(&self.0[at + 1..]) => f.write_str("&amp;")?,
                c if c.is_control() => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Whether what follows an ampersand makes an entity of it.
fn is_entity(rest: &str) -> bool {
    let word = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
    word.len() < rest.len() && word.starts_with(';')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;
    use crate::{By, ProfileBuilder};
    use proptest::prelude::*;

    fn cpu() -> ProfileType {
        "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
            .parse()
            .expect("a profile type")
    }

    fn drawn(stacks: &str, nodes: usize) -> String {
        dot(&CallTree::new(&profile(stacks), 0, By::Name), &cpu(), nodes)
    }

    #[test]
    fn a_graph() {
        let expect = r##"digraph "process_cpu:cpu:nanoseconds:cpu:nanoseconds" {
node [shape=box style=filled fillcolor="#f8f8f8"]
subgraph cluster_L { L [fontsize=16 label="Type: cpu\lTotal: 8 µs\lShowing 3 of 3 functions\l" tooltip="8000 nanoseconds"] }
N1 [label="main\n2 µs (25 %)\nof 8 µs (100 %)" fontsize=18 tooltip="self 2000 nanoseconds, total 8000 nanoseconds"]
N2 [label="b\n5 µs (62.5 %)" fontsize=24 tooltip="self 5000 nanoseconds, total 5000 nanoseconds"]
N3 [label="a\n1 µs (12.5 %)" fontsize=15 tooltip="self 1000 nanoseconds, total 1000 nanoseconds"]
N1 -> N2 [label=" 5 µs" penwidth=4.1 tooltip="5000 nanoseconds"]
N1 -> N3 [label=" 1 µs" penwidth=1.6 tooltip="1000 nanoseconds"]
}
"##;
        assert_eq!(drawn("main;a 1000\nmain;b 5000\nmain 2000", 100), expect);
    }

    #[test]
    fn what_is_left_out_is_bridged() {
        let text = drawn("main;pass;leaf 5\nmain;pass;leaf;end 1", 2);
        assert!(text.contains("Showing 2 of 4 functions"), "{text}");
        assert!(text.contains("style=dotted"), "{text}");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(
            shown(&"f".repeat(MAX_NAME_BYTES)),
            "f".repeat(MAX_NAME_BYTES)
        );
        let long = format!("{}äää", "f".repeat(MAX_NAME_BYTES - 1));
        assert_eq!(shown(&long), format!("{}…", &long[..MAX_NAME_BYTES - 1]));
        let text = drawn(&format!("{} 1", "f".repeat(1 << 20)), 100);
        assert!(
            text.contains("f…\\n1 ns") && text.len() < 5_000,
            "{}",
            text.len()
        );
    }

    #[test]
    fn nothing() {
        assert!(drawn("a 0", 100).contains("Showing 0 of 0 functions"));
    }

    #[test]
    fn escapes() {
        let check = |name: &str, expect: &str| assert_eq!(Escaped(name).to_string(), expect);
        check("f(const std::string&, int)", "f(const std::string&, int)");
        check(r#"a"]; evil ["#, r#"a\"]; evil ["#);
        check("a\\", "a\\\\");
        check("\\N\\G", "\\\\N\\\\G");
        check("a\nb\r\0", "a\\nb\u{fffd}\u{fffd}");
        check("&quot;&#34;&;& ;", "&amp;quot;&amp;#34;&;& ;");
    }

    /// The texts between quotes and what is around them, read as Graphviz does.
    fn read(text: &str) -> (Vec<String>, String) {
        let (mut quoted, mut rest) = (Vec::new(), String::new());
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            if c != '"' {
                rest.push(c);
                continue;
            }
            let mut inside = String::new();
            loop {
                match chars.next().expect("the end of a text") {
                    '"' => break,
                    '\\' => match chars.next().expect("what is escaped") {
                        'n' | 'l' => inside.push('\n'),
                        c @ ('"' | '\\') => inside.push(c),
                        c => panic!("\\{c} is a command"),
                    },
                    c => inside.push(c),
                }
            }
            quoted.push(inside.replace("&amp;", "&"));
        }
        (quoted, rest)
    }

    proptest! {
        #[test]
        fn no_name_breaks_out(names in proptest::collection::vec("[\"\\\\nNlG;\\[\\]{}<>&a-c#;\n-]{1,12}", 1..5)) {
            let mut builder = ProfileBuilder::new();
            builder.sample_type("cpu", "nanoseconds");
            let plain = ["p", "q", "r", "s"];
            for (i, name) in names.iter().enumerate() {
                let stack = builder.named_stack(&["main", name]);
                builder.sample(stack, None, &[1 << i]);
            }
            let text = dot(&CallTree::new(&builder.finish(), 0, By::Name), &cpu(), 100);
            let (quoted, rest) = read(&text);
            for name in &names {
                let label = format!("{name}\n");
                prop_assert!(quoted.iter().any(|text| text.starts_with(&label)), "{name:?} in {text}");
            }
            // What is outside of texts is that of plain names.
            let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
            if distinct.len() == names.len() {
                let mut builder = ProfileBuilder::new();
                builder.sample_type("cpu", "nanoseconds");
                for (i, name) in plain.iter().take(names.len()).enumerate() {
                    let stack = builder.named_stack(&["main", name]);
                    builder.sample(stack, None, &[1 << i]);
                }
                let text = dot(&CallTree::new(&builder.finish(), 0, By::Name), &cpu(), 100);
                prop_assert_eq!(rest, read(&text).1);
            }
        }
    }
}
