//! Collapse recursion: repeated frames of a stack become one.

use hashbrown::HashMap;
use thiserror::Error;

use crate::model::id::{LocationId, StackId};
use crate::model::profile::{Line, Location, Profile, Samples, Stack};
use crate::verbs::rewrite::{choose_samples, rewrite_rows, with_tables};

/// Most frames that the stack table may have with its inlined calls spelt out: 16 Mi, four times
/// those of the largest profile that was measured (420,000 samples). With 12 bytes a frame, and 16
/// of those on the path, that is 200 MB. A made-up location of 4,096 lines on every stack would
/// multiply a file by a thousand otherwise.
const MAX_FRAMES: u64 = 16 << 20;

/// Why recursion cannot be collapsed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RecursionError {
    /// The inlined calls of the stacks are too many to spell out.
    #[error(
        "the stacks have {frames} frames, counting inlined calls; at most {MAX_FRAMES} are allowed"
    )]
    TooManyFrames {
        /// How many there are.
        frames: u64,
    },
}

/// What counts as recursion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recursion {
    /// A function that calls itself: `a;f;f;f;b` becomes `a;f;b`.
    ///
    /// Self and total of every function stay exact.
    Direct,
    /// A function that is on the stack already: the cycle is cut back to its first occurrence, so
    /// that `a;f;g;f;b` becomes `a;f;b`, and no function is twice on a stack.
    ///
    /// Self of every function stays exact, and so does the total of every function that is on no
    /// stack only within a cycle; one that is loses the samples whose stacks it leaves (`g` here).
    Cycles,
}

/// Collapses recursion.
///
/// Two frames are equal when their functions have the same name and file; frames without a
/// function, when they have the same address and file of their mapping. The first of them, counted
/// from the root, is the one that stays, with its line number. Inlined frames become locations of
/// their own, as one of a location may go while another stays.
///
/// Laws: totals of the profile stay; applied twice it changes nothing more; commutes with merging.
pub fn collapse_recursion(profile: &Profile, mode: Recursion) -> Result<Profile, RecursionError> {
    let lines =
        |stack: &Stack| u64::from(profile.locations[stack.location.index()].line_count.max(1));
    let frames: u64 = profile.stacks.iter().map(lines).sum();
    if frames > MAX_FRAMES {
        return Err(RecursionError::TooManyFrames { frames });
    }
    let frames = Frames::new(profile);
    let (stacks, map) = match mode {
        Recursion::Direct => direct(profile, &frames),
        Recursion::Cycles => cycles(profile, &frames),
    };
    let samples: Samples = choose_samples(&profile.samples, |row| {
        Some(profile.samples.stacks[row].and_then(|s| map[s.index()]))
    });
    Ok(with_tables(
        profile,
        stacks,
        frames.lines,
        frames.locations,
        samples,
    ))
}

type Rows = (Vec<Stack>, Vec<Option<StackId>>);

fn direct(profile: &Profile, frames: &Frames) -> Rows {
    // The state is the key of the frame on top.
    let rows = rewrite_rows(profile, u32::MAX, |mut top, location, emit| {
        for frame in frames.of(location) {
            let key = frames.keys[frame];
            if key != top {
                emit.push(LocationId::new(frame));
                top = key;
            }
        }
        top
    });
    (rows.stacks, rows.map)
}

/// Walks the stacks depth first, so that the frames above a row are at hand: `path` holds those of
/// the stack as it is cut, and `last` where each key was last put. Cutting only shortens the path;
/// what was put there before is still known as valid or not by its place, and what a row overwrote
/// is put back when the walk leaves it. So each row costs its own frames only.
fn cycles(profile: &Profile, frames: &Frames) -> Rows {
    let count = profile.stacks.len();
    let mut stacks: Vec<Stack> = Vec::with_capacity(count);
    let mut depths: Vec<u32> = Vec::with_capacity(count);
    let mut map = vec![None; count];
    let (mut path, mut last) = (Vec::<u32>::new(), vec![NONE; frames.key_count]);
    let mut undo: Vec<Undo> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let children = Children::new(profile);
    let mut next = children.first(None);
    let mut length = 0usize;
    loop {
        if let Some(row) = next {
            open.push(Open {
                row,
                length,
                undo: undo.len(),
            });
            for frame in frames.of(profile.stacks[row].location) {
                let key = frames.keys[frame] as usize;
                let before = last[key];
                let depth = if before == NONE {
                    0
                } else {
                    depths[before as usize] as usize
                };
                if before != NONE && depth < length && path[depth] == before {
                    length = depth + 1;
                    continue;
                }
                let parent = length
                    .checked_sub(1)
                    .map(|top| StackId::new(path[top] as usize));
                let new = stacks.len() as u32;
                stacks.push(Stack {
                    parent,
                    location: LocationId::new(frame),
                });
                depths.push(length as u32);
                if path.len() == length {
                    path.push(NONE);
                }
                undo.push(Undo {
                    depth: length,
                    at_depth: std::mem::replace(&mut path[length], new),
                    key,
                    before,
                });
                last[key] = new;
                length += 1;
            }
            map[row] = length
                .checked_sub(1)
                .map(|top| StackId::new(path[top] as usize));
            next = children.first(Some(row));
            continue;
        }
        let Some(left) = open.pop() else { break };
        for Undo {
            depth,
            at_depth,
            key,
            before,
        } in undo.drain(left.undo..).rev()
        {
            path[depth] = at_depth;
            last[key] = before;
        }
        length = left.length;
        next = children.after(left.row);
    }
    (stacks, map)
}

/// No row.
const NONE: u32 = u32::MAX;

/// A row that the walk is in.
struct Open {
    row: usize,
    /// Length of the path before it.
    length: usize,
    /// Length of the undo log before it.
    undo: usize,
}

/// What a frame overwrote.
struct Undo {
    depth: usize,
    at_depth: u32,
    key: usize,
    before: u32,
}

/// The rows that each row called: lists through the table.
struct Children {
    first: Vec<u32>,
    after: Vec<u32>,
    root: u32,
}

impl Children {
    fn new(profile: &Profile) -> Self {
        let count = profile.stacks.len();
        let mut lists = Self {
            first: vec![NONE; count],
            after: vec![NONE; count],
            root: NONE,
        };
        for (row, stack) in profile.stacks.iter().enumerate().rev() {
            let head = stack
                .parent
                .map_or(&mut lists.root, |parent| &mut lists.first[parent.index()]);
            lists.after[row] = std::mem::replace(head, row as u32);
        }
        lists
    }

    fn first(&self, row: Option<usize>) -> Option<usize> {
        let first = row.map_or(self.root, |row| self.first[row]);
        (first != NONE).then_some(first as usize)
    }

    fn after(&self, row: usize) -> Option<usize> {
        (self.after[row] != NONE).then(|| self.after[row] as usize)
    }
}

/// A location table with one frame a location, and what makes two frames equal.
struct Frames {
    lines: Vec<Line>,
    locations: Vec<Location>,
    /// Of each new location.
    keys: Vec<u32>,
    key_count: usize,
    /// For each old location, where its new ones end; they are outermost first.
    ends: Vec<u32>,
}

impl Frames {
    fn new<'a>(profile: &'a Profile) -> Self {
        let mut known: HashMap<Key<'a>, u32> = HashMap::new();
        let mut key = |key: Key<'a>| -> u32 {
            let next = known.len() as u32;
            *known.entry(key).or_insert(next)
        };
        let of_function: Vec<u32> = profile
            .functions
            .iter()
            .map(|f| {
                let name = if f.name.is_empty() {
                    f.system_name
                } else {
                    f.name
                };
                key(Key::Function(profile.text(name), profile.text(f.file)))
            })
            .collect();
        let mut frames = Self {
            lines: Vec::new(),
            locations: Vec::new(),
            keys: Vec::new(),
            key_count: 0,
            ends: Vec::new(),
        };
        for (id, location) in profile.location_ids().zip(&profile.locations) {
            let module = location
                .mapping
                .map_or("", |m| profile.text(profile.mappings[m.index()].file));
            let lines = profile.lines(id);
            if lines.is_empty() {
                frames.push(location, &[], key(Key::Address(module, location.address)));
            }
            for line in lines.iter().rev() {
                let key = match line.function {
                    Some(f) => of_function[f.index()],
                    None => key(Key::Address(module, location.address)),
                };
                frames.push(location, &[*line], key);
            }
            frames.ends.push(frames.locations.len() as u32);
        }
        frames.key_count = known.len();
        frames
    }

    fn push(&mut self, location: &Location, lines: &[Line], key: u32) {
        let first_line = self.lines.len() as u32;
        self.lines.extend_from_slice(lines);
        self.locations.push(Location {
            first_line,
            line_count: lines.len() as u32,
            ..*location
        });
        self.keys.push(key);
    }

    /// The new locations of an old one, outermost first.
    fn of(&self, location: LocationId) -> std::ops::Range<usize> {
        let start = location
            .index()
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        start as usize..self.ends[location.index()] as usize
    }
}

/// What two equal frames have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'a> {
    /// Name and file.
    Function(&'a str, &'a str),
    /// File of the mapping, and address in it.
    Address(&'a str, u64),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    fn check(stack: &str, direct: &str, cycles: &str) {
        let p = profile(&format!("{stack} 1"));
        for (mode, expect) in [(Recursion::Direct, direct), (Recursion::Cycles, cycles)] {
            let collapsed = collapse_recursion(&p, mode).unwrap();
            let frames = collapsed.frames(collapsed.samples.stacks[0]);
            let name = |l| {
                collapsed
                    .text(collapsed.functions[collapsed.lines(l)[0].function.unwrap().index()].name)
            };
            let mut names: Vec<&str> = frames.map(name).collect();
            names.reverse();
            assert_eq!(names.join(";"), expect, "{stack} {mode:?}");
        }
    }

    #[test]
    fn stacks_shrink() {
        check("a;b", "a;b", "a;b");
        check("a;f;f;f;b", "a;f;b", "a;f;b");
        check("a;f;g;f;b", "a;f;g;f;b", "a;f;b");
        check("f;g;f", "f;g;f", "f");
        check("f;g;h;g;f;h;g", "f;g;h;g;f;h;g", "f;h;g");
        check("a;a;b;a;b;b;c;b", "a;b;a;b;c;b", "a;b");
        check("", "", "");
    }

    #[test]
    fn branches_do_not_disturb_each_other() {
        let p = profile("a;b;a;c 1\na;b;c;b 2\na;b;d 3\nb;a;b;c 4");
        let collapsed = collapse_recursion(&p, Recursion::Cycles).unwrap();
        let tree = crate::CallTree::new(&collapsed, 0, crate::By::Name);
        let drawn = "total 10/0\n a 6/0\n  b 5/2\n   d 3/3\n  c 1/1\n b 4/0\n  c 4/4\n";
        assert_eq!(crate::testing::draw(&tree), drawn);
    }

    #[test]
    fn inlined_calls_do_not_multiply_a_profile() {
        let mut b = crate::ProfileBuilder::new();
        let name = b.string("f");
        let function = crate::Function::named(name, crate::StringId::EMPTY);
        let function = Some(b.function(function));
        let location = b.location(
            None,
            0,
            false,
            &[Line {
                function,
                line: 0,
                column: 0,
            }; 4096],
        );
        let stack = b.stack_of([location; 5000]);
        b.sample(stack, None, &[]);
        let refused = collapse_recursion(&b.finish(), Recursion::Cycles);
        assert_eq!(
            refused.unwrap_err(),
            RecursionError::TooManyFrames {
                frames: 5000 * 4096
            }
        );
    }
}
