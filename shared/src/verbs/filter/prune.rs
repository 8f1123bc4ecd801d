//! Prune: cutting off what is below a function.

use super::frames::{FramePattern, Tested};
use crate::model::id::{LocationId, StackId, StringId};
use crate::model::profile::{Line, Profile};
use crate::tree::search::PatternError;
use crate::verbs::rewrite::{
    Filtered, choose_samples, fold_rows, keep_lines, rewrite_rows, with_samples, with_stacks,
    with_tables,
};

/// Removes frames that match `drop` and not `keep`, with all below them: `malloc` and what it
/// calls, so that the caller is what allocates.
///
/// The search goes from the root to the leaf and begins below the first location without a match,
/// so that no sample is pruned whole. Only names count, without parameters and a leading dot
/// (`foo::bar(int)` is `foo::bar`); files do not. Of a location whose outermost line does not
/// match, the lines from its outermost match inwards go.
///
/// Laws: totals stay; applied twice it changes nothing more, but for stacks that begin with a
/// location of several lines of which some match (as in pprof, it is not cut below the first time).
pub fn prune(profile: &Profile, drop: &FramePattern, keep: Option<&FramePattern>) -> Filtered {
    let mut tested = Tested::new(profile);
    let mut prunes = |name: StringId| {
        tested.test(name, |name| {
            let name = without_parameters(name);
            drop.matches(name) && !keep.is_some_and(|keep| keep.matches(name))
        })
    };
    let outermost: Vec<Option<usize>> = profile
        .location_ids()
        .map(|id| {
            profile
                .lines(id)
                .iter()
                .rposition(|line| name_of(profile, line).is_some_and(&mut prunes))
        })
        .collect();
    let cuts: Vec<Cut> = profile
        .location_ids()
        .map(|id| match outermost[id.index()] {
            None => Cut::Nowhere,
            Some(line) if line + 1 == profile.lines(id).len() => Cut::Above,
            Some(_) => Cut::Within,
        })
        .collect();
    let (lines, locations) = keep_lines(profile, |id, i| match cuts[id.index()] {
        Cut::Within => outermost[id.index()].is_none_or(|line| i > line),
        Cut::Nowhere | Cut::Above => true,
    });
    let rows = rewrite_rows(profile, Progress::Before, |progress, location, emit| {
        let cut = cuts[location.index()];
        match (progress, cut) {
            (Progress::ClosedDataset, _) | (Progress::Inside, Cut::Above) => {
                Progress::ClosedDataset
            }
            (Progress::Inside, Cut::Within) => {
                emit.push(location);
                Progress::ClosedDataset
            }
            (_, Cut::Nowhere) => {
                emit.push(location);
                Progress::Inside
            }
            (Progress::Before, _) => {
                emit.push(location);
                Progress::Before
            }
        }
    });
    let samples = choose_samples(&profile.samples, |row| {
        Some(rows.of(profile.samples.stacks[row]))
    });
    let matched = outermost.iter().any(Option::is_some);
    Filtered {
        profile: with_tables(profile, rows.stacks, lines, locations, samples),
        matched,
    }
}

/// [`prune`] by what the profile itself says in its header (`drop_frames`, `keep_frames`, which
/// must match a name as a whole); without that, the profile as it is. pprof does this to every
/// profile that it opens.
pub fn prune_by_header(profile: &Profile) -> Result<Filtered, PatternError> {
    let whole = |id: StringId| match profile.text(id) {
        "" => Ok(None),
        text => FramePattern::new(&format!("^({text})$")).map(Some),
    };
    let header = &profile.header;
    match whole(header.drop_frames)? {
        Some(drop) => Ok(prune(profile, &drop, whole(header.keep_frames)?.as_ref())),
        None => Ok(Filtered {
            profile: profile.clone(),
            matched: false,
        }),
    }
}

/// Removes all frames below the innermost one that matches, which stays. Samples without a match
/// stay as they are.
///
/// Names are taken as in [`prune`]. A location that matches loses the lines inside its innermost
/// match wherever it stands.
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

/// Where a location is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Nowhere,
    /// Its outermost line matches: all of it goes.
    Above,
    /// An inner line matches: its outer lines stay.
    Within,
}

/// How far a stack has been searched, from the root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Every location so far matches.
    Before,
    Inside,
    /// It is cut.
    ClosedDataset,
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
    use crate::{By, CallTree, ProfileBuilder};

    fn drawn(profile: &Profile) -> String {
        draw(&CallTree::new(profile, 0, By::Name))
    }

    fn pattern(text: &str) -> FramePattern {
        FramePattern::new(text).unwrap()
    }

    #[test]
    fn cuts_below_the_first_user_frame() {
        let p = profile("b;a;b;c;b 1\na;c 2");
        assert_eq!(
            drawn(&prune(&p, &pattern("b"), None).profile),
            "total 3/0\n a 2/0\n  c 2/2\n b 1/0\n  a 1/1\n"
        );
        assert_eq!(
            drawn(&prune(&p, &pattern("."), Some(&pattern("a"))).profile),
            "total 3/0\n a 2/2\n b 1/0\n  a 1/1\n"
        );
        assert!(!prune(&p, &pattern("d"), None).matched);
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
    fn the_header_names_whole_functions() {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        let stack = b.named_stack(&["main", "malloc_hook", "malloc", "brk"]);
        b.sample(stack, None, &[1]);
        b.header().drop_frames = b.string("malloc|free");
        assert_eq!(
            drawn(&prune_by_header(&b.finish()).unwrap().profile),
            "total 1/0\n main 1/0\n  malloc_hook 1/1\n"
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
