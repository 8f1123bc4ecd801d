//! Show from: what a function and everything below it did, whoever called it.

use super::frames::{FramePattern, Matched};
use crate::model::profile::Profile;
use crate::verbs::rewrite::{Filtered, choose_samples, keep_lines, rewrite_rows, with_tables};

/// Drops all frames above the outermost one that matches; samples without one go.
///
/// A location whose mapping's file matches is kept whole. Of one that matches by a function, the
/// lines outside its outermost match go wherever the location stands, also below another match, as
/// in pprof.
///
/// Laws: what is kept is what `focus` of the same pattern keeps; applied twice it changes nothing
/// more.
pub fn show_from(profile: &Profile, pattern: &FramePattern) -> Filtered {
    let matched = Matched::new(pattern, profile);
    // How many of the innermost lines stay, for locations that match.
    let starts: Vec<Option<usize>> = profile
        .location_ids()
        .zip(&profile.locations)
        .map(|(id, location)| {
            let lines = profile.lines(id);
            if matched.mapping(location.mapping) {
                return Some(lines.len());
            }
            lines
                .iter()
                .rposition(|line| matched.line(line))
                .map(|outermost| outermost + 1)
        })
        .collect();
    let (lines, locations) = keep_lines(profile, |id, i| {
        starts[id.index()].is_none_or(|count| i < count)
    });
    let rows = rewrite_rows(profile, false, |started, location, emit| {
        let started = started || starts[location.index()].is_some();
        if started {
            emit.push(location);
        }
        started
    });
    let samples = choose_samples(&profile.samples, |row| {
        rows.of(profile.samples.stacks[row]).map(Some)
    });
    let matched = starts.iter().any(Option::is_some);
    Filtered {
        profile: with_tables(profile, rows.stacks, lines, locations, samples),
        matched,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree};

    #[test]
    fn begins_at_the_outermost_match() {
        let p = profile("main;a;b;a;c 1\nother;a 2\nmain;c 4\n 8");
        let from = show_from(&p, &FramePattern::new("^a$").unwrap());
        assert!(from.matched);
        let tree = CallTree::new(&from.profile, 0, By::Name);
        assert_eq!(
            draw(&tree),
            "total 3/0\n a 3/2\n  b 1/0\n   a 1/0\n    c 1/1\n"
        );
        let nothing = show_from(&p, &FramePattern::new("d").unwrap());
        assert!(!nothing.matched && nothing.profile.is_empty());
    }
}
