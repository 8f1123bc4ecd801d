//! Verbs on profiles and trees, one file each.

mod inverted;
mod rows;
mod sandwich;
mod trim;

pub use inverted::{Inverted, inverted};
pub use sandwich::{callees, callers};
pub(crate) use trim::largest;
pub use trim::{Folded, Trimmed, trim};
