//! What a request says of a profile beside the profile.

use crate::base::units::UnixNanos;
use crate::model::labels::Labels;

/// The first year of starts that are dates. A clock that counts from the start of a machine, which
/// may run for years, gives earlier ones; so do old agents, which wrote microseconds where
/// nanoseconds belong.
pub(super) const FIRST_YEAR: u32 = 2000;

/// Its first nanosecond.
const PLAUSIBLE: i64 = 946_684_800 * 1_000_000_000;

/// Whether a start is not that of a clock that does not know the date.
pub(super) fn is_plausible(start: UnixNanos) -> bool {
    start.0 >= PLAUSIBLE
}

/// Of which series a profile is, and when it was taken.
pub(crate) struct Origin {
    /// Labels of every series, with the name of the service.
    pub(crate) labels: Labels,
    /// Start, unless the profile has one.
    pub(crate) from: Option<UnixNanos>,
    /// When the request arrived: the start where nobody says one.
    pub(crate) arrival: UnixNanos,
    /// Length, unless the profile has one; 0 is unknown.
    pub(crate) duration_nanos: i64,
}
