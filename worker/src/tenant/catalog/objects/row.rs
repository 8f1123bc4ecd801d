//! What a row says of an object.

use pilotlight_core::{
    UnixNanos,
    plans::JobCandidate,
    store::{Directory, Partition},
};

/// What an object is to its readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tenant) enum State {
    /// A partition of a job that is not done. It is in the bucket and does not count.
    Pending,
    /// It counts.
    Live,
    /// It does not count any more, or never did, and may be in the bucket.
    Replaced,
    /// It is not in the bucket. Its directory tells which pushes are known.
    Deleted,
}

impl State {
    pub(super) const ALL: [Self; 4] = [Self::Pending, Self::Live, Self::Replaced, Self::Deleted];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Live => "live",
            Self::Replaced => "replaced",
            Self::Deleted => "deleted",
        }
    }
}

/// What a row says of its object's directory.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tenant) struct Facts {
    /// First and last whole millisecond that its profiles touch.
    pub(in crate::tenant) first_millis: i64,
    pub(in crate::tenant) last_millis: i64,
    /// How many segments it is or was made of.
    pub(in crate::tenant) segments: u64,
    /// How many bytes of the object go into sums of its day.
    pub(in crate::tenant) day_bytes: u64,
    /// Token of the lease under which a block was made.
    pub(in crate::tenant) job: u64,
    /// Which of the blocks under that lease it is.
    pub(in crate::tenant) partition: Partition,
    /// Whether it sums up other objects, which stay.
    pub(in crate::tenant) is_summary: bool,
    /// Whether no profile is in it.
    pub(in crate::tenant) is_empty: bool,
}

impl Facts {
    pub(in crate::tenant) fn of(directory: &Directory) -> Self {
        let millis = |time: Option<UnixNanos>| time.map_or(0, UnixNanos::millis);
        let JobCandidate {
            segments,
            day_bytes,
            ..
        } = JobCandidate::new("", 0, directory);
        Self {
            first_millis: millis(directory.min_time()),
            last_millis: millis(directory.max_time()),
            segments,
            day_bytes,
            job: directory.block().map_or(0, |block| block.token),
            partition: directory
                .block()
                .map_or_else(Partition::default, |block| block.partition),
            is_summary: directory
                .block()
                .is_some_and(|block| !block.summarizes.is_empty()),
            is_empty: directory.min_time().is_none(),
        }
    }
}
