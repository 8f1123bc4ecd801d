//! Why there is no bundle.

use thiserror::Error;

/// Why there is no bundle.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BundleError {
    /// Bytes that are no zip, or a damaged one.
    #[error("not a valid bundle zip: {0}")]
    Zip(String),
    /// A zip with files that no bundle has.
    #[error("{0:?} does not belong in a bundle")]
    Name(String),
    /// A file that is compressed.
    #[error("{0:?} is compressed; files in a bundle must be uncompressed")]
    Compressed(String),
    /// A zip without a description, or with one that does not read.
    #[error("bundle.json: {0}")]
    Description(String),
    /// Other files than were described.
    #[error("bundle.json states the digest {said}, but the files have {found}")]
    Digest {
        /// What the description says.
        said: String,
        /// What the files have.
        found: String,
    },
    /// A page that has no place for what is to be put into it.
    #[error("the page does not contain {0:?}")]
    Place(&'static str),
}
