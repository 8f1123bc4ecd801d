//! Focus and ignore: which samples stay, by what stands on their stacks.

use super::frames::{FramePattern, Matched};
use crate::model::profile::Profile;
use crate::verbs::rewrite::{Filtered, choose_samples, fold_rows, with_samples};

/// Keeps the samples that have a frame that matches.
///
/// A location matches by the name or file of one of its functions, or by the file of its mapping.
///
/// Law: with the same pattern, `focus` and [`ignore`] part a profile: their totals add up to that of
/// the samples with frames.
pub fn focus(profile: &Profile, pattern: &FramePattern) -> Filtered {
    keep(profile, pattern, |matches| matches)
}

/// Keeps the samples that have frames, none of which matches; what matches is as in [`focus`].
///
/// As in pprof, a sample without frames goes, since nothing on it can match.
pub fn ignore(profile: &Profile, pattern: &FramePattern) -> Filtered {
    keep(profile, pattern, |matches| !matches)
}

/// Keeps samples with frames, by whether their stacks match.
fn keep(profile: &Profile, pattern: &FramePattern, keeps: impl Fn(bool) -> bool) -> Filtered {
    let locations = Matched::new(pattern, profile).locations(profile);
    let stacks = fold_rows(profile, false, |before, location| {
        before || locations[location.index()]
    });
    let samples = choose_samples(&profile.samples, |row| {
        let stack = profile.samples.stacks[row]?;
        keeps(stacks[stack.index()]).then_some(Some(stack))
    });
    Filtered {
        profile: with_samples(profile, samples),
        matched: stacks.contains(&true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProfileBuilder;
    use crate::testing::profile;

    const STACKS: &str = "main;a;b 1\nmain;a;c 2\nmain;d 4\n 8";

    fn check(pattern: &str, focused: i128, ignored: i128, matched: bool) {
        let (profile, pattern) = (profile(STACKS), FramePattern::new(pattern).unwrap());
        let (kept, rest) = (focus(&profile, &pattern), ignore(&profile, &pattern));
        assert_eq!(
            (kept.profile.total(0), rest.profile.total(0)),
            (focused, ignored)
        );
        assert_eq!((kept.matched, rest.matched), (matched, matched));
    }

    #[test]
    fn keeps_what_matches() {
        check("^a$", 3, 4, true);
        check("^b$", 1, 6, true);
        check("a", 7, 0, true);
        check("nowhere", 0, 7, false);
    }

    #[test]
    fn times_stay_with_their_samples() {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let stacks = ["a", "b", "main"].map(|name| builder.named_stack(&["main", name]));
        builder.sample(stacks[0], None, &[1]);
        for (time, stack, value) in [(10, 1, 1), (20, 0, 0), (30, 2, 1), (40, 1, 2)] {
            builder.sample_at(time, stacks[stack], None, &[value]);
        }
        let profile = builder.finish();
        let times = |profile: &Profile| profile.samples.times.clone();
        // The one without a time has the first.
        assert_eq!(times(&profile), Some(vec![10, 10, 20, 30, 40]));
        let kept = focus(&profile, &FramePattern::new("b").unwrap()).profile;
        assert_eq!(times(&kept), Some(vec![10, 40]));
        assert_eq!(times(&crate::canonical(&profile)), None);
    }
}
