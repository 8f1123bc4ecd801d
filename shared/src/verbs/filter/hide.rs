//! Hide and show: which frames stay, inlined ones one by one.

use super::frames::{FramePattern, Matched};
use crate::model::profile::{Line, Location, Profile};
use crate::verbs::rewrite::{Filtered, choose_samples, keep_lines, rewrite_rows, with_tables};

/// Takes out the frames that match; what they called is called by their callers then.
///
/// A frame matches by the name or file of its function; when the file of a location's mapping
/// matches, all its lines do. A location whose lines are all gone is gone. As in pprof, samples
/// that have no frame left (or never had one) go too: the total of all others stays.
pub fn hide(profile: &Profile, pattern: &FramePattern) -> Filtered {
    let matched = Matched::new(pattern, profile);
    let found = matched.locations(profile);
    let keep = |location: &Location, line: &Line| {
        !(matched.mapping(location.mapping) || matched.line(line))
    };
    // What matches without lines matches by its mapping.
    let hidden = |id: usize, left: u32| found[id] && left == 0;
    let profile = rewrite(profile, keep, hidden);
    Filtered {
        profile,
        matched: found.contains(&true),
    }
}

/// Keeps only the frames that match; [`hide`] the other way round.
///
/// As in pprof, a location without lines goes even when its mapping matches, and a line without a
/// function stays.
pub fn show(profile: &Profile, pattern: &FramePattern) -> Filtered {
    let matched = Matched::new(pattern, profile);
    let keep = |location: &Location, line: &Line| {
        line.function.is_none() || matched.mapping(location.mapping) || matched.line(line)
    };
    let mut any = false;
    let profile = rewrite(profile, keep, |_, left| {
        any |= left > 0;
        left == 0
    });
    Filtered {
        profile,
        matched: any,
    }
}

/// Keeps some lines, and takes out the locations that `hidden` says so of, given how many lines are
/// left.
fn rewrite(
    profile: &Profile,
    keep: impl Fn(&Location, &Line) -> bool,
    mut hidden: impl FnMut(usize, u32) -> bool,
) -> Profile {
    let keep_line = |id: crate::model::id::LocationId, i: usize| {
        keep(&profile.locations[id.index()], &profile.lines(id)[i])
    };
    let (lines, locations) = keep_lines(profile, keep_line);
    let hidden: Vec<bool> = locations
        .iter()
        .enumerate()
        .map(|(i, l)| hidden(i, l.line_count))
        .collect();
    let rows = rewrite_rows(profile, (), |(), location, emit| {
        if !hidden[location.index()] {
            emit.push(location);
        }
    });
    let samples = choose_samples(&profile.samples, |row| {
        rows.of(profile.samples.stacks[row]).map(Some)
    });
    with_tables(profile, rows.stacks, lines, locations, samples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree};

    fn pattern(text: &str) -> FramePattern {
        FramePattern::new(text).unwrap()
    }

    #[test]
    fn frames_go_and_totals_stay() {
        let p = profile("main;a;b;a 1\nmain;b;a 2\nmain;a 4\na 8");
        let hidden = hide(&p, &pattern("^a$"));
        assert!(hidden.matched);
        let tree = CallTree::new(&hidden.profile, 0, By::Name);
        assert_eq!(draw(&tree), "total 7/0\n main 7/4\n  b 3/3\n");
        let shown = show(&p, &pattern("^a$"));
        let tree = CallTree::new(&shown.profile, 0, By::Name);
        assert_eq!(draw(&tree), "total 15/0\n a 15/14\n  a 1/1\n");
        assert!(!hide(&p, &pattern("c")).matched);
        let nothing = show(&p, &pattern("c"));
        assert!(!nothing.matched && nothing.profile.is_empty());
    }
}
