//! What a reader makes of a file.

use crate::model::profile::Profile;

/// A decoded profile, and what was odd about it.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The profile.
    pub profile: Profile,
    /// Oddities that lost nothing that matters, in words for people.
    pub warnings: Vec<String>,
}
