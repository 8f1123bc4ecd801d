//! Sequences of packets, each from one writer: what one says holds for the later ones.

use super::heaps::Dumps;
use super::interned::Interned;
use super::symbols::text;
use super::tracks::Owner;
use crate::formats::protobuf::{Value, Wire};
use crate::imports::error::Problem;
use crate::imports::rows::Rows;
use crate::model::id::StringId;

/// Units of `StackSample`, by number.
const UNITS: [&str; 10] = [
    "",
    "nanoseconds",
    "cycles",
    "instructions",
    "bytes",
    "faults",
    "count",
    "count",
    "count",
    "count",
];

/// A sequence of packets, and what holds for the next one.
#[derive(Default)]
pub(super) struct Sequence<'a> {
    pub(super) interned: Interned<'a>,
    pub(super) dumps: Dumps<'a>,
    pub(super) has_state: bool,
    pub(super) clock: Option<u64>,
    pub(super) track: Option<u64>,
    pub(super) thread: Option<(u64, u64)>,
    /// The time of its last event on the monotonic clock, where events say how long they are after
    /// the one before.
    pub(super) now: Option<i64>,
    pub(super) weight: Option<Weight>,
}

/// What a stack sample is weighed with.
#[derive(Clone, Copy)]
pub(super) struct Weight {
    pub(super) name: StringId,
    pub(super) unit: StringId,
    pub(super) factor: u64,
}

impl Sequence<'_> {
    /// Forgets what was said.
    pub(super) fn clear(&mut self) {
        let missing = self.interned.missing;
        self.interned = Interned::default();
        self.interned.missing = missing;
        (self.clock, self.track, self.weight) = (None, None, None);
        self.has_state = true;
    }

    /// Whose a packet is that does not say it.
    pub(super) fn owner(&self) -> Owner {
        match (self.track, self.thread) {
            (Some(track), _) => Owner::Track(track),
            (None, Some((process, thread))) => Owner::Thread(process, thread),
            (None, None) => Owner::UNKNOWN,
        }
    }

    /// Reads what holds for all its packets.
    pub(super) fn defaults(
        &mut self,
        mut message: Wire<'_>,
        rows: &mut Rows,
    ) -> Result<(), Problem> {
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (58, Value::Number(clock)) => self.clock = Some(clock),
                (11, Value::Bytes(mut event)) => {
                    while let Some((field, value)) = event.next_field()? {
                        if let (11, Value::Number(track)) = (field, value) {
                            self.track = Some(track);
                        }
                    }
                }
                (100, Value::Bytes(mut sample)) => {
                    while let Some((field, value)) = sample.next_field()? {
                        if let (2, Value::Bytes(counter)) = (field, value) {
                            self.weight = Some(Weight::read(counter, rows)?);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Weight {
    /// That of a counter which is not known.
    pub(super) fn unknown(rows: &mut Rows) -> Self {
        Self {
            name: rows.builder.string("weight"),
            unit: StringId::EMPTY,
            factor: 1,
        }
    }

    /// Reads what samples are weighed with.
    pub(super) fn read(mut message: Wire<'_>, rows: &mut Rows) -> Result<Self, Problem> {
        let mut weight = Self {
            name: StringId::EMPTY,
            unit: StringId::EMPTY,
            factor: 1,
        };
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (2, Value::Bytes(name)) => weight.name = text(name, rows),
                (3, Value::Number(unit)) => {
                    let known = usize::try_from(unit).ok().and_then(|unit| UNITS.get(unit));
                    weight.unit = rows.builder.string(known.copied().unwrap_or(""));
                }
                (4, Value::Bytes(unit)) => weight.unit = text(unit, rows),
                (5, Value::Number(factor)) => weight.factor = factor.max(1),
                _ => {}
            }
        }
        Ok(weight)
    }
}
