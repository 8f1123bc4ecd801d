//! Protobuf's JSON, as far as serde's own forms differ from it: `null` for a field that is not set,
//! integers of 64 bits as text, enum values by name or number, bytes in base64.

use std::fmt;
use std::marker::PhantomData;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A field's value, or its default where it is `null`.
pub(super) fn unset<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Whether a field is left out of an answer.
pub(super) fn is_unset<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// An integer as number or text, as JavaScript's numbers end at 2^53.
pub(super) fn int64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    Ok(Option::<Int64>::deserialize(deserializer)?.map_or(0, |value| value.0))
}

/// The same of a field that is set or not.
pub(super) fn optional_int64<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i64>, D::Error> {
    Ok(Option::<Int64>::deserialize(deserializer)?.map(|value| value.0))
}

/// An integer of 32 bits.
pub(super) fn uint32<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let value = int64(deserializer)?;
    u32::try_from(value).map_err(|_| D::Error::custom(format!("{value} is not a 32-bit number")))
}

/// A floating-point number; as text it may be `Infinity`, `-Infinity` or `NaN`, too.
pub(super) fn double<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<Double>::deserialize(deserializer)?.map_or(0.0, |value| value.0))
}

/// An enum value by name or by number. An unknown name becomes −1, which no enum has, so that the
/// call can say what it does not know.
pub(super) fn enumeration<'de, D: Deserializer<'de>, E: NamedValues>(
    deserializer: D,
) -> Result<i32, D::Error> {
    Ok(Option::<EnumValue<E>>::deserialize(deserializer)?.map_or(0, |value| value.0))
}

/// An integer as text.
pub(super) fn int64_text<S: Serializer>(value: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// The same of one without a sign.
pub(super) fn uint64_text<S: Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Integers as texts.
pub(super) fn int64_texts<S: Serializer>(values: &[i64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|&value| IntegerText {
        negative: value < 0,
        size: value.unsigned_abs(),
    }))
}

/// The same of integers without a sign.
pub(super) fn uint64_texts<S: Serializer>(
    values: &[u64],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|&size| IntegerText {
        negative: false,
        size,
    }))
}

/// An integer as text that takes no memory of its own: a flame graph has millions.
struct IntegerText {
    negative: bool,
    size: u64,
}

impl Serialize for IntegerText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // 20 digits, or a sign and 19.
        let (mut text, mut begin, mut rest) = ([0; 20], 20, self.size);
        loop {
            begin -= 1;
            text[begin] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if self.negative {
            begin -= 1;
            text[begin] = b'-';
        }
        let text = std::str::from_utf8(&text[begin..]).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(text)
    }
}

/// Bytes in base64.
pub(super) fn base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

/// The values of an enum by name.
pub(super) trait NamedValues {
    const VALUES: &'static [(&'static str, i32)];
}

struct Int64(i64);

impl<'de> Deserialize<'de> for Int64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(AnyForm)? {
            Form::Whole(value) => Ok(Self(value)),
            Form::Float(value) => whole(value)
                .map(Self)
                .ok_or_else(|| D::Error::custom(format!("{value} is not a whole number"))),
            Form::Text(text) => {
                let value = text.parse().ok().or_else(|| whole(number(&text)?));
                value
                    .map(Self)
                    .ok_or_else(|| D::Error::custom(format!("{text:?} is not a 64-bit integer")))
            }
        }
    }
}

/// `1e3` and `7.0` are integers, too. Powers of two bound them, so that nothing is rounded.
fn whole(value: f64) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    (value.fract() == 0.0 && (-END..END).contains(&value)).then_some(value as i64)
}

/// The parser of JSON is there anyway; that of the standard library has a table of 10 kB.
fn number(text: &str) -> Option<f64> {
    serde_json::from_str(text).ok()
}

struct Double(f64);

impl<'de> Deserialize<'de> for Double {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(AnyForm)? {
            Form::Whole(value) => Ok(Self(value as f64)),
            Form::Float(value) => Ok(Self(value)),
            Form::Text(text) => {
                let value = match text.as_str() {
                    "NaN" => Some(f64::NAN),
                    "Infinity" => Some(f64::INFINITY),
                    "-Infinity" => Some(f64::NEG_INFINITY),
                    text => number(text),
                };
                value
                    .map(Self)
                    .ok_or_else(|| D::Error::custom(format!("{text:?} is not a number")))
            }
        }
    }
}

struct EnumValue<E>(i32, PhantomData<E>);

impl<'de, E: NamedValues> Deserialize<'de> for EnumValue<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = match deserializer.deserialize_any(AnyForm)? {
            Form::Whole(value) => Some(value),
            Form::Float(value) => whole(value),
            // Some clients write the number as text.
            Form::Text(text) => {
                let named = E::VALUES.iter().find(|(name, _)| *name == text);
                named
                    .map(|(_, value)| i64::from(*value))
                    .or_else(|| text.parse().ok())
            }
        };
        let number = number.and_then(|number| i32::try_from(number).ok());
        Ok(Self(number.unwrap_or(-1), PhantomData))
    }
}

/// The forms in which protobuf's JSON has numbers and enum values.
enum Form {
    Whole(i64),
    Float(f64),
    Text(String),
}

struct AnyForm;

impl Visitor<'_> for AnyForm {
    type Value = Form;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a string")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Form, E> {
        Ok(Form::Whole(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Form, E> {
        i64::try_from(value)
            .map(Form::Whole)
            .map_err(|_| E::custom(format!("{value} is not a 64-bit integer")))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Form, E> {
        Ok(Form::Float(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Form, E> {
        Ok(Form::Text(text.to_owned()))
    }
}
