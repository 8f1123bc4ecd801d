//! What a stored profile is of.

use super::bytes::{Reader, put_column, put_deltas};
use super::label_table::LabelTable;
use crate::base::units::UnixNanos;
use crate::model::id::StringId;
use crate::model::labels::Labels;
use crate::model::profile::{Profile, ValueType};
use crate::model::profile_type::ProfileType;
use crate::store::error::StoreError;

/// One profile of one series: who (labels), what (type), when, and how much in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// Labels of the series.
    pub labels: Labels,
    /// What it measures.
    pub profile_type: ProfileType,
    /// Start.
    pub time: UnixNanos,
    /// Length, 0 when unknown.
    pub duration_nanos: i64,
    /// Sum of its values. [`crate::store::encode_chunk`] computes it and ignores what is given.
    pub total: i64,
}

/// A [`Series`] whose labels and type are numbers in the tables of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesEntry {
    /// Index of its label set.
    pub labels: u32,
    /// Index of its profile type.
    pub profile_type: u32,
    /// Start.
    pub time: UnixNanos,
    /// Length, 0 when unknown.
    pub duration_nanos: i64,
    /// Sum of its values.
    pub total: i64,
}

/// When a profile was taken, and how: what a merged header is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timing {
    pub(crate) time: UnixNanos,
    pub(crate) duration_nanos: i64,
    pub(crate) period: i64,
}

impl Timing {
    /// Of both together: the earlier start that is given (0 is none), all durations, the higher
    /// period.
    pub(crate) fn merged(self, other: Self) -> Self {
        let time = match (self.time.0, other.time.0) {
            (0, time) | (time, 0) => time,
            (a, b) => a.min(b),
        };
        Self {
            time: UnixNanos(time),
            duration_nanos: self.duration_nanos.saturating_add(other.duration_nanos),
            period: self.period.max(other.period),
        }
    }
}

impl Profile {
    /// Gives a profile that has neither samples nor sample types the type, and a header that sums
    /// up as a merge would.
    pub(crate) fn describe(
        &mut self,
        profile_type: &ProfileType,
        all: impl Iterator<Item = Timing>,
    ) {
        // Appended without looking for equal rows: the tables come from a file, and there is no
        // index over them yet.
        let mut string = |text: &str| {
            if text.is_empty() {
                StringId::EMPTY
            } else {
                self.strings.push(text)
            }
        };
        let t = profile_type;
        let sample_type = ValueType {
            kind: string(&t.sample_type),
            unit: string(&t.sample_unit),
        };
        let period_type = ValueType {
            kind: string(&t.period_type),
            unit: string(&t.period_unit),
        };
        self.sample_types = vec![sample_type];
        let header = &mut self.header;
        header.period_type =
            (!t.period_type.is_empty() || !t.period_unit.is_empty()).then_some(period_type);
        if let Some(timing) = all.reduce(Timing::merged) {
            (header.time_nanos, header.duration_nanos, header.period) =
                (timing.time.0, timing.duration_nanos, timing.period);
        }
    }
}

impl SeriesEntry {
    pub(crate) fn new(series: &Series, label_table: &mut LabelTable) -> Self {
        let &Series {
            ref labels,
            ref profile_type,
            time,
            duration_nanos,
            total,
        } = series;
        let (labels, profile_type) = (
            label_table.label_set(labels),
            label_table.profile_type(profile_type),
        );
        Self {
            labels,
            profile_type,
            time,
            duration_nanos,
            total,
        }
    }

    pub(crate) fn resolve(&self, label_sets: &[Labels], types: &[ProfileType]) -> Series {
        let &Self {
            labels,
            profile_type,
            time,
            duration_nanos,
            total,
        } = self;
        let (labels, profile_type) = (
            label_sets[labels as usize].clone(),
            types[profile_type as usize].clone(),
        );
        Series {
            labels,
            profile_type,
            time,
            duration_nanos,
            total,
        }
    }
}

/// The columns of `series`, whose number stands elsewhere.
pub(crate) fn put_series<'a>(
    out: &mut Vec<u8>,
    series: impl Iterator<Item = &'a SeriesEntry> + Clone,
) {
    put_column(out, series.clone().map(|s| u64::from(s.labels)));
    put_column(out, series.clone().map(|s| u64::from(s.profile_type)));
    put_deltas(out, series.clone().map(|s| s.time.0));
    put_deltas(out, series.clone().map(|s| s.duration_nanos));
    put_deltas(out, series.map(|s| s.total));
}

pub(crate) fn series(
    r: &mut Reader,
    count: usize,
    label_sets: usize,
    types: usize,
) -> Result<Vec<SeriesEntry>, StoreError> {
    let index_column = |r: &mut Reader, len| {
        (0..count)
            .map(|_| Ok(r.index(len)? as u32))
            .collect::<Result<Vec<_>, StoreError>>()
    };
    let labels = index_column(r, label_sets)?;
    let profile_types = index_column(r, types)?;
    let times = r.deltas(count)?;
    let durations = r.deltas(count)?;
    let totals = r.deltas(count)?;
    let entries = (0..count).map(|i| SeriesEntry {
        labels: labels[i],
        profile_type: profile_types[i],
        time: UnixNanos(times[i]),
        duration_nanos: durations[i],
        total: totals[i],
    });
    Ok(entries.collect())
}
