//! Records one after the other, as in a recording and in some of its features.

use crate::imports::binary::bytes::{place_at, u16_at, u32_at};

/// What a recording is called in messages.
pub(crate) const NAME: &str = "perf.data";

/// A record.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) kind: u32,
    /// What else its head says, a bit each; the mode of the CPU in the lowest three.
    pub(super) misc: u16,
    /// What is behind the head.
    pub(super) body: &'a [u8],
}

/// Kinds of records. From 64 on they are perf's own, before them the kernel's.
pub(super) mod kind {
    pub(in super::super) const MMAP: u32 = 1;
    pub(in super::super) const LOST: u32 = 2;
    pub(in super::super) const COMM: u32 = 3;
    pub(in super::super) const FORK: u32 = 7;
    pub(in super::super) const SAMPLE: u32 = 9;
    pub(in super::super) const MMAP2: u32 = 10;
    pub(in super::super) const LOST_SAMPLES: u32 = 13;
    pub(in super::super) const KSYMBOL: u32 = 17;
    pub(in super::super) const ATTRIBUTE: u32 = 64;
    pub(in super::super) const TRACING_DATA: u32 = 66;
    pub(in super::super) const BUILD_ID: u32 = 67;
    pub(in super::super) const AUXTRACE: u32 = 71;
    pub(in super::super) const EVENT_UPDATE: u32 = 78;
    pub(in super::super) const FEATURE: u32 = 80;
    pub(in super::super) const COMPRESSED: u32 = 81;
    pub(in super::super) const COMPRESSED2: u32 = 83;
}

/// The head of a record.
pub(super) const HEAD: usize = 8;

/// Records one after the other.
pub(super) struct Records<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    /// Whether the last record is cut off.
    pub(super) is_cut: bool,
}

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            is_cut: false,
        }
    }

    /// The next one; `Err` has the place of one that is shorter than a head.
    pub(super) fn next(&mut self) -> Result<Option<Record<'a>>, usize> {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let head = (|| Some((u32_at(rest, 0)?, u16_at(rest, 4)?, u16_at(rest, 6)?)))();
        let Some((kind, misc, size)) = head else {
            self.is_cut |= !rest.is_empty();
            return Ok(None);
        };
        let size = usize::from(size);
        if size < HEAD {
            return Err(start);
        }
        let Some(body) = rest.get(HEAD..size) else {
            self.is_cut = true;
            return Ok(None);
        };
        // Data behind the record that is not in its size.
        let behind = match kind {
            kind::AUXTRACE => place_at(body, 0),
            kind::TRACING_DATA => u32_at(body, 0).map(|size| (size as usize).next_multiple_of(8)),
            _ => None,
        };
        self.at = start
            .saturating_add(size)
            .saturating_add(behind.unwrap_or(0));
        Ok(Some(Record { kind, misc, body }))
    }
}
