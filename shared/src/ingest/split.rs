//! Splitting a profile into stored series: one for each sample type and each set of text labels.

use std::collections::BTreeMap;
use std::mem::take;

use hashbrown::{HashMap, HashSet};

use super::error::IngestError;
use super::note::Note;
use super::origin::{Origin, is_plausible};
use super::trace::{TRACE_LABELS, TraceLinks};
use crate::base::limits::{
    MAX_DURATION_NANOS, MAX_LABEL_BYTES_A_PUSH, MAX_SERIES_A_PUSH, MAX_START_NANOS,
};
use crate::base::units::UnixNanos;
use crate::model::id::{LabelSetId, StringId};
use crate::model::labels::Labels;
use crate::model::profile::{LabelValue, Profile};
use crate::model::profile_type::ProfileType;
use crate::store::{LinkedRow, Series, SeriesRows};

/// What a profile is split into.
#[derive(Default)]
pub(crate) struct Split {
    /// The series that have samples.
    pub(crate) series: Vec<SeriesRows>,
    /// How many samples came with a span that is not kept, or not all of it.
    pub(crate) lost_links: u64,
    /// What is stored otherwise than it was sent.
    pub(crate) notes: Vec<Note>,
}

/// The series of a profile that have samples.
///
/// Zero values are left out, as are negative ones, which no sum over time can mean (Pyroscope drops
/// them too).
///
/// `types` are those of the profile's columns, in order.
pub(crate) fn split(
    profile: &Profile,
    origin: &Origin,
    types: &[ProfileType],
) -> Result<Split, IngestError> {
    check_types(types)?;
    let mut notes = Vec::new();
    let (time, duration_nanos) = span(profile, origin, &mut notes)?;
    let sets = LabelSeries::of(profile, &origin.labels, &mut notes)?;
    let mut series = Vec::new();
    let trace = TraceLinks::of(profile);
    let mut gathered = vec![SeriesRows::default(); sets.distinct.len()];
    for (profile_type, column) in types.iter().zip(&profile.samples().values) {
        let samples = profile.samples();
        let columns = samples.stacks.iter().zip(&samples.labels).zip(column);
        for (sample, ((&stack, &set), &value)) in columns.enumerate() {
            if value > 0 {
                let SeriesRows { rows, links, .. } = &mut gathered[sets.series_of(set)];
                rows.push((stack, value));
                let link = trace.get(sample, set);
                links.extend(link.map(|link| LinkedRow { link, stack, value }));
            }
        }
        let of_type = sets
            .distinct
            .iter()
            .zip(&mut gathered)
            .filter(|(_, gathered)| !gathered.rows.is_empty());
        series.extend(of_type.map(|(labels, gathered)| {
            // The total is for the encoder to compute, from the rows it writes.
            SeriesRows {
                series: Series {
                    labels: labels.clone(),
                    profile_type: profile_type.clone(),
                    time,
                    duration_nanos,
                    total: 0,
                },
                ..take(gathered)
            }
        }));
        if series.len() > MAX_SERIES_A_PUSH {
            return Err(IngestError::TooManySeries);
        }
    }
    Ok(Split {
        series,
        lost_links: trace.lost,
        notes,
    })
}

/// Start and length: what the profile says, else what the request says. A start before
/// [`FIRST_YEAR`](super::origin::FIRST_YEAR) is that of a clock that does not know the date.
fn span(
    profile: &Profile,
    origin: &Origin,
    notes: &mut Vec<Note>,
) -> Result<(UnixNanos, i64), IngestError> {
    let header = profile.header();
    let of_profile = (header.time_nanos != 0).then_some(UnixNanos(header.time_nanos));
    let stated = [of_profile, origin.from].into_iter().flatten();
    let time = match stated.clone().find(|&time| is_plausible(time)) {
        Some(time) => time,
        None => {
            notes.extend(stated.take(1).map(|time| Note::Start(time.0)));
            origin.arrival
        }
    };
    if !(0..=MAX_START_NANOS).contains(&time.0) {
        return Err(IngestError::Start(time.0));
    }
    let duration = if header.duration_nanos > 0 {
        header.duration_nanos
    } else {
        origin.duration_nanos
    };
    if duration > MAX_DURATION_NANOS {
        return Err(IngestError::Duration(duration));
    }
    Ok((time, duration))
}

/// Which series each label set belongs to, as far as labels tell.
struct LabelSeries {
    /// Labels of the series, in order.
    distinct: Vec<Labels>,
    /// Of each label set its place in `distinct`; last that of samples without labels.
    places: Vec<usize>,
}

impl LabelSeries {
    /// The labels of the request, and each set's text labels that do not clash with them.
    fn of(profile: &Profile, labels: &Labels, notes: &mut Vec<Note>) -> Result<Self, IngestError> {
        let count = profile.label_sets().len();
        // By the text labels as handles first: Go's heap profiles have sets by the hundred that
        // differ in numbers only.
        let mut sets = TextSets::new();
        // The last place is that of samples without labels.
        sets.insert(Vec::new(), vec![count]);
        for i in 0..count {
            sets.entry(text_labels(profile, LabelSetId::new(i)))
                .or_default()
                .push(i);
        }
        if sets.len() > MANY_VALUES {
            sets = without_identities(profile, sets, notes);
        }
        let (mut distinct, mut bytes) = (BTreeMap::<Labels, Vec<usize>>::new(), 0);
        for (text, of_text) in sets {
            let owned = |id| profile.text(id).to_owned();
            let text = text
                .into_iter()
                .map(|(key, value)| (owned(key), owned(value)));
            let labels = labels
                .with_defaults(text)
                .map_err(IngestError::SampleLabels)?;
            bytes += labels
                .iter()
                .map(|(name, value)| name.len() + value.len())
                .sum::<usize>();
            // Two labels of one text may have two handles.
            distinct.entry(labels).or_default().extend(of_text);
            // One more: the request's own labels may have no sample.
            if distinct.len() > MAX_SERIES_A_PUSH + 1 {
                return Err(IngestError::TooManySeries);
            }
            if bytes > MAX_LABEL_BYTES_A_PUSH {
                return Err(IngestError::TooManyLabelBytes);
            }
        }
        let mut places = vec![0; count + 1];
        for (place, sets) in distinct.values().enumerate() {
            sets.iter().for_each(|&set| places[set] = place);
        }
        Ok(Self {
            distinct: distinct.into_keys().collect(),
            places,
        })
    }

    fn series_of(&self, set: Option<LabelSetId>) -> usize {
        self.places[set.map_or(self.places.len() - 1, LabelSetId::index)]
    }
}

/// Label sets of a profile by their text labels.
type TextSets = HashMap<Vec<(StringId, StringId)>, Vec<usize>>;

/// More values than this within one push are those of an identity, a request's say, if there are
/// few samples of each.
const MANY_VALUES: usize = 256;

/// So many samples of each value are few. A request has one or some; an endpoint has those of all
/// its requests.
const FEW_SAMPLES: usize = 8;

/// Leaves out labels that have many values with few samples each, for each push would make hundreds
/// of series that never come again. Which other labels a sample has does not matter.
fn without_identities(profile: &Profile, sets: TextSets, notes: &mut Vec<Note>) -> TextSets {
    let mut samples_of = vec![0; profile.label_sets().len()];
    for set in profile.samples().labels.iter().flatten() {
        samples_of[set.index()] += 1;
    }
    let mut uses: HashMap<StringId, (usize, HashSet<StringId>)> = HashMap::new();
    for (labels, of_labels) in &sets {
        let count = of_labels.iter().filter_map(|&set| samples_of.get(set));
        let count: usize = count.sum();
        for &(key, value) in labels {
            let (samples, values) = uses.entry(key).or_default();
            *samples += count;
            values.insert(value);
        }
    }
    uses.retain(|_, (samples, values)| {
        values.len() > MANY_VALUES && *samples < values.len() * FEW_SAMPLES
    });
    let left_out = uses.iter().map(|(&key, (_, values))| Note::Label {
        name: profile.text(key).to_owned(),
        values: values.len(),
    });
    let mut left_out: Vec<_> = left_out.collect();
    left_out.sort_by_key(Note::to_string);
    notes.extend(left_out);
    let mut kept = TextSets::new();
    for (mut labels, of_labels) in sets {
        labels.retain(|(key, _)| !uses.contains_key(key));
        kept.entry(labels).or_default().extend(of_labels);
    }
    kept
}

/// The labels of a set that may make a series: those with a text and a name that is not reserved
/// (`__`) and not one of a trace. [`Labels::with_defaults`] drops those whose names the request has.
fn text_labels(profile: &Profile, set: LabelSetId) -> Vec<(StringId, StringId)> {
    let text = profile.label_sets().get(set).iter().filter_map(|label| {
        let LabelValue::Text(value) = label.value else {
            return None;
        };
        let key = profile.text(label.key);
        let usable = !key.is_empty()
            && !profile.text(value).is_empty()
            && !key.starts_with("__")
            && !TRACE_LABELS.contains(&key);
        usable.then_some((label.key, value))
    });
    text.collect()
}

/// Each type must be one that a query can name, and no two may be the same: they would be added up
/// as one series.
fn check_types(types: &[ProfileType]) -> Result<(), IngestError> {
    for (i, profile_type) in types.iter().enumerate() {
        profile_type.check()?;
        if types[..i].contains(profile_type) {
            return Err(IngestError::TypeTwice(profile_type.to_string()));
        }
    }
    Ok(())
}
