//! The answer of a query, and how the answers of its parts become one.

use serde::{Deserialize, Serialize};

use crate::base::units::TimeRange;
use crate::formats::pprof;
use crate::merge::merger::MergeError;
use crate::merge::stored::{ErrorBounds, StoredMerger};
use crate::model::builder::ProfileBuilder;
use crate::model::profile::Profile;
use crate::model::profile_type::ProfileType;
use crate::plans::plan::PlanError;
use crate::store::{AnswerStats, StoreError, answer_chunk, decode_answer, encode_answer};
use crate::tree::call_tree::CallTree;
use crate::tree::frames::By;
use crate::views::pyroscope::TooLarge;

/// Most bytes of tables and samples that a query may hold, or of points that a timeline may: 32
/// MiB.
///
/// A worker has 128 MB. While a query reads, tables have room for up to twice what they hold, and
/// 16 MiB of reads are outstanding, on their way into WASM twice: 96 MiB. When it ends there are no
/// reads, and canonical order makes the tables a second time: measured, 84 MB at most. What is left
/// goes to the catalog's rows and the code. The answer of a service with 20,000 stacks takes 1 MiB.
pub const MAX_HELD: usize = 32 << 20;

/// Most frames of a tree before equal ones are folded: 2 Mi, which take up to 24 bytes each then. A
/// query has memory for as many stacks, of 16 bytes each, so only inlined calls come to more: a
/// location may stand for thousands.
const MAX_ROWS: u64 = MAX_HELD as u64 / 16;

/// What becomes of a sum that outgrows memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outgrown {
    /// The query is refused: its answer must be exact.
    #[default]
    Refuse,
    /// The lightest subtrees are folded into what called them, and stacks are of names of functions
    /// alone: enough for a view of the largest nodes of a tree of names, or of functions.
    Fold,
    /// The same in a part of a query, beside whose answer the sum of all parts is in memory.
    FoldPart,
}

impl Outgrown {
    /// The same for a part of a query.
    pub fn of_part(self) -> Self {
        match self {
            Self::Refuse => Self::Refuse,
            Self::Fold | Self::FoldPart => Self::FoldPart,
        }
    }

    /// With how many bytes a sum is folded, to two thirds of them. Rows are in memory twice meanwhile,
    /// and three times when they are put in order. 20 MiB are some 800,000 rows, a hundred times the
    /// nodes that clients ask for by default.
    fn most(self) -> Option<usize> {
        match self {
            Self::Refuse => None,
            Self::Fold => Some(20 << 20),
            Self::FoldPart => Some(10 << 20),
        }
    }
}

/// Most bytes of tables that wait to be added to a sum that is folded: 64 MiB, as they are counted.
/// Tables of blocks have no room to grow, and so half of that in memory.
const MAX_BESIDE: usize = 64 << 20;

/// Fewest bytes of a sum that is folded, whatever is beside it: 6 MiB.
const LEAST_SUM: usize = 6 << 20;

/// How many stacks are added to a sum before it is folded: 128 Ki, some 3 MiB.
const SLICE: usize = 128 << 10;

/// The outcome of a query.
#[derive(Debug)]
pub struct QueryAnswer {
    /// The sum of all selected profiles, in canonical order unless addresses have been named since;
    /// without sample types when there is none.
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
    /// By how much numbers may be wrong, where light subtrees were folded for the sake of memory.
    pub error_bounds: ErrorBounds,
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

    /// The answer as a tree; that of nothing has a root alone. An error when inlined calls are too
    /// many to be unfolded.
    pub fn tree(&self, by: By) -> Result<CallTree, TooLarge> {
        if self.profile.sample_types().is_empty() {
            let mut builder = ProfileBuilder::new();
            builder.sample_type("", "");
            return Ok(CallTree::new(&builder.finish(), 0, by));
        }
        self.check_frames()?;
        Ok(CallTree::new(&self.profile, 0, by))
    }

    /// Whether the stacks can be unfolded, inlined calls included.
    pub fn check_frames(&self) -> Result<(), TooLarge> {
        if self.profile.sample_types().is_empty() {
            return Ok(());
        }
        match CallTree::rows(&self.profile, 0) {
            rows if rows > MAX_ROWS => Err(TooLarge::Frames {
                rows,
                most: MAX_ROWS,
            }),
            _ => Ok(()),
        }
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
            error_bounds,
        } = self;
        encode_answer(
            AnswerStats {
                profiles,
                objects,
                bytes,
                saturated,
                rounded,
                error_bounds,
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
                error_bounds,
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
            error_bounds,
        })
    }
}

/// Adds up the answers of a query's parts, in any order: the same bytes as of the query as a whole.
#[derive(Default)]
pub struct AnswerSum {
    merger: StoredMerger,
    stats: AnswerStats,
    outgrown: Outgrown,
}

impl AnswerSum {
    /// A sum of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same sum, which does this when it outgrows memory.
    pub fn when(self, outgrown: Outgrown) -> Self {
        Self { outgrown, ..self }
    }

    /// Adds an answer; all must be of one type.
    pub fn add(&mut self, answer: &QueryAnswer) -> Result<(), PlanError> {
        let stats = &mut self.stats;
        stats.profiles = stats.profiles.saturating_add(answer.profiles);
        stats.objects += answer.objects;
        stats.bytes += answer.bytes;
        stats.saturated |= answer.saturated;
        stats.rounded |= answer.rounded;
        stats.error_bounds = stats.error_bounds.plus(answer.error_bounds);
        // That of no profile has no type.
        if !answer.profile.sample_types().is_empty() {
            let sums = self.merger.sums(&answer.profile);
            let outgrown = self.outgrown;
            add_sums(&mut self.merger, &answer.profile, &sums, 0, outgrown)?;
        }
        hold(&mut self.merger, 0, self.outgrown)
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
            error_bounds,
        } = self.stats;
        let error_bounds = error_bounds.plus(self.merger.error_bounds());
        let merged = self.merger.finish();
        let saturated = saturated || merged.saturated > 0;
        QueryAnswer {
            profile: merged.profile,
            profiles,
            objects,
            bytes,
            saturated,
            rounded,
            error_bounds,
        }
    }
}

/// Adds sums over the stacks of a profile, beside so many bytes.
pub(super) fn add_sums(
    merger: &mut StoredMerger,
    from: &Profile,
    sums: &[i64],
    beside: usize,
    outgrown: Outgrown,
) -> Result<(), MergeError> {
    if outgrown == Outgrown::Refuse || sums.len() <= SLICE {
        return merger.add_sums(from, sums);
    }
    let beside = beside + from.table_bytes() + size_of_val(sums);
    for start in (0..sums.len()).step_by(SLICE) {
        let end = sums.len().min(start + SLICE);
        let mut slice = vec![0; end];
        slice[start..].copy_from_slice(&sums[start..end]);
        merger.add_sums(from, &slice)?;
        fold(merger, beside, outgrown);
    }
    Ok(())
}

/// Folds a sum that is too large beside so many bytes, if it may be.
fn fold(merger: &mut StoredMerger, beside: usize, outgrown: Outgrown) {
    let Some(most) = outgrown.most() else {
        return;
    };
    let most = most.min(MAX_HELD.saturating_sub(beside).max(LEAST_SUM));
    if merger.held() > most {
        merger.fold(most / 3 * 2);
    }
}

/// Sees to it that a sum and the bytes beside it are not too much.
pub(super) fn hold(
    merger: &mut StoredMerger,
    beside: usize,
    outgrown: Outgrown,
) -> Result<(), PlanError> {
    fold(merger, beside, outgrown);
    match outgrown {
        Outgrown::Refuse => check_held(merger.held().saturating_add(beside)),
        Outgrown::Fold | Outgrown::FoldPart => check(beside, MAX_BESIDE),
    }
}

/// Refuses to hold more than [`MAX_HELD`].
pub(in crate::plans) fn check_held(bytes: usize) -> Result<(), PlanError> {
    check(bytes, MAX_HELD)
}

fn check(bytes: usize, most: usize) -> Result<(), PlanError> {
    if bytes > most {
        let most = most as u64 >> 20;
        return Err(PlanError::TooLarge { most });
    }
    Ok(())
}
