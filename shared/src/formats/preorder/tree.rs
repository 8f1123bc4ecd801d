//! Trees: a frame in each node.

use super::nodes::{Frames, walk};
use super::{Format, PreorderError};
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::stack_sums::NamedStacks;

/// Decodes a tree. Time and memory are linear in its size.
pub fn decode_tree(bytes: &[u8]) -> Result<Decoded, PreorderError> {
    let mut stacks = NamedStacks::new();
    walk(
        Format::Tree,
        bytes,
        &mut stacks,
        |stacks, parent: Frames, node| {
            let own = parent.call(stacks, node.name)?;
            if node.value > 0 {
                stacks.sums.add(own.stack, 0, node.value);
            }
            Ok(own)
        },
    )?;
    let mut warnings = Warnings::default();
    let profile = stacks.sums.finish(&mut warnings);
    Ok(Decoded {
        profile,
        warnings: warnings.finish(),
    })
}
