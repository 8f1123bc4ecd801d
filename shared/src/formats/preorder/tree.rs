//! Trees: a frame in each node.

use super::nodes::{Frames, decode};
use super::{Format, PreorderError};
use crate::formats::decoded::Decoded;

/// Decodes a tree. Time and memory are linear in its size.
pub fn decode_tree(bytes: &[u8]) -> Result<Decoded, PreorderError> {
    decode(Format::Tree, bytes, |stacks, parent: Frames, node| {
        let own = parent.call(stacks, node.name)?;
        if node.value > 0 {
            stacks.sums.add(own.stack, 0, node.value);
        }
        Ok(own)
    })
}
