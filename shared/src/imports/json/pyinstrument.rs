//! Files of pyinstrument: what its renderer `json` writes, and its saved sessions (`.pyisession`).
//!
//! Source: `pyinstrument/renderers/jsonrenderer.py` and `pyinstrument/session.py`, versions 4 and 5.
//!
//! - The tree of the renderer says how long each function took with all below it. `[self]` below a
//!   function is the function itself.
//! - A session is a list of stacks, each with its seconds. A frame is a text: its name, file and
//!   first line, and behind `\x01` what else is known: `l10` the line, `cName` its class.
//! - Trees are deeper than what serde reads.

use std::borrow::Cow;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::frames::Frame;
use crate::imports::json::reader::{Problem, Reader};
use crate::imports::rows::Rows;
use crate::model::id::{LabelSetId, LocationId, StackId, StringId};

/// What it is called in messages.
pub(crate) const NAME: &str = "pyinstrument profile";

/// The time of a function without what it calls.
const SELF: &str = "[self]";
/// The file of a frame that names a thread.
const THREAD: &str = "<thread>";

const NANOSECONDS: i64 = 1_000_000_000;

/// Times are written with six digits: those of ten children may exceed their sum by so much.
const ROUNDING: i64 = 10_000;

/// Whether this is a rendered tree or a session.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Pyinstrument)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut json = Reader::of(bytes, NAME)?;
    let mut rows = Rows::new(NAME, bytes.len());
    rows.sample_type("wall", "nanoseconds")?;
    let mut tree = Tree { nodes: Vec::new() };
    json.object(&mut |json, key| match key {
        "start_time" => {
            rows.builder.header().time_nanos = json.number(NANOSECONDS)?.unwrap_or(0);
            Ok(())
        }
        "duration" => {
            rows.builder.header().duration_nanos = json.number(NANOSECONDS)?.unwrap_or(0);
            Ok(())
        }
        "root_frame" => tree.read(json, &mut rows),
        "frame_records" => json.list(&mut |json| record(json, &mut rows)),
        _ => json.skip(),
    })
    .map_err(|problem| problem.of(NAME))?;
    tree.write(&mut rows)?;
    rows.finish()
}

struct Tree {
    /// Parents before their children.
    nodes: Vec<Node>,
}

struct Node {
    parent: Option<u32>,
    name: StringId,
    class: StringId,
    file: StringId,
    line: i64,
    time: i64,
    /// That of its children.
    below: i64,
}

impl Tree {
    fn read(&mut self, json: &mut Reader<'_>, rows: &mut Rows) -> Result<(), Problem> {
        let mut open: Vec<u32> = Vec::new();
        if json.begin()? {
            open.push(self.node(None, rows));
        }
        let mut is_list = false;
        while let Some(&row) = open.last() {
            if is_list {
                is_list = json.item()?;
                if is_list && json.begin()? {
                    if open.len() == MAX_STACK_DEPTH {
                        return Err(json.problem(too_deep()));
                    }
                    open.push(self.node(Some(row), rows));
                    rows.check().map_err(|error| json.problem(error.problem))?;
                    is_list = false;
                }
                continue;
            }
            let node = &mut self.nodes[row as usize];
            let builder = &mut rows.builder;
            match json.key()?.as_deref() {
                Some("function") => node.name = builder.string(&json.text()?),
                Some("class_name") => node.class = builder.string(&json.text()?),
                Some("file_path") => node.file = builder.string(&json.text()?),
                Some("line_no") => node.line = json.number(1)?.unwrap_or(0),
                Some("time") => node.time = json.number(NANOSECONDS)?.unwrap_or(0),
                Some("children") => is_list = json.enter()?,
                Some(_) => json.skip()?,
                None => {
                    open.pop();
                    is_list = !open.is_empty();
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, parent: Option<u32>, rows: &mut Rows) -> u32 {
        // Twice, for the table doubles.
        rows.beside += 2 * size_of::<Node>();
        self.nodes.push(Node {
            parent,
            name: StringId::EMPTY,
            class: StringId::EMPTY,
            file: StringId::EMPTY,
            line: 0,
            time: 0,
            below: 0,
        });
        (self.nodes.len() - 1) as u32
    }

    fn write(mut self, rows: &mut Rows) -> Result<(), FormatError> {
        let mut exceeded = 0u64;
        for row in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[row];
            exceeded += u64::from(node.below.saturating_sub(node.time) > ROUNDING);
            // What is missing is taken from the functions above, so that the whole stays the whole.
            let (parent, time) = (node.parent, node.time.max(node.below));
            node.time = time;
            if let Some(parent) = parent {
                let below = &mut self.nodes[parent as usize].below;
                *below = below.saturating_add(time);
            }
        }
        let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let parent = node.parent.and_then(|parent| stacks[parent as usize]);
            let profile = rows.builder.profile();
            let stack = if profile.text(node.name) == SELF {
                parent
            } else {
                let name = named(profile.text(node.class), profile.text(node.name)).into_owned();
                let location = location(rows, &name, node.file, node.line, node.line);
                Some(rows.builder.stack(parent, location))
            };
            stacks.push(stack);
            let own = node.time.saturating_sub(node.below);
            if own > 0 {
                rows.sample(stack, None, 0, own);
            }
            rows.check()?;
        }
        if exceeded > 0 {
            rows.warnings.add(|| {
                format!(
                    "{exceeded} functions have less time than their callees, so their self time is set to 0"
                )
            });
        }
        Ok(())
    }
}

/// Reads a stack of a session and its seconds.
fn record(json: &mut Reader<'_>, rows: &mut Rows) -> Result<(), Problem> {
    let (mut stack, mut labels, mut time) = (None, None, 0);
    let mut part = 0;
    json.list(&mut |json| {
        part += 1;
        match part {
            1 => (stack, labels) = frames(json, rows)?,
            2 => time = json.number(NANOSECONDS)?.unwrap_or(0),
            _ => json.skip()?,
        }
        Ok(())
    })?;
    rows.sample(stack, labels, 0, time);
    rows.check().map_err(|error| json.problem(error.problem))
}

/// Reads the frames of a stack, the root first.
fn frames(
    json: &mut Reader<'_>,
    rows: &mut Rows,
) -> Result<(Option<StackId>, Option<LabelSetId>), Problem> {
    let (mut stack, mut depth, mut thread) = (None, 0, None);
    json.list(&mut |json| {
        let text = json.text()?;
        let mut words = text.split('\x01');
        let mut parts = words.next().unwrap_or("").split('\0');
        let name = parts.next().unwrap_or("");
        let file = parts.next().unwrap_or("");
        let first: i64 = parts.next().and_then(|line| line.parse().ok()).unwrap_or(0);
        if file == THREAD {
            thread = Some(rows.text("thread", name));
            return Ok(());
        }
        let (mut class, mut line) = ("", first);
        for word in words {
            if let Some(name) = word.strip_prefix('c') {
                class = name;
            } else if let Some(number) = word.strip_prefix('l') {
                line = number.parse().unwrap_or(first);
            }
        }
        depth += 1;
        if depth > MAX_STACK_DEPTH {
            return Err(json.problem(too_deep()));
        }
        let file = rows.builder.string(file);
        let location = location(rows, &named(class, name), file, first, line);
        stack = Some(rows.builder.stack(stack, location));
        Ok(())
    })?;
    let labels = thread.and_then(|label| rows.builder.label_set(&mut [label]));
    Ok((stack, labels))
}

/// A function of a class, which may be empty.
fn named<'a>(class: &str, name: &'a str) -> Cow<'a, str> {
    if class.is_empty() {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("{class}.{name}"))
    }
}

fn location(rows: &mut Rows, name: &str, file: StringId, start_line: i64, line: i64) -> LocationId {
    let frame = Frame {
        file,
        start_line,
        line,
        ..Frame::named(rows.builder.string(name))
    };
    frame.location(&mut rows.builder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    #[test]
    fn a_tree_has_own_times() {
        let text = r#"{"start_time":5.5,"duration":0.5,"sample_count":9,"cpu_time":0.1,
            "root_frame":{"function":"<module>","file_path_short":"a","file_path":"/a.py",
            "line_no":1,"time":0.400000,"await_time":0,"is_application_code":true,"children":[
            {"function":"run","file_path":"/a.py","line_no":7,"time":0.3,"children":[
            {"function":"[self]","file_path":"","line_no":0,"time":0.1,"children":[]},null,
            {"function":"f","file_path":null,"line_no":0,"time":0.15,"children":[]}],
            "group_id":"x","class_name":"C"},
            {"function":"g","file_path":"/b.py","line_no":2,"time":0.100001,"children":null}]}}"#;
        assert!(sniff(Start::of(text.as_bytes())));
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(
            drawn(&decoded.profile),
            "wall/nanoseconds\n\
             <module> /a.py:1;C.run /a.py:7 50000000\n\
             <module> /a.py:1;C.run /a.py:7 100000000\n\
             <module> /a.py:1;C.run /a.py:7;f 150000000\n\
             <module> /a.py:1;g /b.py:2 100001000\n"
        );
        assert_eq!(decoded.warnings.len(), 0);
        let header = decoded.profile.header();
        assert_eq!(
            (header.time_nanos, header.duration_nanos),
            (5_500_000_000, 500_000_000)
        );
    }

    #[test]
    fn trees_may_be_deep() {
        let depth = 9_000;
        let text = format!(
            "{{\"root_frame\":{}{}}}",
            "{\"function\":\"f\",\"time\":0.5,\"children\":[".repeat(depth),
            "]}".repeat(depth)
        );
        let profile = decode(text.as_bytes()).expect("good").profile;
        assert_eq!((profile.len(), profile.total(0)), (1, 500_000_000));
        assert_eq!(profile.stacks().len(), depth);
    }

    #[test]
    fn a_session_is_a_list_of_stacks() {
        let text = r#"{"start_time":0,"duration":1,"sample_count":2,"start_call_stack":[],
            "frame_records":[[["Main\u0000<thread>\u00007","<module>\u0000a.py\u00001\u0001l8",
            "run\u0000a.py\u00003\u0001cC\u0001l4"],0.25],[["g\u0000<built-in>\u00000"],0.5]]}"#;
        assert!(sniff(Start::of(text.as_bytes())));
        assert_eq!(
            drawn(&decode(text.as_bytes()).expect("good").profile),
            "wall/nanoseconds\n\
             <module> a.py:8;C.run a.py:4 thread=Main 250000000\n\
             g <built-in> 500000000\n"
        );
    }

    #[test]
    fn what_is_wrong() {
        let text = r#"{"root_frame":{"function":"f","time":0.1,"children":[{"function":"g","time":0.2}]}}"#;
        assert_eq!(
            decode(text.as_bytes()).expect("good").warnings,
            ["1 functions have less time than their callees, so their self time is set to 0"]
        );
        for (text, expect) in [
            (r#"{"root_frame":null}"#, ": there are no samples"),
            (r#"{"root_frame":7}"#, ", byte 14: expected an object"),
            (
                r#"{"root_frame":{"time":"x"}}"#,
                ", byte 25: \"x\" is not a number",
            ),
        ] {
            let error = decode(text.as_bytes()).expect_err("is damaged").to_string();
            assert_eq!(error, format!("{NAME}{expect}"));
        }
    }
}
