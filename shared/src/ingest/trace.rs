//! Trace context: the labels that tie samples to spans of traces.
//!
//! Agents send `trace_id` (32 hex digits), `span_id` (16) and `span_name` as labels of a sample; the
//! oldest say `profile_id` for `span_id`. Digits are taken as they stand: .NET's are those of a
//! number in the byte order of its machine, and whoever looks for the span sends the same.
//!
//! Datadog's tracers send `span id`, `trace id` and `local root span id`, the outermost span of the
//! process, as decimal numbers of 64 bits, and its resource as `trace endpoint`.

use hashbrown::HashSet;

use crate::base::limits::{MAX_LINK_ROWS_A_PUSH, MAX_LINKS_A_PUSH, MAX_SPAN_NAME};
use crate::model::id::{LabelSetId, StringId};
use crate::model::profile::{LabelValue, Profile};
use crate::model::trace::{SpanId, TraceId, TraceIdError, TraceLink};

/// Labels that tie a sample to a trace. Every span has its own, so they never make a series.
pub(super) const TRACE_LABELS: [&str; 8] = [
    "local root span id",
    "profile_id",
    "span id",
    "span_id",
    "span_name",
    "trace endpoint",
    "trace id",
    "trace_id",
];

/// Those of them that Datadog's tracers write as decimal numbers.
const DECIMAL_LABELS: [&str; 3] = ["local root span id", "span id", "trace id"];

/// Which samples belong to which spans.
pub(super) struct TraceLinks {
    /// Of each label set.
    by_set: Vec<Option<TraceLink>>,
    /// Samples from here on have no link, as there would be too many.
    end: usize,
    /// Samples whose context is not kept, or not all of it.
    pub(super) lost: u64,
}

impl TraceLinks {
    pub(super) fn of(profile: &Profile) -> Self {
        let (mut by_set, mut lossy) = (Vec::new(), Vec::new());
        let mut distinct = HashSet::new();
        for i in 0..profile.label_sets().len() {
            let (mut link, mut complete) = link(profile, LabelSetId::new(i));
            if let Some(one) = link
                && !distinct.contains(&one)
            {
                if distinct.len() < MAX_LINKS_A_PUSH {
                    distinct.insert(one);
                } else {
                    (link, complete) = (None, false);
                }
            }
            by_set.push(link);
            lossy.push(!complete);
        }
        let mut links = Self {
            by_set,
            end: usize::MAX,
            lost: 0,
        };
        let most = MAX_LINK_ROWS_A_PUSH / profile.sample_types().len().max(1);
        let (mut linked, mut end) = (0, usize::MAX);
        for (sample, &set) in profile.samples().labels.iter().enumerate() {
            let has_link = links.get(sample, set).is_some();
            if has_link && linked == most && end == usize::MAX {
                end = sample;
            }
            linked += usize::from(has_link);
            let is_lossy = set.is_some_and(|set| lossy[set.index()]);
            links.lost += u64::from(is_lossy || has_link && sample >= end);
        }
        links.end = end;
        links
    }

    /// The link of a sample with this label set.
    pub(super) fn get(&self, sample: usize, set: Option<LabelSetId>) -> Option<TraceLink> {
        set.filter(|_| sample < self.end)
            .and_then(|set| self.by_set[set.index()])
    }
}

/// What a label set says of a span, and whether that is all that it says. A link has at least one
/// id.
fn link(profile: &Profile, set: LabelSetId) -> (Option<TraceLink>, bool) {
    let (mut trace, mut span, mut alias, mut root) = (None, None, None, None);
    let (mut name, mut endpoint) = (StringId::EMPTY, StringId::EMPTY);
    let mut complete = true;
    for label in profile.label_sets().get(set) {
        let key = profile.text(label.key);
        if DECIMAL_LABELS.contains(&key) {
            let number = decimal(profile, label.value, &mut complete);
            match key {
                "trace id" => trace = number.and_then(|id| TraceId::from_number(id.into())),
                "span id" => span = number.and_then(SpanId::from_number),
                _ => root = number.and_then(SpanId::from_number),
            }
            continue;
        }
        let LabelValue::Text(value) = label.value else {
            continue;
        };
        let text = profile.text(value);
        match key {
            _ if text.is_empty() => {}
            "trace_id" => trace = id(text, &mut complete),
            "span_id" => span = id(text, &mut complete),
            "profile_id" => alias = id(text, &mut complete),
            "span_name" | "trace endpoint" if text.len() > MAX_SPAN_NAME => complete = false,
            "span_name" => name = value,
            "trace endpoint" => endpoint = value,
            _ => {}
        }
    }
    let span = span.or(alias).or(root);
    if name.is_empty() {
        name = endpoint;
    }
    let link = TraceLink { trace, span, name };
    let any = trace.is_some() || span.is_some();
    (any.then_some(link), complete)
}

/// A number of 64 bits, or a text of one; none for an empty text.
fn decimal(profile: &Profile, value: LabelValue, complete: &mut bool) -> Option<u64> {
    let text = match value {
        LabelValue::Number(number, _) => return Some(number as u64),
        LabelValue::Text(text) => profile.text(text),
    };
    let number = text.parse().ok();
    *complete &= number.is_some() || text.is_empty();
    number
}

/// An id; none for zeros, which say that there is none.
fn id<Id: std::str::FromStr<Err = TraceIdError>>(text: &str, complete: &mut bool) -> Option<Id> {
    let id = text.parse();
    *complete &= !matches!(id, Err(TraceIdError::Digits(_)));
    id.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::builder::ProfileBuilder;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "00f067aa0ba902b7";

    /// A profile with a sample for each set of labels.
    fn profile(samples: &[Vec<(&str, &str)>]) -> Profile {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let stack = builder.named_stack(&["main"]);
        for labels in samples {
            let mut labels: Vec<crate::Label> = labels
                .iter()
                .map(|(key, value)| builder.text_label(key, value))
                .collect();
            let set = builder.label_set(&mut labels);
            builder.sample(stack, set, &[1]);
        }
        builder.finish()
    }

    fn check(labels: &[(&str, &str)], expect: Option<(&str, &str, &str)>, lost: u64) {
        let profile = profile(&[labels.to_vec()]);
        let links = TraceLinks::of(&profile);
        let found = links.get(0, profile.samples().labels[0]).map(|link| {
            (
                link.trace.map(|id| id.to_string()).unwrap_or_default(),
                link.span.map(|id| id.to_string()).unwrap_or_default(),
                profile.text(link.name).to_owned(),
            )
        });
        let expect = expect.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!((found, links.lost), (expect, lost), "{labels:?}");
    }

    #[test]
    fn labels_make_links() {
        check(&[], None, 0);
        check(
            &[("span_id", SPAN), ("trace_id", TRACE), ("region", "eu")],
            Some((TRACE, SPAN, "")),
            0,
        );
        check(&[("profile_id", SPAN)], Some(("", SPAN, "")), 0);
        check(
            &[("profile_id", "1111111111111111"), ("span_id", SPAN)],
            Some(("", SPAN, "")),
            0,
        );
        check(
            &[("span_id", SPAN), ("span_name", "GET /")],
            Some(("", SPAN, "GET /")),
            0,
        );
        check(&[("span_name", "GET /")], None, 0);
        check(&[("trace_id", TRACE)], Some((TRACE, "", "")), 0);
        // None, and said so.
        check(&[("span_id", "0000000000000000")], None, 0);
        check(&[("span_id", "")], None, 0);
        // Lost, and counted.
        check(&[("span_id", "f067aa0ba902b7")], None, 1);
        check(
            &[("span_id", SPAN), ("trace_id", SPAN)],
            Some(("", SPAN, "")),
            1,
        );
        let long = "x".repeat(MAX_SPAN_NAME + 1);
        check(
            &[("span_id", SPAN), ("span_name", &long)],
            Some(("", SPAN, "")),
            1,
        );
    }

    #[test]
    fn labels_of_datadogs_tracers_make_links() {
        let all = [
            ("local root span id", "5832010910514730492"),
            ("span id", "3763807687390013312"),
            ("trace endpoint", "http.request"),
        ];
        check(&all, Some(("", "343bbb2671c42780", "http.request")), 0);
        let outermost = Some(("", "50ef7706176ed5fc", ""));
        check(&all[..1], outermost, 0);
        check(
            &[("trace id", "255"), ("span id", "16")],
            Some(("000000000000000000000000000000ff", "0000000000000010", "")),
            0,
        );
        check(&[("span id", "0")], None, 0);
        check(&[("span id", "343bbb2671c42780")], None, 1);
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let ids: Vec<String> = (1..MAX_LINKS_A_PUSH + 11)
            .map(|n| format!("{n:016x}"))
            .collect();
        let all: Vec<Vec<(&str, &str)>> = ids.iter().map(|id| vec![("span_id", &id[..])]).collect();
        let profile = profile(&all);
        let links = TraceLinks::of(&profile);
        let kept = (0..profile.len())
            .filter(|&at| links.get(at, profile.samples().labels[at]).is_some())
            .count();
        assert_eq!((kept, links.lost), (MAX_LINKS_A_PUSH, 10));

        let mut repeated = profile.clone();
        let samples = &mut repeated.samples;
        samples.stacks = vec![samples.stacks[0]; MAX_LINK_ROWS_A_PUSH + 3];
        samples.labels = vec![samples.labels[0]; MAX_LINK_ROWS_A_PUSH + 3];
        samples.values = vec![vec![1; MAX_LINK_ROWS_A_PUSH + 3]];
        let links = TraceLinks::of(&repeated);
        let set = repeated.samples().labels[0];
        assert!(links.get(MAX_LINK_ROWS_A_PUSH - 1, set).is_some());
        assert!(links.get(MAX_LINK_ROWS_A_PUSH, set).is_none());
        assert_eq!(links.lost, 3);
    }
}
