//! Symbolize: names for addresses that have none.

use hashbrown::HashMap;

use crate::base::limits::MAX_INLINED;
use crate::model::id::{FunctionId, LocationId, StringId};
use crate::model::profile::{Function, Line, Location, Profile};
use crate::verbs::rewrite::Names;

/// Most lines of an address, in the mean of all addresses of a profile, beside [`MAX_INLINED`].
/// Compilers inline a few calls at one place; symbols of a few bytes that inline thousands
/// everywhere must not multiply a profile.
const MEAN_INLINED: usize = 16;

/// A frame that symbols give an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolFrame {
    /// Name for people.
    pub name: String,
    /// Name in the binary, mangled where the language mangles.
    pub system_name: String,
    /// Source file, empty when unknown.
    pub file: String,
    /// Line, 0 when unknown.
    pub line: i64,
    /// Column, 0 when unknown.
    pub column: i64,
}

/// Whether a location is an address without a name.
pub fn is_bare(profile: &Profile, location: LocationId) -> bool {
    let is_named = |line: &Line| {
        line.function.is_some_and(|function| {
            let function = &profile.functions[function.index()];
            !function.name.is_empty() || !function.system_name.is_empty()
        })
    };
    profile.locations[location.index()].address != 0
        && !profile.lines(location).iter().any(is_named)
}

/// Gives bare locations frames. `frames` is asked for each of them and fills the list, the
/// innermost call first; where it leaves the list empty, the location stays as it is. Names that
/// are too long are left out, and so is what goes beyond 16 frames for each location and 4,096. The
/// flags of the mappings say what was filled in.
///
/// Laws: totals stay; samples, stacks and rows of locations keep their places.
pub fn symbolize(
    profile: &Profile,
    frames: &mut dyn FnMut(LocationId, &mut Vec<SymbolFrame>),
) -> Profile {
    let mut names = Names::new(profile);
    let mut known: HashMap<Function, FunctionId> = HashMap::new();
    let mut functions = profile.functions.clone();
    let mut mappings = profile.mappings.clone();
    let mut lines = Vec::with_capacity(profile.lines.len());
    let mut locations = Vec::with_capacity(profile.locations.len());
    let mut found = Vec::new();
    let mut left = profile
        .locations
        .len()
        .saturating_mul(MEAN_INLINED)
        .saturating_add(MAX_INLINED);
    for (id, location) in profile.location_ids().zip(&profile.locations) {
        let first = lines.len();
        found.clear();
        if is_bare(profile, id) {
            frames(id, &mut found);
        }
        if found.len() > left {
            found.clear();
        }
        left -= found.len();
        for frame in &found {
            let Some(name) = names.add(&frame.name) else {
                continue;
            };
            let mut text = |text: &str| names.add(text).unwrap_or(StringId::EMPTY);
            let row = Function {
                name,
                system_name: text(&frame.system_name),
                file: text(&frame.file),
                start_line: 0,
            };
            let function = *known.entry(row).or_insert_with(|| {
                functions.push(row);
                FunctionId::new(functions.len() - 1)
            });
            lines.push(Line {
                function: Some(function),
                line: frame.line,
                column: frame.column,
            });
        }
        let added = &lines[first..];
        if let (Some(mapping), false) = (location.mapping, added.is_empty()) {
            let flags = &mut mappings[mapping.index()].symbols;
            flags.functions = true;
            flags.filenames |= found.iter().any(|frame| !frame.file.is_empty());
            flags.line_numbers |= added.iter().any(|line| line.line > 0);
            flags.inline_frames |= added.len() > 1;
        }
        if added.is_empty() {
            lines.extend_from_slice(profile.lines(id));
        }
        locations.push(Location {
            first_line: first as u32,
            line_count: (lines.len() - first) as u32,
            ..*location
        });
    }
    Profile {
        strings: names.finish(),
        mappings,
        functions,
        lines,
        locations,
        stacks: profile.stacks.clone(),
        label_sets: profile.label_sets.clone(),
        sample_types: profile.sample_types.clone(),
        samples: profile.samples.clone(),
        header: profile.header.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::builder::ProfileBuilder;
    use crate::model::profile::{Mapping, SymbolFlags};
    use crate::testing::{draw, frame};
    use crate::verbs::MAX_NAME_BYTES;
    use crate::{By, CallTree};

    /// `0x10` calls `0x20`, which calls `known`.
    fn bare() -> Profile {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let file = builder.string("/lib/libfoo.so");
        let mapping = builder.mapping(Mapping {
            start: 0,
            limit: 0x100,
            offset: 0,
            file,
            build_id: StringId::EMPTY,
            symbols: SymbolFlags::default(),
        });
        let known = builder.named_stack(&["known"]);
        let known = builder.profile().frames(known).next().expect("a frame");
        let frames =
            [0x10, 0x20].map(|address| builder.location(Some(mapping), address, false, &[]));
        let stack = builder.stack_of(frames);
        builder.sample(stack, None, &[1]);
        let stack = Some(builder.stack(stack, known));
        builder.sample(stack, None, &[2]);
        builder.finish()
    }

    /// `0x20` is `inner`, inlined into `outer`.
    fn named(profile: &Profile) -> (Profile, Vec<u64>) {
        let mut asked = Vec::new();
        let named = symbolize(profile, &mut |id, frames| {
            let address = profile.locations[id.index()].address;
            asked.push(address);
            if address == 0x20 {
                frames.extend([frame("inner", 7), frame("outer", 9)]);
            }
        });
        (named, asked)
    }

    #[test]
    fn bare_addresses_get_names_and_inlined_calls() {
        let before = bare();
        let (after, asked) = named(&before);
        assert_eq!(asked, [0x10, 0x20]);
        assert_eq!(
            draw(&CallTree::new(&after, 0, By::Name)),
            "total 3/0\n 0x10 [libfoo.so] 3/0\n  outer 3/0\n   inner 3/1\n    known 2/2\n"
        );
        let flags = after.mappings[0].symbols;
        assert!(flags.functions && flags.filenames && flags.line_numbers && flags.inline_frames);
        let f = after.functions.last().expect("the functions of both");
        assert_eq!(after.text(f.system_name), "_outer");
        assert_eq!(named(&after).1, [0x10], "what has a name is not asked for");
        assert_eq!(
            (after.stacks, after.samples),
            (before.stacks, before.samples)
        );
    }

    #[test]
    fn names_that_are_too_long_are_left_out() {
        let before = bare();
        let after = symbolize(&before, &mut |_, frames| {
            frames.push(frame(&"x".repeat(MAX_NAME_BYTES + 1), 1));
        });
        assert_eq!(after.lines, before.lines);
        assert_eq!(after.mappings, before.mappings);
    }

    #[test]
    fn calls_inlined_without_end_are_left_out() {
        let before = bare();
        let after = symbolize(&before, &mut |_, frames| {
            frames.extend(vec![frame("deep", 1); MAX_INLINED]);
        });
        // The first address takes what there is; the second would need as much again.
        assert_eq!(after.lines.len(), before.lines.len() + MAX_INLINED);
    }
}
