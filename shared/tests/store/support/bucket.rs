//! A bucket in memory.

use std::collections::HashMap;

use pilotlight_core::plans::{
    CatalogObject, CompactOutput, CompactPlan, CompactTask, CountedChunks, Get, Grouping,
    MAX_PARTITION_BYTES, Outgrown, Plan, PlanError, QueryAnswer, QueryCost, QueryPlan, Timeline,
    TimelinePlan,
};
use pilotlight_core::store::{Directory, Level, ObjectKey, SegmentWriter, SumWindow, TenantId};

use super::*;

/// A bucket in memory and its catalog.
pub(crate) struct Bucket {
    /// How jobs over blocks are divided.
    pub(crate) partition_bytes: u64,
    pub(crate) objects: HashMap<String, Vec<u8>>,
    pub(crate) catalog: Vec<CatalogObject>,
    pub(crate) counted: CountedChunks,
    pub(crate) leases: u64,
}

impl Default for Bucket {
    fn default() -> Self {
        let (objects, catalog, counted) = (HashMap::new(), Vec::new(), CountedChunks::default());
        Self {
            partition_bytes: MAX_PARTITION_BYTES,
            objects,
            catalog,
            counted,
            leases: 0,
        }
    }
}

impl Bucket {
    /// One object alone.
    pub(crate) fn of_object(key: &str, bytes: &[u8]) -> Self {
        let mut bucket = Self::default();
        bucket.catalog.push(CatalogObject {
            key: key.to_owned(),
            level: key.parse::<ObjectKey>().unwrap().level,
            size: bytes.len() as u64,
            directory: Directory::of_object(bytes).unwrap(),
        });
        bucket.objects.insert(key.to_owned(), bytes.to_vec());
        bucket
    }

    /// One segment for each minute of arrival.
    pub(crate) fn filled(pushes: &[Push]) -> Self {
        let mut minutes: BTreeMap<i64, Vec<&Push>> = BTreeMap::new();
        pushes
            .iter()
            .for_each(|push| minutes.entry(push.arrival_millis).or_default().push(push));
        let mut bucket = Self::default();
        for (millis, pushes) in minutes {
            bucket.put_segment(
                millis,
                &pushes.iter().map(|push| push.chunk()).collect::<Vec<_>>(),
            );
        }
        bucket
    }

    /// Writes a segment as the Durable Object does; gives its length and that of its directory.
    pub(crate) fn put_segment(&mut self, millis: i64, chunks: &[Vec<u8>]) -> (usize, usize) {
        let mut writer = SegmentWriter::new();
        chunks
            .iter()
            .for_each(|chunk| drop(writer.push(chunk).unwrap()));
        let (bytes, mut directory) = writer.finish().unwrap();
        // As a row of the catalog, it lists only what counts. Segments come in order of arrival.
        let counts = self
            .counted
            .count(directory.chunks().iter().map(|chunk| chunk.id), millis);
        directory.keep_chunks(&counts);
        let lengths = (bytes.len(), directory.encode().unwrap().len());
        let key = ObjectKey {
            tenant: TenantId::anonymous(),
            shard: 0,
            level: Level::Segment,
            millis,
            unique: 7,
        }
        .to_string();
        self.catalog.push(CatalogObject {
            key: key.clone(),
            level: Level::Segment,
            size: bytes.len() as u64,
            directory,
        });
        self.objects.insert(key, bytes);
        lengths
    }

    /// As a real bucket does, gives less than asked for where the object ends.
    pub(crate) fn read(&self, get: &Get) -> &[u8] {
        let object = &self.objects[&get.key];
        let clamp = |at: u64| at.min(object.len() as u64) as usize;
        &object[clamp(get.offset)..clamp(get.offset.saturating_add(get.length))]
    }

    pub(crate) fn query(
        &self,
        selector: &str,
        of_type: &ProfileType,
        range: TimeRange,
    ) -> Result<QueryAnswer, PlanError> {
        self.query_when(selector, of_type, range, Outgrown::Refuse)
    }

    pub(crate) fn query_when(
        &self,
        selector: &str,
        of_type: &ProfileType,
        range: TimeRange,
        outgrown: Outgrown,
    ) -> Result<QueryAnswer, PlanError> {
        let (cost, answer) = self.cost_and_answer(selector, of_type, range, outgrown)?;
        assert_eq!((cost.objects, cost.bytes), (answer.objects, answer.bytes));
        assert!(cost.symbol_bytes <= cost.bytes, "{cost:?}");
        assert!(
            cost.profiles >= answer.profiles,
            "{cost:?}, {}",
            answer.profiles
        );
        Ok(answer)
    }

    /// What the plan said before it read, and the answer. They agree where directories and contents
    /// do.
    pub(crate) fn cost_and_answer(
        &self,
        selector: &str,
        of_type: &ProfileType,
        range: TimeRange,
        outgrown: Outgrown,
    ) -> Result<(QueryCost, QueryAnswer), PlanError> {
        let selector = Selector::parse(selector).unwrap();
        let plan = QueryPlan::new(&selector, of_type, range, &self.catalog)?;
        let mut plan = plan.when(outgrown);
        let cost = plan.cost();
        // Back to front: the order must not matter.
        for get in plan.wants().iter().rev() {
            plan.provide(get, self.read(get))?;
        }
        assert_eq!(plan.wants(), []);
        Ok((cost, plan.finish()?))
    }

    pub(crate) fn timeline(
        &self,
        selector: &str,
        of_type: Option<&ProfileType>,
        range: TimeRange,
    ) -> Timeline {
        self.try_timeline(selector, of_type, range, None).unwrap()
    }

    pub(crate) fn try_timeline(
        &self,
        selector: &str,
        of_type: Option<&ProfileType>,
        range: TimeRange,
        resolution: Option<SumWindow>,
    ) -> Result<Timeline, PlanError> {
        self.grouped_timeline(selector, of_type, range, resolution, Grouping::Series)
    }

    pub(crate) fn grouped_timeline(
        &self,
        selector: &str,
        of_type: Option<&ProfileType>,
        range: TimeRange,
        resolution: Option<SumWindow>,
        grouping: Grouping,
    ) -> Result<Timeline, PlanError> {
        let selector = Selector::parse(selector).unwrap();
        let mut plan = TimelinePlan::new(
            &selector,
            of_type,
            range,
            resolution,
            grouping,
            &self.catalog,
        )?;
        for get in plan.wants() {
            plan.provide(&get, self.read(&get))?;
        }
        plan.finish()
    }

    /// Compacts the segments at these places of the catalog, as the scheduled job does.
    pub(crate) fn compact(&mut self, chosen: impl Fn(usize) -> bool) {
        let chosen: Vec<_> = (0..self.catalog.len())
            .filter(|&at| self.catalog[at].level == Level::Segment && chosen(at))
            .collect();
        self.compact_to(1, &chosen);
    }

    /// Compacts the objects of these levels.
    pub(crate) fn compact_all(&mut self, level: u8) {
        let sources = if level == 3 {
            1..=2
        } else {
            level - 1..=level - 1
        };
        let chosen: Vec<_> = (0..self.catalog.len())
            .filter(|&at| sources.contains(&self.catalog[at].level.number()))
            .collect();
        self.compact_to(level, &chosen);
    }

    /// Makes a block out of the objects at these places. One of level 3 stands beside its sources.
    pub(crate) fn compact_to(&mut self, level: u8, chosen: &[usize]) {
        let sources: Vec<CatalogObject> =
            chosen.iter().map(|&at| self.catalog[at].clone()).collect();
        self.compact_these(level, sources);
    }

    fn compact_these(&mut self, level: u8, sources: Vec<CatalogObject>) {
        if sources.is_empty() {
            return;
        }
        let keys: Vec<String> = sources.iter().map(|s| s.key.clone()).collect();
        let token = self.token();
        let first = self.try_share(sources.clone(), token, level, 0).unwrap();
        let count = first.directory.block().unwrap().partition.count;
        let others = (1..count).map(|number| {
            self.try_share(sources.clone(), token, level, number)
                .unwrap()
        });
        let others: Vec<CompactOutput> = others.collect();
        self.put_block(&keys, first);
        others
            .into_iter()
            .for_each(|output| self.put_block(&[], output));
    }

    /// Of the next lease.
    pub(crate) fn token(&mut self) -> u64 {
        self.leases += 1;
        7 + self.leases
    }

    /// Takes in what a compaction of these objects made, as the Durable Object does.
    pub(crate) fn put_block(&mut self, sources: &[String], output: CompactOutput) {
        if output.level.has_profiles() {
            self.delete(sources);
        }
        let CompactOutput {
            key,
            level,
            bytes,
            directory,
            ..
        } = output;
        // The way through the catalog: what is read back is what was written.
        let directory = Directory::decode(&directory.encode().unwrap()).unwrap();
        self.catalog.push(CatalogObject {
            key: key.clone(),
            level,
            size: bytes.len() as u64,
            directory,
        });
        self.objects.insert(key, bytes);
    }

    pub(crate) fn delete(&mut self, keys: &[String]) {
        self.catalog.retain(|object| !keys.contains(&object.key));
        keys.iter().for_each(|key| drop(self.objects.remove(key)));
    }

    pub(crate) fn try_compact(
        &self,
        level: u8,
        sources: Vec<CatalogObject>,
    ) -> Result<CompactOutput, PlanError> {
        self.try_share(sources, 7, level, 0)
    }

    /// Makes one partition of a job.
    pub(crate) fn try_share(
        &self,
        sources: Vec<CatalogObject>,
        token: u64,
        level: u8,
        partition: u32,
    ) -> Result<CompactOutput, PlanError> {
        let (unique, level) = (
            token * 100 + u64::from(partition),
            Level::try_from(level).unwrap(),
        );
        let mut plan = CompactPlan::new(
            sources,
            CompactTask {
                level,
                token,
                unique,
                partition,
                partition_bytes: self.partition_bytes,
            },
        )?;
        loop {
            let wants = plan.wants();
            if wants.is_empty() {
                return plan.finish();
            }
            // Back to front: the order must not matter.
            wants
                .iter()
                .rev()
                .try_for_each(|get| plan.provide(get, self.read(get)))?;
        }
    }
}
