//! What a request says of a profile beside the profile.

use crate::base::units::UnixNanos;
use crate::model::labels::Labels;

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
