//! A first look at a whole message, before its rows are read.

use super::error::PprofError;
use crate::formats::protobuf::{Value, Wire, WireError};

/// One past the largest field number of a profile.
pub(super) const FIELDS: usize = 16;

/// A first look at the whole message: how many rows of each kind there are, and between which bytes
/// they stand, so that a walk for one kind need not pass over all others.
pub(super) struct Outline<'a> {
    pub(super) message: Wire<'a>,
    pub(super) counts: [usize; FIELDS],
    pub(super) extents: [std::ops::Range<usize>; FIELDS],
    pub(super) string_bytes: usize,
}

impl<'a> Outline<'a> {
    pub(super) fn of(message: Wire<'a>) -> Result<Self, PprofError> {
        let mut outline = Self {
            message,
            counts: [0; FIELDS],
            extents: std::array::from_fn(|_| 0..0),
            string_bytes: 0,
        };
        let mut rest = message;
        loop {
            let start = rest.offset();
            let Some((field, value)) = rest.field()? else {
                return Ok(outline);
            };
            let field = field as usize;
            if field >= FIELDS {
                continue;
            }
            if outline.counts[field] == 0 {
                outline.extents[field].start = start;
            }
            outline.counts[field] += 1;
            outline.extents[field].end = rest.offset();
            match value {
                Value::Bytes(text) if field == 6 => outline.string_bytes += text.bytes().len(),
                Value::Bytes(_) => {}
                _ if (1..=6).contains(&field) => {
                    let problem = "expected a message, got a number";
                    return Err(WireError {
                        offset: start,
                        problem,
                    }
                    .into());
                }
                _ => {}
            }
        }
    }

    /// Calls `row` for every message in `field`.
    pub(super) fn for_each(
        &self,
        field: u32,
        mut row: impl FnMut(Wire<'a>) -> Result<(), PprofError>,
    ) -> Result<(), PprofError> {
        let mut rest = self.message.part(self.extents[field as usize].clone());
        while let Some((number, value)) = rest.field()? {
            if let (true, Value::Bytes(inner)) = (number == field, value) {
                row(inner)?;
            }
        }
        Ok(())
    }

    pub(super) fn count(&self, field: u32) -> usize {
        self.counts[field as usize]
    }

    /// How many rows with an id there can be: one takes two bytes, and two more to be a message.
    pub(super) fn rows(&self, field: u32) -> usize {
        self.count(field)
            .min(self.extents[field as usize].len() / 4)
    }
}
