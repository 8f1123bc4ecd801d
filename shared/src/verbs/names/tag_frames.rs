//! Values of labels as frames, so that stacks part by them: pprof's `tagroot` and `tagleaf`.

use hashbrown::HashMap;
use thiserror::Error;

use crate::base::sort::sort_by;
use crate::model::id::{FunctionId, LabelSetId, LocationId, StackId, StringId};
use crate::model::profile::{Function, Label, LabelValue, Line, Location, Profile, Samples, Stack};
use crate::verbs::rewrite::{Filtered, MAX_NAME_BYTES, Names, with_tables};
use crate::verbs::text::format::format_value;

/// Most rows of the stack table that has such frames: 8 Mi rows of 8 bytes are 64 MiB. Below a root
/// of its own for each value, each sample may need all of its stack again.
const MAX_ROWS: usize = 8 << 20;

/// Most keys at once.
const MAX_KEYS: usize = 16;

/// Where on the stack the frames stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagEnd {
    /// They call everything; the first key is the outermost.
    Root,
    /// Everything calls them; the last key is the innermost.
    Leaf,
}

/// Why labels cannot become frames.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TagFramesError {
    /// There are too many values on too many stacks.
    #[error("with these values as frames, the stacks would have more than {MAX_ROWS} frames")]
    TooManyRows,
    /// There are too many keys.
    #[error("got {0} label keys; at most {MAX_KEYS} can become frames")]
    TooManyKeys(usize),
}

/// Adds a frame for each key to each stack, named like the sample's value of that label, in a file
/// named like the key.
///
/// Several values of one key are one name, joined by commas. Numbers are in words, as everywhere
/// here ([`format_value`]). The frame of a sample without such a label is called `(no KEY)`, where
/// pprof's has no name.
///
/// Law: totals stay.
pub fn tag_frames(
    profile: &Profile,
    keys: &[String],
    end: TagEnd,
) -> Result<Filtered, TagFramesError> {
    if keys.len() > MAX_KEYS {
        return Err(TagFramesError::TooManyKeys(keys.len()));
    }
    let mut frames = Frames::new(profile);
    let chains = Chains::new(profile, keys, &mut frames);
    let (stacks, tops) = match end {
        TagEnd::Root => below(profile, &chains)?,
        TagEnd::Leaf => above(profile, &chains)?,
    };
    let samples = Samples {
        stacks: tops,
        ..profile.samples.clone()
    };
    let Frames {
        names,
        functions,
        lines,
        locations,
        ..
    } = frames;
    Ok(Filtered {
        profile: Profile {
            strings: names.finish(),
            functions,
            ..with_tables(profile, stacks, lines, locations, samples)
        },
        matched: chains.matched,
    })
}

/// The profile's functions and locations, and those of labels.
struct Frames<'a> {
    profile: &'a Profile,
    names: Names,
    functions: Vec<Function>,
    lines: Vec<Line>,
    locations: Vec<Location>,
    known: HashMap<(StringId, StringId), LocationId>,
}

impl<'a> Frames<'a> {
    fn new(profile: &'a Profile) -> Self {
        Self {
            profile,
            names: Names::new(profile),
            functions: profile.functions.clone(),
            lines: profile.lines.clone(),
            locations: profile.locations.clone(),
            known: HashMap::new(),
        }
    }

    /// The frame of a key in a set of labels, and whether it has a value.
    fn of(&mut self, key: &str, labels: &[Label]) -> (LocationId, bool) {
        let mut values: Vec<&Label> = labels
            .iter()
            .filter(|label| self.profile.text(label.key) == key)
            .collect();
        // Labels are in the order of their ids, which are others in another profile.
        let order = |label: &Label| match label.value {
            LabelValue::Text(text) => (false, 0, self.profile.text(text)),
            LabelValue::Number(number, unit) => (true, number, self.profile.text(unit)),
        };
        sort_by(&mut values, |a, b| order(a).cmp(&order(b)));
        let values: Vec<String> = values
            .into_iter()
            .filter_map(|label| self.value(label))
            .collect();
        let name = if values.is_empty() {
            format!("(no {key})")
        } else {
            values.join(",")
        };
        // What there is no room for is one frame.
        let end = name.floor_char_boundary(MAX_NAME_BYTES);
        let name = self.names.add(&name[..end]).unwrap_or(StringId::EMPTY);
        let file = self.names.add(key).unwrap_or(StringId::EMPTY);
        (self.named(name, file), !values.is_empty())
    }

    /// In words; nothing of a label that is none to pprof.
    fn value(&self, label: &Label) -> Option<String> {
        match label.value {
            LabelValue::Text(StringId::EMPTY) | LabelValue::Number(0, StringId::EMPTY) => None,
            LabelValue::Text(text) => Some(self.profile.text(text).to_owned()),
            LabelValue::Number(n, unit) => Some(format_value(n, self.profile.text(unit))),
        }
    }

    fn named(&mut self, name: StringId, file: StringId) -> LocationId {
        if let Some(&known) = self.known.get(&(name, file)) {
            return known;
        }
        self.functions.push(Function::named(name, file));
        self.lines
            .push(Line::of(FunctionId::new(self.functions.len() - 1), 0));
        self.locations.push(Location {
            mapping: None,
            address: 0,
            folded: false,
            first_line: self.lines.len() as u32 - 1,
            line_count: 1,
        });
        let id = LocationId::new(self.locations.len() - 1);
        self.known.insert((name, file), id);
        id
    }
}

/// The frames of each set of labels, one a key, the outermost first.
struct Chains {
    /// All that differ.
    frames: Vec<Vec<LocationId>>,
    /// The chain of each set, and behind them that of no labels.
    of_set: Vec<usize>,
    /// Whether some sample has a value.
    matched: bool,
}

impl Chains {
    fn new(profile: &Profile, keys: &[String], frames: &mut Frames<'_>) -> Self {
        let mut chains = Self {
            frames: Vec::new(),
            of_set: Vec::new(),
            matched: false,
        };
        let mut used = vec![false; profile.label_sets.len()];
        for set in profile.samples.labels.iter().flatten() {
            used[set.index()] = true;
        }
        let mut known: HashMap<Vec<LocationId>, usize> = HashMap::new();
        let none = std::iter::once((&[][..], true));
        let sets = profile
            .label_sets
            .ids()
            .map(|set| profile.label_sets.get(set));
        for (labels, is_used) in sets.zip(used).chain(none) {
            let chain = keys.iter().map(|key| {
                let (frame, has_value) = frames.of(key, labels);
                chains.matched |= has_value && is_used;
                frame
            });
            let chain: Vec<LocationId> = chain.collect();
            let next = chains.frames.len();
            let number = *known.entry(chain).or_insert_with_key(|chain| {
                chains.frames.push(chain.clone());
                next
            });
            chains.of_set.push(number);
        }
        chains
    }

    fn of(&self, set: Option<LabelSetId>) -> usize {
        self.of_set[set.map_or(self.of_set.len() - 1, LabelSetId::index)]
    }
}

type Stacks = (Vec<Stack>, Vec<Option<StackId>>);

/// The stack table with each stack below the chains of its samples, and the stack of each sample.
fn below(profile: &Profile, chains: &Chains) -> Result<Stacks, TagFramesError> {
    let samples = &profile.samples;
    // By chain, so that one note for each stack is enough.
    let mut order: Vec<(usize, usize)> = samples
        .labels
        .iter()
        .enumerate()
        .map(|(row, &set)| (chains.of(set), row))
        .collect();
    order.sort_unstable();
    let mut stacks: Vec<Stack> = Vec::new();
    let mut tops = vec![None; order.len()];
    // The chain for which a stack was copied last, and its copy.
    let mut copies: Vec<Option<(usize, StackId)>> = vec![None; profile.stacks.len()];
    let mut path: Vec<StackId> = Vec::new();
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        let chain = group[0].0;
        let root = push(&mut stacks, None, &chains.frames[chain])?;
        for &(_, row) in group {
            let mut top = root;
            path.clear();
            let mut next = samples.stacks[row];
            while let Some(stack) = next {
                match copies[stack.index()] {
                    Some((copied_for, copy)) if copied_for == chain => {
                        top = Some(copy);
                        break;
                    }
                    _ => path.push(stack),
                }
                next = profile.stacks[stack.index()].parent;
            }
            for &stack in path.iter().rev() {
                top = push(&mut stacks, top, &[profile.stacks[stack.index()].location])?;
                copies[stack.index()] = top.map(|copy| (chain, copy));
            }
            tops[row] = top;
        }
    }
    Ok((stacks, tops))
}

/// The stack table with the chains of samples on top of their stacks, and the stack of each sample.
fn above(profile: &Profile, chains: &Chains) -> Result<Stacks, TagFramesError> {
    let mut stacks = profile.stacks.clone();
    let mut known: HashMap<(Option<StackId>, usize), Option<StackId>> = HashMap::new();
    let samples = &profile.samples;
    let mut tops = Vec::with_capacity(samples.stacks.len());
    for (&stack, &set) in samples.stacks.iter().zip(&samples.labels) {
        let chain = chains.of(set);
        let top = match known.get(&(stack, chain)) {
            Some(&top) => top,
            None => {
                let top = push(&mut stacks, stack, &chains.frames[chain])?;
                known.insert((stack, chain), top);
                top
            }
        };
        tops.push(top);
    }
    Ok((stacks, tops))
}

/// Puts frames on top of a stack.
fn push(
    stacks: &mut Vec<Stack>,
    stack: Option<StackId>,
    frames: &[LocationId],
) -> Result<Option<StackId>, TagFramesError> {
    if stacks.len() + frames.len() > MAX_ROWS {
        return Err(TagFramesError::TooManyRows);
    }
    Ok(frames.iter().fold(stack, |parent, &location| {
        stacks.push(Stack { parent, location });
        Some(StackId::new(stacks.len() - 1))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, labelled};
    use crate::{By, CallTree, ProfileBuilder};

    fn check(keys: &[&str], end: TagEnd, matched: bool, expect: &str) {
        let profile = labelled(&[
            "main;a region=eu zone=x",
            "main;a;b region=eu",
            "main;a region=us size#2048bytes",
            "main",
            "region=us",
        ]);
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        let framed = tag_frames(&profile, &keys, end).unwrap();
        assert_eq!(framed.matched, matched);
        let tree = CallTree::new(&framed.profile, 0, By::Function);
        assert_eq!(draw(&tree), expect);
    }

    #[test]
    fn values_are_roots() {
        check(
            &["region"],
            TagEnd::Root,
            true,
            "total 31/0\n (no region) 8/0\n  main 8/8\n eu 3/0\n  main 3/0\n   a 3/1\n    b 2/2\n us 20/16\n  main \
             4/0\n   a 4/4\n",
        );
        check(
            &["size", "region"],
            TagEnd::Root,
            true,
            "total 31/0\n (no size) 27/0\n  (no region) 8/0\n   main 8/8\n  eu 3/0\n   main 3/0\n    a 3/1\n     b \
             2/2\n  us 16/16\n 2 KiB 4/0\n  us 4/0\n   main 4/0\n    a 4/4\n",
        );
    }

    #[test]
    fn values_are_leaves() {
        check(
            &["region"],
            TagEnd::Leaf,
            true,
            "total 31/0\n main 15/0\n  (no region) 8/8\n  a 7/0\n   b 2/0\n    eu 2/2\n   eu 1/1\n   us 4/4\n us \
             16/16\n",
        );
        check(
            &["none"],
            TagEnd::Leaf,
            false,
            "total 31/0\n (no none) 16/16\n main 15/0\n  (no none) 8/8\n  a 7/0\n   (no none) 5/5\n   b 2/0\n    \
             (no none) 2/2\n",
        );
    }

    #[test]
    fn several_values_are_one_name() {
        let profile = labelled(&["a k=x k=y k#3", "a k=x"]);
        let framed = tag_frames(&profile, &["k".to_owned()], TagEnd::Root).unwrap();
        let tree = CallTree::new(&framed.profile, 0, By::Function);
        assert_eq!(
            draw(&tree),
            "total 3/0\n x 2/0\n  a 2/2\n x,y,3 1/0\n  a 1/1\n"
        );
        // Whichever was met first.
        let profile = labelled(&["a k=y k=x"]);
        let framed = tag_frames(&profile, &["k".to_owned()], TagEnd::Root).unwrap();
        let tree = CallTree::new(&framed.profile, 0, By::Function);
        assert_eq!(draw(&tree), "total 1/0\n x,y 1/0\n  a 1/1\n");
    }

    #[test]
    fn there_is_an_end_to_it() {
        let keys = vec!["k".to_owned(); MAX_KEYS + 1];
        let profile = labelled(&["a k=x"]);
        let refused = tag_frames(&profile, &keys, TagEnd::Leaf).unwrap_err();
        assert_eq!(refused, TagFramesError::TooManyKeys(17));
        // Each of 3,000 values needs a stack of 3,000 frames again.
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        let names = vec!["f"; 3_000];
        let stack = b.named_stack(&names);
        for i in 0..3_000 {
            let key = b.string("k");
            let value = LabelValue::Text(b.string(&i.to_string()));
            let set = b.label_set(&mut [Label { key, value }]);
            b.sample(stack, set, &[1]);
        }
        let profile = b.finish();
        let refused = tag_frames(&profile, &["k".to_owned()], TagEnd::Root).unwrap_err();
        assert_eq!(refused, TagFramesError::TooManyRows);
        assert!(tag_frames(&profile, &["k".to_owned()], TagEnd::Leaf).is_ok());
    }
}
