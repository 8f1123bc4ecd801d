//! What is deleted or expires.

mod deletion;
pub(super) mod erasure;
mod retention;
mod slices;
