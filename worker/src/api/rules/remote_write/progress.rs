//! How far a tenant's points are sent: one small object of the bucket.

use pilotlight_core::store::TenantId;
use serde::{Deserialize, Serialize};

use crate::api::rules::points::{MINUTE, last_minute};
use crate::bucket::record::JsonRecord;

/// How old a minute is at most when it is sent: a day. Servers take nothing that is much older.
const MAX_AGE: i64 = 24 * HOUR;

const HOUR: i64 = 60 * MINUTE;

/// The only version there is.
const VERSION: u32 = 1;

/// Where a tenant's progress is.
pub(crate) fn progress_key(tenant: &TenantId) -> String {
    format!("remote-write/{tenant}")
}

/// Minutes have the times of their ends, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progress {
    version: u32,
    /// The last minute whose points the server has accepted; none before the first.
    pub(crate) sent_until: Option<i64>,
    /// Why the last request failed; none when it was accepted.
    pub(crate) error: Option<Failure>,
    /// How many minutes the server didn't get.
    pub(crate) dropped_minutes: u64,
    /// The minutes from `sent_until` on that the server has refused, while later ones are tried.
    refused: Option<Refused>,
    /// When the server wants the next request, milliseconds.
    pub(super) retry_at: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// When it first failed for this reason, milliseconds.
    pub(crate) since: i64,
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Refused {
    until: i64,
    /// How many of them have points.
    minutes: u64,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            version: VERSION,
            sent_until: None,
            error: None,
            dropped_minutes: 0,
            refused: None,
            retry_at: None,
        }
    }
}

impl JsonRecord for Progress {
    const WHAT: &'static str = "remote write records";
    const VERSION: u32 = VERSION;

    fn version(&self) -> u32 {
        self.version
    }
}

impl Progress {
    /// Drops the minutes that are too old, and returns the minute after which the others are due.
    pub(super) fn begin(&mut self, now: i64) -> i64 {
        let newest = last_minute(now);
        let oldest = newest - MAX_AGE;
        // A clock that was ahead may have been set back.
        let known = self.sent_until.filter(|&sent| sent <= newest + HOUR);
        let sent_until = known.unwrap_or(newest - MINUTE);
        self.sent_until = Some(sent_until);
        self.refused = self
            .refused
            .filter(|refused| refused.until <= newest + HOUR);
        if sent_until < oldest {
            let dropped = ((oldest - sent_until) / MINUTE) as u64;
            self.dropped_minutes += dropped;
            self.sent_until = Some(oldest);
            self.refused = self.refused.filter(|refused| refused.until > oldest);
            if let Some(refused) = &mut self.refused {
                refused.minutes = refused.minutes.saturating_sub(dropped);
            }
        }
        self.retry_at = None;
        sent_until.max(oldest)
    }

    /// Until when minutes were refused, if later ones are tried.
    pub(super) fn refused_until(&self) -> Option<i64> {
        self.refused.map(|refused| refused.until)
    }

    /// The first of the refused minutes has no points, or is accepted now: then the fault was with
    /// the server, and the others are due again.
    pub(super) fn retried(&mut self, minute: i64, is_accepted: bool) {
        self.sent_until = Some(minute);
        if is_accepted {
            (self.refused, self.error) = (None, None);
        }
        self.refused = self.refused.filter(|refused| refused.until > minute);
    }

    /// Whether the server wants no request yet.
    pub(super) fn is_waiting(&self, now: i64) -> bool {
        self.retry_at.is_some_and(|at| now < at && at <= now + HOUR)
    }

    /// There is nothing to send until `until`.
    pub(super) fn skip(&mut self, until: i64) {
        match &mut self.refused {
            Some(refused) => refused.until = until,
            None => (self.sent_until, self.error) = (Some(until), None),
        }
    }

    /// The server has accepted the points until `until`. So the fault is with the minutes that it
    /// has refused before.
    pub(super) fn accept(&mut self, until: i64) {
        let refused = self.refused.take();
        self.dropped_minutes += refused.map_or(0, |refused| refused.minutes);
        self.sent_until = Some(until);
        self.error = None;
    }

    /// The server has refused the points of one minute. Says whether to try the next one.
    pub(super) fn refuse(&mut self, minute: i64, now: i64) -> bool {
        if self.refused.is_none() && minute > now - HOUR {
            return false;
        }
        let minutes = self.refused.map_or(0, |refused| refused.minutes) + 1;
        self.refused = Some(Refused {
            until: minute,
            minutes,
        });
        true
    }

    /// A request has failed.
    pub(super) fn fail(&mut self, message: String, now: i64) {
        if self.error.as_ref().is_none_or(|old| old.message != message) {
            self.error = Some(Failure {
                since: now,
                message,
            });
        }
    }

    /// Forgets the cursor: sending begins anew with the latest minute.
    pub(super) fn forget(&mut self) {
        *self = Self {
            dropped_minutes: self.dropped_minutes,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::record::Record;

    const NOW: i64 = 1_000 * HOUR + 30_000;

    #[test]
    fn begins_with_the_latest_minute_and_drops_old_ones() {
        let mut progress = Progress::default();
        let last = 1_000 * HOUR - 3 * MINUTE;
        assert_eq!(
            (progress.begin(NOW), last_minute(NOW)),
            (last, last + MINUTE)
        );
        let mut later = NOW + 24 * HOUR;
        assert_eq!(progress.begin(later), last + MINUTE);
        assert_eq!(progress.dropped_minutes, 1);
        later += 10 * MINUTE;
        assert_eq!(progress.begin(later), last + 11 * MINUTE);
        assert_eq!(progress.dropped_minutes, 11);
    }

    #[test]
    fn refused_minutes_are_dropped_when_a_later_one_is_accepted() {
        let mut progress = Progress::default();
        let first = progress.begin(NOW) + MINUTE;
        assert!(!progress.refuse(first, NOW), "it is tried for an hour");
        let now = NOW + 2 * HOUR;
        assert!(progress.refuse(first, now) && progress.refuse(first + MINUTE, now));
        progress.skip(first + 2 * MINUTE);
        assert_eq!(progress.refused_until(), Some(first + 2 * MINUTE));
        assert_eq!(progress.begin(now), first - MINUTE);
        assert!(progress.refuse(first + 3 * MINUTE, now));
        let mut well_again = progress.clone();
        well_again.retried(first, true);
        assert_eq!(
            (well_again.begin(now), well_again.refused_until()),
            (first, None)
        );
        assert_eq!(well_again.dropped_minutes, 0);
        progress.accept(first + 4 * MINUTE);
        assert_eq!(progress.dropped_minutes, 3);
        assert_eq!(progress.begin(now), first + 4 * MINUTE);
    }

    #[test]
    fn as_it_is_stored() {
        let mut progress = Progress::default();
        progress.begin(NOW);
        progress.fail("503".to_owned(), NOW);
        progress.fail("503".to_owned(), NOW + 1);
        let text = r#"{"version":1,"sent_until":3599820000,"error":{"since":3600030000,"message":"503"},"dropped_minutes":0,"refused":null,"retry_at":null}"#;
        assert_eq!(progress.encode().unwrap(), text.as_bytes());
        assert_eq!(Progress::decode(text.as_bytes()).unwrap(), progress);
    }
}
