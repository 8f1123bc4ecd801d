//! Which version of the protocol a request is of. Its messages changed meaning under the same field
//! numbers, and nothing in a request says its version; senders of all of them are in use.
//!
//! | | 1.7 | 1.8, 1.9 | 1.10, 1.11 |
//! |---|---|---|---|
//! | `Profile` | `location_indices` 3, time 4, duration 5, `period_type` 6, period 7 | time 3 (fixed64), duration 4, `period_type` 5, period 6 | as 1.8 |
//! | `Sample` | start 1, length 2, values 3, attributes 4, link 5, timestamps 6 (varint) | stack 1, **values 2, attributes 3, link 4**, timestamps 5 (fixed64) | stack 1, **attributes 2, link 3, values 4**, timestamps 5 |
//!
//! So the wire types vote: each profile on 1.7 against the rest, then each sample on 1.8 against
//! 1.10. One sender makes a request, a collector that gathers several writes them anew, so one
//! layout is chosen for the whole request.

use super::dictionary::{Dictionary, Table};
use super::layout::Layout;
use crate::formats::protobuf::{Value, Wire, WireError};

/// The votes so far; a positive sum is for the newer one.
#[derive(Debug, Default)]
pub(super) struct Votes {
    /// 1.8 and later against 1.7.
    since_1_8: i64,
    /// 1.10 against 1.8 and 1.9: samples whose wire types decide.
    since_1_10: i64,
    /// The same, of samples where numbers of elements or their values decide.
    since_1_10_by_numbers: i64,
}

/// What a field of a sample is on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Seen {
    #[default]
    Absent,
    /// One number, or several each with a key of its own.
    Numbers,
    /// Packed numbers.
    Packed,
}

impl Votes {
    /// The layout that most votes are for; the newest, where nothing tells.
    pub(super) fn layout(&self) -> Layout {
        let by_wire = self.since_1_10;
        if self.since_1_8 < 0 {
            Layout::V1_7
        } else if by_wire < 0 || (by_wire == 0 && self.since_1_10_by_numbers < 0) {
            Layout::V1_8
        } else {
            Layout::V1_10
        }
    }

    /// Looks at a profile and all of its samples.
    pub(super) fn profile(
        &mut self,
        mut profile: Wire<'_>,
        dictionary: &Dictionary<'_>,
    ) -> Result<(), WireError> {
        while let Some((field, value)) = profile.field()? {
            match (field, value) {
                (2, Value::Bytes(sample)) => self.sample(sample, dictionary)?,
                // Time.
                (3, Value::Fixed64(_)) => self.since_1_8 += 2,
                // Locations.
                (3, _) => self.since_1_8 -= 2,
                // The type of the period against the duration.
                (5, Value::Bytes(_)) | (6, Value::Number(_)) => self.since_1_8 += 1,
                (5, Value::Number(_)) | (6, Value::Bytes(_)) => self.since_1_8 -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn sample(
        &mut self,
        mut sample: Wire<'_>,
        dictionary: &Dictionary<'_>,
    ) -> Result<(), WireError> {
        let mut seen = [Seen::Absent; 5];
        let (mut times, mut counts) = (0, Counts::default());
        while let Some((field, value)) = sample.field()? {
            match (field, value) {
                // Timestamps of 8 bytes, or a link or timestamps of 1.7.
                (5, Value::Fixed64(_)) => times += 1,
                (5, Value::Bytes(packed)) => times += packed.bytes().len() / 8,
                (5, Value::Number(_)) | (6, _) => self.since_1_8 -= 1,
                (2, value) => {
                    seen[2] = Seen::of(value);
                    counts.add(value, dictionary)?;
                }
                (1..=4, value) => seen[field as usize] = Seen::of(value),
                _ => {}
            }
        }
        use Seen::{Absent, Numbers, Packed};
        self.since_1_10 += match (seen[2], seen[3], seen[4]) {
            // Values against a link.
            (_, _, Packed) => 1,
            // Attributes against a link.
            (_, Packed, _) => -1,
            // A link against attributes: who packs one packs the other.
            (Packed, Numbers, _) => 1,
            // All three, or a link and timestamps.
            (Numbers | Absent, Numbers, Numbers) | (Absent, Numbers, Absent) => 1,
            // Values and attributes, none packed.
            (Numbers, Numbers, Absent) => -1,
            // Values and a link.
            (Packed, Absent, Numbers) => -1,
            // Values, of which zero or one attribute stands before. With timestamps it may be a
            // link without attributes.
            (Numbers, Absent, Numbers) => 1,
            (Absent, Absent, Numbers) => i64::from(times == 0),
            // Values: since 1.10 a sample has values or timestamps.
            (Packed | Numbers, Absent, Absent) if times == 0 => -1,
            (Packed | Numbers, Absent, Absent) => {
                self.since_1_10_by_numbers += counts.vote(times);
                0
            }
            (Absent, Absent, Absent) => 0,
        };
        Ok(())
    }
}

impl Seen {
    fn of(value: Value<'_>) -> Self {
        match value {
            Value::Bytes(_) => Self::Packed,
            Value::Number(_) | Value::Fixed64(_) | Value::Fixed32 => Self::Numbers,
        }
    }
}

/// Numbers that are attributes, or values of as many timestamps.
#[derive(Default)]
struct Counts {
    all: usize,
    /// Which rows of the attribute table there are.
    attributes: usize,
    last: Option<u64>,
}

impl Counts {
    fn add(&mut self, value: Value<'_>, dictionary: &Dictionary<'_>) -> Result<(), WireError> {
        let mut number = |n: u64| {
            self.all += 1;
            // A set of indices repeats none, and none is 0.
            let is_attribute = (1..dictionary.count(Table::Attribute) as u64).contains(&n);
            self.attributes += usize::from(is_attribute && self.last != Some(n));
            self.last = Some(n);
        };
        match value {
            Value::Number(n) => number(n),
            Value::Bytes(mut packed) => {
                while let Some(n) = packed.packed()? {
                    number(n);
                }
            }
            Value::Fixed64(_) | Value::Fixed32 => {}
        }
        Ok(())
    }

    fn vote(&self, times: usize) -> i64 {
        if self.all != times || self.attributes == self.all {
            1
        } else {
            -1
        }
    }
}
