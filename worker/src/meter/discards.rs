//! Pushes that are discarded: counted by reason for their tenant, with what the last one was told.
//!
//! An isolate gathers discards and sends them to the tenant's object at most once in a while, so
//! that a flood of bad pushes costs no flood of calls.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::take;

use pilotlight_core::ingest::DiscardReason;
use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;

/// Longest message that is kept, in bytes: 256, a sentence or two.
const MAX_MESSAGE: usize = 256;

/// How often an isolate sends a tenant's discards: at most every 5 seconds. Those that came since
/// go with the tenant's next request to the same isolate; an isolate that ends first forgets them.
const SEND_MILLIS: u64 = 5_000;

/// Most tenants whose discards wait in an isolate: 256, each with at most 16 reasons of some 300
/// bytes, so 1.2 MB. Those of others are not counted meanwhile.
const MAX_TENANTS: usize = 256;

/// Pushes, or parts of them, that were discarded for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Discarded {
    pub(crate) reason: DiscardReason,
    /// How many.
    pub(crate) count: u64,
    /// When the last one came, milliseconds since the epoch.
    pub(crate) last_millis: i64,
    /// What its sender was told, cut to some length.
    pub(crate) last_message: String,
}

/// What was discarded of a request.
#[derive(Default)]
pub(crate) struct Discards(RefCell<Vec<(DiscardReason, u64, String)>>);

impl Discards {
    /// Notes that `count` profiles were discarded.
    pub(crate) fn note(&self, reason: DiscardReason, count: u64, message: &str) {
        let message = cut(message).to_owned();
        let mut noted = self.0.borrow_mut();
        match noted.iter_mut().find(|noted| noted.0 == reason) {
            Some(noted) => (noted.1, noted.2) = (noted.1.saturating_add(count), message),
            None => noted.push((reason, count, message)),
        }
    }

    /// Notes a push that is answered with a problem, unless its parts were noted one by one.
    pub(crate) fn note_problem(&self, problem: &Problem) {
        if self.0.borrow().is_empty() {
            let reason = DiscardReason::of_status(problem.status);
            self.note(problem.discard.unwrap_or(reason), 1, &problem.message);
        }
    }

    /// Takes what was noted, at `now`.
    fn take(&self, now: i64) -> Vec<Discarded> {
        let discarded = |(reason, count, last_message)| Discarded {
            reason,
            count,
            last_millis: now,
            last_message,
        };
        self.0.take().into_iter().map(discarded).collect()
    }
}

/// Discards that this isolate has not sent yet.
#[derive(Default)]
pub(crate) struct DiscardQueue(RefCell<Gathered>);

impl DiscardQueue {
    /// Takes what was discarded of a tenant's request, and gives what is to be sent now.
    pub(crate) fn gather(&self, tenant: &str, discards: &Discards, now: i64) -> Vec<Discarded> {
        self.0.borrow_mut().add(tenant, discards.take(now), now)
    }
}

/// Discards that wait, by tenant.
#[derive(Default)]
struct Gathered(HashMap<String, Waiting>);

#[derive(Default)]
struct Waiting {
    /// When some were sent last.
    sent: Option<i64>,
    discarded: Vec<Discarded>,
}

impl Waiting {
    fn is_due(&self, now: i64) -> bool {
        self.sent
            .is_none_or(|sent| now.abs_diff(sent) >= SEND_MILLIS)
    }
}

impl Gathered {
    fn add(&mut self, tenant: &str, new: Vec<Discarded>, now: i64) -> Vec<Discarded> {
        if !self.0.contains_key(tenant) {
            if new.is_empty() {
                return Vec::new();
            }
            if self.0.len() >= MAX_TENANTS {
                self.0
                    .retain(|_, waiting| !waiting.discarded.is_empty() || !waiting.is_due(now));
            }
            if self.0.len() >= MAX_TENANTS {
                return Vec::new();
            }
        }
        let waiting = self.0.entry(tenant.to_owned()).or_default();
        for discarded in new {
            let mut known = waiting.discarded.iter_mut();
            match known.find(|known| known.reason == discarded.reason) {
                Some(known) => {
                    *known = Discarded {
                        count: known.count.saturating_add(discarded.count),
                        ..discarded
                    }
                }
                None => waiting.discarded.push(discarded),
            }
        }
        if waiting.discarded.is_empty() || !waiting.is_due(now) {
            return Vec::new();
        }
        waiting.sent = Some(now);
        take(&mut waiting.discarded)
    }
}

/// The beginning of a message, cut between characters.
fn cut(message: &str) -> &str {
    &message[..message.floor_char_boundary(MAX_MESSAGE)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(reason: DiscardReason, count: u64, at: i64) -> Discarded {
        Discarded {
            reason,
            count,
            last_millis: at,
            last_message: format!("at {at}"),
        }
    }

    #[test]
    fn a_flood_is_sent_in_few_calls() {
        let mut gathered = Gathered::default();
        let reason = DiscardReason::RateLimited;
        let mut calls = Vec::new();
        for now in 0..12_000 {
            let sent = gathered.add("a", vec![one(reason, 1, now)], now);
            calls.extend(sent.into_iter().map(|d| (now, d.count, d.last_message)));
        }
        let expect = [(0, 1), (5_000, 5_000), (10_000, 5_000)];
        let expect = expect.map(|(now, count)| (now, count, format!("at {now}")));
        assert_eq!(calls, expect);
        assert_eq!(
            gathered.add("a", Vec::new(), 16_000),
            [one(reason, 1_999, 11_999)],
            "the rest goes with any later request"
        );
        assert_eq!(gathered.add("a", Vec::new(), 30_000), []);
    }

    #[test]
    fn tenants_are_bounded() {
        let mut gathered = Gathered::default();
        let reason = DiscardReason::RateLimited;
        let new = |now| vec![one(reason, 1, now)];
        for tenant in 0..MAX_TENANTS {
            assert_eq!(gathered.add(&tenant.to_string(), new(0), 0).len(), 1);
        }
        assert_eq!(gathered.add("more", new(1), 1), []);
        assert_eq!(gathered.0.len(), MAX_TENANTS);
        assert_eq!(gathered.add("more", new(5_000), 5_000).len(), 1);
        assert_eq!(gathered.0.len(), 1, "those that wait for nothing have gone");
    }

    #[test]
    fn parts_count_rather_than_their_request() {
        let discards = Discards::default();
        discards.note(DiscardReason::InvalidLabels, 2, "a");
        discards.note(DiscardReason::InvalidLabels, 3, "b");
        discards.note_problem(&Problem::invalid("a; b"));
        let expect = Discarded {
            reason: DiscardReason::InvalidLabels,
            count: 5,
            last_millis: 7,
            last_message: "b".to_owned(),
        };
        assert_eq!(discards.take(7), [expect]);
        discards.note_problem(&Problem::overloaded("full"));
        assert_eq!(discards.take(8)[0].reason, DiscardReason::RateLimited);
    }

    #[test]
    fn messages_are_cut_between_characters() {
        let long = format!("{}é", "a".repeat(MAX_MESSAGE - 1));
        assert_eq!(cut(&long).len(), MAX_MESSAGE - 1);
        assert_eq!(cut("short"), "short");
    }
}
