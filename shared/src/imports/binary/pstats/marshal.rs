//! Python's marshal, value by value. What is in a container follows it.
//!
//! Source: the types and their bytes in CPython's `Python/marshal.c`, versions 2 to 5.

use std::borrow::Cow;

use crate::imports::binary::bytes::part;
use crate::model::builder::ProfileBuilder;
use crate::model::id::StringId;

/// The bit of a value that later ones may refer to.
const REFERRED: u8 = 0x80;
/// Bits of a digit of a long number, and how many digits fit 64 bits.
const DIGIT: u32 = 15;
const MOST_DIGITS: i32 = 4;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Text(StringId),
    Whole(i64),
    Real(f64),
    /// So many values follow. A later value may refer to it by the slot.
    Tuple(usize, Option<usize>),
    /// Keys and values follow, then [`Value::End`].
    Dict,
    End,
    /// None, True, False, and containers that are referred to.
    Other,
    /// What the reader put into the slot of a tuple.
    Known(u32),
}

/// Where in a file the next value is.
pub(super) struct Marshal<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    /// What values may refer to.
    pub(super) slots: Vec<Value>,
    /// The same for texts of Python 2.
    interned: Vec<StringId>,
}

impl<'a> Marshal<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            slots: Vec::new(),
            interned: Vec::new(),
        }
    }

    /// Bytes of the tables.
    pub(super) fn table_bytes(&self) -> usize {
        self.slots.len() * size_of::<Value>() + self.interned.len() * size_of::<StringId>()
    }

    /// Reads a value, which for containers is how many follow.
    pub(super) fn next(&mut self, builder: &mut ProfileBuilder) -> Result<Value, String> {
        let [byte] = self.take()?;
        let code = byte & !REFERRED;
        let slot = (byte & REFERRED != 0).then(|| {
            self.slots.push(Value::Other);
            self.slots.len() - 1
        });
        let value = match code {
            b'0' => Value::End,
            b'N' | b'T' | b'F' => Value::Other,
            b'i' => Value::Whole(self.number()?.into()),
            b'I' => Value::Whole(i64::from_le_bytes(self.take()?)),
            b'l' => Value::Whole(self.long()?),
            b'g' => Value::Real(f64::from_le_bytes(self.take()?)),
            b'f' => {
                let [length] = self.take()?;
                let text = str::from_utf8(self.part(length.into())?).unwrap_or("");
                Value::Real(text.parse().map_err(|_| "an invalid number")?)
            }
            b's' | b'u' | b'a' | b'A' | b't' => {
                let length = self.length()?;
                let text = self.text(length, builder)?;
                if code == b't' && slot.is_none() {
                    self.interned.push(text);
                }
                Value::Text(text)
            }
            b'z' | b'Z' => {
                let [length] = self.take()?;
                Value::Text(self.text(length.into(), builder)?)
            }
            b')' => {
                let [length] = self.take()?;
                Value::Tuple(length.into(), slot)
            }
            b'(' => Value::Tuple(self.length()?, slot),
            b'{' => Value::Dict,
            b'r' | b'R' => {
                let index = self.length()?;
                let interned = || self.interned.get(index).copied().map(Value::Text);
                let found = match code {
                    b'r' => self.slots.get(index).copied(),
                    _ => interned(),
                };
                found.ok_or("a reference to a missing object")?
            }
            b'c' => {
                let problem =
                    "a code object, from `python -m profile`; record with `-m cProfile` instead";
                return Err(problem.to_owned());
            }
            _ => return Err(format!("a value of unknown type {byte:#04x}")),
        };
        if let (Some(slot), Value::Text(_) | Value::Whole(_) | Value::Real(_)) = (slot, value) {
            self.slots[slot] = value;
        }
        Ok(value)
    }

    fn part(&mut self, length: usize) -> Result<&'a [u8], String> {
        let found = part(self.bytes, self.at, length);
        let found = found.ok_or("the file ends in the middle of a value")?;
        self.at += length;
        Ok(found)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let part = self.part(N)?.first_chunk();
        Ok(*part.ok_or("the file ends in the middle of a value")?)
    }

    fn number(&mut self) -> Result<i32, String> {
        Ok(i32::from_le_bytes(self.take()?))
    }

    fn length(&mut self) -> Result<usize, String> {
        let length = self.number()?;
        usize::try_from(length).map_err(|_| format!("invalid length {length}"))
    }

    /// A number of digits of 15 bits, the least first.
    fn long(&mut self) -> Result<i64, String> {
        let digits = self.number()?;
        if digits.saturating_abs() > MOST_DIGITS {
            return Err("a number of more than 60 bits".to_owned());
        }
        let mut sum = 0;
        for place in 0..digits.unsigned_abs() {
            let digit = u16::from_le_bytes(self.take()?) & 0x7fff;
            sum |= i64::from(digit) << (DIGIT * place);
        }
        Ok(if digits < 0 { -sum } else { sum })
    }

    fn text(&mut self, length: usize, builder: &mut ProfileBuilder) -> Result<StringId, String> {
        let text: Cow<'_, str> = String::from_utf8_lossy(self.part(length)?);
        Ok(builder.string(&text))
    }
}
