//! What the schedule does: visits to tenants' objects with their duties, and rebuilds. A new duty is
//! a file here and a line in `visit.rs`.

mod compact;
mod delete_replaced;
pub(crate) mod duty;
mod expired_shares;
pub(crate) mod publish;
pub(crate) mod rebuild;
pub(crate) mod schedule;
mod shard_visit;
mod sweep;
pub(crate) mod visit;
pub(crate) mod visitors;
