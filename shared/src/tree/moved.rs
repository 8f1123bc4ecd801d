//! Functions of a comparison whose source file has another path on the other side.
//!
//! A release of a library, of Go or of the program itself is often built in another folder: the path
//! of Go's modules has their version, and a bundle of scripts a hash. Name and file together tell
//! functions apart, so each would be gone on one side and new on the other.

use crate::model::id::StringId;
use crate::model::strings::Strings;
use crate::tree::call_tree::Frame;
use crate::tree::frames::{Chains, sort_by_place};

/// Makes one frame of two that are the same function: the only ones of their name on each side; or,
/// of several with one name, the only ones on each side whose file has that name, among those that are
/// on one side only. It has the file that is later in the order of text, so that swapped sides give
/// the same.
pub(super) fn join_moved(
    strings: &Strings,
    frames: &mut Vec<Frame>,
    base: &mut Chains,
    comparison: &mut Chains,
) {
    let mut seen = vec![[false; 2]; frames.len()];
    for (side, chains) in [&*base, &*comparison].into_iter().enumerate() {
        for &frame in &chains.frames {
            seen[frame as usize][side] = true;
        }
    }
    let pairs = pairs(strings, frames, &seen);
    if pairs.is_empty() {
        return;
    }
    let mut joined: Vec<u32> = (0..frames.len() as u32).collect();
    for [kept, moved] in pairs {
        let path = |at: u32| strings.get(frames[at as usize].file);
        if path(kept) < path(moved) {
            frames[kept as usize] = frames[moved as usize];
        }
        joined[moved as usize] = kept;
    }
    // Without those that became another, which no node has.
    let mut places = vec![0; frames.len()];
    let mut left = 0;
    for (frame, &into) in joined.iter().enumerate() {
        if into as usize == frame {
            frames[left as usize] = frames[frame];
            places[frame] = left;
            left += 1;
        }
    }
    frames.truncate(left as usize);
    for chains in [base, comparison] {
        for frame in &mut chains.frames {
            *frame = places[joined[*frame as usize] as usize];
        }
    }
}

/// Pairs of frames, one of each side, that are the same function.
fn pairs(strings: &Strings, frames: &[Frame], seen: &[[bool; 2]]) -> Vec<[u32; 2]> {
    let name = |at: u32| frames[at as usize].name.index() as u32;
    let sides = |at: u32| seen[at as usize];
    let mut all: Vec<u32> = (1..frames.len() as u32).collect();
    sort_by_place(&mut all, name);
    let mut pairs = Vec::new();
    for same in all.chunk_by(|&a, &b| name(a) == name(b)) {
        if same.len() < 2 {
            continue;
        }
        let is_only = same.len() == 2 && is_named(strings.get(frames[same[0] as usize].name));
        let file = |at: u32| match is_only {
            true => &[][..],
            false => file_name(strings, frames[at as usize].file),
        };
        let mut alone = same.to_vec();
        alone.retain(|&at| sides(at) != [true; 2]);
        // Equal ones are beside each other then. A sort by text would add kilobytes to the WASM.
        sort_by_place(&mut alone, |at| hash(file(at)));
        for moved in alone.chunk_by(|&a, &b| file(a) == file(b)) {
            if let [a, b] = *moved
                && sides(a) != sides(b)
            {
                pairs.push([a, b]);
            }
        }
    }
    pairs
}

/// Whether a name is of one function: what compilers call functions without one isn't.
fn is_named(name: &str) -> bool {
    !name.starts_with(['(', '<', '{', '?']) && name != "anonymous"
}

/// FNV-1a.
fn hash(text: &[u8]) -> u32 {
    text.iter().fold(0x811c_9dc5, |state, &byte| {
        (state ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// The last part of a path.
fn file_name(strings: &Strings, path: StringId) -> &[u8] {
    let path = strings.get(path).as_bytes();
    let folder = path.iter().rposition(|byte| matches!(byte, b'/' | b'\\'));
    &path[folder.map_or(0, |at| at + 1)..]
}

#[cfg(test)]
mod tests {
    use super::super::diff::{Scale, diff};
    use crate::testing::draw;
    use crate::tree::frames::By;
    use crate::{Function, Line, Profile, ProfileBuilder, StringId};

    /// A sample of each line: `name@file;name@file value`.
    fn profile(text: &str) -> Profile {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        for line in text.lines() {
            let (stack, value) = line.rsplit_once(' ').unwrap();
            let mut end = None;
            for frame in stack.split(';') {
                let (name, file) = frame.split_once('@').unwrap_or((frame, ""));
                let [name, file] = [name, file].map(|text| b.string(text));
                let function = b.function(Function {
                    name,
                    system_name: StringId::EMPTY,
                    file,
                    start_line: 0,
                });
                let line = Line {
                    function: Some(function),
                    line: 1,
                    column: 0,
                };
                let location = b.location(None, 0, false, &[line]);
                end = Some(b.stack(end, location));
            }
            b.sample(end, None, &[value.parse().unwrap()]);
        }
        b.finish()
    }

    fn drawn(base: &str, comparison: &str) -> (String, Vec<String>) {
        let [base, comparison] = [base, comparison].map(profile);
        let tree = diff((&base, 0), (&comparison, 0), By::Function, Scale::Absolute);
        let shape = tree.shape();
        let files = shape.frames().iter().map(|frame| shape.text(frame.file));
        let files = files.filter(|file| !file.is_empty());
        (draw(&tree), files.map(str::to_owned).collect())
    }

    #[test]
    fn a_function_in_another_folder_is_the_same() {
        let (tree, files) = drawn(
            "main@m.go;write@/mod/codec@v1.2.3/w.go 4",
            "main@m.go;write@/mod/codec@v1.2.4/w.go 5",
        );
        assert_eq!(tree, "total 4,5/0,0\n main 4,5/0,0\n  write 4,5/4,5\n");
        assert_eq!(files, ["m.go", "/mod/codec@v1.2.4/w.go"]);
        let (swapped, files) = drawn(
            "main@m.go;write@/mod/codec@v1.2.4/w.go 5",
            "main@m.go;write@/mod/codec@v1.2.3/w.go 4",
        );
        assert_eq!(swapped, "total 5,4/0,0\n main 5,4/0,0\n  write 5,4/5,4\n");
        assert_eq!(files, ["m.go", "/mod/codec@v1.2.4/w.go"]);
        let (tree, _) = drawn("main@app.1f2e.js 4", "main@app.77ab.js 5\nmore 1");
        assert_eq!(tree, "total 4,6/0,0\n main 4,5/4,5\n more 0,1/0,1\n");
        let (tree, files) = drawn("main 4", "main@m.go 5");
        assert_eq!(
            (&*tree, files),
            ("total 4,5/0,0\n main 4,5/4,5\n", vec!["m.go".to_owned()])
        );
    }

    #[test]
    fn of_several_with_one_name_those_of_one_file_name_are_the_same() {
        let (tree, _) = drawn(
            "f@/1/a.js 1\nf@/1/b.js 2\nf@same.js 3",
            "f@/2/a.js 10\nf@/2/b.js 20\nf@same.js 30",
        );
        assert_eq!(
            tree,
            "total 6,60/0,0\n f 1,10/1,10\n f 2,20/2,20\n f 3,30/3,30\n"
        );
    }

    #[test]
    fn others_stay_apart() {
        let (tree, _) = drawn("(anonymous)@a.js 1", "(anonymous)@b.js 2");
        assert_eq!(
            tree,
            "total 1,2/0,0\n (anonymous) 1,0/1,0\n (anonymous) 0,2/0,2\n"
        );
        let (tree, _) = drawn("(anonymous)@/1/a.js 1", "(anonymous)@/2/a.js 2");
        assert_eq!(tree, "total 1,2/0,0\n (anonymous) 1,2/1,2\n");
        let apart = |base: &str, comparison: &str| {
            let (tree, _) = drawn(base, comparison);
            tree.lines().filter(|line| line.starts_with(" f ")).count()
        };
        assert_eq!(
            apart("f@a.js 1\nf@b.js 1", "f@a.js 1\nf@c.js 1"),
            3,
            "another file"
        );
        assert_eq!(apart("f@a.js 1\nf@b.js 1", "g 1"), 2, "of one side");
        assert_eq!(
            apart("f@/1/a.js 1\nf@/2/a.js 1", "f@/3/a.js 1"),
            3,
            "either may be it"
        );
        assert_eq!(apart("f@a.js 1\nf@b.js 1", "f@a.js 1"), 2);
    }
}
