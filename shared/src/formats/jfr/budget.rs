//! How much memory a recording may make, and how much work.
//!
//! A frame of a few bytes may stand for a new location and a new stack, which take hundreds. Real
//! recordings repeat themselves; a hostile one need not. And an event of a few bytes may name a text
//! of millions, which would be read for each.

use super::error::JfrProblem;

/// Bytes of memory for each byte of a recording. Real ones take 3 at most.
const BYTES_A_BYTE: usize = 13;
/// Most that any recording may make: an instance at the edge has 112 MiB for all of its requests.
const MOST: usize = 48 << 20;
/// Most in a browser, where each event is a row: three million of them.
const MOST_WITH_TIMES: usize = 400 << 20;
/// What a small recording may take besides.
const FIXED: usize = 256 << 10;

/// Steps of work for each byte of a recording, beside reading it once. Real ones take 1 at most.
const WORK_A_BYTE: usize = 8;
/// Steps that any recording may take.
const FIXED_WORK: usize = 1 << 20;

/// What rows take while their table doubles: old and new rows at once, and their index.
pub(super) const CONSTANT: usize = 58;
/// A text of the metadata. See [`CONSTANT`].
pub(super) const TEXT: usize = 72;
/// A field of a class. See [`CONSTANT`].
pub(super) const FIELD: usize = 240;
/// A class. See [`CONSTANT`].
pub(super) const CLASS: usize = 280;
/// A step of reading a class. See [`CONSTANT`].
pub(super) const STEP: usize = 24;
/// See [`CONSTANT`].
pub(super) const STACK: usize = 44;
/// See [`CONSTANT`].
pub(super) const TRACE: usize = 58;
/// See [`CONSTANT`].
pub(super) const FUNCTION: usize = 180;
/// See [`CONSTANT`].
pub(super) const LOCATION: usize = 272;
/// See [`CONSTANT`].
pub(super) const SAMPLE: usize = 130;
/// See [`CONSTANT`].
pub(super) const LABEL: usize = 110;
/// See [`CONSTANT`].
pub(super) const CONTEXT: usize = 86;

/// Memory and work that are left.
pub(super) struct Budget {
    length: usize,
    left: usize,
    /// What the chunk that is read took and gives back.
    of_chunk: usize,
    work: usize,
}

impl Budget {
    /// For a recording of `length` bytes.
    pub(super) fn new(length: usize, times: bool) -> Self {
        let left = length
            .saturating_mul(BYTES_A_BYTE)
            .saturating_add(FIXED)
            .min(if times { MOST_WITH_TIMES } else { MOST });
        Self {
            length,
            left,
            of_chunk: 0,
            work: length
                .saturating_mul(WORK_A_BYTE)
                .saturating_add(FIXED_WORK),
        }
    }

    /// Takes memory for `count` rows of `each` bytes.
    pub(super) fn take(&mut self, count: usize, each: usize) -> Result<(), JfrProblem> {
        let bytes = count.saturating_mul(each);
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(JfrProblem::OutOfProportion(self.length)),
        }
    }

    /// Gives back memory that was taken for `count` rows and is free again.
    pub(super) fn give_back(&mut self, count: usize, each: usize) {
        self.left = self.left.saturating_add(count.saturating_mul(each));
    }

    /// Takes memory for a text that is stored.
    pub(super) fn take_text(&mut self, text: &str) -> Result<(), JfrProblem> {
        self.take(text.len(), 3)
    }

    /// Takes memory that is free again after this chunk.
    pub(super) fn take_for_chunk(&mut self, count: usize, each: usize) -> Result<(), JfrProblem> {
        self.take(count, each)?;
        self.of_chunk += count * each;
        Ok(())
    }

    /// Counts work: about what a byte takes to be looked at. What each byte of the recording asks
    /// for once need not be counted.
    pub(super) fn work(&mut self, steps: usize) -> Result<(), JfrProblem> {
        self.work = self
            .work
            .checked_sub(steps)
            .ok_or(JfrProblem::TooMuchWork(self.length))?;
        Ok(())
    }

    /// Gives back what was taken for a chunk.
    pub(super) fn end_chunk(&mut self) {
        self.left += std::mem::take(&mut self.of_chunk);
    }
}
