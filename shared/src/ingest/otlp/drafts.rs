//! Which chunk each profile of a request goes into.

use hashbrown::{HashMap, HashSet};

use crate::base::limits::{MAX_LABEL_BYTES_A_PUSH, MAX_SERIES_A_PUSH};
use crate::formats::otlp::Symbols;
use crate::ingest::draft::Draft;
use crate::ingest::error::IngestError;
use crate::ingest::identity::Identity;
use crate::ingest::origin::Origin;
use crate::ingest::split::{Split, split};
use crate::model::builder::LabelSetIndex;
use crate::model::id::{LabelSetId, StackId};
use crate::model::labels::Labels;
use crate::model::profile::{Label, LabelSets, Samples};
use crate::model::profile_type::ProfileType;

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
    pub(super) id: Option<[u8; 16]>,
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
    /// What was gathered under an identity, which a collector may have put into one request twice.
    gathered: HashSet<(ProfileType, i64, Labels)>,
}

/// The samples of one profile that are of one service.
pub(super) struct Part {
    pub(super) origin: Origin,
    pub(super) types: Vec<ProfileType>,
    samples: Samples,
    label_sets: LabelSets,
    index: LabelSetIndex,
}

impl Part {
    pub(super) fn new(origin: Origin, types: Vec<ProfileType>) -> Self {
        let samples = Samples {
            values: vec![Vec::new(); types.len()],
            ..Samples::default()
        };
        Self {
            origin,
            types,
            samples,
            label_sets: LabelSets::default(),
            index: LabelSetIndex::default(),
        }
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
    of_key: HashMap<DraftKey, Gathering>,
}

impl Drafts {
    pub(super) fn gathering(&mut self, key: &DraftKey) -> &mut Gathering {
        self.of_key.entry_ref(key).or_default()
    }

    /// The drafts, in an order that does not depend on chance. `content` is the identity of what
    /// has no identity of its own.
    pub(super) fn finish(
        self,
        tenant: &str,
        content: &Identity,
    ) -> impl Iterator<Item = (String, u64, Result<Draft, IngestError>)> {
        let mut all: Vec<_> = self.of_key.into_iter().collect();
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all.into_iter().map(move |(key, gathering)| {
            let identity = match key.id {
                Some(id) => Identity::default()
                    .with(b"OTLP profile")
                    .with(tenant.as_bytes())
                    .with(&id),
                None => content.clone(),
            };
            let identity = identity
                .with(key.service.as_bytes())
                .with(&key.period.to_le_bytes());
            let profiles = gathering.parts.len() as u64;
            let part = format!("service {:?}", key.service);
            (part, profiles, gathering.draft(&key, &identity))
        })
    }
}

impl Gathering {
    /// Adds the samples of a profile, unless it is there already.
    pub(super) fn add(&mut self, part: Part, has_id: bool) {
        let is_new = !has_id || {
            let profile_type = part.types.first().cloned().unwrap_or_default();
            let Origin { labels, from, .. } = &part.origin;
            self.gathered.insert((profile_type, from.0, labels.clone()))
        };
        if is_new {
            self.parts.push(part);
        }
    }

    fn draft(self, key: &DraftKey, identity: &Identity) -> Result<Draft, IngestError> {
        let mut profile = self.symbols.builder.finish();
        profile.header.period = key.period;
        let mut all = Split::default();
        let mut label_bytes = 0;
        for part in self.parts {
            (profile.samples, profile.label_sets) = (part.samples, part.label_sets);
            let more = split(&profile, &part.origin, &part.types)?;
            label_bytes += more
                .series
                .iter()
                .flat_map(|rows| rows.series.labels.iter())
                .map(|(name, value)| name.len() + value.len())
                .sum::<usize>();
            all.series.extend(more.series);
            all.lost_links += more.lost_links;
            if all.series.len() > MAX_SERIES_A_PUSH {
                return Err(IngestError::TooManySeries);
            }
            if label_bytes > MAX_LABEL_BYTES_A_PUSH {
                return Err(IngestError::TooManyLabelBytes);
            }
        }
        (profile.samples, profile.label_sets) = Default::default();
        Ok(Draft {
            id: identity.id(),
            profile,
            split: all,
            // Those of the request are counted as a whole.
            profile_bytes: 0,
        })
    }
}
