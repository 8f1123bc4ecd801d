//! FlameQL's head: an application, which may end in what is measured, as in `shop.frontend.cpu`.

use crate::model::labels::{Labels, SERVICE_NAME};
use crate::model::profile_type::ProfileType;

/// An application name. Old agents and the formats that carry no type of their own append one, so
/// `shop.cpu` is two things: a service of that name, whatever is measured, and the CPU profiles of
/// the service `shop`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Application {
    name: String,
    typed: Option<Typed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Typed {
    service: String,
    kind: &'static Kind,
}

/// What a last segment stands for: profile types of one of these names with one of these sample
/// types.
#[derive(Debug, PartialEq, Eq)]
struct Kind {
    segment: &'static str,
    names: &'static [&'static str],
    sample_types: &'static [&'static str],
}

const fn kind(
    segment: &'static str,
    names: &'static [&'static str],
    sample_types: &'static [&'static str],
) -> Kind {
    Kind {
        segment,
        names,
        sample_types,
    }
}

/// Last segments as the old text formats have them on `/ingest`, with the types that they become
/// there, and those of the same meaning that pprof has: its `cpu` comes with a count of samples,
/// and its goroutines are counted as `goroutine`.
static KINDS: [Kind; 25] = [
    kind("cpu", &["process_cpu"], &["cpu", "samples"]),
    kind("itimer", &["process_cpu"], &["cpu", "samples"]),
    kind("wall", &["wall"], &["wall"]),
    kind("seconds", &["wall"], &["wall"]),
    kind("milliseconds", &["wall"], &["wall"]),
    kind("microseconds", &["wall"], &["wall"]),
    kind("nanoseconds", &["wall"], &["wall"]),
    kind("alloc_objects", &["memory"], &["alloc_objects"]),
    kind("alloc_space", &["memory"], &["alloc_space"]),
    kind("inuse_objects", &["memory"], &["inuse_objects"]),
    kind("inuse_space", &["memory"], &["inuse_space"]),
    kind("bytes", &["memory"], &["samples"]),
    kind(
        "alloc_in_new_tlab_objects",
        &["memory"],
        &["alloc_in_new_tlab_objects"],
    ),
    kind(
        "alloc_in_new_tlab_bytes",
        &["memory"],
        &["alloc_in_new_tlab_bytes"],
    ),
    kind(
        "alloc_outside_tlab_objects",
        &["memory"],
        &["alloc_outside_tlab_objects"],
    ),
    kind(
        "alloc_outside_tlab_bytes",
        &["memory"],
        &["alloc_outside_tlab_bytes"],
    ),
    kind("live", &["memory"], &["live"]),
    kind(
        "goroutines",
        &["goroutine", "goroutines"],
        &["goroutine", "goroutines"],
    ),
    kind("mutex_count", &["mutex"], &["contentions"]),
    kind("mutex_duration", &["mutex"], &["delay"]),
    kind("block_count", &["block"], &["contentions"]),
    kind("block_duration", &["block"], &["delay"]),
    kind("lock_count", &["block"], &["contentions"]),
    kind("lock_duration", &["block"], &["delay"]),
    kind("exceptions", &["exceptions"], &["exceptions", "samples"]),
];

impl Application {
    /// The application of a name whose characters are checked.
    pub(super) fn new(name: &str) -> Self {
        let typed = name
            .rsplit_once('.')
            .filter(|(service, _)| !service.is_empty())
            .and_then(|(service, segment)| {
                let kind = KINDS.iter().find(|kind| kind.segment == segment)?;
                Some(Typed {
                    service: service.to_owned(),
                    kind,
                })
            });
        Self {
            name: name.to_owned(),
            typed,
        }
    }

    /// The whole name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether a series is this application's.
    pub(super) fn matches(&self, profile_type: &ProfileType, labels: &Labels) -> bool {
        let service = labels.get(SERVICE_NAME).unwrap_or("");
        service == self.name
            || self
                .typed
                .as_ref()
                .is_some_and(|t| t.service == service && t.kind.has(profile_type))
    }
}

impl Kind {
    fn has(&self, profile_type: &ProfileType) -> bool {
        self.names.contains(&profile_type.name.as_str())
            && self
                .sample_types
                .contains(&profile_type.sample_type.as_str())
    }
}
