//! Who may: tokens, what a request shows of one, and the records by which it is known.
//!
//! In scope: the shape of a token, the header `Authorization`, the stored records and what they
//! allow. Out of scope: entropy, the clock, the bucket and the routes, which the worker has.
//!
//! No type here shows a token or its digest in `Debug`, and no error carries one.

mod credential;
mod record;
mod registry;
mod token;

pub use credential::{Credential, CredentialError, MAX_AUTHORIZATION, presented};
pub use record::{RecordError, TokenRecord, TokenScope, TokenTenant};
pub use registry::{Denied, MAX_TENANT_TOKENS, MAX_TOKENS, RegistryError, TokenRegistry};
pub use token::{Token, TokenDigest};
