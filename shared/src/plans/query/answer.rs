//! The answer of a query, and how the answers of its parts become one.

use crate::base::units::TimeRange;
use crate::formats::pprof;
use crate::merge::stored::StoredMerger;
use crate::model::profile::Profile;
use crate::model::profile_type::ProfileType;
use crate::plans::plan::PlanError;
use crate::store::{AnswerStats, StoreError, answer_chunk, decode_answer, encode_answer};

/// Most bytes of tables and samples that a query may hold, or of points that a timeline may: 32
/// MiB.
///
/// A worker has 128 MB. While a query reads, tables have room for up to twice what they hold, and
/// 16 MiB of reads are outstanding, on their way into WASM twice: 96 MiB. When it ends there are no
/// reads, and canonical order makes the tables a second time: measured, 84 MB at most. What is left
/// goes to the catalog's rows and the code. The answer of a service with 20,000 stacks takes 1 MiB.
pub const MAX_HELD: usize = 32 << 20;

/// The outcome of a query.
#[derive(Debug)]
pub struct QueryAnswer {
    /// The sum of all selected profiles, in canonical order; without sample types when there is
    /// none.
    pub profile: Profile,
    /// How many profiles were added up.
    pub profiles: u64,
    /// How many objects it was made from.
    pub objects: u64,
    /// How many bytes of them.
    pub bytes: u64,
    /// A sum went beyond 64 bits and was cut there; everything is exact when this is false.
    pub saturated: bool,
    /// The profiles at an end of the range are deleted and only sums are left: windows that begin
    /// inside count as a whole.
    pub rounded: bool,
}

impl QueryAnswer {
    /// Whether a number of the answer is cut at 2^63 − 1: the sum of a stack, or that of stacks
    /// together.
    pub fn is_saturated(&self) -> bool {
        let cut = |values: &Vec<i64>| {
            values.iter().map(|&value| i128::from(value)).sum::<i128>() > i128::from(i64::MAX)
        };
        self.saturated || self.profile.samples().values.iter().any(cut)
    }

    /// How many frames the stacks of all samples have together, each spelt out.
    pub fn frames(&self) -> u64 {
        let mut depths: Vec<u64> = Vec::with_capacity(self.profile.stacks().len());
        for stack in self.profile.stacks() {
            // A parent is an earlier row.
            depths.push(1 + stack.parent.map_or(0, |parent| depths[parent.index()]));
        }
        let stacks = self.profile.samples().stacks.iter().flatten();
        stacks.map(|stack| depths[stack.index()]).sum()
    }

    /// The profile in the format of pprof, uncompressed, as of this range.
    pub fn pprof(mut self, range: TimeRange) -> Vec<u8> {
        self.profile.header.time_nanos = range.from.0;
        self.profile.header.duration_nanos = range.until.0.saturating_sub(range.from.0);
        pprof::encode(&self.profile)
    }

    /// The profile as the bytes of a chunk.
    pub fn chunk(&self, profile_type: &ProfileType) -> Result<Vec<u8>, StoreError> {
        answer_chunk(&self.profile, profile_type)
    }

    /// All of it as bytes, checksums included.
    pub fn encode(&self, profile_type: &ProfileType) -> Result<Vec<u8>, StoreError> {
        let &Self {
            ref profile,
            profiles,
            objects,
            bytes,
            saturated,
            rounded,
        } = self;
        encode_answer(
            AnswerStats {
                profiles,
                objects,
                bytes,
                saturated,
                rounded,
            },
            profile,
            profile_type,
        )
    }

    /// Reads what [`Self::encode`] wrote of an answer of this type.
    pub fn decode(bytes: &[u8], profile_type: &ProfileType) -> Result<Self, StoreError> {
        let (
            AnswerStats {
                profiles,
                objects,
                bytes,
                saturated,
                rounded,
            },
            profile,
        ) = decode_answer(bytes, profile_type)?;
        Ok(Self {
            profile,
            profiles,
            objects,
            bytes,
            saturated,
            rounded,
        })
    }
}

/// Adds up the answers of a query's parts, in any order: the same bytes as of the query as a whole.
#[derive(Default)]
pub struct AnswerSum {
    merger: StoredMerger,
    stats: AnswerStats,
}

impl AnswerSum {
    /// A sum of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an answer; all must be of one type.
    pub fn add(&mut self, answer: &QueryAnswer) -> Result<(), PlanError> {
        let stats = &mut self.stats;
        stats.profiles = stats.profiles.saturating_add(answer.profiles);
        stats.objects += answer.objects;
        stats.bytes += answer.bytes;
        stats.saturated |= answer.saturated;
        stats.rounded |= answer.rounded;
        // That of no profile has no type.
        if !answer.profile.sample_types().is_empty() {
            self.merger.add(&answer.profile)?;
        }
        check_held(self.merger.held())
    }

    /// About how many bytes it holds.
    pub fn held(&self) -> usize {
        self.merger.held()
    }

    /// The sum.
    pub fn finish(self) -> QueryAnswer {
        let AnswerStats {
            profiles,
            objects,
            bytes,
            saturated,
            rounded,
        } = self.stats;
        let merged = self.merger.finish();
        let saturated = saturated || merged.saturated > 0;
        QueryAnswer {
            profile: merged.profile,
            profiles,
            objects,
            bytes,
            saturated,
            rounded,
        }
    }
}

/// Refuses to hold more than [`MAX_HELD`].
pub(in crate::plans) fn check_held(bytes: usize) -> Result<(), PlanError> {
    if bytes > MAX_HELD {
        Err(PlanError::TooLarge {
            most: MAX_HELD as u64 >> 20,
        })
    } else {
        Ok(())
    }
}
