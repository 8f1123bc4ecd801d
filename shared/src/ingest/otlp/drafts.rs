//! Which chunk each profile of a request goes into.

use hashbrown::HashMap;

use crate::base::limits::{MAX_LABEL_BYTES_A_PUSH, MAX_SERIES_A_PUSH};
use crate::formats::otlp::{Head, Symbols};
use crate::ingest::draft::Draft;
use crate::ingest::error::IngestError;
use crate::ingest::identity::Identity;
use crate::ingest::limits::IngestLimits;
use crate::ingest::normalize::go::cut_type_parameters;
use crate::ingest::note::Note;
use crate::ingest::origin::Origin;
use crate::ingest::split::{Split, split};
use crate::model::builder::LabelSetIndex;
use crate::model::id::{LabelSetId, StackId};
use crate::model::labels::Labels;
use crate::model::profile::{Label, LabelSets, Profile, Samples};
use crate::model::profile_type::ProfileType;
use crate::store::{ChunkId, SeriesRows, StoreError};

/// What profiles of one chunk have in common.
///
/// - The service: a tenant's services are divided between its Durable Objects.
/// - The period, of which a chunk has one.
/// - The identity, where their producer gave one: a profile counts once, whatever it is sent
///   together with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct DraftKey {
    pub(super) service: String,
    pub(super) period: i64,
    pub(super) id: Option<ChunkId>,
}

impl DraftKey {
    pub(super) fn new(
        tenant: &str,
        service: &str,
        head: &Head<'_>,
        types: &[ProfileType],
        labels: &Labels,
    ) -> Self {
        let id = head
            .id
            .map(|id| identity(&id, tenant, service, head, types, labels));
        Self {
            service: service.to_owned(),
            period: head.period,
            id,
        }
    }
}

/// The identity of a profile whose producer gave it an id: it is the same however it is encoded and
/// in whatever company. A producer may give one id to all that it measured at once, so the type, the
/// start and the labels belong to it.
fn identity(
    id: &[u8; 16],
    tenant: &str,
    service: &str,
    head: &Head<'_>,
    types: &[ProfileType],
    labels: &Labels,
) -> ChunkId {
    let mut identity = Identity::default()
        .with(b"OTLP profile")
        .with(tenant.as_bytes())
        .with(id)
        .with(service.as_bytes())
        .with(&head.period.to_le_bytes())
        // As the profile says it: one without a start begins when it arrives.
        .with(&head.time_nanos.to_le_bytes())
        .with(&(types.len() as u64).to_le_bytes());
    for of in types {
        identity = identity.with(of.to_string().as_bytes());
    }
    for (name, value) in labels.iter() {
        identity = identity.with(name.as_bytes()).with(value.as_bytes());
    }
    identity.id()
}

/// A chunk as far as it is made: tables once, and the samples of each profile.
#[derive(Default)]
pub(super) struct Gathering {
    pub(super) symbols: Symbols,
    /// Labels that attributes of samples are, by row.
    pub(super) labels: HashMap<u64, Option<Label>>,
    /// Ids of trace and span, by row of the table of links.
    pub(super) links: HashMap<u64, [Option<Label>; 2]>,
    parts: Vec<Part>,
}

/// The samples of one profile that are of one service.
pub(super) struct Part {
    /// Place of the profile in the request.
    pub(super) number: u64,
    pub(super) origin: Origin,
    pub(super) types: Vec<ProfileType>,
    samples: Samples,
    label_sets: LabelSets,
    index: LabelSetIndex,
}

impl Part {
    pub(super) fn new(number: u64, origin: Origin, types: Vec<ProfileType>) -> Self {
        let samples = Samples {
            values: vec![Vec::new(); types.len()],
            ..Samples::default()
        };
        Self {
            number,
            origin,
            types,
            samples,
            label_sets: LabelSets::default(),
            index: LabelSetIndex::default(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.samples.stacks.is_empty()
    }

    /// The set of these labels.
    pub(super) fn label_set(&mut self, labels: &mut [Label]) -> Option<LabelSetId> {
        self.index.intern(&mut self.label_sets, labels)
    }

    pub(super) fn sample(
        &mut self,
        stack: Option<StackId>,
        labels: Option<LabelSetId>,
        values: &[i64],
    ) {
        self.samples.stacks.push(stack);
        self.samples.labels.push(labels);
        for (column, &value) in self.samples.values.iter_mut().zip(values) {
            column.push(value);
        }
    }
}

/// All chunks of a request.
#[derive(Default)]
pub(super) struct Drafts {
    of_key: HashMap<DraftKey, Box<Gathering>>,
}

impl Drafts {
    pub(super) fn contains(&self, key: &DraftKey) -> bool {
        self.of_key.contains_key(key)
    }

    pub(super) fn gathering(&mut self, key: &DraftKey) -> &mut Gathering {
        self.of_key.entry_ref(key).or_default()
    }

    /// The drafts, in an order that does not depend on chance. `content` is the identity of what
    /// has no identity of its own.
    pub(super) fn finish(
        self,
        content: &Identity,
        limits: &IngestLimits,
    ) -> impl Iterator<Item = PartedDraft> {
        let mut all: Vec<_> = self.of_key.into_iter().collect();
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all.into_iter().map(move |(key, gathering)| {
            let id = key.id.unwrap_or_else(|| {
                let of_group = content.clone().with(key.service.as_bytes());
                of_group.with(&key.period.to_le_bytes()).id()
            });
            gathering.draft(id, key.period, limits)
        })
    }
}

/// A draft, and what became of the profiles in it.
pub(super) struct PartedDraft {
    pub(super) draft: Draft,
    /// The profiles that it holds.
    pub(super) profiles: Vec<u64>,
    /// The profiles that it does not hold, and why.
    pub(super) refused: Vec<(u64, IngestError)>,
    /// What is stored otherwise than it was sent, by profile.
    pub(super) notes: Vec<(u64, Note)>,
}

impl Gathering {
    /// Adds the samples of a profile, unless it is there already: a collector may have put it into
    /// one request twice.
    pub(super) fn add(&mut self, part: Part, key: &DraftKey) {
        if key.id.is_none() || self.parts.is_empty() {
            self.parts.push(part);
        }
    }

    fn draft(self, id: ChunkId, period: i64, limits: &IngestLimits) -> PartedDraft {
        let mut profile = self.symbols.builder.finish();
        cut_type_parameters(&mut profile);
        profile.header.period = period;
        let (mut profiles, mut refused, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let mut all = Series::default();
        for mut part in self.parts {
            profile.samples = std::mem::take(&mut part.samples);
            profile.label_sets = std::mem::take(&mut part.label_sets);
            match all.add(&profile, &part, limits) {
                Ok(of_part) => {
                    profiles.push(part.number);
                    notes.extend(of_part.into_iter().map(|note| (part.number, note)));
                }
                Err(error) => refused.push((part.number, error)),
            }
        }
        (profile.samples, profile.label_sets) = Default::default();
        let draft = Draft {
            id,
            profile,
            split: all.split,
            // Those of the request are counted as a whole.
            profile_bytes: 0,
        };
        PartedDraft {
            draft,
            profiles,
            refused,
            notes,
        }
    }
}

/// The series of a chunk.
#[derive(Default)]
struct Series {
    split: Split,
    label_bytes: usize,
}

impl Series {
    /// Adds those of a profile, or none; what is to be said of it.
    fn add(
        &mut self,
        profile: &Profile,
        part: &Part,
        limits: &IngestLimits,
    ) -> Result<Vec<Note>, IngestError> {
        let more = split(profile, &part.origin, &part.types)?;
        limits.check_series(&more.series)?;
        let texts = more
            .series
            .iter()
            .flat_map(|rows| rows.series.labels.iter());
        let label_bytes = self.label_bytes
            + texts
                .map(|(name, value)| name.len() + value.len())
                .sum::<usize>();
        if self.split.series.len() + more.series.len() > MAX_SERIES_A_PUSH {
            return Err(IngestError::TooManySeries);
        }
        if label_bytes > MAX_LABEL_BYTES_A_PUSH {
            return Err(IngestError::TooManyLabelBytes);
        }
        for SeriesRows { rows, .. } in &more.series {
            // The chunk would be refused, and all other profiles with it.
            let sum = rows.iter().map(|row| i128::from(row.1)).sum();
            if i64::try_from(sum).is_err() {
                let what = "the total of a series";
                return Err(StoreError::Overflow { what, sum }.into());
            }
        }
        self.label_bytes = label_bytes;
        self.split.series.extend(more.series);
        self.split.lost_links += more.lost_links;
        Ok(more.notes)
    }
}
