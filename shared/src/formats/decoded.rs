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

impl Decoded {
    /// The same with the first sample type that has values as the default, for tools that list the
    /// most important event first.
    pub(crate) fn with_first_type(mut self) -> Self {
        let profile = &mut self.profile;
        let types = profile.sample_types();
        if let Some(first) = (0..types.len()).find(|&at| profile.total(at) != 0) {
            profile.header.default_sample_type = types[first].kind;
        }
        self
    }
}
