//! A packet, and lists of numbers in messages.

use crate::formats::protobuf::{Value, Wire, WireError};

/// What a trace is called in messages.
pub(crate) const NAME: &str = "Perfetto trace";

pub(super) const PROCESS_TREE: u32 = 2;
pub(super) const CLOCK_SNAPSHOT: u32 = 6;
pub(super) const TRACK_EVENT: u32 = 11;
pub(super) const PROFILE_PACKET: u32 = 37;
pub(super) const PROCESS_DESCRIPTOR: u32 = 43;
pub(super) const THREAD_DESCRIPTOR: u32 = 44;
pub(super) const STREAMING_PROFILE: u32 = 54;
pub(super) const TRACK_DESCRIPTOR: u32 = 60;
pub(super) const MODULE_SYMBOLS: u32 = 61;
pub(super) const PERF_SAMPLE: u32 = 66;
pub(super) const STACK_SAMPLE: u32 = 135;

/// A packet. What is not there is `None`, or 0.
#[derive(Default)]
pub(super) struct Packet<'a> {
    pub(super) time: Option<u64>,
    pub(super) clock: Option<u64>,
    /// The number of its sequence.
    pub(super) sequence: u64,
    /// Whether what the writer said before is void.
    pub(super) is_cleared: bool,
    /// Whether what the writer said before is needed.
    pub(super) needs_state: bool,
    /// Whether a packet before it was lost.
    pub(super) is_after_loss: bool,
    pub(super) interned: Option<Wire<'a>>,
    pub(super) defaults: Option<Wire<'a>>,
    /// What it says, and of which kind that is.
    pub(super) data: Option<(u32, Wire<'a>)>,
}

impl<'a> Packet<'a> {
    pub(super) fn read(mut message: Wire<'a>) -> Result<Self, WireError> {
        let mut packet = Self::default();
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (8, Value::Number(time)) => packet.time = Some(time),
                (10, Value::Number(sequence)) => packet.sequence = sequence,
                (12, Value::Bytes(interned)) => packet.interned = Some(interned),
                (13, Value::Number(flags)) => {
                    packet.is_cleared |= flags & 1 != 0;
                    packet.needs_state |= flags & 2 != 0;
                }
                (41, Value::Number(cleared)) => packet.is_cleared |= cleared != 0,
                (42, Value::Number(lost)) => packet.is_after_loss = lost != 0,
                (58, Value::Number(clock)) => packet.clock = Some(clock),
                (59, Value::Bytes(defaults)) => packet.defaults = Some(defaults),
                (
                    PROCESS_TREE | CLOCK_SNAPSHOT | TRACK_EVENT | PROFILE_PACKET
                    | PROCESS_DESCRIPTOR | THREAD_DESCRIPTOR | STREAMING_PROFILE | TRACK_DESCRIPTOR
                    | MODULE_SYMBOLS | PERF_SAMPLE | STACK_SAMPLE,
                    Value::Bytes(message),
                ) => packet.data = Some((field, message)),
                _ => {}
            }
        }
        Ok(packet)
    }
}

/// A message, or what was made of it.
pub(super) enum Entry<'a, Made> {
    Message(Wire<'a>),
    Made(Made),
}

/// The numbers of a field that occurs often, packed or not.
pub(super) struct Numbers<'a> {
    message: Wire<'a>,
    field: u32,
    packed: Option<Wire<'a>>,
}

impl<'a> Numbers<'a> {
    pub(super) fn of(message: Wire<'a>, field: u32) -> Self {
        Self {
            message,
            field,
            packed: None,
        }
    }

    /// The next one, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<u64>, WireError> {
        loop {
            if let Some(packed) = &mut self.packed {
                if let Some(number) = packed.packed()? {
                    return Ok(Some(number));
                }
                self.packed = None;
            }
            match self.message.next_field()? {
                None => return Ok(None),
                Some((field, Value::Number(number))) if field == self.field => {
                    return Ok(Some(number));
                }
                Some((field, Value::Bytes(packed))) if field == self.field => {
                    self.packed = Some(packed);
                }
                Some(_) => {}
            }
        }
    }
}

/// A number of a message, 0 where it has none.
pub(super) fn number(mut message: Wire<'_>, wanted: u32) -> Result<u64, WireError> {
    while let Some((field, value)) = message.next_field()? {
        if let Value::Number(number) = value
            && field == wanted
        {
            return Ok(number);
        }
    }
    Ok(0)
}
