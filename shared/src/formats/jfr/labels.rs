//! `LabelsSnapshot`: the labels that Pyroscope's Java agent sends beside a recording, as protobuf.
//!
//! Events name a context by its id; a context is a set of pairs of text ids.

use std::borrow::Cow;

use hashbrown::HashMap;
use thiserror::Error;

use crate::base::limits::MAX_LABELS_A_SAMPLE;

/// Why bytes are no `LabelsSnapshot`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("labels of a JFR push: {problem} at byte {offset}")]
pub struct LabelsError {
    /// Where.
    pub offset: usize,
    /// What.
    pub problem: &'static str,
}

/// The labels of contexts.
#[derive(Clone, Debug, Default)]
pub struct LabelsSnapshot<'a> {
    /// By id: where its pairs are.
    contexts: HashMap<i64, std::ops::Range<usize>>,
    pairs: Vec<(i64, i64)>,
    texts: HashMap<i64, Cow<'a, str>>,
    length: usize,
}

/// Most contexts, texts or pairs: one for each so many bytes. A pair takes 6.
const BYTES_A_ROW: usize = 4;

impl<'a> LabelsSnapshot<'a> {
    /// Reads a message.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, LabelsError> {
        let mut snapshot = Self {
            length: bytes.len(),
            ..Self::default()
        };
        let mut rows = 0;
        let mut message = Message { bytes, at: 0 };
        while let Some((field, value)) = message.field()? {
            match (field, value) {
                (1, Value::Bytes(entry)) => {
                    let (id, context) = entry.map_entry()?;
                    let start = snapshot.pairs.len();
                    if let Some(mut context) = context {
                        while let Some((field, value)) = context.field()? {
                            if let (1, Value::Bytes(pair)) = (field, value) {
                                snapshot.pairs.push(pair.pair()?);
                            }
                        }
                    }
                    let range = start..snapshot.pairs.len();
                    if range.len() > MAX_LABELS_A_SAMPLE {
                        return entry.error("more than 256 labels of one context");
                    }
                    snapshot.contexts.insert(id, range);
                }
                (2, Value::Bytes(entry)) => {
                    let (id, text) = entry.map_entry()?;
                    let text = text.map_or(Cow::Borrowed(""), |text| {
                        String::from_utf8_lossy(text.rest())
                    });
                    snapshot.texts.insert(id, text);
                }
                _ => {}
            }
            rows += 1;
            if (rows + snapshot.pairs.len()) > bytes.len() / BYTES_A_ROW + 1024 {
                return message.error("more entries than real labels have");
            }
        }
        Ok(snapshot)
    }

    /// Size of the message.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The texts of a context's labels: names and values.
    pub(super) fn context(&self, id: u64) -> Option<&[(i64, i64)]> {
        let range = self.contexts.get(&(id as i64))?;
        Some(&self.pairs[range.clone()])
    }

    /// A text; empty for an unknown one.
    pub(super) fn text(&self, id: u64) -> &str {
        self.texts.get(&(id as i64)).map_or("", Cow::as_ref)
    }
}

/// A cursor over one message.
#[derive(Clone, Copy)]
struct Message<'a> {
    /// The whole up to the end of this message.
    bytes: &'a [u8],
    at: usize,
}

enum Value<'a> {
    Number(u64),
    Bytes(Message<'a>),
    Other,
}

impl<'a> Message<'a> {
    fn error<T>(&self, problem: &'static str) -> Result<T, LabelsError> {
        Err(LabelsError {
            offset: self.at,
            problem,
        })
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    fn varint(&mut self) -> Result<u64, LabelsError> {
        let mut number = 0;
        for shift in 0..10 {
            let Some(&byte) = self.bytes.get(self.at) else {
                return self.error("a number goes beyond the end");
            };
            self.at += 1;
            number |= u64::from(byte & 0x7f) << (7 * shift);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        self.error("a number is too long")
    }

    fn field(&mut self) -> Result<Option<(u64, Value<'a>)>, LabelsError> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Number(self.varint()?),
            1 | 5 => {
                self.take(if key & 7 == 1 { 8 } else { 4 })?;
                Value::Other
            }
            2 => {
                let length = self.varint()?;
                Value::Bytes(self.take(usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            _ => return self.error("an unknown wire type"),
        };
        Ok(Some((key >> 3, value)))
    }

    fn take(&mut self, length: usize) -> Result<Self, LabelsError> {
        if length > self.bytes.len() - self.at {
            return self.error("a length goes beyond the end");
        }
        let start = self.at;
        self.at += length;
        Ok(Self {
            bytes: &self.bytes[..self.at],
            at: start,
        })
    }

    /// Key and value of an entry of a map of numbers to messages or texts.
    fn map_entry(mut self) -> Result<(i64, Option<Self>), LabelsError> {
        let (mut key, mut value) = (0, None);
        while let Some((field, found)) = self.field()? {
            match (field, found) {
                (1, Value::Number(number)) => key = number as i64,
                (2, Value::Bytes(bytes)) => value = Some(bytes),
                _ => {}
            }
        }
        Ok((key, value))
    }

    /// Key and value of an entry of a map of numbers to numbers.
    fn pair(mut self) -> Result<(i64, i64), LabelsError> {
        let (mut key, mut value) = (0, 0);
        while let Some((field, found)) = self.field()? {
            match (field, found) {
                (1, Value::Number(number)) => key = number as i64,
                (2, Value::Number(number)) => value = number as i64,
                _ => {}
            }
        }
        Ok((key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_are_sets_of_texts() {
        // contexts {7: {labels {1: 2, 3: 4}}}, strings {1: "a", 2: "b", 3: "c", 4: "d"}
        let mut bytes = vec![
            0x0a, 16, 0x08, 7, 0x12, 12, 0x0a, 4, 8, 1, 16, 2, 0x0a, 4, 8, 3, 16, 4,
        ];
        for (id, text) in (1..).zip(b"abcd") {
            bytes.extend([0x12, 5, 8, id, 0x12, 1, *text]);
        }
        let labels = LabelsSnapshot::decode(&bytes).expect("whole");
        let pairs = labels.context(7).expect("a context").iter();
        let texts = pairs.map(|&(name, value)| [name, value].map(|id| labels.text(id as u64)));
        assert_eq!(texts.collect::<Vec<_>>(), [["a", "b"], ["c", "d"]]);
        assert_eq!(labels.context(8), None);
        for cut in 1..bytes.len() {
            // Where an entry ends, a shorter message is one, too.
            if let Err(error) = LabelsSnapshot::decode(&bytes[..cut]) {
                assert!(error.offset <= cut, "{error}");
            }
        }
        assert_eq!(
            LabelsSnapshot::decode(&bytes[..5]).unwrap_err().to_string(),
            "labels of a JFR push: a length goes beyond the end at byte 2"
        );
    }
}
