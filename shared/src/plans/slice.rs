//! A slice: a bundle of what a selector and a range choose from objects, whatever else those hold.

use std::collections::{BTreeMap, VecDeque};

use super::bundle::{BundleFile, BundleWriter};
use super::compact::{CompactPlan, CompactTask, Deletion, MAX_PARTITION_BYTES};
use super::cover::has_no_sources;
use super::plan::{CatalogObject, Get, Plan, PlanError};
use crate::base::units::TimeRange;
use crate::selector::Selector;
use crate::store::{Level, ObjectKey, arrival_day};

/// Most bytes of the blocks of a slice, which are in memory with the zip that is made of them.
pub const MAX_SLICE_BYTES: u64 = 24 << 20;

/// Rewrites what objects hold of a selection, one block after the other.
pub struct SlicePlan {
    deletion: Deletion,
    /// What is still to be rewritten: a block, or the segments of a day.
    waiting: VecDeque<(Level, Vec<CatalogObject>)>,
    /// What is being rewritten, and which of its partitions.
    current: Option<(Level, Vec<CatalogObject>, CompactPlan)>,
    partition: u32,
    /// What makes the names of blocks unique.
    unique: u64,
    writer: BundleWriter,
    /// How many bytes were read.
    bytes: u64,
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
        let mut sums_only = 0;
        let mut groups: BTreeMap<(i64, String), (Level, Vec<CatalogObject>)> = BTreeMap::new();
        for object in objects {
            if !deletion.touches(&object.directory) {
                continue;
            }
            if !object.level.has_profiles() {
                sums_only += usize::from(has_no_sources(object));
                continue;
            }
            let millis = object.key.parse::<ObjectKey>()?.millis;
            let (key, level) = match object.level {
                Level::Segment => ((arrival_day(millis), String::new()), Level::Minutes),
                level => ((arrival_day(millis), object.key.clone()), level),
            };
            let group = groups.entry(key).or_insert_with(|| (level, Vec::new()));
            group.1.push(object.clone());
        }
        let mut plan = Self {
            deletion,
            waiting: groups.into_values().collect(),
            current: None,
            partition: 0,
            unique: 0,
            writer: BundleWriter::default(),
            bytes: 0,
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
            Some((_, _, plan)) => Err(PlanError::Unfinished(plan.wants().len())),
            None => self.writer.finish(),
        }
    }

    /// Ends what has been read, and begins what is next, until something is wanted.
    fn advance(&mut self) -> Result<(), PlanError> {
        loop {
            if let Some((level, sources, plan)) = self.current.take() {
                if !plan.wants().is_empty() {
                    self.current = Some((level, sources, plan));
                    return Ok(());
                }
                self.bytes += plan.bytes();
                let count = plan.partition().count;
                let output = plan.finish()?;
                self.made += output.bytes.len() as u64;
                if self.made > MAX_SLICE_BYTES {
                    let most = MAX_SLICE_BYTES >> 20;
                    return Err(PlanError::TooLarge { most });
                }
                self.profiles += output.profiles;
                if output.profiles > 0 {
                    self.writer.add(output)?;
                }
                self.partition += 1;
                if self.partition < count {
                    self.begin(level, sources)?;
                    continue;
                }
            }
            self.partition = 0;
            let Some((level, sources)) = self.waiting.pop_front() else {
                return Ok(());
            };
            self.begin(level, sources)?;
        }
    }

    fn begin(&mut self, level: Level, sources: Vec<CatalogObject>) -> Result<(), PlanError> {
        let task = CompactTask {
            level,
            token: 0,
            unique: self.unique,
            partition: self.partition,
            partition_bytes: MAX_PARTITION_BYTES,
        };
        self.unique += 1;
        let plan = CompactPlan::without(sources.clone(), task, vec![self.deletion.clone()])?;
        self.current = Some((level, sources, plan));
        Ok(())
    }
}

impl Plan for SlicePlan {
    fn wants(&self) -> Vec<Get> {
        let current = self.current.as_ref();
        current.map_or_else(Vec::new, |(_, _, plan)| plan.wants())
    }

    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        match &mut self.current {
            Some((_, _, plan)) => plan.provide(get, bytes)?,
            None => return Err(PlanError::NotWanted(get.clone())),
        }
        self.advance()
    }
}
