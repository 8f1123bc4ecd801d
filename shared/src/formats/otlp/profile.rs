//! A profile of a request: its head, and its samples one by one.

use std::borrow::Cow;

use super::dictionary::{Dictionary, for_each_index, walk};
use super::error::{OtlpError, ProfileError, Stop};
use super::layout::Layout;
use crate::base::limits::{MAX_LABELS_A_SAMPLE, MAX_SAMPLE_TYPES};
use crate::formats::protobuf::{Value, Wire, WireError};

/// A profile that is not read yet.
#[derive(Clone, Copy)]
pub(crate) struct Profile<'r, 'a> {
    pub(super) dictionary: &'r Dictionary<'a>,
    pub(super) layout: Layout,
    pub(super) message: Wire<'a>,
}

/// What a profile says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head<'a> {
    /// Several only in 1.7.
    pub(crate) sample_types: Vec<ValueType<'a>>,
    /// Empty when not given.
    pub(crate) period_type: ValueType<'a>,
    pub(crate) period: i64,
    /// Nanoseconds since 1970, 0 when not given.
    pub(crate) time_nanos: u64,
    /// 0 when not given.
    pub(crate) duration_nanos: u64,
    /// The identity that its producer gave it.
    pub(crate) id: Option<[u8; 16]>,
    /// Locations that samples of 1.7 take slices of.
    pub(super) locations: Vec<u32>,
}

/// What is counted, and in which unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ValueType<'a> {
    pub(crate) kind: Cow<'a, str>,
    pub(crate) unit: Cow<'a, str>,
}

/// A sample. Its lists are used again for the next.
#[derive(Default)]
pub(crate) struct Sample {
    /// Which stack; in 1.7 the first of its locations.
    pub(super) stack: u64,
    /// How many locations; in 1.7.
    pub(super) length: u64,
    pub(crate) attributes: Vec<u64>,
    pub(crate) link: Option<u64>,
    /// In 1.7 one of each column, else their sum.
    values: Vec<i64>,
    /// The sum is beyond 64 bits.
    overflow: bool,
    timestamps: u64,
    /// The first timestamp, in nanoseconds since 1970.
    pub(crate) time: Option<u64>,
}

/// The fields of a head; texts are indices.
#[derive(Default)]
struct RawHead {
    sample_types: Vec<(u64, u64)>,
    period_type: (u64, u64),
    period: i64,
    time_nanos: u64,
    duration_nanos: u64,
    id: Option<[u8; 16]>,
    locations: Vec<u32>,
}

impl<'a> Profile<'_, 'a> {
    /// What it says of itself.
    pub(crate) fn head(&self) -> Result<Head<'a>, Stop> {
        let mut raw = RawHead::default();
        let mut message = self.message;
        while let Some((field, value)) = message.field()? {
            if let (Layout::V1_7, 3, Value::Bytes(locations)) = (self.layout, field, value) {
                // Four bytes for each, of which there is one for each byte at most.
                self.dictionary.charge(4 * locations.bytes().len() as u64)?;
            }
            match self.layout {
                Layout::V1_7 => raw.field_of_1_7(field, value)?,
                Layout::V1_8 | Layout::V1_10 => raw.field(field, value)?,
            }
        }
        let dictionary = self.dictionary;
        let value_type = |(kind, unit)| {
            Ok::<_, Stop>(ValueType {
                kind: dictionary.text(kind)?,
                unit: dictionary.text(unit)?,
            })
        };
        let sample_types: Result<_, Stop> = raw.sample_types.into_iter().map(value_type).collect();
        Ok(Head {
            sample_types: sample_types?,
            period_type: value_type(raw.period_type)?,
            period: raw.period,
            time_nanos: raw.time_nanos,
            duration_nanos: raw.duration_nanos,
            // Zeros say that there is none.
            id: raw.id.filter(|id| *id != [0; 16]),
            locations: raw.locations,
        })
    }

    /// Calls `each` for each sample, or with why it cannot be read.
    pub(crate) fn for_each_sample<E: From<Stop>>(
        &self,
        mut each: impl FnMut(Result<&Sample, ProfileError>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut sample = Sample::default();
        walk(self.message, 2, |row| match sample.read(row, self.layout) {
            Ok(()) => each(Ok(&sample)),
            Err(Stop::Profile(error)) => each(Err(error)),
            Err(stop) => Err(stop.into()),
        })
    }
}

impl RawHead {
    fn field(&mut self, field: u32, value: Value<'_>) -> Result<(), Stop> {
        match (field, value) {
            // The last counts, as of every field that comes once.
            (1, Value::Bytes(row)) => self.sample_types = vec![value_type(row)?],
            (3, Value::Fixed64(n)) => self.time_nanos = n,
            (4, Value::Number(n)) => self.duration_nanos = n,
            (5, Value::Bytes(row)) => self.period_type = value_type(row)?,
            (6, Value::Number(n)) => self.period = n as i64,
            // Field 8 in 1.8, where 7 has comments.
            (7 | 8, Value::Bytes(id)) => self.set_id(id),
            _ => {}
        }
        Ok(())
    }

    fn field_of_1_7(&mut self, field: u32, value: Value<'_>) -> Result<(), Stop> {
        let locations = &mut self.locations;
        match (field, value) {
            (1, Value::Bytes(row)) => {
                if self.sample_types.len() == MAX_SAMPLE_TYPES {
                    return Err(ProfileError::Types.into());
                }
                self.sample_types.push(value_type(row)?);
            }
            (3, value) => {
                if let Value::Bytes(packed) = value {
                    // Each number has one byte that ends it.
                    let ends = packed.bytes().iter().filter(|byte| **byte < 0x80);
                    locations.reserve_exact(ends.count());
                }
                for_each_index(value, |index| {
                    // What does not fit is in no table, as is the largest number.
                    locations.push(u32::try_from(index).unwrap_or(u32::MAX));
                    Ok(())
                })?;
            }
            (4, Value::Number(n)) => self.time_nanos = n,
            (5, Value::Number(n)) => self.duration_nanos = n,
            (6, Value::Bytes(row)) => self.period_type = value_type(row)?,
            (7, Value::Number(n)) => self.period = n as i64,
            (10, Value::Bytes(id)) => self.set_id(id),
            _ => {}
        }
        Ok(())
    }

    fn set_id(&mut self, id: Wire<'_>) {
        self.id = id.bytes().try_into().ok().or(self.id);
    }
}

fn value_type(mut row: Wire<'_>) -> Result<(u64, u64), WireError> {
    let (mut kind, mut unit) = (0, 0);
    while let Some((field, value)) = row.field()? {
        match (field, value) {
            (1, Value::Number(n)) => kind = n,
            (2, Value::Number(n)) => unit = n,
            _ => {}
        }
    }
    Ok((kind, unit))
}

impl Sample {
    fn clear(&mut self) {
        (self.stack, self.length, self.link, self.timestamps) = (0, 0, None, 0);
        self.attributes.clear();
        self.values.clear();
        self.overflow = false;
        self.time = None;
    }

    fn read(&mut self, mut row: Wire<'_>, layout: Layout) -> Result<(), Stop> {
        self.clear();
        let (values, attributes, link, times) = match layout {
            Layout::V1_7 => (3, 4, 5, 6),
            Layout::V1_8 => (2, 3, 4, 5),
            Layout::V1_10 => (4, 2, 3, 5),
        };
        while let Some((field, value)) = row.field()? {
            match value {
                Value::Number(n) if field == 1 => self.stack = n,
                Value::Number(n) if field == 2 && layout == Layout::V1_7 => self.length = n,
                // Since 1.8 index 0 says that there is none.
                Value::Number(n) if field == link => {
                    self.link = (n != 0 || layout == Layout::V1_7).then_some(n);
                }
                value if field == values => for_each_index(value, |n| {
                    self.add_value(n as i64, layout);
                    Ok(())
                })?,
                value if field == attributes => for_each_index(value, |n| {
                    // One more than allowed tells that there are too many.
                    if self.attributes.len() <= MAX_LABELS_A_SAMPLE {
                        self.attributes.push(n);
                    }
                    Ok(())
                })?,
                value if field == times => {
                    self.time = self.time.or(first_time(value, layout)?);
                    self.timestamps += count_times(value, layout)?;
                }
                _ => {}
            }
        }
        if self.attributes.len() > MAX_LABELS_A_SAMPLE {
            return Err(ProfileError::Attributes(self.attributes.len()).into());
        }
        if self.values.len() > MAX_SAMPLE_TYPES {
            return Err(ProfileError::Types.into());
        }
        if self.overflow {
            return Err(ProfileError::Overflow.into());
        }
        Ok(())
    }

    /// Since 1.8 values add up, so only their sum is kept; a sample may have one for each of
    /// thousands of timestamps. In 1.7 each is of a column.
    fn add_value(&mut self, value: i64, layout: Layout) {
        let summed = layout != Layout::V1_7 && !self.values.is_empty();
        if summed {
            match self.values[0].checked_add(value) {
                Some(more) => self.values[0] = more,
                None => self.overflow = true,
            }
        } else if self.values.len() <= MAX_SAMPLE_TYPES {
            self.values.push(value);
        }
    }

    /// What the sample counts in column `column` of `types`.
    ///
    /// Since 1.8 there is one column: its values add up, and without values each timestamp counts
    /// one. In 1.7 each column has its value.
    pub(crate) fn value(&self, column: usize, types: usize) -> Result<i64, ProfileError> {
        if types > 1 && !self.values.is_empty() {
            let values = self.values.len();
            let value = self.values.get(column).filter(|_| values == types);
            return value.copied().ok_or(ProfileError::Values { values, types });
        }
        if self.values.is_empty() {
            return i64::try_from(self.timestamps).map_err(|_| ProfileError::Overflow);
        }
        let sum = self
            .values
            .iter()
            .try_fold(0i64, |sum, n| sum.checked_add(*n));
        sum.ok_or(ProfileError::Overflow)
    }
}

fn first_time(value: Value<'_>, layout: Layout) -> Result<Option<u64>, OtlpError> {
    Ok(match (value, layout) {
        (Value::Fixed64(time), _) | (Value::Number(time), Layout::V1_7) => Some(time),
        (Value::Bytes(mut packed), Layout::V1_7) => packed.packed()?,
        (Value::Bytes(packed), _) => packed
            .bytes()
            .first_chunk()
            .copied()
            .map(u64::from_le_bytes),
        _ => None,
    })
}

fn count_times(value: Value<'_>, layout: Layout) -> Result<u64, OtlpError> {
    let mut count = 0;
    match (value, layout) {
        (Value::Fixed64(_), _) | (Value::Number(_), Layout::V1_7) => count = 1,
        (Value::Bytes(mut packed), Layout::V1_7) => {
            while packed.packed()?.is_some() {
                count += 1;
            }
        }
        (Value::Bytes(packed), _) => {
            let length = packed.bytes().len();
            if length % 8 != 0 {
                return Err(WireError {
                    offset: packed.offset(),
                    problem: "packed 8-byte numbers are cut off",
                }
                .into());
            }
            count = (length / 8) as u64;
        }
        _ => {}
    }
    Ok(count)
}
