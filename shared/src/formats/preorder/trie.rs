//! Tries: a piece of a folded stack in each node.

use super::nodes::{Frames, decode};
use super::{Format, PreorderError, PreorderProblem};
use crate::formats::decoded::Decoded;

/// Most bytes of names that are spelled out for each byte of input, and besides. Each node with a
/// value spells out the name that it ends in, of which it may have but the last letter.
const SPELLED_A_BYTE: usize = 16;
const SPELLED: usize = 1 << 20;

/// Where a node ends in the text from the root down.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The frames that are complete, each with a `;` behind it.
    frames: Frames,
    /// Where the frame begins that is not.
    begin: u32,
    end: u32,
}

/// Decodes a trie. Time and memory are linear in its size.
pub fn decode_trie(bytes: &[u8]) -> Result<Decoded, PreorderError> {
    let mut text = Vec::new();
    let mut spelled = bytes.len() * SPELLED_A_BYTE + SPELLED;
    decode(Format::Trie, bytes, |stacks, parent: Place, node| {
        let mut call = |frames: Frames, name: &[u8]| {
            spelled = spelled
                .checked_sub(name.len())
                .ok_or(PreorderProblem::OutOfProportion {
                    length: bytes.len(),
                })?;
            frames.call(stacks, name)
        };
        text.truncate(parent.end as usize);
        text.extend_from_slice(node.name);
        let Place {
            mut frames,
            mut begin,
            ..
        } = parent;
        for at in parent.end as usize..text.len() {
            if text[at] == b';' {
                frames = call(frames, &text[begin as usize..at])?;
                begin = at as u32 + 1;
            }
        }
        if node.value > 0 {
            let whole = call(frames, &text[begin as usize..])?;
            stacks.sums.add(whole.stack, 0, node.value);
        }
        let end = text.len() as u32;
        Ok(Place { frames, begin, end })
    })
}
