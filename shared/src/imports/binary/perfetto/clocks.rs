//! Clocks, and how they differ.

use hashbrown::HashMap;

use crate::formats::protobuf::{Value, Wire};
use crate::imports::error::Problem;
use crate::imports::rows::Rows;

/// The clock that runs while the machine sleeps, which others are compared with.
const BOOT: u64 = 6;
/// The clock of times that come in microseconds.
const MONOTONIC: u64 = 3;
/// Estimated bytes of memory for each clock.
const CLOCK: usize = 96;

/// All clocks that a trace compares, by their writer and number.
#[derive(Default)]
pub(super) struct Clocks {
    known: HashMap<(u64, u64), Clock>,
}

#[derive(Clone, Copy)]
struct Clock {
    /// What is added to its time to have that of the boot clock.
    offset: i64,
    /// Nanoseconds.
    unit: u64,
    /// Whether a packet says how long it is after the one before.
    counts_on: bool,
    last: i64,
}

/// Numbers from 64 to 127 are each writer's own.
fn key(sequence: u64, clock: u64) -> (u64, u64) {
    match clock {
        64..128 => (sequence, clock),
        _ => (0, clock),
    }
}

fn nanoseconds(time: u64, unit: u64) -> i64 {
    i64::try_from(time.saturating_mul(unit)).unwrap_or(i64::MAX)
}

impl Clocks {
    /// Reads what several clocks say at one moment.
    pub(super) fn compare(
        &mut self,
        sequence: u64,
        mut message: Wire<'_>,
        rows: &mut Rows,
    ) -> Result<(), Problem> {
        let mut read: Vec<((u64, u64), Clock)> = Vec::new();
        while let Some((field, value)) = message.next_field()? {
            let (1, Value::Bytes(mut message)) = (field, value) else {
                continue;
            };
            rows.beside += CLOCK;
            rows.check()?;
            let (mut id, mut time, mut unit, mut counts_on) = (0, 0, 1, false);
            while let Some((field, value)) = message.next_field()? {
                match (field, value) {
                    (1, Value::Number(number)) => id = number,
                    (2, Value::Number(number)) => time = number,
                    (3, Value::Number(number)) => counts_on = number != 0,
                    (4, Value::Number(number)) => unit = number.max(1),
                    _ => {}
                }
            }
            let clock = Clock {
                offset: 0,
                unit,
                counts_on,
                last: nanoseconds(time, unit),
            };
            read.push((key(sequence, id), clock));
        }
        let boot = read.iter().find(|(key, _)| *key == (0, BOOT));
        let known = read.iter().find_map(|(key, clock)| {
            let offset = self.known.get(key)?.offset;
            Some(clock.last.saturating_add(offset))
        });
        let first = read.first().map(|(_, clock)| clock.last);
        let now = boot.map(|(_, clock)| clock.last).or(known).or(first);
        for (key, mut clock) in read {
            clock.offset = now.unwrap_or(0).saturating_sub(clock.last);
            if self.known.insert(key, clock).is_some() {
                rows.beside -= CLOCK;
            }
        }
        Ok(())
    }

    /// A time of the monotonic clock, in nanoseconds, on the boot clock. One below 0 counts as 0.
    pub(super) fn monotonic(&mut self, time: i64) -> i64 {
        self.time(0, Some(MONOTONIC), u64::try_from(time).unwrap_or(0))
    }

    /// The time of a packet on the boot clock.
    pub(super) fn time(&mut self, sequence: u64, clock: Option<u64>, time: u64) -> i64 {
        let Some(clock) = self.known.get_mut(&key(sequence, clock.unwrap_or(BOOT))) else {
            return nanoseconds(time, 1);
        };
        let mut time = nanoseconds(time, clock.unit);
        if clock.counts_on {
            time = clock.last.saturating_add(time);
            clock.last = time;
        }
        time.saturating_add(clock.offset)
    }
}
