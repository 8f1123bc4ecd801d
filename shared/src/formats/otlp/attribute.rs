//! Attributes: names and the values that can be labels.

use std::borrow::Cow;

use super::error::Stop;
use crate::formats::protobuf::{Value, Wire, WireError};

/// A name and what can be said of its value in a label.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Attribute<'a> {
    pub(crate) key: Cow<'a, str>,
    pub(crate) value: AttributeValue<'a>,
}

/// A value, as far as labels can hold it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AttributeValue<'a> {
    Text(Cow<'a, str>),
    Bool(bool),
    Integer(i64),
    Double(f64),
    /// Bytes, maps, lists of several, and nothing at all.
    Other,
}

/// Which message stands at the place of an attribute. They differ in field 3.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// `KeyValue`: field 3 is the index of the key.
    KeyValue,
    /// A row of the dictionary: `KeyValueAndUnit` since 1.8, whose field 3 is a unit, and
    /// `KeyValue` before, which had no field 3.
    Row,
}

impl<'a> Attribute<'a> {
    /// Reads an attribute; `text` looks up those that are given by an index.
    pub(super) fn read(
        mut row: Wire<'a>,
        form: Form,
        text: &dyn Fn(u64) -> Result<Cow<'a, str>, Stop>,
    ) -> Result<Self, Stop> {
        let mut key = Cow::Borrowed("");
        let mut value = AttributeValue::Other;
        while let Some((field, read)) = row.field()? {
            match (field, read, form) {
                (1, Value::Bytes(name), _) => key = String::from_utf8_lossy(name.bytes()),
                (1, Value::Number(index), Form::Row)
                | (3, Value::Number(index), Form::KeyValue) => {
                    key = text(index)?;
                }
                (2, Value::Bytes(any), _) => value = any_value(any, text, true)?,
                _ => {}
            }
        }
        Ok(Self { key, value })
    }
}

/// Reads an `AnyValue`. A list of one is that one.
fn any_value<'a>(
    mut any: Wire<'a>,
    text: &dyn Fn(u64) -> Result<Cow<'a, str>, Stop>,
    may_be_list: bool,
) -> Result<AttributeValue<'a>, Stop> {
    let mut value = AttributeValue::Other;
    while let Some((field, read)) = any.field()? {
        value = match (field, read) {
            (1, Value::Bytes(own)) => AttributeValue::Text(String::from_utf8_lossy(own.bytes())),
            (2, Value::Number(n)) => AttributeValue::Bool(n != 0),
            (3, Value::Number(n)) => AttributeValue::Integer(n as i64),
            (4, Value::Fixed64(bits)) => AttributeValue::Double(f64::from_bits(bits)),
            (5, Value::Bytes(list)) if may_be_list => match only_element(list)? {
                Some(element) => any_value(element, text, false)?,
                None => AttributeValue::Other,
            },
            (8, Value::Number(index)) => AttributeValue::Text(text(index)?),
            _ => AttributeValue::Other,
        };
    }
    Ok(value)
}

/// The element of an `ArrayValue` that has just one.
fn only_element(mut list: Wire<'_>) -> Result<Option<Wire<'_>>, WireError> {
    let mut only = None;
    while let Some((field, value)) = list.field()? {
        if let (1, Value::Bytes(element)) = (field, value) {
            if only.is_some() {
                return Ok(None);
            }
            only = Some(element);
        }
    }
    Ok(only)
}

impl<'a> Attribute<'a> {
    /// The value, if it is text.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        match self.value {
            AttributeValue::Text(text) => Some(text),
            _ => None,
        }
    }
}
