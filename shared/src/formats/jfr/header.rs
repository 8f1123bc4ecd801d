//! The header of a chunk: 68 bytes, big-endian.

use super::error::{JfrError, JfrProblem};
use super::reader::{Integers, Reader};

/// What a recording begins with.
pub(super) const MAGIC: &[u8] = b"FLR\0";

/// Bytes of a header.
pub(super) const LENGTH: usize = 68;

/// What the header says. Offsets are those of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The last pool of constants; it leads to those before it.
    pub(super) pool: usize,
    pub(super) metadata: usize,
    pub(super) start_nanos: i64,
    pub(super) duration_nanos: i64,
    /// What the clock of events showed at the start.
    pub(super) start_ticks: i64,
    pub(super) ticks_per_second: u64,
    pub(super) integers: Integers,
}

impl Header {
    /// That of the chunk at an offset.
    pub(super) fn read(file: &[u8], start: usize, chunk: u32) -> Result<Self, JfrError> {
        let mut reader = Reader::new(file, chunk, Integers::Raw).part(start, file.len());
        let problem = |offset: usize, problem| JfrError {
            chunk,
            offset,
            problem,
        };
        let error = |offset, what| Err(problem(offset, what));
        if !file[start..].starts_with(MAGIC) {
            return error(start, JfrProblem::NotAChunk);
        }
        if reader.left() < LENGTH {
            return error(start, JfrProblem::BeyondEnd("the header"));
        }
        reader.fixed(4)?;
        let version = reader.fixed(4)? >> 16;
        if version != 2 {
            return error(start + 4, JfrProblem::Version(version as u16));
        }
        let [
            size,
            pool,
            metadata,
            start_nanos,
            duration_nanos,
            start_ticks,
            ticks,
        ] = [
            reader.fixed(8)?,
            reader.fixed(8)?,
            reader.fixed(8)?,
            reader.fixed(8)?,
            reader.fixed(8)?,
            reader.fixed(8)?,
            reader.fixed(8)?,
        ];
        let flags = reader.fixed(4)?;
        if size == 0 || pool == 0 || metadata == 0 {
            return error(start + 8, JfrProblem::Unfinished);
        }
        let within = |offset: u64, end: usize| usize::try_from(offset).ok().filter(|&o| o <= end);
        let Some(size) = within(size, file.len() - start) else {
            return error(start + 8, JfrProblem::BeyondEnd("the chunk"));
        };
        let place = |offset: u64, field: usize| match within(offset, size) {
            Some(offset) if offset >= LENGTH => Ok(start + offset),
            _ => Err(problem(
                start + field,
                JfrProblem::Invalid("an offset outside the chunk"),
            )),
        };
        if size < LENGTH {
            return error(
                start + 8,
                JfrProblem::Invalid("a chunk smaller than its header"),
            );
        }
        Ok(Self {
            start,
            end: start + size,
            pool: place(pool, 16)?,
            metadata: place(metadata, 24)?,
            start_nanos: start_nanos as i64,
            duration_nanos: duration_nanos as i64,
            start_ticks: start_ticks as i64,
            ticks_per_second: ticks,
            integers: if flags & 1 == 1 {
                Integers::Compressed
            } else {
                Integers::Raw
            },
        })
    }
}
