//! The worker's storage side as a whole, run natively, with failures at will.
//!
//! - `world`: tenants' shards over SQLite and a bucket in memory, a clock, and faults.
//! - `storms`: each operation of a scenario goes wrong once, in each way there is.
//! - `losses`: what dies, changes or is lost: bytes, shards, databases, answers.
//! - `lifetime`: what is deleted or expires.
//! - `scale`: fleets, several shards, large queries, extreme values.
//! - `month`: what a month costs.

mod lifetime;
mod losses;
mod month;
mod scale;
mod storms;
mod world;

pub(crate) use world::{HOUR, Simulated, World, chunk};

/// A step of xorshift64.
pub(crate) fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
