//! What the fields of requests mean, and which of them are refused.

use pilotlight_core::verbs::StackSelector;
use pilotlight_core::{
    ProfileId, ProfileIds, ProfileType, SampleSelector, Selector, TimeRange, UnixNanos,
};

use super::messages::{GoPgo, SelectMergeStacktracesRequest};
use super::stacks;
use crate::api::query;
use crate::platform::errors::Problem;

/// Most selectors of a call: 16. Each may hold half a megabyte of compiled expressions, and all are
/// held at once.
const MAX_SELECTORS: usize = 16;

/// Most names of labels by which is grouped: 64, twice what a series may have.
const MAX_LABEL_NAMES: usize = 64;

/// Most ids of profiles of a call: 1,000. Their pages may be as many, and they lie anywhere.
const MAX_PROFILE_IDS: usize = 1_000;

/// The range of a call that needs one, in milliseconds. Both ends are inside, as Pyroscope has it.
pub(super) fn range(start: i64, end: i64) -> Result<TimeRange, Problem> {
    if start == 0 || end == 0 {
        return Err(Problem::invalid("missing time range in the query"));
    }
    // Before the end moves: one that lies a millisecond too early would pass for an empty range.
    if start > end {
        return Err(Problem::invalid(format!(
            "the range begins ({start}) after its end ({end})"
        )));
    }
    Ok(TimeRange::of_millis(start, end.saturating_add(1)))
}

/// The range of a call that may do without: the last day then.
pub(super) fn range_or_day(start: i64, end: i64, now: UnixNanos) -> Result<TimeRange, Problem> {
    if start == 0 && end == 0 {
        return Ok(day_before(now));
    }
    range(start, end)
}

/// The day up to now, and an hour beyond it for clocks that are ahead.
pub(super) fn day_before(now: UnixNanos) -> TimeRange {
    const HOUR: i64 = 3_600_000_000_000;
    TimeRange {
        from: now.plus(-24 * HOUR),
        until: now.plus(HOUR),
    }
}

/// Selectors of which a series needs to match one; without any, every series does.
pub(super) fn selectors(matchers: &[String]) -> Result<Vec<Selector>, Problem> {
    if matchers.len() > MAX_SELECTORS {
        let message = format!(
            "got {} matchers; at most {MAX_SELECTORS} are allowed",
            matchers.len()
        );
        return Err(Problem::invalid(message));
    }
    matchers.iter().map(|text| query::selector(text)).collect()
}

/// Names of labels, each once and in the order in which they were given.
pub(super) fn label_names(names: &[String]) -> Result<Vec<String>, Problem> {
    let mut once: Vec<String> = Vec::new();
    for name in names {
        if once.contains(name) {
            continue;
        }
        if once.len() == MAX_LABEL_NAMES {
            let message = format!("at most {MAX_LABEL_NAMES} label names are allowed");
            return Err(Problem::invalid(message));
        }
        once.push(name.clone());
    }
    Ok(once)
}

/// Which profiles a call asks for, and which of their samples.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) selector: Selector,
    pub(super) profile_type: ProfileType,
    pub(super) range: TimeRange,
    /// Only these samples of them.
    pub(super) samples: SampleSelector,
    /// The stacks that these must have.
    pub(super) stacks: StackSelector,
    /// How the profile is cut for Go's compiler, if it is.
    pub(super) pgo: Option<GoPgo>,
}

impl Selection {
    /// All samples of a type that a selector selects in a range.
    pub(super) fn plain(selector: Selector, profile_type: ProfileType, range: TimeRange) -> Self {
        Self {
            selector,
            profile_type,
            range,
            samples: SampleSelector::default(),
            stacks: StackSelector::default(),
            pgo: None,
        }
    }

    /// Of a request. What would change the answer and is not understood is refused, rather than to
    /// answer something else.
    pub(super) fn of(request: SelectMergeStacktracesRequest) -> Result<Self, Problem> {
        if request
            .asynchronous
            .is_some_and(|a| a.kind != 0 || !a.request_id.is_empty())
        {
            return Err(unsupported("async"));
        }
        let profile_type = request.profile_type_id.parse().map_err(Problem::invalid)?;
        let mut wanted = request.stack_trace_selector.unwrap_or_default();
        if wanted.frame_filter.is_some() && wanted.go_pgo.is_some() {
            return Err(Problem::invalid(
                "go_pgo can't be combined with frame_filter",
            ));
        }
        Ok(Self {
            selector: query::selector(&request.label_selector)?,
            profile_type,
            range: range(request.start, request.end)?,
            samples: SampleSelector {
                profiles: profile_ids(&request.profile_id_selector)?,
                spans: query::span_selector(
                    (
                        "span_selector",
                        request.span_selector.iter().map(String::as_str),
                    ),
                    (
                        "trace_id_selector",
                        request.trace_id_selector.iter().map(String::as_str),
                    ),
                )?,
            },
            pgo: wanted.go_pgo.take(),
            stacks: stacks::stack_selector(wanted)?,
        })
    }
}

/// How many groups an answer has at most; 0 for all.
pub(super) fn limit(asked: Option<i64>) -> usize {
    usize::try_from(asked.unwrap_or(0)).unwrap_or(0)
}

/// The profiles that are asked for by their ids. What is a UUID and no id of ours selects nothing.
fn profile_ids(texts: &[String]) -> Result<Option<ProfileIds>, Problem> {
    if texts.len() > MAX_PROFILE_IDS {
        let message = format!(
            "got {} profile IDs; at most {MAX_PROFILE_IDS} are allowed",
            texts.len()
        );
        return Err(Problem::invalid(message));
    }
    let id = |text: &String| {
        ProfileId::parse(text).map_err(|error| {
            Problem::invalid(format!("invalid profile_id_selector {text:?}: {error}"))
        })
    };
    let ids = texts.iter().map(id).collect::<Result<Vec<_>, _>>()?;
    Ok((!texts.is_empty()).then(|| ids.into_iter().flatten().collect()))
}

/// The error for a field that is known and not served.
pub(super) fn unsupported(field: &str) -> Problem {
    Problem::unimplemented(format!("the field {field} is not supported"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(
        change: impl Fn(&mut SelectMergeStacktracesRequest),
    ) -> Result<Selection, Problem> {
        let mut request = SelectMergeStacktracesRequest {
            profile_type_id: "a:b:c::".to_owned(),
            label_selector: "{}".to_owned(),
            start: 1,
            end: 2,
            ..Default::default()
        };
        change(&mut request);
        Selection::of(request)
    }

    #[test]
    fn both_ends_of_a_range_are_inside() {
        let found = selection(|_| {}).unwrap();
        assert_eq!(found.profile_type.to_string(), "a:b:c::");
        let ends = (found.range.from.millis(), found.range.until.millis());
        assert_eq!(ends, (1, 3));
        assert_eq!(
            range(0, 5).unwrap_err().message,
            "missing time range in the query"
        );
        for end in [8, 5] {
            assert_eq!(
                range(9, end).unwrap_err().message,
                format!("the range begins (9) after its end ({end})")
            );
        }
        assert!(range(i64::MIN, i64::MAX).is_ok());
    }

    #[test]
    fn selectors_are_few() {
        let of = |count| selectors(&vec!["{}".to_owned(); count]).map(|s| s.len());
        assert_eq!(of(MAX_SELECTORS), Ok(MAX_SELECTORS));
        assert_eq!(
            of(MAX_SELECTORS + 1).unwrap_err().message,
            "got 17 matchers; at most 16 are allowed"
        );
    }

    #[test]
    fn names_of_labels_are_few_and_come_once() {
        let names = |texts: &[&str]| -> Vec<String> {
            texts.iter().map(|text| (*text).to_owned()).collect()
        };
        assert_eq!(
            label_names(&names(&["b", "a", "b"])),
            Ok(names(&["b", "a"]))
        );
        assert_eq!(
            label_names(&vec!["a".to_owned(); 60_000]),
            Ok(names(&["a"]))
        );
        let many: Vec<String> = (0..65).map(|i| i.to_string()).collect();
        assert_eq!(label_names(&many).unwrap_err().status, 400);
    }

    #[test]
    fn profiles_are_named_by_uuids() {
        let of = |ids: &[&str]| {
            let ids: Vec<String> = ids.iter().map(|&id| id.to_owned()).collect();
            let found = selection(|r| r.profile_id_selector = ids.clone());
            found.map(|selection| selection.samples.profiles)
        };
        assert_eq!(of(&[]), Ok(None));
        let none = ProfileIds::default();
        // A UUID that somebody else made.
        let other = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
        assert_eq!(of(&[other]), Ok(Some(none)));
        let ours = "17979cfe-3d85-8cd1-94f7-bcb2244c857a";
        let expect = ProfileIds::from_iter(ProfileId::parse(ours).unwrap());
        assert_eq!(of(&[other, ours, ours]), Ok(Some(expect)));
        let refused = of(&[ours, "xyz"]).unwrap_err();
        let message = "invalid profile_id_selector \"xyz\": a profile ID must be a UUID (32 hex digits with hyphens)";
        assert_eq!((refused.status, refused.message.as_str()), (400, message));
        assert_eq!(of(&[ours; 1_001]).unwrap_err().status, 400);
    }

    #[test]
    fn what_is_not_served_is_refused() {
        let status =
            |change: fn(&mut SelectMergeStacktracesRequest)| selection(change).unwrap_err().status;
        assert_eq!(
            status(
                |r| r.asynchronous = Some(super::super::messages::AsyncQueryRequest {
                    kind: 1,
                    ..Default::default()
                })
            ),
            501
        );
        assert_eq!(status(|r| r.profile_type_id = "x".to_owned()), 400);
        assert_eq!(status(|r| r.span_selector = vec!["0".to_owned()]), 400);
        assert_eq!(
            status(|r| r.trace_id_selector = vec!["00f067aa0ba902b7".to_owned()]),
            400
        );
        let both = selection(|r| {
            r.span_selector = vec!["00f067aa0ba902b7".to_owned()];
            r.trace_id_selector = vec!["0af7651916cd43dd8448eb211c80319c".to_owned()];
        });
        assert_eq!(
            both.unwrap_err().message,
            "span_selector can't be combined with trace_id_selector"
        );
    }
}
