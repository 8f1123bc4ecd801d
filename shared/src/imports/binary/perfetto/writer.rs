//! Writers of packets: what one said holds for its later packets.

use super::interned::Interned;
use super::packet::number;
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

/// A writer of packets, and what it said.
#[derive(Default)]
pub(super) struct Writer<'a> {
    pub(super) interned: Interned<'a>,
    /// Tables within dumps.
    pub(super) dumped: Interned<'a>,
    /// The dump that goes on.
    pub(super) dump: Option<u32>,
    pub(super) has_state: bool,
    pub(super) clock: Option<u64>,
    pub(super) track: Option<u64>,
    pub(super) thread: Option<(u64, u64)>,
    /// The time of its last event, where events say how long they are after the one before.
    pub(super) now: i64,
    pub(super) weight: Option<Weight>,
}

/// What a stack sample is weighed with.
#[derive(Clone, Copy)]
pub(super) struct Weight {
    pub(super) name: StringId,
    pub(super) unit: StringId,
    pub(super) factor: u64,
}

impl Writer<'_> {
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

    /// Reads what holds for the packets of a writer.
    pub(super) fn defaults(
        &mut self,
        mut message: Wire<'_>,
        rows: &mut Rows,
    ) -> Result<(), Problem> {
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (58, Value::Number(clock)) => self.clock = Some(clock),
                (11, Value::Bytes(event)) => self.track = Some(number(event, 11)?),
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
