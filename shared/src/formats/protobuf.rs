//! The protobuf wire format: just what profiles need.

use thiserror::Error;

/// Bytes that are not the protobuf message they should be.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("not a valid protobuf message at byte {offset}: {problem}")]
pub struct WireError {
    /// Where, after inflation.
    pub offset: usize,
    /// What.
    pub problem: &'static str,
}

/// A cursor over one message. Knows where in the whole file it stands, for errors.
#[derive(Clone, Copy)]
pub(crate) struct Wire<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Offset of `bytes[0]` in the file.
    base: usize,
}

/// The value of a field.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    /// Wire type 0.
    Number(u64),
    /// Wire type 2: a string, a message, or packed numbers.
    Bytes(Wire<'a>),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 5.
    Fixed32,
}

impl<'a> Wire<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            base: 0,
        }
    }

    /// Everything in this message.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Where the cursor stands in the file.
    pub(crate) fn offset(&self) -> usize {
        self.base + self.at
    }

    /// Where the message ends in the file.
    pub(crate) fn end(&self) -> usize {
        self.base + self.bytes.len()
    }

    /// The fields between two offsets, which must lie where fields begin and end.
    pub(crate) fn part(&self, offsets: std::ops::Range<usize>) -> Self {
        let (start, end) = (
            offsets.start.saturating_sub(self.base),
            offsets.end.saturating_sub(self.base),
        );
        Self {
            bytes: self.bytes.get(start..end).unwrap_or_default(),
            at: 0,
            base: offsets.start,
        }
    }

    /// The first bytes of a message of which nothing is read.
    pub(crate) fn first(&self, length: usize) -> Self {
        Self {
            bytes: &self.bytes[..length],
            ..*self
        }
    }

    /// Whether all is read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// The next field, `None` at the end.
    #[inline(always)]
    pub(crate) fn field(&mut self) -> Result<Option<(u32, Value<'a>)>, WireError> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let start = self.offset();
        let problem = |problem| {
            Err(WireError {
                offset: start,
                problem,
            })
        };
        let key = self.varint()?;
        let Ok(number) = u32::try_from(key >> 3) else {
            return problem("a field number is out of range");
        };
        if number == 0 {
            return problem("field number 0");
        }
        let value = match key & 7 {
            0 => Value::Number(self.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(self.fixed()?)),
            5 => {
                self.fixed::<4>()?;
                Value::Fixed32
            }
            2 => {
                let length = self.varint()?;
                let left = self.bytes.len() - self.at;
                let Some(length) = usize::try_from(length).ok().filter(|&l| l <= left) else {
                    return problem("a length runs past the end");
                };
                let inner = Wire {
                    bytes: &self.bytes[self.at..self.at + length],
                    at: 0,
                    base: self.offset(),
                };
                self.at += length;
                Value::Bytes(inner)
            }
            _ => return problem("an unknown wire type"),
        };
        Ok(Some((number, value)))
    }

    /// [`Self::field`] for readers whose size counts for more than their speed: they share one copy.
    #[inline(never)]
    pub(crate) fn next_field(&mut self) -> Result<Option<(u32, Value<'a>)>, WireError> {
        self.field()
    }

    /// The next packed number, `None` at the end.
    #[inline(always)]
    pub(crate) fn packed(&mut self) -> Result<Option<u64>, WireError> {
        // Four bytes at once: which length an id has is a coin's throw, and a branch on it is often
        // predicted wrong.
        if let Some(&[a, b, c, d]) = self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.first_chunk::<4>())
        {
            let word = u32::from_le_bytes([a, b, c, d]);
            let ends = !word & 0x8080_8080;
            if ends != 0 {
                // All bits up to and with the first byte that ends a number.
                let word = word & (ends ^ (ends - 1));
                self.at += (ends.trailing_zeros() / 8 + 1) as usize;
                let pairs = (word & 0x007f_007f) | (word & 0x7f00_7f00) >> 1;
                return Ok(Some(u64::from((pairs & 0x3fff) | (pairs >> 16) << 14)));
            }
        }
        if self.is_at_end() {
            Ok(None)
        } else {
            self.varint().map(Some)
        }
    }

    fn fixed<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], WireError> {
        let Some(&bytes) = self.bytes[self.at..].first_chunk() else {
            return Err(WireError {
                offset: self.offset(),
                problem: "a number runs past the end",
            });
        };
        self.at += LENGTH;
        Ok(bytes)
    }

    #[inline(always)]
    fn varint(&mut self) -> Result<u64, WireError> {
        // Most numbers of a profile are ids and fit one to three bytes.
        let (number, length) = match self.bytes[self.at..] {
            [a, ..] if a < 0x80 => (u64::from(a), 1),
            [a, b, ..] if b < 0x80 => (u64::from(a & 0x7f) | u64::from(b) << 7, 2),
            [a, b, c, ..] if c < 0x80 => (
                u64::from(a & 0x7f) | u64::from(b & 0x7f) << 7 | u64::from(c) << 14,
                3,
            ),
            _ => return self.long_varint(),
        };
        self.at += length;
        Ok(number)
    }

    #[cold]
    #[inline(never)]
    fn long_varint(&mut self) -> Result<u64, WireError> {
        let start = self.offset();
        let mut number = 0u64;
        for shift in (0..70).step_by(7) {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Err(WireError {
                    offset: start,
                    problem: "a number runs past the end",
                });
            };
            self.at += 1;
            // The tenth byte holds the top bit alone.
            if shift == 63 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(WireError {
            offset: start,
            problem: "a number is longer than 64 bits",
        })
    }
}

/// How many bytes a number has.
#[inline(always)]
pub(crate) fn varint_length(value: u64) -> usize {
    // Seven bits a byte: 9/64 is a hair less than 1/7, and exact for what 64 bits can hold.
    ((64 - (value | 1).leading_zeros()) as usize * 9 + 64) / 64
}

/// Appends protobuf fields to a buffer.
pub(crate) struct Writer<'a>(pub(crate) &'a mut Vec<u8>);

impl Writer<'_> {
    /// A number field; zero is left out, as proto3 does.
    pub(crate) fn number(&mut self, field: u32, value: u64) {
        if value != 0 {
            self.varint(u64::from(field) << 3);
            self.varint(value);
        }
    }

    /// A length-delimited field.
    #[inline(always)]
    pub(crate) fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.begin(field, bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// The head of a length-delimited field, whose bytes follow.
    #[inline(always)]
    pub(crate) fn begin(&mut self, field: u32, length: usize) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(length as u64);
    }

    #[inline(always)]
    pub(crate) fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}
