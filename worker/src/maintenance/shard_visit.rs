//! What the duties of a visit to a shard work with.

use crate::maintenance::duty::Budget;
use crate::meter::Meter;
use crate::platform::admission::Admission;
use crate::tenant::{DueWork, Shard, TenantClient};

/// A visit to a shard.
pub(crate) struct ShardVisit<'a, B, T, P> {
    pub(crate) bucket: &'a B,
    pub(crate) client: &'a TenantClient<T>,
    pub(crate) shard: &'a Shard,
    /// When it began, in milliseconds.
    pub(crate) now: i64,
    /// How much a job over blocks may hold at once:
    /// [`pilotlight_core::plans::MAX_PARTITION_BYTES`] but in tests.
    pub(crate) partition_bytes: u64,
    pub(crate) admission: &'a Admission<P>,
    pub(crate) meter: &'a Meter,
    /// What the shard says is due.
    pub(crate) due: DueWork,
}

/// What a visit may use after it has asked what is due. An invocation may make 1,000 requests. The
/// schedule's own invocation lives 15 minutes and begins its last visit within the first.
pub(super) const VISIT: Budget = Budget {
    requests: 999,
    millis: 14 * 60_000,
};

/// What a sweep or a job needs: what [`VISIT`] has left after a deletion (2 requests) and a
/// publication of eight days (26). A job reads up to 800 sources. The time is that of a job's lease.
pub(super) const FULL: Budget = Budget {
    requests: 971,
    millis: 5 * 60_000,
};
