//! What is known of an event: what its samples hold, and where.

use crate::imports::binary::bytes::{part, u32_at, u64_at};
use crate::imports::rows::perf_event;

/// What samples may hold.
mod holds {
    pub(super) const IP: u64 = 1;
    pub(super) const TID: u64 = 1 << 1;
    pub(super) const TIME: u64 = 1 << 2;
    pub(super) const ADDRESS: u64 = 1 << 3;
    pub(super) const READ: u64 = 1 << 4;
    pub(super) const CALLCHAIN: u64 = 1 << 5;
    pub(super) const ID: u64 = 1 << 6;
    pub(super) const CPU: u64 = 1 << 7;
    pub(super) const PERIOD: u64 = 1 << 8;
    pub(super) const STREAM_ID: u64 = 1 << 9;
    pub(super) const BRANCH_STACK: u64 = 1 << 11;
    pub(super) const USER_STACK: u64 = 1 << 13;
    pub(super) const IDENTIFIER: u64 = 1 << 16;
}

/// Shortest description of an event that has all that is read.
const SHORTEST: usize = 48;

/// An event.
pub(super) struct Attribute {
    /// Hardware, software or another, and which of them.
    source: u32,
    config: u64,
    /// Events between samples, 0 where there is a frequency instead.
    period: u64,
    holds: u64,
    read_format: u64,
    /// Whether new threads and processes are counted, too, each by itself.
    inherits: bool,
    /// Whether other records end with time and thread.
    stamps_all: bool,
    /// Whether call chains stop where user space begins.
    excludes_user_callchain: bool,
    /// What the recording calls it.
    pub(super) name: Option<String>,
}

/// A sample.
pub(super) struct Sample<'a> {
    /// Process and thread.
    pub(super) thread: Option<(u32, u32)>,
    pub(super) period: u64,
    pub(super) ip: Option<u64>,
    /// What the counters of its group have counted so far, each with the id of its event. Without
    /// an id they are not read.
    pub(super) counters: Vec<(u64, u64)>,
    /// Addresses, the innermost first, 8 bytes each.
    pub(super) callchain: &'a [u8],
}

/// Numbers in a row.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Fields<'_> {
    fn number(&mut self) -> Option<u64> {
        let number = u64_at(self.bytes, self.at)?;
        self.at += 8;
        Some(number)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.number().map(|_| ()))
    }
}

impl Attribute {
    /// Of its bytes, of which there may be more than are known.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..SHORTEST)?;
        let flags = u64_at(bytes, 40)?;
        let by_frequency = flags & 1 << 10 != 0;
        Some(Self {
            source: u32_at(bytes, 0)?,
            config: u64_at(bytes, 8)?,
            period: if by_frequency { 0 } else { u64_at(bytes, 16)? },
            holds: u64_at(bytes, 24)?,
            read_format: u64_at(bytes, 32)?,
            inherits: flags & 1 << 1 != 0,
            stamps_all: flags & 1 << 18 != 0,
            excludes_user_callchain: flags & 1 << 22 != 0,
            name: None,
        })
    }

    /// What it is called, and the unit of its values.
    pub(super) fn sample_type(&self) -> (String, &'static str) {
        let name = self.name.clone().unwrap_or_else(|| self.usual_name());
        let has_period = self.has(holds::PERIOD) || self.has_counters() || self.period > 0;
        let (name, unit) = perf_event(&name, has_period);
        (name.to_owned(), unit)
    }

    fn usual_name(&self) -> String {
        let names: &[&str] = match self.source {
            0 => &[
                "cycles",
                "instructions",
                "cache-references",
                "cache-misses",
                "branches",
                "branch-misses",
                "bus-cycles",
                "stalled-cycles-frontend",
                "stalled-cycles-backend",
                "ref-cycles",
            ],
            1 => &[
                "cpu-clock",
                "task-clock",
                "page-faults",
                "context-switches",
                "cpu-migrations",
                "minor-faults",
                "major-faults",
                "alignment-faults",
                "emulation-faults",
                "dummy",
                "bpf-output",
                "cgroup-switches",
            ],
            _ => &[],
        };
        let config = usize::try_from(self.config).ok();
        match config.and_then(|config| names.get(config)) {
            Some(name) => (*name).to_owned(),
            None => format!("event {}:{:#x}", self.source, self.config),
        }
    }

    fn has(&self, what: u64) -> bool {
        self.holds & what != 0
    }

    /// Whether samples have counters with the ids of their events.
    fn has_counters(&self) -> bool {
        self.has(holds::READ) && self.read_format & 1 << 2 != 0
    }

    /// Whether each thread has counters of its own.
    pub(super) fn counts_threads(&self) -> bool {
        self.inherits && self.has(holds::TID)
    }

    /// Whether there are stacks of user space that were copied.
    pub(super) fn copies_stacks(&self) -> bool {
        self.has(holds::USER_STACK)
    }

    /// Whether the stacks of user space are in branch records.
    pub(super) fn has_stacks_of_branches(&self) -> bool {
        self.has(holds::BRANCH_STACK) && self.excludes_user_callchain
    }

    /// Where the id of the event is in a sample.
    fn id_place(&self) -> Option<usize> {
        if self.has(holds::IDENTIFIER) {
            return Some(0);
        }
        let before = [holds::IP, holds::TID, holds::TIME, holds::ADDRESS];
        let before = before.into_iter().filter(|&field| self.has(field)).count();
        self.has(holds::ID).then_some(8 * before)
    }

    /// The id of the event of a sample. All events have it at one place.
    pub(super) fn id_of_sample(&self, body: &[u8]) -> Option<u64> {
        u64_at(body, self.id_place()?)
    }

    /// The time of a sample.
    pub(super) fn time_of_sample(&self, body: &[u8]) -> Option<u64> {
        let before = [holds::IDENTIFIER, holds::IP, holds::TID];
        let before = before.into_iter().filter(|&field| self.has(field)).count();
        u64_at(body, 8 * before).filter(|_| self.has(holds::TIME))
    }

    /// The time at the end of another record.
    pub(super) fn time_of_other(&self, body: &[u8]) -> Option<u64> {
        let behind = [
            holds::TIME,
            holds::ID,
            holds::STREAM_ID,
            holds::CPU,
            holds::IDENTIFIER,
        ];
        let behind = behind.into_iter().filter(|&field| self.has(field)).count();
        let at = body.len().checked_sub(8 * behind)?;
        u64_at(body, at).filter(|_| self.stamps_all && self.has(holds::TIME))
    }

    /// Reads a sample as far as it is of use; `None` where it is cut off.
    pub(super) fn sample<'a>(&self, body: &'a [u8]) -> Option<Sample<'a>> {
        let mut fields = Fields { bytes: body, at: 0 };
        let mut next = |field: u64| match self.has(field) {
            true => Some(Some(fields.number()?)),
            false => Some(None),
        };
        next(holds::IDENTIFIER)?;
        let ip = next(holds::IP)?;
        let thread = next(holds::TID)?;
        for field in [
            holds::TIME,
            holds::ADDRESS,
            holds::ID,
            holds::STREAM_ID,
            holds::CPU,
        ] {
            next(field)?;
        }
        let period = next(holds::PERIOD)?;
        let counters = match self.has(holds::READ) {
            true => self.counters(&mut fields)?,
            false => Vec::new(),
        };
        let mut callchain = &[][..];
        if self.has(holds::CALLCHAIN) {
            let count = usize::try_from(fields.number()?).ok()?;
            callchain = part(body, fields.at, count.checked_mul(8)?)?;
        }
        Some(Sample {
            thread: thread.map(|both| (both as u32, (both >> 32) as u32)),
            period: period.unwrap_or(self.period.max(1)),
            ip,
            counters,
            callchain,
        })
    }

    /// The counters in a sample, each with the id of its event.
    fn counters(&self, fields: &mut Fields<'_>) -> Option<Vec<(u64, u64)>> {
        let has = |bit: u64| self.read_format & bit != 0;
        let (has_lost, is_group) = (has(1 << 4), has(1 << 3));
        let times = usize::from(has(1)) + usize::from(has(1 << 1));
        // The times stand before the counters of a group, and between a single counter and its id.
        let (count, before, between) = match is_group {
            true => (fields.number()?, times, 0),
            false => (1, 0, times),
        };
        fields.skip(before)?;
        let mut counters = Vec::new();
        for _ in 0..count {
            let value = fields.number()?;
            fields.skip(between)?;
            if self.has_counters() {
                counters.push((fields.number()?, value));
            }
            fields.skip(usize::from(has_lost))?;
        }
        Some(counters)
    }
}
