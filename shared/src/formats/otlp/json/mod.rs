//! The JSON encoding, as protobuf of layout 1.11: what is read from it has one meaning, whichever
//! way it came.
//!
//! Names are in lower camel case; those of the schema are taken as well. 64-bit numbers are texts
//! or numbers, identifiers of traces, spans and profiles are hex, and fields that are not known are
//! passed over, as is `null`.

mod scalar;
mod schema;

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::error::OtlpError;
use crate::formats::protobuf::{Writer, varint_length};
use scalar::Scalar;
use schema::{Field, Kind, Schema};

/// Writes a request again, as protobuf of at most `cap` bytes.
pub(crate) fn to_protobuf(json: &[u8], cap: usize) -> Result<Vec<u8>, OtlpError> {
    let mut out = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let message = Message {
        schema: &schema::REQUEST,
        out: &mut out,
        cap,
    };
    let read = message
        .deserialize(&mut deserializer)
        .and_then(|()| deserializer.end());
    read.map_err(|error| OtlpError::Json(error.to_string()))?;
    Ok(out)
}

/// A message to be read and written.
struct Message<'a> {
    schema: &'static Schema,
    out: &'a mut Vec<u8>,
    cap: usize,
}

impl<'de> DeserializeSeed<'de> for Message<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Message<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object ({})", self.schema.name)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            let Some(field) = self.schema.field(&key) else {
                if schema::ONLY_1_7.contains(&key.as_ref()) {
                    let problem = "OTLP 1.7 is supported only as protobuf";
                    return Err(A::Error::custom(format!("{key}: {problem}")));
                }
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let (out, cap) = (&mut *self.out, self.cap);
            if field.repeated {
                map.next_value_seed(List { field, out, cap })?;
            } else {
                map.next_value_seed(Element { field, out, cap })?;
            }
            check_cap(self.out, self.cap)?;
        }
        Ok(())
    }
}

/// Writes what `write` writes as a length-delimited field.
fn delimited<T, E>(
    out: &mut Vec<u8>,
    number: u32,
    write: impl FnOnce(&mut Vec<u8>) -> Result<T, E>,
) -> Result<T, E> {
    let start = out.len();
    let written = write(out)?;
    let length = out.len() - start;
    let mut head = Vec::with_capacity(5 + varint_length(length as u64));
    Writer(&mut head).begin(number, length);
    out.splice(start..start, head);
    Ok(written)
}

/// One value of a field.
struct Element<'a> {
    field: &'static Field,
    out: &'a mut Vec<u8>,
    cap: usize,
}

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Self { field, out, cap } = self;
        match field.kind {
            Kind::Message(schema) => delimited(out, field.number, |out| {
                Message { schema, out, cap }.deserialize(deserializer)
            }),
            kind => {
                let scalar = Scalar { kind, field }.deserialize(deserializer)?;
                scalar.put(out, field.number);
                Ok(())
            }
        }
    }
}

/// All values of a repeated field; numbers are packed.
struct List<'a> {
    field: &'static Field,
    out: &'a mut Vec<u8>,
    cap: usize,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list ({})", self.field.name)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { field, out, cap } = self;
        if !matches!(field.kind, Kind::Integer | Kind::Fixed64) {
            loop {
                let out = &mut *out;
                if list
                    .next_element_seed(Element { field, out, cap })?
                    .is_none()
                {
                    return Ok(());
                }
                check_cap(out, cap)?;
            }
        }
        delimited(out, field.number, |out| {
            let kind = field.kind;
            while let Some(scalar) = list.next_element_seed(Scalar { kind, field })? {
                scalar.pack(out);
                check_cap(out, cap)?;
            }
            Ok(())
        })
    }
}

fn check_cap<E: Error>(out: &[u8], cap: usize) -> Result<(), E> {
    if out.len() > cap {
        return Err(E::custom(format!("the request has more than {cap} bytes")));
    }
    Ok(())
}
