//! Which samples of the selected series: those of single profiles, of spans, or of spans in single
//! profiles.

use std::collections::BTreeSet;

use super::span_selector::SpanSelector;
use crate::base::units::UnixNanos;
use crate::model::profile_id::{ProfileId, SeriesHash};

/// Selects profiles by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileIds(BTreeSet<ProfileId>);

/// Selects samples within the profiles of a selector and a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleSelector {
    /// Only samples of these spans.
    pub spans: Option<SpanSelector>,
    /// Only samples of these profiles.
    pub profiles: Option<ProfileIds>,
}

impl ProfileIds {
    /// Whether it selects a profile.
    pub fn has(&self, series: SeriesHash, time: UnixNanos) -> bool {
        self.0.contains(&ProfileId::new(series, time))
    }

    /// Whether one of the profiles starts from `first` to `last`.
    pub fn touches(&self, first: UnixNanos, last: UnixNanos) -> bool {
        let (lowest, highest) = ProfileId::between(first, last);
        lowest <= highest && self.0.range(lowest..=highest).next().is_some()
    }

    /// The starts of the earliest and of the latest; `None` when there is no profile.
    pub fn extent(&self) -> Option<(UnixNanos, UnixNanos)> {
        Some((self.0.first()?.time(), self.0.last()?.time()))
    }
}

impl FromIterator<ProfileId> for ProfileIds {
    fn from_iter<I: IntoIterator<Item = ProfileId>>(ids: I) -> Self {
        let mut all = BTreeSet::new();
        all.extend(ids);
        Self(all)
    }
}

impl From<SpanSelector> for SampleSelector {
    fn from(spans: SpanSelector) -> Self {
        Self {
            spans: Some(spans),
            profiles: None,
        }
    }
}

impl From<ProfileIds> for SampleSelector {
    fn from(profiles: ProfileIds) -> Self {
        Self {
            spans: None,
            profiles: Some(profiles),
        }
    }
}

impl SampleSelector {
    /// Whether all samples of all profiles are selected.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }
}
