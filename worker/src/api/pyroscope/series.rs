//! `SelectSeries`: totals over time, grouped by labels.

use std::collections::BTreeMap;

use pilotlight_core::{
    Labels, ProfileType, Selector, UnixNanos,
    plans::{StacksOf, Value, Values, ValuesOf, ValuesPlan},
    sort::sort_by,
    verbs::StackSelector,
};

use super::buckets::Buckets;
use super::exemplars::{GroupLabels, PointExemplars, SeriesGroups, exemplars_of};
use super::messages::{self, label_pairs};
use super::notes::Notes;
use super::{request, stacks, unary};
use crate::api::query::{self, Coverage, EdgeQueryRunner, Queries};
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;
use crate::platform::limits::ReadRange;
#[cfg(test)]
use pilotlight_core::plans::{Point, Timeline};

pub(crate) const ENDPOINTS: &[Endpoint] = &[Endpoint::post(
    "/querier.v1.QuerierService/SelectSeries",
    READ,
    |request, scope| {
        Box::pin(unary::query(request, scope, async |call, runner| {
            let (response, notes) = select_series(call.request()?, runner).await?;
            Ok((call.codec.answer(&response)?, notes))
        }))
    },
)
.of_several_tenants()];

/// What a point takes as it is held, as a message and as JSON.
const POINT_BYTES: usize = 128;

/// `SelectSeries`.
async fn select_series(
    request: messages::SelectSeriesRequest,
    runner: &EdgeQueryRunner,
) -> Result<(messages::SelectSeriesResponse, Notes), Problem> {
    let stacks = stacks::series_stacks(request.stack_trace_selector)?;
    let exemplars = exemplars_of(request.exemplar_type)?;
    if !stacks.is_all() && exemplars == Some(ValuesOf::Spans) {
        return Err(Problem::invalid(
            "span exemplars can't be combined with a call site or a frame_filter",
        ));
    }
    let profile_type: ProfileType = request.profile_type_id.parse().map_err(Problem::invalid)?;
    let selector = query::selector(&request.label_selector)?;
    let buckets = Buckets::new(request::range(request.start, request.end)?, request.step)?;
    let how = Aggregation::of(request.aggregation)?;
    let group_by = request::label_names(&request.group_by)?;
    let limit = request::limit(request.limit);
    let groups = || SeriesGroups::new(&profile_type, &group_by);
    let mut sums = Sums::new(groups(), buckets);
    let ask = Ask {
        selector: &selector,
        profile_type: &profile_type,
        range: buckets.read(),
        stacks: &stacks,
    };
    let mut notes = Notes::default();
    // How many profiles of a window have selected stacks is not known.
    let of = match how {
        Aggregation::Average if !stacks.is_all() => StacksOf::Windows(None),
        Aggregation::Average | Aggregation::Sum => StacksOf::Windows(buckets.window),
    };
    notes.rounded = ask.of_stacks(of, runner, &mut sums).await?.rounded;
    let exemplars = match exemplars {
        None => Exemplars::new(),
        Some(of) => {
            let mut exemplars = PointExemplars::new(groups(), buckets);
            let coverage = if stacks.is_all() {
                ask.values(of, runner, &mut exemplars).await?
            } else {
                let of = StacksOf::Profiles;
                ask.of_stacks(of, runner, &mut exemplars).await?
            };
            notes.incomplete = coverage.sums_only;
            exemplars.finish()
        }
    };
    Ok((sums.message(how, limit, exemplars), notes))
}

/// Which values are asked for.
struct Ask<'a> {
    selector: &'a Selector,
    profile_type: &'a ProfileType,
    range: ReadRange,
    stacks: &'a StackSelector,
}

impl Ask<'_> {
    /// What the stacks count.
    async fn of_stacks(
        &self,
        of: StacksOf,
        runner: &EdgeQueryRunner,
        into: &mut dyn Values,
    ) -> Result<Coverage, Problem> {
        let (selector, profile_type) = (self.selector, self.profile_type);
        let counted = runner.counted(selector, profile_type, self.range, self.stacks, of, into);
        counted.await
    }

    /// Single profiles or spans.
    async fn values(
        &self,
        of: ValuesOf,
        runner: &EdgeQueryRunner,
        into: &mut dyn Values,
    ) -> Result<Coverage, Problem> {
        let (objects, range) = runner.each_object(self.range).await?;
        let plan = ValuesPlan::new(self.selector, self.profile_type, range, of, &objects, into)?;
        let sums_only = plan.sums_only();
        runner.values(plan).await?;
        Ok(Coverage {
            rounded: false,
            sums_only,
        })
    }
}

/// How the profiles of a bucket become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregation {
    Sum,
    Average,
}

impl Aggregation {
    /// Of its number in a message.
    pub(super) fn of(number: i32) -> Result<Self, Problem> {
        match number {
            0 => Ok(Self::Sum),
            1 => Ok(Self::Average),
            _ => Err(Problem::invalid("aggregation must be sum or average")),
        }
    }

    /// Of its name in a query string.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        match text {
            "" | "sum" => Ok(Self::Sum),
            "avg" | "average" => Ok(Self::Average),
            other => Err(Problem::invalid(format!(
                "aggregation must be sum or average (got {other:?})"
            ))),
        }
    }
}

/// Totals by group and bucket.
pub(super) struct Sums<'a> {
    series: SeriesGroups<'a>,
    buckets: Buckets,
    /// By number of group.
    groups: Vec<Group>,
    points: usize,
}

#[derive(Default)]
struct Group {
    total: i128,
    /// Sum and count for each bucket that has a profile; empty ones are left out of the answer.
    points: BTreeMap<i64, (i128, u64)>,
}

/// Exemplars by group and bucket.
type Exemplars = BTreeMap<GroupLabels, BTreeMap<i64, messages::Exemplar>>;

impl<'a> Sums<'a> {
    pub(super) fn new(series: SeriesGroups<'a>, buckets: Buckets) -> Self {
        Self {
            series,
            buckets,
            groups: Vec::new(),
            points: 0,
        }
    }

    /// Adds the series of a timeline.
    #[cfg(test)]
    pub(super) fn add_timeline(&mut self, timeline: &Timeline) {
        for series in &timeline.series {
            let group = self.series(&series.profile_type, &series.labels);
            for &Point {
                time,
                total,
                profiles,
                ..
            } in &series.points
            {
                self.add_sum(group, time, total, profiles);
            }
        }
    }

    fn add_sum(&mut self, group: u32, time: UnixNanos, total: i64, profiles: u64) {
        let Some(bucket) = self.buckets.of(time) else {
            return;
        };
        let group = &mut self.groups[group as usize];
        let (sum, count) = group.points.entry(bucket).or_insert_with(|| {
            self.points += 1;
            (0, 0)
        });
        *sum += i128::from(total);
        *count = count.saturating_add(profiles);
        group.total += i128::from(total);
    }

    /// Of more than `limit` series those whose points are the largest together (0: all).
    pub(super) fn message(
        self,
        how: Aggregation,
        limit: usize,
        mut exemplars: Exemplars,
    ) -> messages::SelectSeriesResponse {
        let labels = self.series.groups().iter().cloned();
        let mut groups: Vec<_> = labels
            .zip(self.groups)
            .filter(|(_, group)| !group.points.is_empty())
            .collect();
        sort_by(&mut groups, |a, b| a.0.cmp(&b.0));
        if limit > 0 && groups.len() > limit {
            // A stable sort: equal ones stay in order of labels.
            sort_by(&mut groups, |(_, a), (_, b)| match how {
                Aggregation::Sum => b.total.cmp(&a.total),
                Aggregation::Average => b.averages().total_cmp(&a.averages()),
            });
            groups.truncate(limit);
            sort_by(&mut groups, |a, b| a.0.cmp(&b.0));
        }
        let series = groups.into_iter().map(|(labels, group)| {
            let exemplars = exemplars.remove(&labels).unwrap_or_default();
            group.series(labels, how, exemplars)
        });
        messages::SelectSeriesResponse {
            series: series.collect(),
        }
    }
}

impl Values for Sums<'_> {
    fn series(&mut self, _: &ProfileType, labels: &Labels) -> u32 {
        let group = self.series.group(labels);
        self.groups
            .resize_with(self.series.groups().len(), Group::default);
        group
    }

    fn add(&mut self, group: u32, value: Value) {
        self.add_sum(group, value.time, value.value, value.profiles);
    }

    fn held(&self) -> usize {
        self.points * POINT_BYTES + self.series.held()
    }
}

/// Of the profiles of a bucket.
fn average(sum: i128, count: u64) -> f64 {
    sum as f64 / count.max(1) as f64
}

impl Group {
    /// The averages of all buckets together.
    fn averages(&self) -> f64 {
        let points = self.points.values();
        points.map(|&(sum, count)| average(sum, count)).sum()
    }

    fn series(
        self,
        labels: GroupLabels,
        how: Aggregation,
        mut exemplars: BTreeMap<i64, messages::Exemplar>,
    ) -> messages::Series {
        let point = |(time, (sum, count)): (i64, (i128, u64))| {
            let value = match how {
                Aggregation::Sum => sum as f64,
                Aggregation::Average => average(sum, count),
            };
            messages::Point {
                value,
                timestamp: time,
                exemplars: exemplars.remove(&time).into_iter().collect(),
            }
        };
        let points = self.points.into_iter().map(point).collect();
        messages::Series {
            labels: label_pairs(labels),
            points,
        }
    }
}

/// The answer of a timeline of one type.
#[cfg(test)]
pub(super) fn answer(
    timeline: &Timeline,
    buckets: Buckets,
    group_by: &[String],
    how: Aggregation,
    limit: usize,
) -> messages::SelectSeriesResponse {
    let profile_type = timeline.series.first().map(|s| s.profile_type.clone());
    let profile_type = profile_type.unwrap_or_default();
    let mut sums = Sums::new(SeriesGroups::new(&profile_type, group_by), buckets);
    sums.add_timeline(timeline);
    sums.message(how, limit, Exemplars::new())
}

#[cfg(test)]
mod tests;
