//! `SelectHeatmap`: how many profiles, or spans, counted how much at which time.
//!
//! Columns are the buckets of `SelectSeries`; each has the same cells, which divide what lies
//! between the smallest and the largest value of all. So the values are read twice, first for their
//! extent. Nothing is held but cells.

use std::collections::BTreeMap;

use pilotlight_core::{
    Labels, ProfileType, Selector, TimeRange,
    plans::{CatalogObject, PlanError, Value, Values, ValuesOf, ValuesPlan},
    sort::sort_by,
};

use crate::api::pyroscope::buckets::Buckets;
use crate::api::pyroscope::exemplars::{Candidate, GroupLabels, SeriesGroups, exemplars_of};
use crate::api::pyroscope::messages::{
    HeatmapSeries, HeatmapSlot, SelectHeatmapRequest, SelectHeatmapResponse, label_pairs,
};
use crate::api::pyroscope::notes::Notes;
use crate::api::pyroscope::{request, unary};
use crate::api::query::{self, EdgeQueryRunner};
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[Endpoint::post(
    "/querier.v1.QuerierService/SelectHeatmap",
    READ,
    |request, scope| {
        Box::pin(unary::query(request, scope, async |call, runner| {
            let (response, notes) = heatmap(call.request()?, runner).await?;
            Ok((call.codec.answer(&response)?, notes))
        }))
    },
)
.of_several_tenants()];

/// Cells of a column.
const CELLS: usize = 20;

/// What a column takes as it is held, as a message and as JSON.
const SLOT_BYTES: usize = 1 << 10;

/// What is asked for.
struct Ask {
    selector: Selector,
    profile_type: ProfileType,
    buckets: Buckets,
    group_by: Vec<String>,
    of: ValuesOf,
    exemplars: Exemplars,
    /// How many groups; 0 for all.
    limit: usize,
}

/// Whether cells have exemplars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exemplars {
    None,
    OneEach,
}

impl Ask {
    fn of(request: &SelectHeatmapRequest) -> Result<Self, Problem> {
        let of = match request.query_type {
            0 | 1 => ValuesOf::Profiles,
            2 => ValuesOf::Spans,
            _ => {
                return Err(Problem::invalid("query_type must be individual or span"));
            }
        };
        let exemplars = match (exemplars_of(request.exemplar_type)?, of) {
            (None, _) => Exemplars::None,
            (Some(ValuesOf::Spans), ValuesOf::Profiles) => {
                return Err(Problem::invalid(
                    "span exemplars require HEATMAP_QUERY_TYPE_SPAN",
                ));
            }
            (Some(_), _) => Exemplars::OneEach,
        };
        Ok(Self {
            selector: query::selector(&request.label_selector)?,
            profile_type: request.profile_type_id.parse().map_err(Problem::invalid)?,
            buckets: Buckets::new(request::range(request.start, request.end)?, request.step)?,
            group_by: request::label_names(&request.group_by)?,
            of,
            exemplars,
            limit: request::limit(request.limit),
        })
    }

    fn plan<'a>(
        &self,
        range: TimeRange,
        objects: &[CatalogObject],
        into: &'a mut dyn Values,
    ) -> Result<ValuesPlan<&'a mut dyn Values>, PlanError> {
        let (selector, profile_type) = (&self.selector, &self.profile_type);
        ValuesPlan::new(selector, profile_type, range, self.of, objects, into)
    }
}

/// `SelectHeatmap`.
async fn heatmap(
    request: SelectHeatmapRequest,
    runner: &EdgeQueryRunner,
) -> Result<(SelectHeatmapResponse, Notes), Problem> {
    let ask = Ask::of(&request)?;
    let (objects, range) = runner.each_object(ask.buckets.read()).await?;
    let mut extents = Extents::new(
        SeriesGroups::new(&ask.profile_type, &ask.group_by),
        ask.buckets,
    );
    let plan = ask.plan(range, &objects, &mut extents)?;
    let notes = Notes {
        incomplete: plan.sums_only(),
        ..Notes::default()
    };
    runner.values(plan).await?;
    let mut cells = extents.cells(ask.limit, ask.exemplars);
    let plan = ask.plan(range, &objects, &mut cells)?;
    runner.values(plan).await?;
    Ok((cells.message(), notes))
}

/// The smallest and the largest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    least: i64,
    most: i64,
}

impl Extent {
    fn of(value: i64) -> Self {
        Self {
            least: value,
            most: value,
        }
    }

    fn with(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    fn height(self) -> i128 {
        i128::from(self.most) - i128::from(self.least)
    }

    /// The cell of a value. The largest belongs to the last one.
    fn cell(self, value: i64) -> usize {
        let above = i128::from(value) - i128::from(self.least);
        let cell = match self.height() {
            0 => 0,
            height => above * CELLS as i128 / height,
        };
        cell.clamp(0, CELLS as i128 - 1) as usize
    }

    /// The lower bounds of all cells.
    fn bounds(self) -> Vec<f64> {
        let height = self.height() as f64;
        (0..CELLS)
            .map(|cell| self.least as f64 + height * cell as f64 / CELLS as f64)
            .collect()
    }
}

/// The first reading: extent and total of each group.
pub(super) struct Extents<'a> {
    series: SeriesGroups<'a>,
    buckets: Buckets,
    of_groups: BTreeMap<u32, (Extent, i128)>,
}

impl<'a> Extents<'a> {
    pub(super) fn new(series: SeriesGroups<'a>, buckets: Buckets) -> Self {
        Self {
            series,
            buckets,
            of_groups: BTreeMap::new(),
        }
    }

    /// Of more than `limit` groups those with the largest totals (0: all), to be counted.
    pub(super) fn cells(self, limit: usize, exemplars: Exemplars) -> Cells<'a> {
        let Self {
            series,
            buckets,
            of_groups,
        } = self;
        let mut chosen: Vec<_> = of_groups.into_iter().collect();
        let labels = |group: u32| &series.groups()[group as usize];
        sort_by(&mut chosen, |&(a, (_, in_a)), &(b, (_, in_b))| {
            in_b.cmp(&in_a).then_with(|| labels(a).cmp(labels(b)))
        });
        if limit > 0 {
            chosen.truncate(limit);
        }
        let extents = chosen.iter().map(|(_, (extent, _))| *extent);
        let extent = extents.reduce(Extent::with).unwrap_or(Extent::of(0));
        let mut is_chosen = vec![false; series.groups().len()];
        for (group, _) in chosen {
            is_chosen[group as usize] = true;
        }
        Cells {
            series,
            buckets,
            extent,
            exemplars,
            is_chosen,
            slots: BTreeMap::new(),
            held: 0,
        }
    }
}

impl Values for Extents<'_> {
    fn series(&mut self, _: &ProfileType, labels: &Labels) -> u32 {
        self.series.group(labels)
    }

    fn add(&mut self, group: u32, value: Value) {
        if self.buckets.of(value.time).is_none() {
            return;
        }
        let own = Extent::of(value.value);
        let (extent, total) = self.of_groups.entry(group).or_insert((own, 0));
        *extent = extent.with(own);
        *total += i128::from(value.value);
    }

    fn held(&self) -> usize {
        self.series.held()
    }
}

/// The second reading: what is in each cell.
pub(super) struct Cells<'a> {
    series: SeriesGroups<'a>,
    buckets: Buckets,
    extent: Extent,
    exemplars: Exemplars,
    /// By number of group.
    is_chosen: Vec<bool>,
    slots: BTreeMap<(u32, i64), Slot>,
    held: usize,
}

#[derive(Default)]
struct Slot {
    counts: [i32; CELLS],
    exemplars: BTreeMap<usize, Option<Candidate>>,
}

impl Values for Cells<'_> {
    fn series(&mut self, _: &ProfileType, labels: &Labels) -> u32 {
        self.series.series(labels)
    }

    fn add(&mut self, series: u32, value: Value) {
        let group = self.series.group_of(series);
        // A group that was not there at the first reading is not in the extent.
        if self.is_chosen.get(group as usize) != Some(&true) {
            return;
        }
        let Some(bucket) = self.buckets.of(value.time) else {
            return;
        };
        let slot = self.slots.entry((group, bucket)).or_insert_with(|| {
            self.held += SLOT_BYTES;
            Slot::default()
        });
        let cell = self.extent.cell(value.value);
        slot.counts[cell] = slot.counts[cell].saturating_add(1);
        if self.exemplars == Exemplars::OneEach {
            let best = slot.exemplars.entry(cell).or_default();
            let (more, less) = self.series.choose(best, series, value);
            self.held = self.held + more - less;
        }
    }

    fn held(&self) -> usize {
        self.held + self.series.held()
    }
}

impl Cells<'_> {
    /// Series in order of labels, columns in order of time.
    pub(super) fn message(self) -> SelectHeatmapResponse {
        let bounds = self.extent.bounds();
        let mut of_groups: BTreeMap<&GroupLabels, Vec<HeatmapSlot>> = BTreeMap::new();
        for (&(group, timestamp), slot) in &self.slots {
            let exemplars = slot.exemplars.values().flatten();
            let slot = HeatmapSlot {
                timestamp,
                y_min: bounds.clone(),
                counts: slot.counts.to_vec(),
                exemplars: exemplars.map(|best| self.series.message(best)).collect(),
            };
            let labels = &self.series.groups()[group as usize];
            of_groups.entry(labels).or_default().push(slot);
        }
        let series = of_groups.into_iter().map(|(labels, slots)| HeatmapSeries {
            labels: label_pairs(labels.clone()),
            slots,
        });
        SelectHeatmapResponse {
            series: series.collect(),
        }
    }
}

#[cfg(test)]
mod tests;
