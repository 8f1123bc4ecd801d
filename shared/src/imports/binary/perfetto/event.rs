//! Events of tracks: beginnings and ends of slices.

use super::interned::{Interned, Kind as Text};
use super::symbols::text;
use crate::formats::protobuf::{Value, Wire, WireError};
use crate::imports::rows::Rows;
use crate::imports::spans::Kind;
use crate::model::id::StringId;

/// Phases of trace events: `B`, `E` and `X`.
const BEGIN: u64 = 66;
const END: u64 = 69;
const WHOLE: u64 = 88;
/// Beginnings of asynchronous events: `b` and `S`.
const ASYNC: u64 = 98;
const OLD_ASYNC: u64 = 83;

/// An event. Times are nanoseconds.
pub(super) struct Event {
    pub(super) kind: Option<Kind>,
    /// Whether it belongs to no stack.
    pub(super) is_asynchronous: bool,
    pub(super) name: StringId,
    pub(super) track: Option<u64>,
    pub(super) duration: i64,
    /// Time since the event before.
    pub(super) delta: Option<i64>,
    /// Time of the monotonic clock.
    pub(super) absolute: Option<i64>,
}

/// A time in microseconds as nanoseconds.
pub(super) fn micros(time: u64) -> i64 {
    (time as i64).saturating_mul(1000)
}

impl Event {
    pub(super) fn read(
        mut message: Wire<'_>,
        interned: &Interned<'_>,
        rows: &mut Rows,
    ) -> Result<Self, WireError> {
        let mut event = Self {
            kind: None,
            is_asynchronous: false,
            name: StringId::EMPTY,
            track: None,
            duration: 0,
            delta: None,
            absolute: None,
        };
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (1, Value::Number(number)) => event.delta = Some(micros(number)),
                (6, Value::Bytes(legacy)) => event.legacy(legacy)?,
                (9, Value::Number(1)) => event.kind = Some(Kind::Begin),
                (9, Value::Number(2)) => event.kind = Some(Kind::End),
                (10, Value::Number(id)) => event.name = interned.text_of(Text::Event, id),
                (11, Value::Number(track)) => event.track = Some(track),
                (16, Value::Number(number)) => event.absolute = Some(micros(number)),
                (23, Value::Bytes(word)) => event.name = text(word, rows),
                _ => {}
            }
        }
        Ok(event)
    }

    /// Reads what an event of Chrome's older format has.
    fn legacy(&mut self, mut message: Wire<'_>) -> Result<(), WireError> {
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (2, Value::Number(BEGIN)) => self.kind = Some(Kind::Begin),
                (2, Value::Number(END)) => self.kind = Some(Kind::End),
                (2, Value::Number(WHOLE)) => self.kind = Some(Kind::Whole),
                (2, Value::Number(ASYNC | OLD_ASYNC)) => self.is_asynchronous = true,
                (3, Value::Number(number)) => self.duration = micros(number).max(0),
                _ => {}
            }
        }
        Ok(())
    }
}
