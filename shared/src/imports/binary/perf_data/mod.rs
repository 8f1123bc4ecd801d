//! Recordings of perf (`perf record`), as they are on disk or in a pipe.
//!
//! Source: `tools/perf/Documentation/perf.data-file-format.txt` and
//! `include/uapi/linux/perf_event.h` of Linux.
//!
//! - Each event is a sample type. A sample's value is its period; without one it counts once.
//! - A group (`{cycles,instructions}:S`) samples by its leader alone. Its samples have the counters
//!   of all its events, and count for each what it counted since the sample before, as perf does.
//! - Records are put in order of time, for perf writes those of each CPU in turn.
//! - The names of thread and process are the labels `thread` and `process`; the number of the thread
//!   is `thread_id`.
//! - There are no symbols in a recording. An address in a file becomes its offset in the file, which
//!   is the same in each process; one in the kernel or in memory without a file stays as it is.
//! - An address that a function returns to is one less, so that it is within the call.
//! - Stacks of user space that were copied for DWARF are not unwound: what perf has beside them is
//!   read.

mod attribute;
mod counters;
mod features;
mod processes;
mod record;
mod recording;
mod samples;

use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::rows::Rows;
pub(crate) use record::NAME;
use recording::Recording;
use samples::Samples;

/// Its first bytes. A big-endian machine writes them in reverse, and is not read.
const MAGIC: &[u8] = b"PERFILE2";

/// Whether a file begins as one.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.bytes.starts_with(MAGIC)
}

/// Reads a recording.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let packed = recording::packed(bytes)?;
    let length = bytes.len() + packed.len();
    let mut rows = Rows::new(NAME, length);
    let recording = Recording::read(bytes, &packed, &mut rows)?;
    let (records, order) = recording.records(bytes, &packed, &mut rows)?;
    let mut samples = Samples::new(rows, &recording, length);
    for row in order {
        samples.take(records[row as usize].record)?;
    }
    samples.finish().map(Decoded::with_first_type)
}

#[cfg(test)]
mod tests;
