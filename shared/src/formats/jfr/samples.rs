//! Events added up: by kind, stack and labels; then as columns of values.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::budget::{self, Budget};
use super::error::JfrProblem;
use super::events::EventKind;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LabelSetId, StackId};
use crate::model::profile_type::ProfileType;

/// What a thread did when it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// `STATE_SLEEPING`: it waited.
    Sleeping,
    /// `STATE_RUNNABLE`: it ran, or could have.
    Runnable,
    /// Another, or none.
    Other,
}

/// What the values of a row count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    sampling: u32,
    kind: EventKind,
    state: State,
    stack: StackId,
    labels: Option<LabelSetId>,
    count: i64,
    amount: i64,
    /// Nanoseconds since the epoch; of the first one where events are added up.
    time: i64,
}

/// An event of a chunk.
pub(super) struct SampleEvent {
    pub(super) kind: EventKind,
    pub(super) state: State,
    pub(super) stack: StackId,
    pub(super) labels: Option<LabelSetId>,
    pub(super) amount: i64,
    /// Nanoseconds since the epoch.
    pub(super) time: i64,
}

/// A column of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Cpu,
    Wall,
    InTlabObjects,
    InTlabBytes,
    OutsideTlabObjects,
    OutsideTlabBytes,
    SampleObjects,
    SampleBytes,
    LockCount,
    LockDelay,
    ParkCount,
    ParkDelay,
    Live,
    MallocObjects,
    MallocBytes,
}

impl Column {
    const ALL: [Self; 15] = [
        Self::Cpu,
        Self::Wall,
        Self::InTlabObjects,
        Self::InTlabBytes,
        Self::OutsideTlabObjects,
        Self::OutsideTlabBytes,
        Self::SampleObjects,
        Self::SampleBytes,
        Self::LockCount,
        Self::LockDelay,
        Self::ParkCount,
        Self::ParkDelay,
        Self::Live,
        Self::MallocObjects,
        Self::MallocBytes,
    ];

    /// The type under which Pyroscope stores it.
    fn profile_type(self) -> ProfileType {
        ProfileType::of_parts(match self {
            Self::Cpu => ["process_cpu", "cpu", "nanoseconds", "cpu", "nanoseconds"],
            Self::Wall => ["wall", "wall", "nanoseconds", "wall", "nanoseconds"],
            Self::InTlabObjects => [
                "memory",
                "alloc_in_new_tlab_objects",
                "count",
                "space",
                "bytes",
            ],
            Self::InTlabBytes => [
                "memory",
                "alloc_in_new_tlab_bytes",
                "bytes",
                "space",
                "bytes",
            ],
            Self::OutsideTlabObjects => [
                "memory",
                "alloc_outside_tlab_objects",
                "count",
                "space",
                "bytes",
            ],
            Self::OutsideTlabBytes => [
                "memory",
                "alloc_outside_tlab_bytes",
                "bytes",
                "space",
                "bytes",
            ],
            Self::SampleObjects => ["memory", "alloc_sample_objects", "count", "space", "bytes"],
            Self::SampleBytes => ["memory", "alloc_sample_bytes", "bytes", "space", "bytes"],
            Self::LockCount => ["mutex", "contentions", "count", "mutex", "count"],
            Self::LockDelay => ["mutex", "delay", "nanoseconds", "mutex", "count"],
            Self::ParkCount => ["block", "contentions", "count", "block", "count"],
            Self::ParkDelay => ["block", "delay", "nanoseconds", "block", "count"],
            Self::Live => ["memory", "live", "count", "objects", "count"],
            Self::MallocObjects => ["memory", "malloc_objects", "count", "", ""],
            Self::MallocBytes => ["memory", "malloc_bytes", "bytes", "", ""],
        })
    }
}

/// What a chunk's event makes of samples of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mode {
    /// Samples are taken on a CPU.
    Cpu,
    /// Samples are taken of all threads: those that ran count as CPU, too.
    Wall,
}

/// How a chunk samples threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sampling {
    /// async-profiler's name of it; empty for JDK's recordings.
    pub(super) event: String,
    pub(super) mode: Mode,
    /// Nanoseconds between two samples.
    pub(super) period: i64,
}

impl Row {
    /// What tells rows apart.
    fn key(&self) -> (u32, EventKind, State, StackId, Option<LabelSetId>) {
        let Self {
            sampling,
            kind,
            state,
            stack,
            labels,
            ..
        } = *self;
        (sampling, kind, state, stack, labels)
    }

    /// The values of a row and their columns.
    fn values(&self, sampling: &Sampling) -> [Option<(Column, i64)>; 2] {
        let Sampling { mode, period, .. } = *sampling;
        let time = self.count.saturating_mul(period);
        let counted = |count, amount| [Some((count, self.count)), Some((amount, self.amount))];
        match self.kind {
            EventKind::Setting => [None, None],
            EventKind::Execution => [
                (self.state != State::Sleeping).then_some((Column::Cpu, time)),
                (mode == Mode::Wall).then_some((Column::Wall, time)),
            ],
            EventKind::CpuTime => {
                let measured = if self.amount > 0 { self.amount } else { time };
                [Some((Column::Cpu, measured)), None]
            }
            EventKind::WallClock => {
                let time = self.amount.saturating_mul(period);
                let ran = mode == Mode::Wall && self.state == State::Runnable;
                [
                    ran.then_some((Column::Cpu, time)),
                    Some((Column::Wall, time)),
                ]
            }
            EventKind::AllocInNewTlab => counted(Column::InTlabObjects, Column::InTlabBytes),
            EventKind::AllocOutsideTlab => {
                counted(Column::OutsideTlabObjects, Column::OutsideTlabBytes)
            }
            EventKind::AllocSample => counted(Column::SampleObjects, Column::SampleBytes),
            EventKind::Lock => counted(Column::LockCount, Column::LockDelay),
            EventKind::Park => counted(Column::ParkCount, Column::ParkDelay),
            EventKind::LiveObject => [Some((Column::Live, self.count)), None],
            EventKind::Malloc => counted(Column::MallocObjects, Column::MallocBytes),
        }
    }
}

/// Rows: one for each event, in the order of time, or each sampling, kind, state, stack and set of
/// labels once.
pub(super) struct Samples {
    timed: bool,
    /// Those of the chunks so far, each once.
    samplings: Vec<Sampling>,
    /// Where each is in `samplings`.
    sampling_index: HashMap<Sampling, u32>,
    /// That of the events that are added, an index into `samplings`.
    sampling: u32,
    rows: Vec<Row>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Samples {
    /// `timed` keeps events apart.
    pub(super) fn new(timed: bool) -> Self {
        Self {
            timed,
            samplings: Vec::new(),
            sampling_index: HashMap::new(),
            sampling: 0,
            rows: Vec::new(),
            index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Begins a chunk: the events that follow are sampled in this way.
    pub(super) fn begin_chunk(&mut self, sampling: Sampling) {
        let next = self.samplings.len() as u32;
        let index = self.sampling_index.entry(sampling.clone()).or_insert(next);
        self.sampling = *index;
        if self.sampling == next {
            self.samplings.push(sampling);
        }
    }

    /// The event of all chunks; empty where they differ.
    pub(super) fn event(&self) -> &str {
        match &self.samplings[..] {
            [first, others @ ..] if others.iter().all(|of| of.event == first.event) => &first.event,
            _ => "",
        }
    }

    /// The mode of all chunks; `Cpu` where they differ.
    pub(super) fn mode(&self) -> Mode {
        let is_wall = |of: &Sampling| of.mode == Mode::Wall;
        match &self.samplings[..] {
            [] => Mode::Cpu,
            all if all.iter().all(is_wall) => Mode::Wall,
            _ => Mode::Cpu,
        }
    }

    /// The shortest time between two samples in any chunk, so that a chart closes no gap that is long
    /// in one of them; 0 without chunks.
    pub(super) fn period(&self) -> i64 {
        let periods = self.samplings.iter().map(|of| of.period);
        periods.min().unwrap_or(0)
    }

    /// Adds an event of the chunk.
    pub(super) fn add(
        &mut self,
        event: SampleEvent,
        budget: &mut Budget,
    ) -> Result<(), JfrProblem> {
        let Self {
            sampling,
            rows,
            index,
            hasher,
            ..
        } = self;
        let SampleEvent {
            kind,
            state,
            stack,
            labels,
            amount,
            time,
        } = event;
        let row = Row {
            sampling: *sampling,
            kind,
            state,
            stack,
            labels,
            count: 1,
            amount,
            time,
        };
        if self.timed {
            budget.take(1, budget::SAMPLE)?;
            rows.push(row);
            return Ok(());
        }
        let hash = hasher.hash_one(row.key());
        if let Some(&known) = index.find(hash, |&at| rows[at as usize].key() == row.key()) {
            let known = &mut rows[known as usize];
            known.count = known.count.saturating_add(1);
            known.amount = known.amount.saturating_add(amount);
            return Ok(());
        }
        budget.take(1, budget::SAMPLE)?;
        rows.push(row);
        index.insert_unique(hash, (rows.len() - 1) as u32, |&at| {
            hasher.hash_one(rows[at as usize].key())
        });
        Ok(())
    }

    /// Puts the columns into a profile and gives the type of each.
    pub(super) fn finish(
        mut self,
        builder: &mut ProfileBuilder,
        budget: &mut Budget,
    ) -> Result<Vec<ProfileType>, JfrProblem> {
        // Nothing is added any more, so that columns may take what rows had to grow.
        self.index = HashTable::new();
        self.rows.shrink_to_fit();
        budget.give_back(self.rows.len(), budget::SAMPLE - size_of::<Row>());
        if self.timed {
            self.rows.sort_by_key(|row| row.time);
        }
        let mut present = [false; Column::ALL.len()];
        let values = |row: &Row| {
            let sampling = &self.samplings[row.sampling as usize];
            row.values(sampling).into_iter().flatten()
        };
        for (column, _) in self.rows.iter().flat_map(values) {
            present[column as usize] = true;
        }
        let mut places = [None; Column::ALL.len()];
        let mut types = Vec::new();
        for column in Column::ALL {
            if present[column as usize] {
                let profile_type = column.profile_type();
                let place =
                    builder.sample_type(&profile_type.sample_type, &profile_type.sample_unit);
                places[column as usize] = Some(place);
                types.push(profile_type);
            }
        }
        let (stack_and_labels, time) = (8, if self.timed { 8 } else { 0 });
        budget.take(self.rows.len(), stack_and_labels + time + 8 * types.len())?;
        builder.reserve_samples(self.rows.len(), self.timed);
        for row in &self.rows {
            let mut line = [0; Column::ALL.len()];
            let mut any = false;
            for (column, value) in values(row) {
                if let Some(place) = places[column as usize] {
                    line[place] = value;
                    any = true;
                }
            }
            // A thread that slept is in no column unless the recording is of wall time.
            match (any, self.timed) {
                (false, _) => {}
                (true, false) => builder.sample(Some(row.stack), row.labels, &line),
                (true, true) => builder.sample_at(row.time, Some(row.stack), row.labels, &line),
            }
        }
        Ok(types)
    }
}
