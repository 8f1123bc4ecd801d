//! Profiles of React DevTools ("Save profile"): for each commit how long each component rendered.
//!
//! Source: `types.js` and `CommitTreeBuilder.js` in `react-devtools-shared/src/devtools/views/Profiler`,
//! versions 4 and 5 of the export.
//!
//! - The components are a tree: `snapshots` have it as it was when the profile began, `operations`
//!   what was mounted since. Ids are never used twice and parents stay what they are, so one table has
//!   them all.
//! - A sample is a component in a commit: the time that it took without its children. When each began
//!   is not written: they follow one another from the time of the commit.

mod operations;
#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::frames::Frame;
use crate::imports::json::reader::{Problem, Reader};
use crate::imports::rows::Rows;
use crate::model::id::{LabelSetId, StackId, StringId};
use operations::{Operations, ROOT};

/// What it is called in messages.
pub(crate) const NAME: &str = "React profile";

/// Of milliseconds.
const NANOSECONDS: i64 = 1_000_000;

/// What DevTools calls a component without a name.
const UNNAMED: &str = "Anonymous";
/// One that no operation told of.
const UNKNOWN: &str = "(unknown component)";

/// What a component that is known takes: its row and twice its place in the table.
const COMPONENT: usize = 96;

/// Whether it has data of roots.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::React)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut json = Reader::of(bytes, NAME)?;
    let mut rows = Rows::new(NAME, bytes.len());
    rows.sample_type("wall", "nanoseconds")?;
    rows.sample_type("renders", "count")?;
    let default = rows.builder.string("wall");
    rows.builder.header().default_sample_type = default;
    let mut profile = Profile {
        rows,
        components: HashMap::new(),
        unread: 0,
        unknown: 0,
    };
    json.object(&mut |json, key| match key {
        "dataForRoots" => json.list(&mut |json| profile.root(json)),
        _ => json.skip(),
    })
    .map_err(|problem| problem.of(NAME))?;
    let Profile {
        mut rows,
        unread,
        unknown,
        ..
    } = profile;
    for (count, what) in [
        (
            unread,
            "lists of operations have an unknown layout; components mounted there have no names",
        ),
        (
            unknown,
            "renders belong to components that the file does not name",
        ),
    ] {
        rows.warnings.count(count, what);
    }
    rows.finish()
}

struct Profile {
    rows: Rows,
    /// Those of all roots, by their ids.
    components: HashMap<i64, Component>,
    /// Lists of operations that are of no layout.
    unread: u64,
    unknown: u64,
}

#[derive(Clone, Copy)]
struct Component {
    parent: i64,
    /// Empty for a root.
    name: StringId,
    /// Down to it, if that is known; a root has none.
    stack: Option<Option<StackId>>,
}

impl Profile {
    /// Reads what a root has, the commits last.
    fn root(&mut self, json: &mut Reader<'_>) -> Result<(), Problem> {
        let mut commits = None;
        let mut labels = None;
        json.object(&mut |json, key| match key {
            "snapshots" => json.list(&mut |json| self.snapshot(json)),
            "operations" => json.list(&mut |json| self.operations(json)),
            "displayName" => {
                let label = self.rows.text("root", &json.text()?);
                labels = self.rows.builder.label_set(&mut [label]);
                Ok(())
            }
            "commitData" => {
                commits = Some(json.position());
                json.skip()
            }
            _ => json.skip(),
        })?;
        match commits {
            Some(position) => {
                let json = &mut json.moved(position);
                json.list(&mut |json| self.commit(json, labels))
            }
            None => Ok(()),
        }
    }

    /// Reads a component and its id, which it has itself, too.
    fn snapshot(&mut self, json: &mut Reader<'_>) -> Result<(), Problem> {
        json.list(&mut |json| {
            if json.peek()? != b'{' {
                return json.skip();
            }
            let (mut id, mut name, mut kind) = (0, String::new(), 0);
            let mut wrappers = Vec::new();
            let mut children = Vec::new();
            json.object(&mut |json, key| {
                match key {
                    "id" => id = json.number(1)?.unwrap_or(0),
                    "displayName" => name = json.text()?.into_owned(),
                    "type" => kind = json.number(1)?.unwrap_or(0),
                    "hocDisplayNames" => json.list(&mut |json| {
                        wrappers.push(json.text()?.into_owned());
                        Ok(())
                    })?,
                    "children" => children = numbers(json)?,
                    _ => json.skip()?,
                }
                Ok(())
            })?;
            // As operations have it: `Memo(Row)`.
            for wrapper in wrappers.iter().rev() {
                name = format!("{wrapper}({name})");
            }
            self.name(id, kind, &name);
            for child in children {
                self.component(child).parent = id;
            }
            self.check(json)
        })
    }

    fn component(&mut self, id: i64) -> &mut Component {
        let unknown = self.rows.builder.string(UNKNOWN);
        self.components.entry(id).or_insert_with(|| {
            self.rows.beside += COMPONENT;
            Component {
                parent: 0,
                name: unknown,
                stack: None,
            }
        })
    }

    fn name(&mut self, id: i64, kind: i64, name: &str) {
        let compiled = name.strip_prefix("Forget[");
        let name = match compiled.and_then(|name| name.strip_suffix(']')) {
            _ if kind == ROOT => "",
            Some(name) => name,
            None if name.is_empty() => UNNAMED,
            None => name,
        };
        let name = self.rows.builder.string(name);
        self.component(id).name = name;
    }

    /// Reads what was mounted before a commit.
    fn operations(&mut self, json: &mut Reader<'_>) -> Result<(), Problem> {
        let numbers = numbers(json)?;
        let Some(read) = Operations::of(&numbers) else {
            self.unread += 1;
            return Ok(());
        };
        for &at in &read.mounted {
            let (id, kind, parent, name) = read.component(at);
            self.name(id, kind, &name);
            self.component(id).parent = parent;
            self.check(json)?;
        }
        Ok(())
    }

    /// Reads what rendered for a commit.
    fn commit(&mut self, json: &mut Reader<'_>, labels: Option<LabelSetId>) -> Result<(), Problem> {
        let (mut time, mut durations) = (0, None);
        json.object(&mut |json, key| {
            match key {
                "timestamp" => time = json.number(NANOSECONDS)?.unwrap_or(0),
                "fiberSelfDurations" => {
                    durations = Some(json.position());
                    json.skip()?;
                }
                _ => json.skip()?,
            }
            Ok(())
        })?;
        let Some(position) = durations else {
            return Ok(());
        };
        json.moved(position).list(&mut |json| {
            let mut pair = [0, 0];
            let mut next = 0;
            json.list(&mut |json| {
                let scale = if next == 0 { 1 } else { NANOSECONDS };
                let number = json.number(scale)?.unwrap_or(0);
                if let Some(place) = pair.get_mut(next) {
                    *place = number;
                }
                next += 1;
                Ok(())
            })?;
            let [id, duration] = pair;
            let stack = self.stack(id).map_err(|problem| json.problem(problem))?;
            // A root is no component, and seldom takes time itself.
            if stack.is_some() || duration != 0 {
                let builder = &mut self.rows.builder;
                builder.sample_at(time, stack, labels, &[duration, 1]);
            }
            time = time.saturating_add(duration.max(0));
            self.check(json)
        })
    }

    /// The stack down to a component.
    fn stack(&mut self, id: i64) -> Result<Option<StackId>, String> {
        let unknown = self.rows.builder.string(UNKNOWN);
        if self.component(id).name == unknown {
            self.unknown += 1;
        }
        // Up to one whose stack is known.
        let mut way = Vec::new();
        let (mut next, mut stack) = (id, None);
        while let Some(component) = self.components.get(&next) {
            if let Some(known) = component.stack {
                stack = known;
                break;
            }
            if way.len() == MAX_STACK_DEPTH {
                return Err(format!(
                    "component {id} has more than {MAX_STACK_DEPTH} ancestors, or is its own ancestor"
                ));
            }
            way.push(next);
            next = component.parent;
        }
        while let Some(id) = way.pop() {
            if let Some(component) = self.components.get_mut(&id) {
                if !component.name.is_empty() {
                    let builder = &mut self.rows.builder;
                    let location = Frame::named(component.name).location(builder);
                    stack = Some(builder.stack(stack, location));
                }
                component.stack = Some(stack);
            }
        }
        Ok(stack)
    }

    fn check(&self, json: &Reader<'_>) -> Result<(), Problem> {
        self.rows
            .check()
            .map_err(|error| json.problem(error.problem))
    }
}

/// A list of whole numbers.
fn numbers(json: &mut Reader<'_>) -> Result<Vec<i64>, Problem> {
    let mut numbers = Vec::new();
    json.list(&mut |json| {
        numbers.push(json.number(1)?.unwrap_or(0));
        Ok(())
    })?;
    numbers.shrink_to_fit();
    Ok(numbers)
}
