//! The two sides of a comparison.

/// Which side of a [`DiffTree`](crate::DiffTree) is which.
pub(super) const BASE: usize = 0;
pub(super) const COMPARISON: usize = 1;
