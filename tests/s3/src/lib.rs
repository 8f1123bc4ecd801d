//! An S3 server for tests: one bucket in memory, on loopback, behind the protocol and the signature
//! check of `s3s`.
//!
//! A write, its condition and the answer are one step under a lock, as S3 promises. Other
//! credentials, regions' mistakes and unknown buckets are refused as S3 does. Out of scope:
//! everything that Pilotlight does not use.

mod clock;
mod server;
mod store;

pub use server::Server;
pub use store::Store;

/// The access key that the server takes.
pub const ACCESS_KEY_ID: &str = "pilotlight-tests";

/// Its secret.
pub const SECRET_ACCESS_KEY: &str = "not-a-secret-on-loopback";

/// The only bucket.
pub const BUCKET: &str = "profiles";

/// Of virtual-host style, buckets are below this name and the server's port.
pub const DOMAIN: &str = "s3.test";
