//! How fast a tenant pushes: a token bucket in the memory of the isolate.
//!
//! How large a profile is shows only when its compression is undone. So a push is let in while the
//! tenant owes less than its burst, and what it held is owed from then on. A profile that is larger
//! than the burst is taken, too; the tenant waits for it afterwards.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::platform::errors::Problem;
use crate::platform::limits::Rate;

/// Most tenants that are reckoned with at once: 4,096, some 300 kB. Others are let in meanwhile.
const MAX_TENANTS: usize = 4_096;

/// What all tenants owe, of this isolate.
#[derive(Default)]
pub(crate) struct Rates(RefCell<Owed>);

impl Rates {
    /// Lets a push in, before its body is read, unless the tenant pushes too fast.
    pub(crate) fn admit(&self, tenant: &str, rate: Option<Rate>, now: i64) -> Result<(), Problem> {
        match rate {
            Some(rate) => self.0.borrow().admit(tenant, rate, now),
            None => Ok(()),
        }
    }

    /// Counts what a push held.
    pub(crate) fn charge(&self, tenant: &str, rate: Option<Rate>, bytes: u64, now: i64) {
        if let Some(rate) = rate {
            self.0.borrow_mut().charge(tenant, rate, bytes, now);
        }
    }
}

/// What tenants owe.
#[derive(Default)]
struct Owed(HashMap<String, Account>);

struct Account {
    bytes: u64,
    at: i64,
    /// Bytes that are paid a second.
    rate: u64,
}

impl Account {
    fn owed(&self, now: i64) -> u64 {
        // If the clock is set back, the difference counts as paid: otherwise pushes would be refused
        // until it catches up.
        let millis = now.abs_diff(self.at);
        let paid = u128::from(self.rate) * u128::from(millis) / 1_000;
        u64::try_from(u128::from(self.bytes).saturating_sub(paid)).unwrap_or(u64::MAX)
    }
}

impl Owed {
    fn admit(&self, tenant: &str, rate: Rate, now: i64) -> Result<(), Problem> {
        let owed = self.0.get(tenant).map_or(0, |account| account.owed(now));
        if owed == 0 || owed < rate.burst {
            return Ok(());
        }
        let seconds = (owed - rate.burst) / rate.bytes.max(1) + 1;
        let mb = |bytes| bytes as f64 / f64::from(1 << 20);
        let message = format!(
            "push rate limit ({:.1} MB/s, ingestion_rate_mb) and its burst of {:.1} MB exceeded; try again in {seconds} s",
            mb(rate.bytes),
            mb(rate.burst)
        );
        Err(Problem {
            retry_after: Some(u32::try_from(seconds).unwrap_or(u32::MAX)),
            ..Problem::new(429, "resource_exhausted", message)
        })
    }

    fn charge(&mut self, tenant: &str, rate: Rate, bytes: u64, now: i64) {
        if !self.0.contains_key(tenant) && self.0.len() >= MAX_TENANTS {
            self.0.retain(|_, account| account.owed(now) > 0);
            if self.0.len() >= MAX_TENANTS {
                return;
            }
        }
        let owed = self.0.get(tenant).map_or(0, |account| account.owed(now));
        let account = Account {
            bytes: owed.saturating_add(bytes),
            at: now,
            rate: rate.bytes,
        };
        self.0.insert(tenant.to_owned(), account);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        bytes: 100_000,
        burst: 1_000_000,
    };

    /// What a tenant that always has more to send gets through.
    fn through(size: u64, seconds: i64) -> u64 {
        let (mut owed, mut sum) = (Owed::default(), 0);
        for now in 0..seconds * 1_000 {
            if owed.admit("a", RATE, now).is_ok() {
                owed.charge("a", RATE, size, now);
                sum += size;
            }
        }
        sum
    }

    #[test]
    fn a_burst_and_then_the_rate() {
        for size in [1_000, 10_000, 100_000] {
            let (least, most) = (7_000_000 - size, 7_000_000 + size);
            let sum = through(size, 60);
            assert!((least..=most).contains(&sum), "{size}: {sum}");
        }
        // One larger than the burst is taken, and paid for.
        assert_eq!(through(5_000_000, 60), 10_000_000);
    }

    #[test]
    fn a_refusal_says_when_to_come_again() {
        let mut owed = Owed::default();
        owed.charge("a", RATE, 1_550_000, 0);
        let problem = owed.admit("a", RATE, 0).unwrap_err();
        assert_eq!((problem.status, problem.retry_after), (429, Some(6)));
        assert!(
            problem.message.starts_with("push rate limit ("),
            "{}",
            problem.message
        );
        assert!(owed.admit("a", RATE, 5_500).is_err());
        assert!(owed.admit("a", RATE, 6_000).is_ok());
        assert!(owed.admit("b", RATE, 0).is_ok(), "another tenant");
        assert!(
            owed.admit("a", RATE, -60_000).is_ok(),
            "a clock that was set back"
        );
        let none = Rate { burst: 0, ..RATE };
        assert!(owed.admit("a", none, 15_499).is_err());
        assert!(owed.admit("a", none, 15_500).is_ok());
    }

    #[test]
    fn tenants_are_bounded() {
        let mut owed = Owed::default();
        for n in 0..MAX_TENANTS {
            owed.charge(&n.to_string(), RATE, 100_000, 0);
        }
        owed.charge("more", RATE, 9_000_000, 0);
        assert!(owed.admit("more", RATE, 0).is_ok());
        owed.charge("more", RATE, 9_000_000, 1_000);
        assert!(owed.admit("more", RATE, 1_000).is_err());
        assert_eq!(owed.0.len(), 1, "those who owe nothing are gone");
    }
}
