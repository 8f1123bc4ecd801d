//! What is deleted or expires.

mod deletion;
pub(super) mod erasure;
mod pgo;
mod retention;
mod slices;
