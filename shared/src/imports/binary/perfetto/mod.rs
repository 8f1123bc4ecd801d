//! Traces of Perfetto: what they have of stacks, and their slices.
//!
//! Source: `protos/perfetto/trace` of Perfetto.
//!
//! - Samples of traced_perf and of Chrome are counted as `samples`; those of `StackSample`, which
//!   CPython writes, have the weight and the name that they come with.
//! - Of heapprofd's dumps of a heap, the last one says what is in use. What was allocated is the last
//!   count of each stack in any of them, for a dump lacks the stacks whose memory was freed before.
//! - Times in microseconds are those of the monotonic clock.
//! - Slices (`TrackEvent`) are wall time: each moment for the innermost slice of its track.
//! - Times are those of the boot clock, or of the clock that a trace has instead.
//! - Process, thread, track and heap are the labels `process`, `thread`, `thread_id`, `track` and
//!   `heap`.
//! - Names come by number, each writer with numbers of its own; a packet that needs those of a
//!   packet that was lost is left out, with a warning.

mod clocks;
mod event;
mod heaps;
mod interned;
mod packet;
mod reader;
mod sequence;
mod symbols;
mod tracks;

use std::borrow::Cow;

use crate::base::limits::MAX_PROFILE_BYTES;
use crate::formats::compression::{ContentEncoding, inflate};
use crate::formats::decoded::Decoded;
use crate::formats::detect::unsupported::perfetto;
use crate::formats::protobuf::{Value, Wire};
use crate::formats::start::Start;
use crate::imports::error::{FormatError, Problem};
use crate::imports::rows::Rows;
pub(crate) use packet::NAME;
use packet::Packet;
use reader::Reader;
use symbols::Symbols;

/// Whether a file begins as one.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    perfetto(start.bytes).is_some()
}

/// Reads a trace.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let Parts { parts, length, cut } = Parts::of(bytes)?;
    let mut rows = Rows::new(NAME, length);
    if let Some(at) = cut {
        rows.warnings
            .add(|| format!("the trace is cut off at byte {at}; everything before it is read"));
    }
    let mut symbols = Symbols::default();
    // Symbols stand at the end.
    each(&parts, |packet| {
        let packet = Packet::read(packet)?;
        if let Some((packet::MODULE_SYMBOLS, message)) = packet.data {
            symbols.add(message, &mut rows)?;
        }
        Ok(())
    })?;
    let mut reader = Reader::new(rows, symbols);
    each(&parts, |packet| reader.packet(Packet::read(packet)?))?;
    reader.finish()
}

/// A trace, its packed packets unpacked.
struct Parts<'a> {
    parts: Vec<Cow<'a, [u8]>>,
    /// Bytes of all of them.
    length: usize,
    /// Where the file breaks off.
    cut: Option<usize>,
}

impl<'a> Parts<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let mut all = Self {
            parts: Vec::new(),
            length: 0,
            cut: None,
        };
        let mut trace = Wire::new(bytes);
        let mut start = 0;
        let end = loop {
            let at = trace.offset();
            let packet = match trace.next_field() {
                Ok(Some((1, Value::Bytes(packet)))) => packet,
                Ok(Some(_)) => continue,
                Ok(None) => break at,
                Err(_) => {
                    all.cut = Some(at);
                    break at;
                }
            };
            let Some(packed) = packed(packet) else {
                continue;
            };
            all.push(Cow::Borrowed(&bytes[start..at]));
            let left = MAX_PROFILE_BYTES.saturating_sub(all.length);
            let inflated = inflate(packed, ContentEncoding::Zlib, left)
                .map_err(|error| FormatError::at(NAME, format!("byte {at}"), error.to_string()))?;
            all.push(Cow::Owned(inflated.unwrap_or_default()));
            start = trace.offset();
        };
        all.push(Cow::Borrowed(&bytes[start..end]));
        Ok(all)
    }

    fn push(&mut self, part: Cow<'a, [u8]>) {
        if !part.is_empty() {
            self.length += part.len();
            self.parts.push(part);
        }
    }
}

/// The packets that are packed into one.
fn packed(mut packet: Wire<'_>) -> Option<&[u8]> {
    while let Some((field, value)) = packet.next_field().ok()? {
        if let (50 | 133, Value::Bytes(packed)) = (field, value) {
            return Some(packed.bytes());
        }
    }
    None
}

/// Goes through all packets.
fn each<'a>(
    parts: &'a [Cow<'_, [u8]>],
    mut take: impl FnMut(Wire<'a>) -> Result<(), Problem>,
) -> Result<(), FormatError> {
    for part in parts {
        let mut trace = Wire::new(part);
        let behind = match part {
            Cow::Borrowed(_) => "",
            Cow::Owned(_) => " of the compressed packets",
        };
        loop {
            let at = trace.offset();
            let wrong = |problem: Problem| {
                FormatError::at(NAME, format!("packet at byte {at}{behind}"), problem.0)
            };
            match trace.next_field().map_err(|error| wrong(error.into()))? {
                Some((1, Value::Bytes(packet))) => take(packet).map_err(wrong)?,
                Some(_) => {}
                None => break,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
