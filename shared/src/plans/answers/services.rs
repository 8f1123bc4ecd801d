//! `{"start":ms,"step":ms,"services":[{"name","types":[{"id","total","profiles","points","counts","covered","duration","previous","previousProfiles"}]}]}`,
//! and `"ended":[name]`, with `"count"` where not all services are listed

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use serde::{Serialize, Serializer};

use crate::base::sort::sort_by;
use crate::base::units::{TimeRange, UnixNanos};
use crate::model::labels::SERVICE_NAME;
use crate::model::profile_type::ProfileType;
use crate::plans::plan::PlanError;
use crate::plans::timeline::{StepSums, Steps, Timeline, TimelineSeries};

/// Most numbers of an answer with many timelines: 16 to 32 bytes each while they are added up.
pub const MAX_NUMBERS: usize = 1 << 20;

/// Services that have profiles in a range.
#[derive(Debug, PartialEq, Serialize)]
pub struct ServicesAnswer {
    /// Where the steps begin, milliseconds since the epoch: at or before the start of the range.
    start: i64,
    /// Milliseconds; not whole when the range does not divide evenly.
    step: f64,
    services: Vec<Service>,
    /// Services that have profiles in the range of equal length before, and none in this one.
    ended: Vec<String>,
    /// How many there are, where not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// Of when they are.
    #[serde(skip)]
    range: TimeRange,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Service {
    name: String,
    types: Vec<Type>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Type {
    #[serde(serialize_with = "as_text")]
    id: ProfileType,
    /// Exact, as text: JavaScript's numbers end at 2^53.
    #[serde(serialize_with = "as_text")]
    total: i128,
    /// How many profiles that is.
    profiles: u64,
    /// Sums of equal parts of the range.
    points: Vec<i128>,
    /// How many profiles each of them has.
    counts: Vec<u64>,
    /// How much of each they cover, in milliseconds.
    covered: Vec<u64>,
    /// How long a profile is on average, in milliseconds; 0 when unknown.
    duration: u64,
    /// Total of the range of equal length before.
    #[serde(serialize_with = "as_text")]
    previous: i128,
    /// How many profiles that was: a range with far fewer is no measure of change.
    #[serde(rename = "previousProfiles")]
    previous_profiles: u64,
}

fn as_text<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// What is told of a service and one of its types, without the steps.
pub(crate) struct ServiceTotal<'a> {
    pub(crate) service: &'a str,
    pub(crate) id: &'a ProfileType,
    pub(crate) total: i128,
    pub(crate) profiles: u64,
    pub(crate) previous: i128,
    pub(crate) previous_profiles: u64,
}

#[derive(Default)]
struct Found<'a> {
    series: Vec<&'a TimelineSeries>,
    previous: i128,
    previous_profiles: u64,
}

/// The range of equal length before one.
pub fn range_before(range: TimeRange) -> TimeRange {
    TimeRange {
        from: UnixNanos(range.from.0.saturating_sub(range.nanos())),
        until: range.from,
    }
}

impl ServicesAnswer {
    /// Sums timelines over a range and over the [`range_before`] it by service and type.
    pub fn new(now: &Timeline, before: &Timeline, steps: Steps) -> Result<Self, PlanError> {
        let mut found: BTreeMap<&str, BTreeMap<&ProfileType, Found>> = BTreeMap::new();
        let mut lines = 0;
        for series in &now.series {
            let of_type = found
                .entry(service(series))
                .or_default()
                .entry(&series.profile_type)
                .or_default();
            if of_type.series.is_empty() {
                lines += 1;
                // A sum, and a count and a covered time of half its size.
                if lines > MAX_NUMBERS / (2 * steps.count.max(1)) {
                    return Err(PlanError::TooManyServices(steps.count));
                }
            }
            of_type.series.push(series);
        }
        let mut ended = BTreeSet::new();
        for series in &before.series {
            let Some(types) = found.get_mut(service(series)) else {
                ended.insert(service(series));
                continue;
            };
            // A type that has ended is not told.
            if let Some(of_type) = types.get_mut(&series.profile_type) {
                of_type.previous += series.total();
                of_type.previous_profiles =
                    of_type.previous_profiles.saturating_add(series.profiles());
            }
        }
        let services = found.into_iter().map(|(name, types)| Service {
            name: name.to_owned(),
            types: types
                .into_iter()
                .map(|(id, found)| found.summed(id, steps))
                .collect(),
        });
        Ok(Self {
            start: steps.range.from.millis(),
            step: steps.range.nanos() as f64 / 1e6 / steps.count as f64,
            services: services.collect(),
            ended: ended.into_iter().map(str::to_owned).collect(),
            count: None,
            range: steps.range,
        })
    }

    /// With at most so many services, those with the most profiles, in the same order.
    #[must_use]
    pub fn limited(mut self, limit: usize) -> Self {
        if self.services.len() > limit {
            self.count = Some(self.services.len());
            let profiles =
                |service: &Service| service.types.iter().map(|t| u128::from(t.profiles)).sum();
            sort_by(&mut self.services, |a, b| {
                let order: (u128, u128) = (profiles(a), profiles(b));
                order.1.cmp(&order.0)
            });
            self.services.truncate(limit);
            sort_by(&mut self.services, |a, b| a.name.cmp(&b.name));
        }
        self
    }

    /// The range of all steps.
    pub(crate) fn range(&self) -> TimeRange {
        self.range
    }

    /// How many services are listed.
    pub(crate) fn listed(&self) -> usize {
        self.services.len()
    }

    /// How many services there are.
    pub(crate) fn count(&self) -> usize {
        self.count.unwrap_or(self.services.len())
    }

    /// Each type of each listed service.
    pub(crate) fn totals(&self) -> impl Iterator<Item = ServiceTotal<'_>> {
        self.services.iter().flat_map(|service| {
            service.types.iter().map(|of_type| ServiceTotal {
                service: &service.name,
                id: &of_type.id,
                total: of_type.total,
                profiles: of_type.profiles,
                previous: of_type.previous,
                previous_profiles: of_type.previous_profiles,
            })
        })
    }
}

fn service(series: &TimelineSeries) -> &str {
    series.labels.get(SERVICE_NAME).unwrap_or("")
}

impl Found<'_> {
    fn summed(self, id: &ProfileType, steps: Steps) -> Type {
        let StepSums {
            values,
            counts,
            covered,
            duration,
        } = StepSums::of(&self.series, steps);
        Type {
            id: id.clone(),
            total: self.series.iter().map(|series| series.total()).sum(),
            profiles: self
                .series
                .iter()
                .fold(0, |sum, series| sum.saturating_add(series.profiles())),
            points: values,
            counts,
            covered,
            duration,
            previous: self.previous,
            previous_profiles: self.previous_profiles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::answers::timeline::tests::timeline;

    #[test]
    fn sums_by_service_and_type() {
        let before = timeline(&[
            ("b:x:count::", "app{region=eu}", &[(5, 100)]),
            ("a:y:count::", "gone", &[(5, 16)]),
        ]);
        let now = timeline(&[
            ("b:x:count::", "app{region=eu}", &[(10, 1), (19, 2)]),
            ("b:x:count::", "app{region=us}", &[(15, 4)]),
            ("a:y:count::", "app", &[(12, 8)]),
        ]);
        let range = TimeRange::of_nanos(10, 20);
        assert_eq!(range_before(range), TimeRange::of_nanos(0, 10));
        let answer = ServicesAnswer::new(&now, &before, Steps::of(range, 2)).unwrap();
        let found: serde_json::Value = serde_json::to_value(answer).unwrap();
        let expect: serde_json::Value = serde_json::from_str(
            r#"{"start": 0, "step": 5e-6, "services": [{"name": "app", "types": [
                {"id": "a:y:count::", "total": "8", "profiles": 1, "points": [8, 0], "counts": [1, 0], "covered": [0, 0], "duration": 0,
                 "previous": "0", "previousProfiles": 0},
                {"id": "b:x:count::", "total": "7", "profiles": 3, "points": [1, 6], "counts": [1, 2], "covered": [0, 0], "duration": 0,
                 "previous": "100", "previousProfiles": 1}
            ]}], "ended": ["gone"]}"#,
        )
        .unwrap();
        assert_eq!(found, expect);
    }

    #[test]
    fn those_with_the_most_profiles() {
        let now = timeline(&[
            ("x:x:count::", "c", &[(10, 1), (11, 1)]),
            ("x:x:count::", "a", &[(10, 1)]),
            ("x:x:count::", "b", &[(10, 1), (11, 1), (12, 1)]),
        ]);
        let range = TimeRange::of_nanos(10, 20);
        let answer = |limit| {
            let all = ServicesAnswer::new(&now, &Timeline::default(), Steps::of(range, 1)).unwrap();
            all.limited(limit)
        };
        let names = |answer: &ServicesAnswer| -> Vec<String> {
            answer.services.iter().map(|s| s.name.clone()).collect()
        };
        assert_eq!(names(&answer(2)), ["b", "c"]);
        assert_eq!((answer(2).count, answer(3).count), (Some(3), None));
        assert_eq!(names(&answer(3)), ["a", "b", "c"]);
    }
}
