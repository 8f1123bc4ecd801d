//! A slice: a bundle of what a selector and a range choose from objects, whatever else those hold.

use std::collections::VecDeque;

use super::bundle::{BundleFile, BundleWriter};
use super::compact::{CompactPlan, CompactTask, Deletion, MAX_JOB_OBJECTS, MAX_PARTITION_BYTES};
use super::cover::has_no_sources;
use super::plan::{CatalogObject, Get, Plan, PlanError};
use crate::base::sort::sort_by;
use crate::base::units::TimeRange;
use crate::selector::Selector;
use crate::store::{Directory, Level, ObjectKey};

/// Most bytes of the blocks of a slice, which are in memory with the zip that is made of them.
pub const MAX_SLICE_BYTES: u64 = 24 << 20;

/// Most reads of a slice: as many as a job has sources, since both are one invocation.
pub const MAX_SLICE_READS: u64 = MAX_JOB_OBJECTS as u64;

const HOUR_MILLIS: i64 = 3_600_000;

/// What becomes a block: an object, or segments of one shard and hour.
struct Group {
    level: Level,
    sources: Vec<CatalogObject>,
}

/// Rewrites what objects hold of a selection, one block after the other.
pub struct SlicePlan {
    deletion: Deletion,
    /// What is still to be rewritten.
    waiting: VecDeque<Group>,
    /// What is being rewritten.
    current: Option<CompactPlan>,
    writer: BundleWriter,
    /// How many bytes were read.
    bytes: u64,
    /// How many reads there were.
    requests: u64,
    profiles: u64,
    /// How many bytes of blocks were made.
    made: u64,
    sums_only: usize,
}

impl SlicePlan {
    /// Plans to take what `selector` selects, of any type unless it names one, and what starts
    /// within `range`.
    pub fn new(
        selector: Selector,
        range: TimeRange,
        objects: &[CatalogObject],
    ) -> Result<Self, PlanError> {
        let deletion = Deletion {
            selector,
            range,
            others: true,
        };
        let (mut sums_only, mut touched) = (0, Vec::new());
        for object in objects {
            if !deletion.touches(&object.directory) {
                continue;
            }
            if !object.level.has_profiles() {
                sums_only += usize::from(has_no_sources(object));
                continue;
            }
            let mut object = object.clone();
            if deletion.narrow(&mut object.directory) {
                touched.push((object.key.parse()?, object));
            }
        }
        // Each takes one read at least.
        check_reads(touched.len() as u64)?;
        let mut plan = Self {
            deletion,
            waiting: groups(touched),
            current: None,
            writer: BundleWriter::default(),
            bytes: 0,
            requests: 0,
            profiles: 0,
            made: 0,
            sums_only,
        };
        plan.advance()?;
        Ok(plan)
    }

    /// How many objects have nothing but sums of profiles that are deleted. They are not in the
    /// slice.
    pub fn sums_only(&self) -> usize {
        self.sums_only
    }

    /// How many profiles were taken so far.
    pub fn profiles(&self) -> u64 {
        self.profiles
    }

    /// How many bytes were read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The files, when nothing is wanted any more.
    pub fn finish(self) -> Result<Vec<BundleFile>, PlanError> {
        match self.current {
            Some(plan) => Err(PlanError::Unfinished(plan.wants().len())),
            None => self.writer.finish(),
        }
    }

    /// Ends what has been read, and begins what is next, until something is wanted.
    fn advance(&mut self) -> Result<(), PlanError> {
        loop {
            if let Some(plan) = self.current.take() {
                check_reads(self.requests.saturating_add(plan.requests()))?;
                if !plan.wants().is_empty() {
                    self.current = Some(plan);
                    return Ok(());
                }
                self.bytes += plan.bytes();
                self.requests += plan.requests();
                let output = plan.finish()?;
                if output.profiles > 0 {
                    self.made += output.bytes.len() as u64;
                    if self.made > MAX_SLICE_BYTES {
                        let most = MAX_SLICE_BYTES >> 20;
                        return Err(PlanError::TooLarge { most });
                    }
                    self.profiles += output.profiles;
                    self.writer.add(output)?;
                }
            }
            let Some(Group { level, sources }) = self.waiting.pop_front() else {
                return Ok(());
            };
            // Neither segments nor a single block are divided. Blocks get their names later.
            let task = CompactTask {
                level,
                token: 0,
                unique: 0,
                partition: 0,
                partition_bytes: MAX_PARTITION_BYTES,
            };
            let deletions = vec![self.deletion.clone()];
            self.current = Some(CompactPlan::without(sources, task, deletions)?);
        }
    }
}

/// Puts segments together as a job of compaction does, which holds all of its own at once.
fn groups(mut objects: Vec<(ObjectKey, CatalogObject)>) -> VecDeque<Group> {
    sort_by(&mut objects, |(a, _), (b, _)| a.cmp(b));
    let mut groups: VecDeque<Group> = VecDeque::new();
    // Shard and hour of the last group if it is of segments, and its bytes.
    let mut open: Option<((u16, i64), u64)> = None;
    for (key, object) in objects {
        if object.level != Level::Segment {
            open = None;
            let (level, sources) = (object.level, vec![object]);
            groups.push_back(Group { level, sources });
            continue;
        }
        let (of, bytes) = (
            (key.shard, key.millis.div_euclid(HOUR_MILLIS)),
            chunk_bytes(&object.directory),
        );
        match (&mut open, groups.back_mut()) {
            (Some((last, sum)), Some(group))
                if *last == of
                    && group.sources.len() < MAX_JOB_OBJECTS
                    && sum.saturating_add(bytes) <= MAX_PARTITION_BYTES =>
            {
                *sum += bytes;
                group.sources.push(object);
            }
            _ => {
                open = Some((of, bytes));
                let (level, sources) = (Level::Minutes, vec![object]);
                groups.push_back(Group { level, sources });
            }
        }
    }
    groups
}

/// How many bytes of a segment are read.
fn chunk_bytes(directory: &Directory) -> u64 {
    let chunks = directory.chunks().iter();
    let parts = chunks.flat_map(|chunk| [Some(chunk.part()), chunk.links]);
    parts
        .flatten()
        .fold(0, |sum, part| sum.saturating_add(part.len))
}

fn check_reads(reads: u64) -> Result<(), PlanError> {
    let most = MAX_SLICE_READS;
    if reads > most {
        return Err(PlanError::TooManyReads { most });
    }
    Ok(())
}

impl Plan for SlicePlan {
    fn wants(&self) -> Vec<Get> {
        let current = self.current.as_ref();
        current.map_or_else(Vec::new, CompactPlan::wants)
    }

    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        match &mut self.current {
            Some(plan) => plan.provide(get, bytes)?,
            None => return Err(PlanError::NotWanted(get.clone())),
        }
        self.advance()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{ChunkEntry, ChunkId, Contents, Part};

    /// An object of a shard, level and minute with a chunk of so many bytes.
    fn object((shard, level, minute, len): (u16, Level, i64, u64)) -> (ObjectKey, CatalogObject) {
        let key = ObjectKey {
            tenant: "a".parse().unwrap(),
            shard,
            level,
            millis: minute * 60_000,
            unique: len,
        };
        let chunk = ChunkEntry {
            id: ChunkId::default(),
            offset: 0,
            len: len / 2,
            series: Vec::new(),
            links: Some(Part {
                offset: 0,
                len: len - len / 2,
            }),
        };
        let object = CatalogObject {
            key: key.to_string(),
            level,
            size: u64::MAX,
            directory: Directory {
                label_sets: Vec::new(),
                types: Vec::new(),
                contents: Contents::Segment(vec![chunk]),
            },
        };
        (key, object)
    }

    /// `expect` has the level of each group and how many objects are in it.
    fn check(objects: &[(u16, Level, i64, u64)], expect: &[(Level, usize)]) {
        let groups = groups(objects.iter().copied().map(object).collect());
        let found = groups
            .iter()
            .map(|group| (group.level, group.sources.len()));
        assert_eq!(found.collect::<Vec<_>>(), expect);
    }

    #[test]
    fn what_is_held_at_once_is_bounded() {
        use Level::{Hour, Minutes, Segment};
        const MOST: u64 = MAX_PARTITION_BYTES;
        check(&[], &[]);
        check(
            &[
                (0, Segment, 60, 1),
                (0, Segment, 59, 1),
                (0, Segment, 0, 1),
                (1, Segment, 0, 1),
                (1, Segment, 1, 1),
                (1, Segment, 60, 1),
            ],
            &[(Minutes, 2), (Minutes, 1), (Minutes, 2), (Minutes, 1)],
        );
        check(
            &[
                (0, Segment, 0, MOST - 1),
                (0, Segment, 1, 1),
                (0, Segment, 2, 1),
                (0, Segment, 3, MOST),
                (0, Segment, 4, 2 * MOST),
            ],
            &[(Minutes, 2), (Minutes, 1), (Minutes, 1), (Minutes, 1)],
        );
        check(
            &[
                (0, Hour, 0, 1),
                (0, Segment, 0, 1),
                (0, Segment, 1, 1),
                (0, Minutes, 0, 1),
                (0, Minutes, 1, 1),
            ],
            &[(Minutes, 2), (Minutes, 1), (Minutes, 1), (Hour, 1)],
        );
        let many: Vec<_> = (0..=MAX_JOB_OBJECTS as u64)
            .map(|n| (0, Segment, 0, n))
            .collect();
        check(&many, &[(Minutes, MAX_JOB_OBJECTS), (Minutes, 1)]);
    }

    #[test]
    fn the_message_says_how_many_reads() {
        assert_eq!(check_reads(MAX_SLICE_READS), Ok(()));
        let error = check_reads(MAX_SLICE_READS + 1).unwrap_err().to_string();
        assert!(error.contains("more than 800 reads"), "{error}");
    }
}
