//! Focus and ignore: which samples stay, by what stands on their stacks.

use super::frames::{FramePattern, Matched};
use crate::model::profile::Profile;
use crate::verbs::rewrite::{choose_samples, fold_rows, with_samples};

/// What focus and ignore give.
#[derive(Clone, Debug)]
pub struct Focused {
    /// The result.
    pub profile: Profile,
    /// Whether what to focus on is anywhere in the profile (and not ignored there); true when
    /// nothing was asked.
    pub focus_matched: bool,
    /// Whether what to ignore is anywhere in the profile; true when nothing was asked.
    pub ignore_matched: bool,
}

/// Keeps the samples that have a frame that matches `focus` and none that matches `ignore`.
///
/// A location matches by the name or file of one of its functions, or by the file of its mapping.
/// Ignoring wins, as in pprof, and a sample without frames goes with either option, since nothing
/// on it can match.
///
/// Law: `focus(x)` and `ignore(x)` part a profile: their totals add up to that of the samples with
/// frames.
pub fn focus(
    profile: &Profile,
    focus: Option<&FramePattern>,
    ignore: Option<&FramePattern>,
) -> Focused {
    if focus.is_none() && ignore.is_none() {
        return Focused {
            profile: profile.clone(),
            focus_matched: true,
            ignore_matched: true,
        };
    }
    let locations = |pattern: Option<&FramePattern>| {
        pattern.map(|p| Matched::new(p, profile).locations(profile))
    };
    let (focused, ignored) = (locations(focus), locations(ignore));
    let marks: Vec<Mark> = (0..profile.locations.len())
        .map(|i| match (&focused, &ignored) {
            (_, Some(ignored)) if ignored[i] => Mark::Ignored,
            (Some(focused), _) if !focused[i] => Mark::Nothing,
            _ => Mark::Focused,
        })
        .collect();
    let (mut focus_matched, mut ignore_matched) = (focus.is_none(), ignore.is_none());
    let rows = fold_rows(profile, Mark::Nothing, |before, location| {
        let mark = marks[location.index()];
        focus_matched |= mark == Mark::Focused;
        ignore_matched |= mark == Mark::Ignored;
        before.max(mark)
    });
    let samples = choose_samples(&profile.samples, |row| {
        let stack = profile.samples.stacks[row]?;
        (rows[stack.index()] == Mark::Focused).then_some(Some(stack))
    });
    Focused {
        profile: with_samples(profile, samples),
        focus_matched,
        ignore_matched,
    }
}

/// What is known of a stack, in the order in which one overrides another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    Nothing,
    Focused,
    Ignored,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    const STACKS: &str = "main;a;b 1\nmain;a;c 2\nmain;d 4\n 8";

    fn check(focus_on: &str, ignore: &str, total: i128, matched: (bool, bool)) {
        let pattern = |text: &str| (!text.is_empty()).then(|| FramePattern::new(text).unwrap());
        let focused = focus(
            &profile(STACKS),
            pattern(focus_on).as_ref(),
            pattern(ignore).as_ref(),
        );
        assert_eq!(focused.profile.total(0), total, "{focus_on} {ignore}");
        assert_eq!(
            (focused.focus_matched, focused.ignore_matched),
            matched,
            "{focus_on} {ignore}"
        );
    }

    #[test]
    fn keeps_what_matches() {
        check("", "", 15, (true, true));
        check("^a$", "", 3, (true, true));
        check("a", "^b$", 6, (true, true));
        check("", "^a$", 4, (true, true));
        check("nowhere", "^b$", 0, (false, true));
        check("^a$", "nowhere", 3, (true, false));
        check("^b$", "^b$", 0, (false, true));
    }
}
