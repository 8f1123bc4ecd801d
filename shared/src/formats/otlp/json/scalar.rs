//! Values that are no messages.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};

use super::schema::{Field, Kind};
use crate::formats::protobuf::Writer;

/// A scalar to be read.
#[derive(Clone, Copy)]
pub(super) struct Scalar {
    pub(super) kind: Kind,
    pub(super) field: &'static Field,
}

/// A scalar that was read.
pub(super) enum Read {
    Number(u64),
    Fixed64(u64),
    Bytes(Vec<u8>),
    /// `null`, or an identifier that is none.
    Nothing,
}

impl Read {
    /// Writes it as a field of its own.
    pub(super) fn put(&self, out: &mut Vec<u8>, number: u32) {
        match self {
            // A zero is written too: in a union it says which member is set.
            Self::Number(n) => {
                let mut writer = Writer(out);
                writer.varint(u64::from(number) << 3);
                writer.varint(*n);
            }
            Self::Fixed64(bits) => {
                Writer(out).varint(u64::from(number) << 3 | 1);
                out.extend_from_slice(&bits.to_le_bytes());
            }
            Self::Bytes(bytes) => Writer(out).bytes(number, bytes),
            Self::Nothing => {}
        }
    }

    /// Writes it as one of packed numbers. `null` among numbers is a zero.
    pub(super) fn pack(&self, out: &mut Vec<u8>) {
        match self {
            Self::Number(n) => Writer(out).varint(*n),
            Self::Fixed64(bits) => out.extend_from_slice(&bits.to_le_bytes()),
            Self::Bytes(_) | Self::Nothing => Writer(out).varint(0),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Scalar {
    type Value = Read;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Read, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Scalar {
    type Value = Read;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            Kind::Integer | Kind::Fixed64 => "a whole number",
            Kind::Double => "a number",
            Kind::Text => "a string",
            Kind::Id => "hex digits",
            Kind::Message(_) => "an object",
        };
        write!(f, "{what} ({})", self.field.name)
    }

    fn visit_unit<E>(self) -> Result<Read, E> {
        Ok(match self.kind {
            // In a list it keeps its place.
            Kind::Text => Read::Bytes(Vec::new()),
            _ => Read::Nothing,
        })
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Read, E> {
        self.visit_u64(u64::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Read, E> {
        match self.kind {
            Kind::Integer => Ok(Read::Number(value)),
            Kind::Fixed64 => Ok(Read::Fixed64(value)),
            Kind::Double => Ok(Read::Fixed64((value as f64).to_bits())),
            _ => Err(E::invalid_type(
                serde::de::Unexpected::Unsigned(value),
                &self,
            )),
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Read, E> {
        match self.kind {
            Kind::Integer => Ok(Read::Number(value as u64)),
            Kind::Double => Ok(Read::Fixed64((value as f64).to_bits())),
            _ => Err(E::invalid_type(serde::de::Unexpected::Signed(value), &self)),
        }
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Read, E> {
        // 2^63: every whole number below fits.
        let is_whole = value.fract() == 0.0 && value.abs() < 9_223_372_036_854_775_808.0;
        match self.kind {
            Kind::Double => Ok(Read::Fixed64(value.to_bits())),
            Kind::Integer if is_whole => Ok(Read::Number(value as i64 as u64)),
            Kind::Fixed64 if is_whole && value >= 0.0 => Ok(Read::Fixed64(value as u64)),
            _ => Err(E::invalid_type(serde::de::Unexpected::Float(value), &self)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Read, E> {
        let wrong = || E::invalid_value(serde::de::Unexpected::Str(text), &self);
        match self.kind {
            Kind::Text => Ok(Read::Bytes(text.as_bytes().to_vec())),
            // An identifier in another form is as good as none; the sample counts all the same.
            Kind::Id => Ok(hex(text).map_or(Read::Nothing, Read::Bytes)),
            Kind::Integer | Kind::Fixed64 => {
                if let Ok(number) = text.parse() {
                    self.visit_u64(number)
                } else if let Ok(number) = text.parse() {
                    self.visit_i64(number)
                } else {
                    Err(wrong())
                }
            }
            // Rust reads "NaN" and "Infinity" as the protocol spells them.
            Kind::Double => text
                .parse()
                .map_err(|_| wrong())
                .and_then(|n| self.visit_f64(n)),
            Kind::Message(_) => Err(wrong()),
        }
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs
        .iter()
        .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?))
        .collect()
}
