//! JSON's lists and odd words in little memory, for all formats of this room.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use crate::formats::json::each;

/// A list of texts, end to end. What is `null` is an empty one.
#[derive(Default)]
pub(super) struct Texts {
    text: String,
    /// Where each ends. Inputs stay below 4 GiB.
    ends: Vec<u32>,
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
    }

    pub(super) fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)? as usize;
        let start = match index.checked_sub(1) {
            Some(before) => self.ends[before] as usize,
            None => 0,
        };
        Some(&self.text[start..end])
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut texts = Self::default();
        each(
            deserializer,
            "a list of strings",
            |text: Option<Cow<'de, str>>| {
                texts.push(text.as_deref().unwrap_or(""));
                Ok(())
            },
        )?;
        Ok(texts)
    }
}

/// Lists of whole numbers, end to end.
#[derive(Default)]
pub(super) struct Lists {
    numbers: Vec<i64>,
    /// Where each ends. Inputs stay below 4 GiB.
    ends: Vec<u32>,
}

impl Lists {
    /// The lists, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[i64]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let list = &self.numbers[start..end as usize];
            start = end as usize;
            list
        })
    }
}

impl<'de> Deserialize<'de> for Lists {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self::default())
    }
}

impl<'de> Visitor<'de> for Lists {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of lists")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut lists: A) -> Result<Self, A::Error> {
        while lists
            .next_element_seed(NextList(&mut self.numbers))?
            .is_some()
        {
            self.ends.push(self.numbers.len() as u32);
        }
        self.numbers.shrink_to_fit();
        Ok(self)
    }
}

/// Reads one list behind the others.
struct NextList<'a>(&'a mut Vec<i64>);

impl<'de> DeserializeSeed<'de> for NextList<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        each(deserializer, "a list of numbers", |number| {
            self.0.push(number);
            Ok(())
        })
    }
}

/// One list of whole numbers.
pub(super) struct Numbers(pub(super) Vec<i64>);

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut list = Vec::new();
        each(deserializer, "a list of numbers", |number| {
            list.push(number);
            Ok(())
        })?;
        Ok(Self(list))
    }
}

/// A text or a number, as text; empty for `null`.
#[derive(Default)]
pub(super) struct Word(pub(super) String);

impl From<Word> for String {
    fn from(word: Word) -> Self {
        word.0
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self::default())
    }
}

impl<'de> Visitor<'de> for Word {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a number")
    }

    fn visit_unit<E: Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self, E> {
        Ok(Self(text.to_owned()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self, E> {
        Ok(Self(number.to_string()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self, E> {
        Ok(Self(number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self, E> {
        Ok(Self(number.to_string()))
    }
}
