//! Pyroscope's binary formats `trie` and `tree`, which agents from before pprof send.
//!
//! Both are the nodes of a tree in preorder, each as
//!
//! ```text
//! varint length of the name, name, varint value, varint number of children
//! ```
//!
//! where a varint is protobuf's. The root comes first, mostly without a name and a value. Values
//! are those of a stack itself, without what it calls.
//!
//! - In a **trie** a name is a piece of a text. All pieces from the root down to a node are a stack
//!   as folded stacks have it, `main;work`. A piece may end anywhere, even in a name.
//! - In a **tree** a name is a frame. The nodes from the root down are the frames of the stack.
//!
//! Frames without a name are left out, as in folded stacks. Names are UTF-8; what is not is read as
//! `\u{fffd}`. The values are of the type `samples/count`, for neither format says what they are.
//!
//! Neither has a mark by which it could be told. Who sends one says so.
//!
//! Source: the formats as Pyroscope's documentation of its server and its agents describe them.

mod nodes;
mod tree;
mod trie;

use std::fmt;

use thiserror::Error;

pub use tree::decode_tree;
pub use trie::decode_trie;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Names are pieces of a text.
    Trie,
    /// Names are frames.
    Tree,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Trie => "trie",
            Self::Tree => "tree",
        })
    }
}

/// Why bytes are not a trie or a tree.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{format}, byte {at}: {problem}")]
pub struct PreorderError {
    /// Which it was read as.
    pub format: Format,
    /// Where the node begins that is wrong.
    pub at: usize,
    /// What is wrong.
    pub problem: PreorderProblem,
}

/// What is wrong with a trie or a tree.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PreorderProblem {
    /// Larger than allowed.
    #[error("the profile has {length} bytes; at most {cap} are allowed")]
    TooLarge {
        /// Its size.
        length: usize,
        /// The limit.
        cap: usize,
    },
    /// A number that ends nowhere.
    #[error("a number runs past the end, or has more than 64 bits")]
    Number,
    /// A name that ends nowhere.
    #[error("a name of {length} bytes runs past the end")]
    Name {
        /// How long it says it is.
        length: u64,
    },
    /// More nodes are announced than can follow.
    #[error("{nodes} more nodes expected, but only {left} bytes left")]
    Children {
        /// How many.
        nodes: u64,
        /// What is left of the input.
        left: usize,
    },
    /// A value beyond 63 bits.
    #[error("the value {0} has more than 63 bits")]
    Value(u64),
    /// A stack that is too deep.
    #[error("a stack has more than {cap} frames")]
    TooDeep {
        /// The limit.
        cap: usize,
    },
    /// It stands for much more than its size.
    #[error("the names and stacks need too much memory for a profile of {length} bytes")]
    OutOfProportion {
        /// Its size.
        length: usize,
    },
    /// Something comes after the last node.
    #[error("{0} bytes follow the last node")]
    Trailing(usize),
}
