//! What code asks of its surroundings beside storage, behind a trait so that tests run it with a
//! clock of their own.

pub(crate) mod admission;
pub(crate) mod clock;
pub(crate) mod config;
pub(crate) mod errors;
pub(crate) mod limits;

use std::time::Duration;

use worker::Delay;

/// Requests open at once: the platform opens six connections an invocation and lets further ones
/// wait.
pub(crate) const CONNECTIONS: usize = 6;

/// Time, randomness, patience and a place for notes.
pub(crate) trait Platform: Clone + 'static {
    /// Milliseconds since the epoch.
    fn now_millis(&self) -> i64;

    /// 64 random bits.
    fn random(&self) -> u64;

    /// Lets time pass.
    async fn delay(&self, millis: u32);

    /// Tells the operator what went wrong where no client hears of it.
    fn note(&self, message: &str);
}

/// The platform on which the worker runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge;

impl Platform for Edge {
    fn now_millis(&self) -> i64 {
        clock::now_millis()
    }

    fn random(&self) -> u64 {
        clock::random()
    }

    async fn delay(&self, millis: u32) {
        Delay::from(Duration::from_millis(millis.into())).await;
    }

    fn note(&self, message: &str) {
        worker::console_error!("{message}");
    }
}
