//! What a file is that is not read.

use std::fmt;

/// What a file is that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedFormat {
    /// A profile that [`crate::imports`] reads.
    Imported(&'static str),
    /// A profile that nothing reads, or what one may be packed into.
    Profile(&'static str),
    /// Something else.
    Other(&'static str),
}

impl fmt::Display for UnsupportedFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Imported(name) => write!(f, "{name}, which the viewer can open"),
            Self::Profile(name) => write!(f, "{name}, which Pilotlight can't open yet"),
            Self::Other(name) => f.write_str(name),
        }
    }
}
