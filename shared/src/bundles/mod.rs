//! Bundles as something to keep: what one is made of, and its objects as a zip, as a site for any
//! static host, or as one page. docs/bundles.md describes the files.

mod bundle;
mod error;
mod made;
mod page;
#[cfg(test)]
mod tests;
mod zip;

pub use bundle::Bundle;
pub use error::BundleError;
pub use made::Made;
