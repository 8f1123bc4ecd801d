//! Nodes in preorder, one by one.

use super::{Format, PreorderError, PreorderProblem};
use crate::base::limits::{MAX_PROFILE_BYTES, MAX_STACK_DEPTH};
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::stack_sums::NamedStacks;
use crate::model::id::StackId;

/// The shortest node: no name, a value and a number of children of a byte each.
const SHORTEST: usize = 3;

/// Most bytes of tables for each byte of input. Pieces of names are shared in a trie, so few bytes
/// may stand for many. 20,000 functions with stacks of their own take 3 to 5.
const BYTES_A_BYTE: usize = 10;
/// What a small input may take besides.
const FIXED: usize = 256 << 10;

/// A node, without its children.
pub(super) struct Node<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: i64,
}

/// A stack as far as it is known.
#[derive(Clone, Copy, Default)]
pub(super) struct Frames {
    pub(super) stack: Option<StackId>,
    depth: u32,
}

impl Frames {
    /// A frame more, unless it has no name.
    pub(super) fn call(
        self,
        stacks: &mut NamedStacks,
        name: &[u8],
    ) -> Result<Self, PreorderProblem> {
        if name.is_empty() {
            return Ok(self);
        }
        if self.depth as usize >= MAX_STACK_DEPTH {
            return Err(PreorderProblem::TooDeep {
                cap: MAX_STACK_DEPTH,
            });
        }
        let name = String::from_utf8_lossy(name);
        Ok(Self {
            stack: Some(stacks.call(self.stack, &name)),
            depth: self.depth + 1,
        })
    }
}

/// Decodes nodes; `visit` adds the value of each. It takes what it made of the node's parent, or the
/// default, and gives what is to be known of the node by its children.
pub(super) fn decode<State: Clone + Default>(
    format: Format,
    bytes: &[u8],
    mut visit: impl FnMut(&mut NamedStacks, State, &Node<'_>) -> Result<State, PreorderProblem>,
) -> Result<Decoded, PreorderError> {
    let error = |at, problem| PreorderError {
        format,
        at,
        problem,
    };
    let length = bytes.len();
    if length > MAX_PROFILE_BYTES {
        let cap = MAX_PROFILE_BYTES;
        return Err(error(0, PreorderProblem::TooLarge { length, cap }));
    }
    let most = length * BYTES_A_BYTE + FIXED;
    let mut stacks = NamedStacks::new();
    let mut rest = bytes;
    // How many nodes are announced and not read yet.
    let mut announced = 1u64;
    // Of each open node what its children have to know, and how many of them are to come.
    let mut open = vec![(State::default(), 1)];
    while let Some((state, children)) = open.last_mut() {
        let at = length - rest.len();
        let error = |problem| error(at, problem);
        // The last child takes the place of its parent, so chains take no memory.
        *children -= 1;
        let parent = if *children == 0 {
            std::mem::take(state)
        } else {
            state.clone()
        };
        if *children == 0 {
            open.pop();
        }
        let (node, more) = node(&mut rest).map_err(error)?;
        announced = (announced - 1).saturating_add(more);
        if announced > (rest.len() / SHORTEST) as u64 {
            let (nodes, left) = (announced, rest.len());
            return Err(error(PreorderProblem::Children { nodes, left }));
        }
        // Tables grow by a fifth at a time: what is still to come may make no row.
        let read = length - rest.len();
        stacks.sums.progress(read, rest.len().min(read / 16));
        let state = visit(&mut stacks, parent, &node).map_err(error)?;
        if stacks.bytes() > most {
            return Err(error(PreorderProblem::OutOfProportion { length }));
        }
        if more > 0 {
            open.push((state, more as u32));
        }
    }
    if !rest.is_empty() {
        let left = rest.len();
        return Err(error(length - left, PreorderProblem::Trailing(left)));
    }
    let mut warnings = Warnings::default();
    let profile = stacks.sums.finish(&mut warnings);
    Ok(Decoded {
        profile,
        warnings: warnings.finish(),
    })
}

/// Takes a node from the front; also how many children it announces.
fn node<'a>(rest: &mut &'a [u8]) -> Result<(Node<'a>, u64), PreorderProblem> {
    let length = varint(rest)?;
    let name = usize::try_from(length)
        .ok()
        .and_then(|length| rest.split_off(..length))
        .ok_or(PreorderProblem::Name { length })?;
    let value = varint(rest)?;
    let value = i64::try_from(value).map_err(|_| PreorderProblem::Value(value))?;
    Ok((Node { name, value }, varint(rest)?))
}

fn varint(rest: &mut &[u8]) -> Result<u64, PreorderProblem> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *rest.split_off_first().ok_or(PreorderProblem::Number)?;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            break;
        }
        value |= bits << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(PreorderProblem::Number)
}
