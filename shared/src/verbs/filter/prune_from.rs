//! Prune from: cutting off what is below a function.

use super::frames::{FramePattern, Tested};
use crate::model::id::{LocationId, StackId, StringId};
use crate::model::profile::{Line, Profile};
use crate::verbs::rewrite::{
    Filtered, choose_samples, fold_rows, keep_lines, with_samples, with_stacks,
};

/// Removes all frames below the innermost one that matches, which stays. Samples without a match
/// stay as they are.
///
/// Only names count, without parameters and a leading dot (`foo::bar(int)` is `foo::bar`); files do
/// not. A location that matches loses the lines inside its innermost match wherever it stands.
///
/// Laws: totals stay; applied twice it changes nothing more.
pub fn prune_from(profile: &Profile, pattern: &FramePattern) -> Filtered {
    let mut tested = Tested::new(profile);
    let mut matches =
        |name: StringId| tested.test(name, |name| pattern.matches(without_parameters(name)));
    let innermost: Vec<Option<usize>> = profile
        .location_ids()
        .map(|id| {
            profile
                .lines(id)
                .iter()
                .position(|line| name_of(profile, line).is_some_and(&mut matches))
        })
        .collect();
    let matched = innermost.iter().any(Option::is_some);
    if !matched {
        return Filtered {
            profile: with_samples(profile, profile.samples.clone()),
            matched,
        };
    }
    let (lines, locations) = keep_lines(profile, |id, i| {
        innermost[id.index()].is_none_or(|line| i >= line)
    });
    // For each row, the innermost match on it.
    let mut row = 0;
    let matches = fold_rows(
        profile,
        None,
        |before: Option<StackId>, location: LocationId| {
            let id = StackId::new(row);
            row += 1;
            innermost[location.index()].map(|_| id).or(before)
        },
    );
    let samples = choose_samples(&profile.samples, |row| {
        let stack = profile.samples.stacks[row];
        Some(stack.and_then(|s| matches[s.index()]).or(stack))
    });
    let trimmed = with_stacks(profile, profile.stacks.clone(), samples);
    Filtered {
        profile: Profile {
            lines,
            locations,
            ..trimmed
        },
        matched,
    }
}

/// The name that decides; functions without one do not take part.
fn name_of(profile: &Profile, line: &Line) -> Option<StringId> {
    line.function
        .map(|f| profile.functions[f.index()].name)
        .filter(|name| !name.is_empty())
}

/// A name without the leading dot of some ABIs and without what follows the first parenthesis that
/// is not part of a name.
fn without_parameters(name: &str) -> &str {
    const PARTS_OF_NAMES: [&str; 2] = ["(anonymous namespace)", "operator()"];
    let name = name.strip_prefix('.').unwrap_or(name);
    let mut from = 0;
    while let Some(at) = name[from..].find('(').map(|at| from + at) {
        let part = PARTS_OF_NAMES.into_iter().find(|part| {
            let start = at
                .checked_sub(part.find('(').unwrap_or(0))
                .filter(|&start| start >= from);
            start.is_some_and(|start| name.as_bytes()[start..].starts_with(part.as_bytes()))
        });
        let Some(part) = part else { return &name[..at] };
        from = at + part.len() - part.find('(').unwrap_or(0);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree};

    fn drawn(profile: &Profile) -> String {
        draw(&CallTree::new(profile, 0, By::Name))
    }

    fn pattern(text: &str) -> FramePattern {
        FramePattern::new(text).unwrap()
    }

    #[test]
    fn from_the_leaf_up_to_the_innermost_match() {
        let p = profile("a;b;c;b;d 1\nd;c 2");
        let from = prune_from(&p, &pattern("b"));
        assert_eq!(
            drawn(&from.profile),
            "total 3/0\n a 1/0\n  b 1/0\n   c 1/0\n    b 1/1\n d 2/0\n  c 2/2\n"
        );
    }

    #[test]
    fn parameters_do_not_count() {
        for (name, simple) in [
            ("foo::bar(int)", "foo::bar"),
            (".foo", "foo"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            (
                "a::operator()(int, (anonymous namespace)::b)",
                "a::operator()",
            ),
            ("operator()", "operator()"),
            ("main.(*T).M", "main."),
            ("(", ""),
            ("äoperator(", "äoperator"),
        ] {
            assert_eq!(without_parameters(name), simple);
        }
    }
}
