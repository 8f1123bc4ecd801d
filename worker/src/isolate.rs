//! What outlives a request in an isolate: one [`State`], which `lib.rs` creates and passes on.
//!
//! Each part is defined by its module, whose functions ask for that part only. A panic ends the WASM
//! instance and the state with it, so nothing that must last is here. What a shard keeps between
//! calls is in its Durable Object ([`crate::tenant`]).

use std::cell::RefCell;

use crate::auth::AuthState;
use crate::bucket::shared_object::Cache;
use crate::limits::TenantLimits;
use crate::limits::rate::Rates;
use crate::meter::{DiscardQueue, DutyCounts};
use crate::platform::admission::{Bodies, Memory};

/// The state of an isolate.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) auth: AuthState,
    /// Bodies in memory.
    pub(crate) bodies: Bodies,
    /// Discarded pushes that their tenants' objects don't know yet.
    pub(crate) discards: DiscardQueue,
    /// What became of duties that were due.
    pub(crate) duties: DutyCounts,
    /// Limits of tenants.
    pub(crate) limits: RefCell<Cache<TenantLimits>>,
    /// The memory of plans.
    pub(crate) memory: Memory,
    /// How fast tenants push.
    pub(crate) rates: Rates,
}
