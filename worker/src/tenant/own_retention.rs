//! How long a tenant's profiles are kept, where it differs from the configuration: a retention of its
//! own, and pins, which are time ranges whose profiles are kept beyond it.
//!
//! One object of the bucket has both, so they outlive a catalog and hold for every shard.

use pilotlight_core::store::TenantId;
use serde::{Deserialize, Serialize};

use crate::bucket::Bucket;
use crate::bucket::record::{self, JsonRecord};
use crate::platform::config::Retention;
use crate::platform::errors::Problem;

/// Most pins of a tenant: 20. With [`MAX_PINNED_MILLIS`] each, that is a third of a year at most.
const MAX_PINS: usize = 20;

/// Longest range that is pinned: 7 days.
const MAX_PINNED_MILLIS: i64 = 7 * 86_400_000;

/// Longest text in bytes.
const MAX_TEXT: usize = 256;

/// The only version there is.
const VERSION: u32 = 1;

/// Where it is.
pub(crate) fn retention_key(tenant: &TenantId) -> String {
    format!("retention/{tenant}")
}

/// A range that is kept, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pin {
    /// Milliseconds since the epoch, as is `until`.
    pub(crate) from: i64,
    pub(crate) until: i64,
    pub(crate) text: String,
}

/// What a tenant has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnRetention {
    version: u32,
    /// In place of the configured one.
    pub(crate) retention: Option<Retention>,
    /// Each range once, in order.
    pub(crate) pins: Vec<Pin>,
}

impl Default for OwnRetention {
    fn default() -> Self {
        Self {
            version: VERSION,
            retention: None,
            pins: Vec::new(),
        }
    }
}

impl JsonRecord for OwnRetention {
    const WHAT: &'static str = "retention and pins";
    const VERSION: u32 = VERSION;

    fn version(&self) -> u32 {
        self.version
    }
}

impl OwnRetention {
    /// Sets the retention, or goes back to the configured one.
    pub(crate) fn set(&mut self, retention: Option<Retention>) -> Result<(), Problem> {
        self.retention = retention.map(Retention::checked).transpose()?;
        Ok(())
    }

    /// Keeps a range; one that is kept already gets the new text.
    pub(crate) fn pin(&mut self, pin: Pin) -> Result<(), Problem> {
        let pin = pin.checked()?;
        self.unpin(pin.from, pin.until);
        if self.pins.len() >= MAX_PINS {
            let message = format!("there are {MAX_PINS} pins, the maximum: delete one");
            return Err(Problem::new(429, "resource_exhausted", message));
        }
        self.pins.push(pin);
        self.pins.sort_by_key(|pin| (pin.from, pin.until));
        Ok(())
    }

    /// Keeps a range no longer than its retention; one that is not pinned is no error.
    pub(crate) fn unpin(&mut self, from: i64, until: i64) {
        self.pins
            .retain(|pin| (pin.from, pin.until) != (from, until));
    }
}

impl Pin {
    /// Within its bounds.
    fn checked(self) -> Result<Self, Problem> {
        if self.from >= self.until || self.until.saturating_sub(self.from) > MAX_PINNED_MILLIS {
            return Err(Problem::invalid(
                "a pin can cover at most 7 days, and must end after it starts",
            ));
        }
        if self.text.len() > MAX_TEXT {
            let length = self.text.len();
            let message = format!("text has {length} bytes; at most {MAX_TEXT} are allowed");
            return Err(Problem::invalid(message));
        }
        Ok(self)
    }
}

/// What a tenant has now.
pub(crate) async fn own_retention(
    bucket: &impl Bucket,
    tenant: &TenantId,
) -> Result<OwnRetention, Problem> {
    record::read(bucket, &retention_key(tenant)).await
}

/// Changes it; gives what it is then.
pub(crate) async fn change_retention(
    bucket: &impl Bucket,
    tenant: &TenantId,
    now: impl Fn() -> i64,
    change: impl Fn(&mut OwnRetention) -> Result<(), Problem>,
) -> Result<OwnRetention, Problem> {
    let changed = record::change(bucket, &retention_key(tenant), now, change).await?;
    Ok(changed.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::record::Record;

    fn pin(from: i64, until: i64, text: &str) -> Pin {
        let text = text.to_owned();
        Pin { from, until, text }
    }

    #[test]
    fn each_range_once_in_order() {
        let mut own = OwnRetention::default();
        own.pin(pin(20, 30, "b")).unwrap();
        own.pin(pin(10, 40, "a")).unwrap();
        own.pin(pin(20, 30, "c")).unwrap();
        assert_eq!(own.pins, [pin(10, 40, "a"), pin(20, 30, "c")]);
        own.unpin(20, 31);
        assert_eq!(own.pins.len(), 2);
        own.unpin(20, 30);
        assert_eq!(own.pins, [pin(10, 40, "a")]);
    }

    #[test]
    fn what_is_refused() {
        let mut own = OwnRetention::default();
        for (wrong, says) in [
            (pin(5, 5, ""), "at most 7 days"),
            (pin(0, MAX_PINNED_MILLIS + 1, ""), "at most 7 days"),
            (pin(i64::MIN, i64::MAX, ""), "at most 7 days"),
            (pin(0, 1, &"x".repeat(257)), "text has 257 bytes"),
        ] {
            assert!(own.pin(wrong).unwrap_err().message.contains(says));
        }
        for i in 0..MAX_PINS as i64 {
            own.pin(pin(i, 100, "")).unwrap();
        }
        assert_eq!(own.pin(pin(50, 60, "")).unwrap_err().status, 429);
        own.pin(pin(3, 100, "again")).unwrap();
        let wrong = Retention {
            raw_days: 3,
            sums_days: 2,
        };
        assert_eq!(
            own.set(Some(wrong)).unwrap_err().message,
            "raw_days and sums_days must satisfy 1 <= raw_days <= sums_days <= 3660 (got 3 and 2)"
        );
    }

    #[test]
    fn as_it_is_stored() {
        let mut own = OwnRetention::default();
        let text = r#"{"version":1,"retention":null,"pins":[]}"#;
        assert_eq!(own.encode().unwrap(), text.as_bytes());
        own.pin(pin(10, 40, "a")).unwrap();
        let retention = Retention {
            raw_days: 3,
            sums_days: 20,
        };
        own.set(Some(retention)).unwrap();
        let text = r#"{"version":1,"retention":{"raw_days":3,"sums_days":20},"pins":[{"from":10,"until":40,"text":"a"}]}"#;
        assert_eq!(own.encode().unwrap(), text.as_bytes());
        assert_eq!(OwnRetention::decode(text.as_bytes()).unwrap(), own);
        let other = text.replace("\"version\":1", "\"version\":2");
        assert_eq!(
            OwnRetention::decode(other.as_bytes())
                .unwrap_err()
                .to_string(),
            "the retention and pins have version 2; expected 1"
        );
    }
}
