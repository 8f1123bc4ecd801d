//! Parts of messages as protobuf's JSON writes them.

use serde::{Serialize, Serializer};

/// An integer of 64 bits, which protobuf's JSON writes as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Int64Text(pub(super) i64);

impl Serialize for Int64Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// `types.v1.LabelPair`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct LabelPair {
    name: String,
    value: String,
}

/// The pairs of a label set, in the same order.
pub(super) fn label_pairs(pairs: Vec<(String, String)>) -> Vec<LabelPair> {
    pairs
        .into_iter()
        .map(|(name, value)| LabelPair { name, value })
        .collect()
}
