//! What an isolate knows of tokens and those who show them.

use std::cell::{Cell, RefCell};

use pilotlight_core::access::TokenRegistry;

use crate::auth::refusals::Refusals;
use crate::auth::used::NotedUses;
use crate::bucket::shared_object::Cache;

/// The part of authentication in the state of an isolate.
#[derive(Default)]
pub(crate) struct AuthState {
    /// The records of tokens.
    pub(crate) tokens: RefCell<Cache<TokenRegistry>>,
    /// What was refused.
    pub(crate) refusals: Refusals,
    /// Uses of tokens that were noted.
    pub(super) uses: NotedUses,
    /// Whether the log says that no token is asked for.
    pub(super) said_open: Cell<bool>,
}
