//! What the schedule does: visits to tenants' objects, compaction, publication, sweeps and
//! rebuilds.

mod expired_shares;
pub(crate) mod publish;
pub(crate) mod rebuild;
pub(crate) mod schedule;
pub(crate) mod sweep;
pub(crate) mod visit;
pub(crate) mod visitors;
