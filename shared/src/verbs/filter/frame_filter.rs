//! Frame filters: which functions a profile names.

use std::collections::HashSet;

use super::frames::FramePattern;
use crate::model::address_name::location_name;
use crate::model::id::{FunctionId, LocationId};
use crate::model::profile::Profile;
use crate::verbs::rewrite::{choose_samples, keep_lines, rewrite_rows, with_tables};

/// Functions that are shown and functions that are hidden, by their names: whole, or by patterns
/// that may match anywhere in them.
#[derive(Clone, Debug, Default)]
pub struct FrameFilter {
    /// Only these functions are shown; where nothing is included, all are.
    pub included: FunctionNames,
    /// These are not; they win over those that are included.
    pub excluded: FunctionNames,
}

/// Names of functions, and patterns of names.
#[derive(Clone, Debug, Default)]
pub struct FunctionNames {
    /// Whole names.
    pub names: HashSet<String>,
    /// Patterns of names; files do not count.
    pub patterns: Vec<FramePattern>,
}

impl FunctionNames {
    /// Whether no function is named.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.patterns.is_empty()
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(name) || self.patterns.iter().any(|pattern| pattern.matches(name))
    }
}

impl FrameFilter {
    fn shows(&self, name: &str) -> bool {
        (self.included.is_empty() || self.included.has(name)) && !self.excluded.has(name)
    }
}

/// Takes out the frames that a filter hides; what they called is called by their callers then.
///
/// Every sample stays: what has no frame left is the self value of the root. Names are those that a
/// tree by name shows: inlined functions count one by one, a function without a name has its system
/// name, and a location without functions has that of its address.
///
/// Laws: the total stays; applied twice it changes nothing more.
pub fn filter_frames(profile: &Profile, filter: &FrameFilter) -> Profile {
    let functions: Vec<bool> = (0..profile.functions.len())
        .map(|i| filter.shows(profile.function_name(FunctionId::new(i))))
        .collect();
    let keeps = |function: FunctionId| functions[function.index()];
    let functions_of = |id: LocationId| profile.lines(id).iter().filter_map(|line| line.function);
    // By name, or by address where there is none.
    let shown: Vec<bool> = profile
        .location_ids()
        .map(|id| match functions_of(id).next() {
            None => filter.shows(&location_name(profile, id)),
            Some(_) => functions_of(id).any(keeps),
        })
        .collect();
    let (lines, locations) = keep_lines(profile, |id, i| {
        profile.lines(id)[i].function.is_none_or(keeps)
    });
    let rows = rewrite_rows(profile, (), |(), location, emit| {
        if shown[location.index()] {
            emit.push(location);
        }
    });
    let samples = choose_samples(&profile.samples, |row| {
        Some(rows.of(profile.samples.stacks[row]))
    });
    with_tables(profile, rows.stacks, lines, locations, samples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree, Function, Line, ProfileBuilder};

    fn names(names: &[&str], patterns: &[&str]) -> FunctionNames {
        FunctionNames {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            patterns: patterns
                .iter()
                .map(|pattern| FramePattern::new(pattern).unwrap())
                .collect(),
        }
    }

    fn check(profile: &Profile, included: FunctionNames, excluded: FunctionNames, expect: &str) {
        let filter = FrameFilter { included, excluded };
        let once = filter_frames(profile, &filter);
        for profile in [&once, &filter_frames(&once, &filter)] {
            assert_eq!(draw(&CallTree::new(profile, 0, By::Name)), expect);
        }
    }

    #[test]
    fn frames_go_and_all_samples_stay() {
        let p = profile("main;a;b;a 1\nmain;b;ab 2\na 4\n 8");
        let none = FunctionNames::default;
        check(
            &p,
            none(),
            none(),
            "total 15/8\n a 4/4\n main 3/0\n  a 1/0\n   b 1/0\n    a 1/1\n  b 2/0\n   ab 2/2\n",
        );
        let without_a = "total 15/12\n main 3/0\n  b 3/1\n   ab 2/2\n";
        check(&p, none(), names(&["a"], &[]), without_a);
        check(&p, none(), names(&[], &["^a$", "c"]), without_a);
        let only_a = "total 15/10\n a 5/4\n  a 1/1\n";
        check(&p, names(&["a"], &[]), none(), only_a);
        check(&p, names(&["ab"], &["^a"]), names(&["ab"], &[]), only_a);
        check(&p, names(&["c"], &[]), none(), "total 15/15\n");
        check(&p, none(), names(&[], &["a|b"]), "total 15/15\n");
    }

    /// Inlined functions one by one, functions without names, and addresses.
    #[test]
    fn names_are_those_of_a_tree() {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        let [outer, inner, nameless] = ["outer", "inner", ""].map(|name| {
            let name = b.string(name);
            b.function(Function {
                name,
                system_name: crate::StringId::EMPTY,
                file: crate::StringId::EMPTY,
                start_line: 0,
            })
        });
        let line = |function| Line {
            function: Some(function),
            line: 1,
            column: 0,
        };
        let lineless = Line {
            function: None,
            line: 7,
            column: 0,
        };
        let mut stack = None;
        for (address, lines) in [
            (0x10, vec![line(inner), line(outer)]),
            (0x20, vec![line(nameless)]),
            (0x30, vec![lineless]),
        ] {
            let location = b.location(None, address, false, &lines);
            stack = Some(b.stack(stack, location));
            b.sample(stack, None, &[1]);
        }
        let p = b.finish();
        let none = FunctionNames::default;
        check(
            &p,
            none(),
            none(),
            "total 3/0\n outer 3/0\n  inner 3/1\n   ? 2/1\n    0x30 1/1\n",
        );
        check(
            &p,
            none(),
            names(&["inner", "?"], &[]),
            "total 3/0\n outer 3/2\n  0x30 1/1\n",
        );
        check(
            &p,
            none(),
            names(&["0x30"], &["outer"]),
            "total 3/0\n inner 3/1\n  ? 2/2\n",
        );
        check(&p, names(&[], &["^0x"]), none(), "total 3/2\n 0x30 1/1\n");
    }
}
