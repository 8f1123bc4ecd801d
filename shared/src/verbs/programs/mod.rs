//! Programs: which of a profile's mappings one is, and names for its addresses.
//!
//! The readers of programs themselves are outside of the core; [`crate::store::SymbolTable`] is what
//! is kept of one.

mod build_id;
mod layout;
mod modules;
mod naming;

pub use build_id::{BuildId, hex};
pub use layout::{Layout, Segment};
pub use modules::{Fit, Identity, wanted, wanted_ids};
pub use naming::{Symbols, name_addresses};
