//! Steps between an opened profile and what is drawn of it: verbs of the core, one after the other.
//! A step is a text, the same as in the page's address.
//!
//! | step | what it does |
//! |---|---|
//! | `focus:REGEX`, `ignore:REGEX` | keeps samples with such a frame, or without |
//! | `hide:REGEX`, `show:REGEX` | takes such frames out, or all others |
//! | `show-from:REGEX` | begins stacks at the outermost such frame |
//! | `prune-from:REGEX` | ends stacks at the innermost such frame |
//! | `recursion:direct`, `recursion:cycles` | folds functions that call themselves, directly or not |
//! | `inlines:hide` | takes out inlined calls; their callers have what they cost |
//! | `tagfocus:PATTERN`, `tagignore:PATTERN` | keeps samples with such a label, or without: `key=REGEX`, `key=32kb:64kb`, `REGEX` of `key:value` |
//! | `tagroot:KEY,…`, `tagleaf:KEY,…` | values of labels as frames, outermost or innermost |
//! | `time:FROM-UNTIL` | what was between two points in time, in seconds since the first sample of the profile |
//! | `group:function`, `group:file`, `group:package`, `group:module` | what counts as one frame; of files, packages and modules, equal neighbours become one |

use std::borrow::Cow;

use pilotlight_core::verbs::{
    self, Filtered, FramePattern, Granularity, Recursion, TagEnd, TagPattern,
};
use pilotlight_core::{Mapping, Profile};

use crate::error::{MAX_STEPS, SessionError};

/// Longest text of a step in a message.
const SHOWN: usize = 80;

/// What steps made of a profile.
pub(crate) struct Derived<'a> {
    pub(crate) profile: Cow<'a, Profile>,
    /// Numbers of the steps that matched nothing, from 0.
    pub(crate) unmatched: Vec<u32>,
}

/// Takes steps, each from what the one before has left.
pub(crate) fn derive<'a>(
    profile: &'a Profile,
    steps: &[String],
) -> Result<Derived<'a>, SessionError> {
    if steps.len() > MAX_STEPS {
        return Err(SessionError::TooManySteps(steps.len()));
    }
    let start = first_time(profile).unwrap_or(0);
    let mut derived = Derived {
        profile: Cow::Borrowed(profile),
        unmatched: Vec::new(),
    };
    for (i, text) in steps.iter().enumerate() {
        let wrong = |reason: String| SessionError::Step {
            number: i + 1,
            step: text.chars().take(SHOWN).collect(),
            reason,
        };
        let step = Step::parse(text).map_err(wrong)?;
        let (profile, matched) = step.take(&derived.profile, start).map_err(wrong)?;
        derived.profile = Cow::Owned(profile);
        if !matched {
            derived.unmatched.push(i as u32);
        }
    }
    Ok(derived)
}

/// One step.
pub(crate) enum Step {
    Focus(FramePattern),
    Ignore(FramePattern),
    Hide(FramePattern),
    Show(FramePattern),
    ShowFrom(FramePattern),
    PruneFrom(FramePattern),
    Recursion(Recursion),
    HideInlined,
    Group(Granularity),
    TagFocus(TagPattern),
    TagIgnore(TagPattern),
    /// Keys of labels.
    TagFrames(Vec<String>, TagEnd),
    /// Nanoseconds since the first sample.
    Time(i64, i64),
}

impl Step {
    /// Reads `verb:argument`, or says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (verb, argument) = text.split_once(':').unwrap_or((text, ""));
        let pattern = |step: fn(FramePattern) -> Self| {
            if argument.is_empty() {
                return Err("the regular expression is missing".to_owned());
            }
            FramePattern::new(argument).map(step).map_err(|e| e.reason)
        };
        let tags = |step: fn(TagPattern) -> Self| {
            if argument.is_empty() {
                return Err("the label pattern is missing".to_owned());
            }
            TagPattern::new(argument).map(step).map_err(|e| e.reason)
        };
        let frames = |end: TagEnd| {
            let keys: Vec<String> = argument.split(',').map(str::to_owned).collect();
            if keys.iter().any(String::is_empty) {
                return Err("expected label keys, separated by commas".to_owned());
            }
            Ok(Self::TagFrames(keys, end))
        };
        match verb {
            "focus" => pattern(Self::Focus),
            "ignore" => pattern(Self::Ignore),
            "hide" => pattern(Self::Hide),
            "show" => pattern(Self::Show),
            "show-from" => pattern(Self::ShowFrom),
            "prune-from" => pattern(Self::PruneFrom),
            "recursion" => match argument {
                "direct" => Ok(Self::Recursion(Recursion::Direct)),
                "cycles" => Ok(Self::Recursion(Recursion::Cycles)),
                _ => Err("recursion must be direct or cycles".to_owned()),
            },
            "inlines" => match argument {
                "hide" => Ok(Self::HideInlined),
                _ => Err("inlines must be hide".to_owned()),
            },
            "group" => match argument {
                "function" => Ok(Self::Group(Granularity::Function)),
                "file" => Ok(Self::Group(Granularity::File)),
                "package" => Ok(Self::Group(Granularity::Package)),
                "module" => Ok(Self::Group(Granularity::Module)),
                _ => Err("group must be function, file, package or module".to_owned()),
            },
            "tagfocus" => tags(Self::TagFocus),
            "tagignore" => tags(Self::TagIgnore),
            "tagroot" => frames(TagEnd::Root),
            "tagleaf" => frames(TagEnd::Leaf),
            "time" => parse_span(argument)
                .map(|(from, until)| Self::Time(from, until))
                .ok_or_else(|| "time must be a range in seconds, such as 0.5-2".to_owned()),
            _ => Err("unknown step".to_owned()),
        }
    }

    /// What it makes of a profile, and whether it matched anything there. A frame that a step before
    /// has taken out may still count as matched.
    fn take(&self, profile: &Profile, start: i64) -> Result<(Profile, bool), String> {
        let left = |after: Profile| {
            let matched = !after.is_empty();
            (after, matched)
        };
        let changed = |filtered: Filtered| (filtered.profile, filtered.matched);
        Ok(match self {
            Self::Focus(pattern) => left(verbs::focus(profile, pattern).profile),
            Self::Show(pattern) => left(verbs::show(profile, pattern).profile),
            Self::ShowFrom(pattern) => left(verbs::show_from(profile, pattern).profile),
            Self::Ignore(pattern) => changed(verbs::ignore(profile, pattern)),
            Self::Hide(pattern) => changed(verbs::hide(profile, pattern)),
            Self::PruneFrom(pattern) => changed(verbs::prune_from(profile, pattern)),
            Self::TagFocus(pattern) => left(verbs::focus_tags(profile, pattern).profile),
            Self::TagIgnore(pattern) => changed(verbs::ignore_tags(profile, pattern)),
            Self::TagFrames(keys, end) => {
                changed(verbs::tag_frames(profile, keys, *end).map_err(|e| e.to_string())?)
            }
            Self::Time(from, until) => {
                let [from, until] = [from, until].map(|&nanos| start.saturating_add(nanos));
                let part = verbs::within(profile, from, until);
                left(part.ok_or_else(|| "this profile's samples have no times".to_owned())?)
            }
            Self::HideInlined => changed(verbs::hide_inlined(profile)),
            Self::Recursion(mode) => (fold(profile, *mode)?, true),
            Self::Group(Granularity::Function) => {
                (verbs::group(profile, Granularity::Function), true)
            }
            Self::Group(by) => {
                let grouped = verbs::group(profile, *by);
                let folded = fold(&grouped, Recursion::Direct)?;
                let matched = folded.is_empty() || has_names(&folded, *by);
                (folded, matched)
            }
        })
    }
}

/// Whether any frame of a grouped profile has a name: a profile without files has none by file. There
/// a frame that is only an address is shown as its module, which is not a file.
fn has_names(grouped: &Profile, by: Granularity) -> bool {
    let modules: &[Mapping] = match by {
        Granularity::File => &[],
        _ => grouped.mappings(),
    };
    let functions = grouped.functions().iter().map(|function| function.name);
    functions
        .chain(modules.iter().map(|mapping| mapping.file))
        .any(|name| !grouped.text(name).is_empty())
}

/// When the first sample was taken.
pub(crate) fn first_time(profile: &Profile) -> Option<i64> {
    profile.samples().times.as_ref()?.iter().min().copied()
}

/// `0.5-2` in nanoseconds.
fn parse_span(text: &str) -> Option<(i64, i64)> {
    let (from, until) = text.split_once('-')?;
    let [from, until] = [from, until].map(|text| {
        let seconds: f64 = text.parse().ok()?;
        (seconds.is_finite() && seconds >= 0.0).then_some((seconds * 1e9).round() as i64)
    });
    Some((from?, until?)).filter(|(from, until)| from < until)
}

fn fold(profile: &Profile, mode: Recursion) -> Result<Profile, String> {
    verbs::collapse_recursion(profile, mode).map_err(|e| e.to_string())
}
