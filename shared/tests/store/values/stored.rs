//! What the pushes say, which the answers must be.

use super::*;
use crate::spans::trace;
use crate::support::{NamedRows, counting};

/// A profile that counts.
pub(super) struct Stored<'a> {
    pub(super) labels: Labels,
    pub(super) time: UnixNanos,
    pub(super) rows: &'a NamedRows,
    pub(super) contexts: &'a [(u8, u8)],
}

/// The profiles of a type that a selector and a range select.
pub(super) fn stored<'a>(
    pushes: &'a [LinkedPush],
    plain: &'a [Push],
    selector: &str,
    of_type: &ProfileType,
    range: TimeRange,
) -> Vec<Stored<'a>> {
    let selector = Selector::parse(selector).unwrap();
    let mut all = Vec::new();
    for counted in counting(plain) {
        let at = plain.iter().position(|p| std::ptr::eq(p, counted)).unwrap();
        for ((sample_type, rows), contexts) in counted.types.iter().zip(&pushes[at].contexts) {
            let labels = labels(&counted.labels);
            let time = UnixNanos(counted.time);
            if profile_type(counted.family, sample_type) == *of_type
                && range.contains(time)
                && selector.matches(of_type, &labels)
            {
                all.push(Stored {
                    labels,
                    time,
                    rows,
                    contexts,
                });
            }
        }
    }
    all
}

/// What a profile's stacks have that are selected, as a tree by name sees them.
pub(super) fn selected(profile: &Stored, stacks: &StackSelector) -> i64 {
    let FrameFilter { included, excluded } = &stacks.frames;
    let fits = |stack: &[&str]| {
        let site = stacks.call_site.iter().map(String::as_str);
        let begins = stack.len() >= stacks.call_site.len() && site.zip(stack).all(|(a, &b)| a == b);
        let has = |name: &String| stack.contains(&name.as_str());
        let ends = stack
            .last()
            .is_some_and(|&name| stacks.leaf.names.contains(name));
        begins
            && included.names.iter().all(has)
            && !excluded.names.iter().any(has)
            && (stacks.leaf.is_empty() || ends)
    };
    let rows = profile.rows.iter();
    rows.filter(|(stack, _)| fits(stack))
        .map(|(_, value)| value)
        .sum()
}

/// What the spans of a profile have.
pub(super) fn spans_of(profile: &Stored) -> Vec<Shown> {
    let mut rows = BTreeMap::<_, i64>::new();
    for ((stack, value), &context) in profile.rows.iter().zip(profile.contexts) {
        *rows.entry((context, stack)).or_default() += value;
    }
    let mut sums = BTreeMap::<_, i64>::new();
    for (((t, s), _), value) in rows.into_iter().filter(|(_, value)| *value != 0) {
        if let Some(span) = span(s) {
            *sums.entry((span, trace(t))).or_default() += value;
        }
    }
    let shown = sums.into_iter().map(|(span, value)| {
        let span = format!("{:?}", Some(span));
        (profile.labels.clone(), profile.time.0, value, span)
    });
    shown.collect()
}
