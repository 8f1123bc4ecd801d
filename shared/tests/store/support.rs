//! Histories of random pushes, a bucket in memory, and the answer that a query must give, computed
//! without the store.

use std::collections::{BTreeMap, HashMap};

use pilotlight_core::plans::{
    CatalogObject, CompactOutput, CompactPlan, CompactTask, CountedChunks, Get, Grouping,
    MAX_PARTITION_BYTES, Outgrown, Plan, PlanError, QueryAnswer, QueryCost, QueryPlan, Timeline,
    TimelinePlan,
};
use pilotlight_core::store::{
    ChunkId, Directory, Level, ObjectKey, SegmentWriter, Series, SeriesRows, SumWindow, TenantId,
    encode_chunk,
};
use pilotlight_core::{
    Labels, Profile, ProfileBuilder, ProfileType, Selector, StackId, TimeRange, UnixNanos,
};
use proptest::prelude::*;

/// Stacks of names, root first, and their values.
pub(crate) type NamedRows = Vec<(Vec<&'static str>, i64)>;

/// One push: when and whose, and for each of the family's types its rows, as stacks of names.
#[derive(Clone, Debug)]
pub(crate) struct Push {
    pub(crate) id: u8,
    pub(crate) arrival_millis: i64,
    pub(crate) time: i64,
    pub(crate) family: &'static str,
    pub(crate) labels: Vec<(&'static str, &'static str)>,
    pub(crate) types: Vec<(&'static str, NamedRows)>,
}

const NAMES: &[&str] = &["main", "work", "wait", "λ-calculus", "runtime.gc", ""];

pub(crate) fn profile_type(family: &str, sample_type: &str) -> ProfileType {
    format!("{family}:{sample_type}:count:cpu:nanoseconds")
        .parse()
        .unwrap()
}

pub(crate) fn labels(pairs: &[(&str, &str)]) -> Labels {
    Labels::new(
        pairs
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    )
    .unwrap()
}

pub(crate) fn rows() -> impl Strategy<Value = NamedRows> {
    let stack = prop::collection::vec(prop::sample::select(NAMES), 0..5);
    // Small and large values, none so large that sums of a history leave 64 bits.
    let value = prop_oneof![
        0i64..5,
        Just(10_000_000),
        -3i64..0,
        (1i64 << 40)..(1i64 << 50)
    ];
    prop::collection::vec((stack, value), 0..12)
}

pub(crate) fn push() -> impl Strategy<Value = Push> {
    let types = prop_oneof![
        rows().prop_map(|r| ("process_cpu", vec![("cpu", r)])),
        (rows(), rows())
            .prop_map(|(a, b)| ("memory", vec![("alloc_space", a), ("inuse_space", b)])),
    ];
    let labels = (
        prop::sample::select(vec!["a", "b"]),
        prop::sample::select(vec!["eu", "us", ""]),
    );
    (0u8..24, 0i64..40, 0i64..60, types, labels).prop_map(
        |(id, arrival, time, (family, types), (service, region))| {
            let mut labels = vec![("service_name", service)];
            if !region.is_empty() {
                labels.push(("region", region));
            }
            // Minutes, so that some retries fall inside the window of ten and some outside.
            Push {
                id,
                arrival_millis: arrival * 60_000,
                time: time * 60_000_000_000,
                family,
                labels,
                types,
            }
        },
    )
}

impl Push {
    /// Some have none, some are broken.
    pub(crate) fn duration(&self) -> i64 {
        (i64::from(self.id) - 5) * 10
    }

    pub(crate) fn period(&self) -> i64 {
        100 + i64::from(self.id % 3)
    }

    /// The chunk that a worker would make of it.
    pub(crate) fn chunk(&self) -> Vec<u8> {
        let mut builder = ProfileBuilder::new();
        builder.header().period = self.period();
        let mut series = Vec::new();
        for (sample_type, rows) in &self.types {
            let rows = rows
                .iter()
                .map(|(stack, value)| (named_stack(&mut builder, stack), *value))
                .collect();
            let series_of = Series {
                labels: labels(&self.labels),
                profile_type: profile_type(self.family, sample_type),
                time: UnixNanos(self.time),
                duration_nanos: self.duration(),
                total: 0,
            };
            series.push(SeriesRows {
                series: series_of,
                rows,
                links: Vec::new(),
            });
        }
        encode_chunk(ChunkId([self.id; 16]), &builder.finish(), &series).unwrap()
    }
}

/// A small chunk whose id is spread as a hash would be.
pub(crate) fn chunk_of(n: u32) -> Vec<u8> {
    chunk_at(n, i64::from(n))
}

/// The same, taken at a time in milliseconds.
pub(crate) fn chunk_at(n: u32, millis: i64) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    let stack = builder.named_stack(&["main"]);
    let series = Series {
        labels: labels(&[("service_name", "a")]),
        profile_type: profile_type("process_cpu", "cpu"),
        time: UnixNanos::from_millis(millis),
        ..Series::default()
    };
    let id = (u128::from(n) + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
        .to_le_bytes();
    encode_chunk(
        ChunkId(id),
        &builder.finish(),
        &[SeriesRows {
            series,
            rows: vec![(stack, 1)],
            links: Vec::new(),
        }],
    )
    .unwrap()
}

/// `None` for a stack without frames.
pub(crate) fn named_stack(builder: &mut ProfileBuilder, names: &[&str]) -> Option<StackId> {
    builder.named_stack(names)
}

/// What a profile says, as a map from stack (root first) to value.
pub(crate) fn said(profile: &Profile) -> BTreeMap<Vec<String>, i64> {
    let mut map = BTreeMap::new();
    for (row, &stack) in profile.samples().stacks.iter().enumerate() {
        let mut names: Vec<String> = profile
            .frames(stack)
            .map(|l| {
                profile
                    .lines(l)
                    .iter()
                    .filter_map(|line| line.function)
                    .map(|f| profile.functions()[f.index()].name)
            })
            .map(|names| names.map(|n| profile.text(n)).collect::<Vec<_>>().join(";"))
            .collect();
        names.reverse();
        *map.entry(names).or_default() += profile.samples().values[0][row];
    }
    map.retain(|_, value| *value != 0);
    map
}

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

/// What a query must answer, and of how many profiles: pushes that count, folded into a map.
pub(crate) fn expected(
    pushes: &[Push],
    selector: &str,
    of_type: &ProfileType,
    range: TimeRange,
) -> (BTreeMap<Vec<String>, i64>, u64) {
    let selector = Selector::parse(selector).unwrap();
    let (mut map, mut profiles) = (BTreeMap::<Vec<String>, i64>::new(), 0);
    for push in counting(pushes) {
        for (sample_type, rows) in &push.types {
            let own_type = profile_type(push.family, sample_type);
            if own_type != *of_type
                || !range.contains(UnixNanos(push.time))
                || !selector.matches(&own_type, &labels(&push.labels))
            {
                continue;
            }
            profiles += 1;
            for (stack, value) in rows {
                *map.entry(stack.iter().map(|s| (*s).to_owned()).collect())
                    .or_default() += value;
            }
        }
    }
    map.retain(|_, value| *value != 0);
    (map, profiles)
}

/// Pushes in order of arrival, without those whose id was counted at most ten minutes before.
pub(crate) fn counting(pushes: &[Push]) -> Vec<&Push> {
    let mut order: Vec<&Push> = pushes.iter().collect();
    order.sort_by_key(|push| push.arrival_millis);
    let mut kept: Vec<&Push> = Vec::new();
    for push in order {
        if !kept
            .iter()
            .any(|k| k.id == push.id && push.arrival_millis - k.arrival_millis <= 600_000)
        {
            kept.push(push);
        }
    }
    kept
}
