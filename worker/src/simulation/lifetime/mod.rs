//! What is deleted or expires, and what queries are answered with meanwhile.

mod alert_gaps;
mod alerts;
mod deletion;
mod duties;
pub(super) mod erasure;
mod naming;
mod pgo;
mod remote_write;
mod retention;
mod rules;
mod slices;
