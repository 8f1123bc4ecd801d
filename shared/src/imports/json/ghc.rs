//! GHC's profiles in JSON (`+RTS -pj`).
//!
//! Source: the GHC user's guide, "JSON profile format". A tree of cost centres, each with how often
//! it was entered, its ticks and what it allocated, without what is below it.

use hashbrown::HashMap;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::json::each;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::{Start, without_mark};
use crate::imports::error::FormatError;
use crate::imports::frames::Frame;
use crate::model::builder::ProfileBuilder;
use crate::model::id::LocationId;

pub(crate) const NAME: &str = "GHC profile";

#[derive(Deserialize)]
struct Document {
    /// Microseconds.
    #[serde(default)]
    tick_interval: i64,
    cost_centres: Centres,
    /// See [`tree`].
    #[serde(rename = "profile")]
    _profile: IgnoredAny,
}

/// The table of cost centres.
#[derive(Default)]
struct Centres {
    builder: ProfileBuilder,
    rows: HashMap<i64, LocationId>,
}

#[derive(Deserialize)]
struct Centre {
    id: i64,
    label: String,
    module: String,
    #[serde(default)]
    src_loc: String,
}

/// A node of the tree. Callers come before callees.
#[derive(Default)]
struct Node {
    /// The row of its caller, plus one; 0 for none.
    parent: u32,
    /// That of its cost centre.
    id: Option<i64>,
    entries: i64,
    alloc: i64,
    ticks: i64,
}

/// Whether this is GHC's.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Ghc)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let document: Document = serde_json::from_slice(without_mark(bytes))
        .map_err(|error| FormatError::json(NAME, &error))?;
    let nodes = tree(bytes).map_err(|problem| FormatError::at(NAME, "profile", problem))?;
    let Centres { mut builder, rows } = document.cost_centres;
    builder.sample_type("entries", "count");
    builder.sample_type("alloc_space", "bytes");
    builder.sample_type("time", "nanoseconds");
    let tick = document.tick_interval.saturating_mul(1000);
    let mut stacks = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let id = node.id.unwrap_or_default();
        let Some(&location) = rows.get(&id) else {
            let problem = format!("there is no cost centre {id}");
            return Err(FormatError::at(NAME, "profile", problem));
        };
        // Callers come first.
        let parent = (node.parent as usize).checked_sub(1);
        let stack = builder.stack(parent.map(|parent| stacks[parent]), location);
        stacks.push(stack);
        let values = [node.entries, node.alloc, node.ticks.saturating_mul(tick)];
        if values != [0; 3] {
            builder.sample(Some(stack), None, &values);
        }
    }
    Ok(Decoded {
        profile: builder.finish(),
        warnings: Vec::new(),
    })
}

impl<'de> Deserialize<'de> for Centres {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut centres = Self::default();
        each(deserializer, "a list of cost centres", |centre: Centre| {
            let builder = &mut centres.builder;
            let (file, line, column) = place(&centre.src_loc);
            let name = format!("{}.{}", centre.module, centre.label);
            let frame = Frame {
                file: builder.string(file),
                start_line: line,
                line,
                column,
                ..Frame::named(builder.string(&name))
            };
            let location = frame.location(builder);
            centres.rows.insert(centre.id, location);
            Ok(())
        })?;
        Ok(centres)
    }
}

/// File, line and column of `Main.hs:17:1-4` or `Main.hs:(21,1)-(38,42)`; nothing of
/// `<no location info>`.
fn place(text: &str) -> (&str, i64, i64) {
    let whole = (text, 0, 0);
    if text.starts_with('<') {
        return ("", 0, 0);
    }
    let first = |text: &str| {
        let digits = text.trim_start_matches('(');
        let end = digits.find(|c: char| !c.is_ascii_digit());
        digits[..end.unwrap_or(digits.len())].parse().unwrap_or(0)
    };
    // The file's own colons come first.
    let from_range = text
        .rsplit_once(":(")
        .map(|(file, range)| (file, range, ','));
    let from_line = || {
        let (rest, _) = text.rsplit_once(':')?;
        let (file, _) = rest.rsplit_once(':')?;
        Some((file, &text[file.len() + 1..], ':'))
    };
    let Some((file, numbers, between)) = from_range.or_else(from_line) else {
        return whole;
    };
    let column = numbers.split_once(between).map_or("", |(_, column)| column);
    (file, first(numbers), first(column))
}

/// What is open at a place of the text.
#[derive(Clone, Copy)]
enum Open {
    Node(u32),
    /// The list of the nodes below one.
    Children(u32),
    Other,
}

/// Reads the tree of a text that is known to be JSON. It is read by hand, as it may be far deeper
/// than the reader of JSON goes.
fn tree(text: &[u8]) -> Result<Vec<Node>, String> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let (mut key, mut at) = (&b""[..], 0);
    while let Some(&byte) = text.get(at) {
        let start = at;
        at += 1;
        match (byte, open.last().copied()) {
            (b'"', _) => {
                at += string(&text[at..]);
                let behind = text[at..].trim_ascii_start();
                if behind.starts_with(b":") {
                    key = &text[start + 1..at - 1];
                }
            }
            (b'[', Some(Open::Node(row))) if key == b"children" => open.push(Open::Children(row)),
            (b'{', last) => {
                let parent = match last {
                    Some(Open::Children(row)) => row + 1,
                    Some(Open::Other) if open.len() == 1 && key == b"profile" => 0,
                    _ => {
                        open.push(Open::Other);
                        continue;
                    }
                };
                // A node is open in a list, but for the first.
                if open.len() / 2 >= MAX_STACK_DEPTH {
                    return Err(format!("the tree has more than {MAX_STACK_DEPTH} levels"));
                }
                // Inputs stay below 4 GiB.
                open.push(Open::Node(nodes.len() as u32));
                nodes.push(Node {
                    parent,
                    ..Node::default()
                });
            }
            (b'[', _) => open.push(Open::Other),
            (b'}' | b']', last) => {
                if let Some(Open::Node(row)) = last
                    && nodes[row as usize].id.is_none()
                {
                    return Err(format!("node {row} has no id"));
                }
                open.pop();
                // A key holds for one value.
                key = b"";
            }
            (b'-' | b'0'..=b'9', last) => {
                let is_digit = |b: &u8| !b",]}".contains(b) && !b.is_ascii_whitespace();
                at += text[at..].iter().take_while(|b| is_digit(b)).count();
                if let Some(Open::Node(row)) = last {
                    nodes[row as usize]
                        .set(key, &text[start..at])
                        .map_err(|problem| format!("node {row}: {problem}"))?;
                }
            }
            _ => {}
        }
    }
    Ok(nodes)
}

/// The length of a string behind its first quote, with the last.
fn string(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

impl Node {
    fn set(&mut self, key: &[u8], digits: &[u8]) -> Result<(), String> {
        let number = || {
            let digits = String::from_utf8_lossy(digits);
            let number = digits.parse::<i64>();
            number.map_err(|_| format!("{} is not a 64-bit integer", cut(&digits)))
        };
        match key {
            b"id" => self.id = Some(number()?),
            b"entries" => self.entries = number()?,
            b"alloc" => self.alloc = number()?,
            b"ticks" => self.ticks = number()?,
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    fn open(profile: &str) -> Result<Decoded, FormatError> {
        let text = format!(
            r#"{{"program":"x","rts_arguments":["-pj"],"tick_interval":1000,"profile":{profile},
            "cost_centres":[
                {{"id":1,"label":"MAIN","module":"MAIN","src_loc":"<built-in>","is_caf":false}},
                {{"id":2,"label":"f","module":"A","src_loc":"src/A.hs:17:1-8","is_caf":false}}]}}"#
        );
        decode(text.as_bytes())
    }

    #[test]
    fn a_tree_of_cost_centres() {
        let decoded = open(
            r#"{"id":1,"entries":0,"alloc":648,"ticks":0,"children":[
                {"children":[{"id":2,"entries":1,"alloc":0,"ticks":0,"children":[]}],
                "ticks":5,"alloc":7,"entries":3,"id":2},
                {"id":2,"entries":0,"alloc":0,"ticks":0,"children":[]}]}"#,
        )
        .expect("opens");
        assert_eq!(
            drawn(&decoded.profile),
            "entries/count\nalloc_space/bytes\ntime/nanoseconds\n\
             MAIN.MAIN 0 648 0\n\
             MAIN.MAIN;A.f src/A.hs:17:1 3 7 5000000\n\
             MAIN.MAIN;A.f src/A.hs:17:1;A.f src/A.hs:17:1 1 0 0\n"
        );
    }

    #[test]
    fn places() {
        assert_eq!(place("src/A.hs:(21,3)-(38,42)"), ("src/A.hs", 21, 3));
        assert_eq!(place("C:A.hs:17:1-4"), ("C:A.hs", 17, 1));
        assert_eq!(place("<no location info>"), ("", 0, 0));
        assert_eq!(place("A.hs"), ("A.hs", 0, 0));
    }

    #[test]
    fn what_is_wrong() {
        let error = open(r#"{"id":9}"#).expect_err("is damaged");
        assert_eq!(
            error.to_string(),
            "GHC profile, profile: there is no cost centre 9"
        );
        for (node, expect) in [
            (r#"{"entries":9}"#, "node 0 has no id"),
            (
                r#"{"id":1,"children":[{"id":1,"ticks":1.5}]}"#,
                "node 1: 1.5 is not a 64-bit integer",
            ),
        ] {
            let error = open(node).expect_err("is damaged");
            assert_eq!(error.to_string(), format!("GHC profile, profile: {expect}"));
        }
    }

    #[test]
    fn trees_may_be_deep() {
        let deep = |levels: usize| {
            let (open_node, close) = (r#"{"id":1,"x":{"y":[1]},"ticks":1,"children":["#, "]}");
            open(&format!(
                "{}{}",
                open_node.repeat(levels),
                close.repeat(levels)
            ))
        };
        let decoded = deep(MAX_STACK_DEPTH).expect("opens");
        assert_eq!(decoded.profile.stacks().len(), MAX_STACK_DEPTH);
        assert_eq!(
            deep(MAX_STACK_DEPTH + 1)
                .expect_err("is too deep")
                .to_string(),
            "GHC profile, profile: the tree has more than 16384 levels"
        );
        let quotes = r#"{"id":1,"\"profile\":{":"\\","ticks":2}"#;
        assert_eq!(open(quotes).expect("opens").profile.total(2), 2_000_000);
    }
}
