//! Who may: every request but `/healthz` shows a token, unless `AUTH` is `open`.
//!
//! In scope: whom a request comes from, whose data it may touch, the stored records of tokens, and
//! counts of what was refused, what an endpoint can ask for. Out of scope: the shape of a token and of
//! its record, which is `pilotlight_core::access`.

pub(crate) mod access;
mod admit;
mod caller;
mod records;
mod refusals;
mod state;
mod used;

pub(crate) use admit::{admit, challenge};
pub(crate) use caller::Caller;
pub(crate) use refusals::{Reason, Refusals};
pub(crate) use state::AuthState;
pub(crate) use used::last_used;
