//! `LabelsSnapshot`: the labels that Pyroscope's Java agent sends beside a recording, as protobuf.
//!
//! Events name a context by its id; a context is a set of pairs of text ids.

use std::borrow::Cow;

use hashbrown::HashMap;
use thiserror::Error;

use crate::base::limits::MAX_LABELS_A_SAMPLE;
use crate::formats::protobuf::{Value, Wire, WireError};

/// Why bytes are no `LabelsSnapshot`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("JFR push labels, byte {offset}: {problem}")]
pub struct LabelsError {
    /// Where.
    pub offset: usize,
    /// What.
    pub problem: &'static str,
}

impl From<WireError> for LabelsError {
    fn from(WireError { offset, problem }: WireError) -> Self {
        Self { offset, problem }
    }
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
        let mut message = Wire::new(bytes);
        while let Some((field, value)) = message.field()? {
            match (field, value) {
                (1, Value::Bytes(entry)) => {
                    let (id, context) = map_entry(entry)?;
                    let start = snapshot.pairs.len();
                    if let Some(mut context) = context {
                        while let Some((field, value)) = context.field()? {
                            if let (1, Value::Bytes(entry)) = (field, value) {
                                snapshot.pairs.push(pair(entry)?);
                            }
                        }
                    }
                    let range = start..snapshot.pairs.len();
                    if range.len() > MAX_LABELS_A_SAMPLE {
                        return Err(LabelsError {
                            offset: entry.offset(),
                            problem: "more than 256 labels in one context",
                        });
                    }
                    snapshot.contexts.insert(id, range);
                }
                (2, Value::Bytes(entry)) => {
                    let (id, text) = map_entry(entry)?;
                    let text = text.map_or(Cow::Borrowed(""), |text| {
                        String::from_utf8_lossy(text.bytes())
                    });
                    snapshot.texts.insert(id, text);
                }
                _ => {}
            }
            rows += 1;
            if (rows + snapshot.pairs.len()) > bytes.len() / BYTES_A_ROW + 1024 {
                return Err(LabelsError {
                    offset: message.offset(),
                    problem: "too many entries for the size of the message",
                });
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

/// Key and value of an entry of a map of numbers to messages or texts.
fn map_entry(mut entry: Wire<'_>) -> Result<(i64, Option<Wire<'_>>), WireError> {
    let (mut key, mut value) = (0, None);
    while let Some((field, found)) = entry.field()? {
        match (field, found) {
            (1, Value::Number(number)) => key = number as i64,
            (2, Value::Bytes(bytes)) => value = Some(bytes),
            _ => {}
        }
    }
    Ok((key, value))
}

/// Key and value of an entry of a map of numbers to numbers.
fn pair(mut entry: Wire<'_>) -> Result<(i64, i64), WireError> {
    let (mut key, mut value) = (0, 0);
    while let Some((field, found)) = entry.field()? {
        match (field, found) {
            (1, Value::Number(number)) => key = number as i64,
            (2, Value::Number(number)) => value = number as i64,
            _ => {}
        }
    }
    Ok((key, value))
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
            "JFR push labels, byte 0: a length runs past the end"
        );
    }
}
