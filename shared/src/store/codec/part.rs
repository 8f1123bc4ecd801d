//! Where a section is.

/// A section in an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part {
    /// First byte.
    pub offset: u64,
    /// How many bytes.
    pub len: u64,
}
