//! Compaction: objects become blocks that answer every query as they did.
//!
//! | level | of | holds |
//! |---|---|---|
//! | 1 | segments, or blocks of level 1 | every profile, sums of minutes and hours |
//! | 2 | blocks of level 1 | every profile, sums of minutes and hours |
//! | 3 | blocks of level 1 or 2 | sums of hours and days; its sources stay beside it |
//!
//! Symbols are stored once for each group (a service and a group of types that share tables, such
//! as the four of a heap profile). Rows of profiles stay as they were pushed. The same sources give
//! the same bytes.
//!
//! A job that is too large for one block is done in partitions (see [`partitions`]), each a
//! plan of its own; its blocks take the place of the sources together. A job may leave out deleted
//! profiles, and rewrite a single block for that alone.

mod dataset_group;
mod deletion;
mod deletions;
mod input;
mod job;
mod partitions;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use crate::base::sort::sort_by;
use crate::plans::plan::{CatalogObject, Get, Plan, PlanError};
use crate::plans::reads::{Reads, damaged};
use crate::store::{
    BlockLayout, BlockWriter, Counted, Directory, Ids, Level, Lineage, ObjectKey, Part, Partition,
    read_ids,
};
use dataset_group::OpenGroup;
use deletions::Deletions;
use input::{DatasetGroup, Input, Source};
use partitions::{digest, partitions};

pub use deletion::{Deletion, pick_rewrite};
pub use job::{
    CompactJob, JobCandidate, MAX_FAILURES, MAX_JOB_BYTES, MAX_JOB_OBJECTS, MAX_PARTITION_BYTES,
    MIN_JOB_OBJECTS, pick_job,
};

/// Largest gap read along with what is needed: 128 KiB, which a bucket delivers in the time that a
/// request takes. What other services have in a block of level 1 is longer.
const MAX_GAP: u64 = 128 << 10;

/// What a plan is to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactTask {
    /// Level of the block (see [`super::CompactJob`]).
    pub level: Level,
    /// Token of the lease.
    pub token: u64,
    /// Makes the block's name unique.
    pub unique: u64,
    /// Which of the job's partitions, from 0; [`CompactPlan::partition`] says how many there are.
    pub partition: u32,
    /// How many bytes of blocks it may hold at once: [`super::MAX_PARTITION_BYTES`], where a job is
    /// divided; the same for all partitions.
    pub partition_bytes: u64,
}

/// Reads what is needed of its sources and writes a block.
pub struct CompactPlan {
    sources: Vec<Source>,
    layout: BlockLayout,
    task: CompactTask,
    partition: Partition,
    partitioning: u64,
    deletions: Rc<[Deletion]>,
    output: ObjectKey,
    /// What is still to be read, in the order in which it is written.
    waiting: VecDeque<(DatasetGroup, usize, Input)>,
    /// What is being read.
    batch: Vec<(DatasetGroup, usize, Input)>,
    reads: Reads<usize>,
    open: Option<OpenGroup>,
    writer: BlockWriter,
    /// `None` until the sources' ids have been read.
    counted: Option<Vec<Counted>>,
    /// Places of the sources that something was taken from.
    used: BTreeSet<usize>,
}

/// A block to be put into the bucket.
#[derive(Debug)]
pub struct CompactOutput {
    /// Its name.
    pub key: String,
    /// Its level.
    pub level: Level,
    /// The object.
    pub bytes: Vec<u8>,
    /// Its directory, for the catalog.
    pub directory: Directory,
    /// How many profiles it holds or sums up.
    pub profiles: u64,
}

impl CompactPlan {
    /// Plans to make a block out of a job's `sources`, which must be the same for each partition.
    pub fn new(sources: Vec<CatalogObject>, task: CompactTask) -> Result<Self, PlanError> {
        Self::without(sources, task, Vec::new())
    }

    /// The same without deleted profiles: out of segments, or out of one block of the same level.
    /// What only they had of symbols goes too; which chunks were counted stays known, unless all but
    /// a selection is left out.
    pub fn without(
        sources: Vec<CatalogObject>,
        task: CompactTask,
        deletions: Vec<Deletion>,
    ) -> Result<Self, PlanError> {
        let CompactTask { level, unique, .. } = task;
        let rewrite = !deletions.is_empty();
        let (mut keyed, single) = (
            Vec::with_capacity(sources.len()),
            rewrite && sources.len() == 1,
        );
        for object in sources {
            let is_segment = object.directory.block().is_none();
            let fits = if rewrite && !is_segment {
                single && object.level == level && level.has_profiles()
            } else {
                level.is_made_of(object.level)
            };
            if !fits || is_segment != (object.level == Level::Segment) {
                return Err(PlanError::Level {
                    key: object.key,
                    level,
                });
            }
            keyed.push((object.key.parse::<ObjectKey>()?, object));
        }
        sort_by(&mut keyed, |a, b| {
            (a.0.millis, &a.1.key).cmp(&(b.0.millis, &b.1.key))
        });
        let output = keyed.first().map(|(key, _)| key.successor(level, unique));
        let (Some(output), Some(layout)) = (output, BlockLayout::of_level(level)) else {
            return Err(PlanError::NoSources);
        };
        let source = |(key, object): (ObjectKey, CatalogObject)| Source {
            object,
            arrival_millis: key.millis,
            parts: BTreeMap::new(),
        };
        let sources: Vec<Source> = keyed.into_iter().map(source).collect();
        let directories: Vec<&Directory> = sources
            .iter()
            .map(|source| &source.object.directory)
            .collect();
        let mut all = partitions(&directories, level, layout, task.partition_bytes);
        let (partitioning, partition) = (
            digest(&all),
            Partition {
                number: task.partition,
                count: all.len() as u32,
            },
        );
        if partition.number >= partition.count {
            return Err(PlanError::Partition {
                number: partition.number,
                count: partition.count,
            });
        }
        let groups = all.swap_remove(partition.number as usize).into_iter();
        let mut plan = Self {
            sources,
            layout,
            task,
            partition,
            partitioning,
            deletions: deletions.into(),
            output,
            waiting: groups
                .flat_map(|(f, inputs)| inputs.into_iter().map(move |(s, p)| (f.clone(), s, p)))
                .collect(),
            batch: Vec::new(),
            reads: Reads::with_gap(MAX_GAP),
            open: None,
            writer: BlockWriter::new(layout).map_err(PlanError::Output)?,
            counted: None,
            used: BTreeSet::new(),
        };
        plan.begin_batch();
        // Without anything to read.
        plan.end_batch()?;
        Ok(plan)
    }

    /// Which of the job's partitions this is.
    pub fn partition(&self) -> Partition {
        self.partition
    }

    /// Digest of the job's partitions. A commit whose digest differs from the first one's is
    /// refused.
    pub fn partitioning(&self) -> u64 {
        self.partitioning
    }

    /// Whether the block says which chunks its job has counted: the first does it for all. A block
    /// of sums replaces nothing, so it has counted nothing; nor does one of what is selected, which
    /// must not tell of other services' chunks.
    fn has_ids(&self) -> bool {
        self.layout.raw && self.partition.number == 0 && !self.is_selection()
    }

    /// Whether it keeps nothing but what is selected, and replaces nothing.
    fn is_selection(&self) -> bool {
        self.deletions.iter().any(|deletion| deletion.others)
    }

    /// Whether it is made of segments, of which each is read at once.
    fn of_segments(&self) -> bool {
        self.sources
            .iter()
            .any(|source| source.object.directory.block().is_none())
    }

    /// Takes as much as may be held at once; at first, what tells the ids with it.
    fn begin_batch(&mut self) {
        let (mut parts, mut bytes) = (vec![BTreeSet::new(); self.sources.len()], 0u64);
        let with_ids = self.has_ids() && self.counted.is_none();
        for (source, parts) in self.sources.iter().zip(&mut parts).filter(|_| with_ids) {
            parts.extend(source.object.directory.block().and_then(|block| block.ids));
            bytes += parts.iter().map(|part: &Part| part.len).sum::<u64>();
        }
        while let Some((_, source, input)) = self.waiting.front() {
            let mut needs = BTreeSet::new();
            needs.extend(input.parts(&self.sources[*source].object.directory, self.layout));
            let new = needs.iter().filter(|part| !parts[*source].contains(part));
            bytes = bytes.saturating_add(new.fold(0, |sum, part| sum.saturating_add(part.len)));
            if bytes > self.task.partition_bytes && !self.batch.is_empty() && !self.of_segments() {
                break;
            }
            parts[*source].extend(needs);
            self.used.insert(*source);
            self.batch.extend(self.waiting.pop_front());
        }
        for (at, parts) in parts.into_iter().enumerate() {
            self.reads.add(
                &self.sources[at].object.key,
                parts.into_iter().map(|part| (part, at)).collect(),
            );
        }
    }

    /// Puts what has been read into the block, once all of the batch is there, and begins the next.
    fn end_batch(&mut self) -> Result<(), PlanError> {
        while self.reads.finished().is_ok() {
            if self.counted.is_none() {
                self.counted = Some(self.count()?);
            }
            if self.batch.is_empty() && self.waiting.is_empty() {
                break;
            }
            for (group, at, input) in std::mem::take(&mut self.batch) {
                let source = &self.sources[at];
                let part = input.part(&source.object.directory);
                let mut open = match self.open.take() {
                    Some(open) if open.group == group => open,
                    before => {
                        before
                            .map_or(Ok(()), |mut open| open.close(&mut self.writer))
                            .map_err(PlanError::Output)?;
                        OpenGroup::new(group, self.layout, Deletions(self.deletions.clone()))
                    }
                };
                open.add(&mut self.writer, source, input)
                    .map_err(damaged(&source.object.key, part))?;
                self.open = Some(open);
            }
            self.sources
                .iter_mut()
                .for_each(|source| source.parts.clear());
            self.begin_batch();
        }
        Ok(())
    }

    /// How many bytes were read.
    pub fn bytes(&self) -> u64 {
        self.reads.bytes
    }

    /// How many reads it has asked for so far.
    pub(super) fn requests(&self) -> u64 {
        self.reads.requests
    }

    /// Writes the block, when nothing is wanted any more.
    pub fn finish(mut self) -> Result<CompactOutput, PlanError> {
        self.reads.finished()?;
        if let Some(mut open) = self.open.take() {
            open.close(&mut self.writer).map_err(PlanError::Output)?;
        }
        let is_selection = self.is_selection();
        let segments = self
            .sources
            .iter()
            .fold(0, |sum: u64, source| sum.saturating_add(source.segments()));
        let names = self.sources.into_iter().enumerate();
        let (raw, used) = (self.layout.raw, self.used);
        let names = names
            .filter(|(at, _)| raw || used.contains(at))
            .map(|(_, source)| source.object.key)
            .collect();
        let (made_of, summarizes) = match (raw, is_selection) {
            (true, false) => (names, Vec::new()),
            (true, true) => (Vec::new(), Vec::new()),
            (false, _) => (Vec::new(), names),
        };
        let ids = Ids {
            counted: self.counted.unwrap_or_default(),
            made_of,
        };
        let lineage = Lineage {
            token: self.task.token,
            partition: self.partition,
            segments,
            ids,
            summarizes,
        };
        let (bytes, directory) = self.writer.finish(lineage).map_err(PlanError::Output)?;
        let profiles = directory
            .datasets()
            .iter()
            .fold(0, |sum: u64, d| sum.saturating_add(d.profiles));
        Ok(CompactOutput {
            key: self.output.to_string(),
            level: self.task.level,
            bytes,
            directory,
            profiles,
        })
    }

    /// The chunks that went into the sources, with their arrivals.
    fn count(&self) -> Result<Vec<Counted>, PlanError> {
        let mut counted = Vec::new();
        for source in self.sources.iter().filter(|_| self.has_ids()) {
            let (directory, arrival_millis) = (&source.object.directory, source.arrival_millis);
            counted.extend(directory.chunks().iter().map(|chunk| Counted {
                id: chunk.id,
                arrival_millis,
            }));
            if let Some(part) = directory.block().and_then(|block| block.ids) {
                counted.extend(
                    source
                        .part(part)
                        .and_then(read_ids)
                        .map_err(damaged(&source.object.key, part))?
                        .counted,
                );
            }
        }
        Ok(counted)
    }
}

impl Plan for CompactPlan {
    fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (part, at, bytes) in self.reads.take(get, bytes)? {
            self.sources[at].parts.insert(part, bytes.to_vec());
        }
        self.end_batch()
    }
}
