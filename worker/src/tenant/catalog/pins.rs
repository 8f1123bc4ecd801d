//! Pins: time ranges whose profiles are kept beyond their retention.

use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::sql::Sql;
use crate::tenant::catalog::table::{Catalog, shape};

/// Most pins of a tenant: 20. With [`MAX_PINNED_MILLIS`] each, that is a third of a year at most.
const MAX_PINS: usize = 20;

/// Longest range that is pinned: 7 days.
const MAX_PINNED_MILLIS: i64 = 7 * 86_400_000;

/// Longest text in bytes.
const MAX_TEXT: usize = 256;

/// A range that is kept, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pin {
    /// Milliseconds since the epoch, as is `until`.
    pub(crate) from: i64,
    pub(crate) until: i64,
    pub(crate) text: String,
}

impl Pin {
    /// Within its bounds.
    fn checked(self) -> Result<Self, Problem> {
        if self.from >= self.until || self.until.saturating_sub(self.from) > MAX_PINNED_MILLIS {
            return Err(Problem::invalid("a pin keeps from a moment to seven days"));
        }
        if self.text.len() > MAX_TEXT {
            let length = self.text.len();
            let message = format!("text has {length} bytes, and at most {MAX_TEXT} are kept");
            return Err(Problem::invalid(message));
        }
        Ok(self)
    }
}

/// A condition on a row `o`: no pin has any of its profiles.
pub(super) fn is_free(pins: &[Pin]) -> String {
    let free = |Pin { from, until, .. }: &Pin| {
        format!(" AND NOT (o.min_millis < {until} AND o.max_millis >= {from})")
    };
    pins.iter().map(free).collect()
}

impl<S: Sql> Catalog<S> {
    /// In order of their ranges.
    pub(in crate::tenant) fn pins(&self) -> Result<Vec<Pin>, Problem> {
        let stored = self.setting("pins")?;
        let pins = stored.map(|json| serde_json::from_str(&json));
        Ok(pins.transpose().map_err(|_| shape())?.unwrap_or_default())
    }

    /// Keeps a range; one that is kept already gets the new text.
    pub(super) fn pin(&self, pin: Pin) -> Result<Vec<Pin>, Problem> {
        let pin = pin.checked()?;
        let mut pins = self.pins()?;
        pins.retain(|other| (other.from, other.until) != (pin.from, pin.until));
        if pins.len() >= MAX_PINS {
            let message = format!("{MAX_PINS} ranges are pinned, the most that are kept");
            return Err(Problem::new(429, "resource_exhausted", message));
        }
        pins.push(pin);
        pins.sort_by_key(|pin| (pin.from, pin.until));
        self.set_pins(&pins)?;
        Ok(pins)
    }

    /// Keeps a range no longer than its retention; one that is not pinned is no error.
    pub(super) fn unpin(&self, from: i64, until: i64) -> Result<Vec<Pin>, Problem> {
        let mut pins = self.pins()?;
        pins.retain(|pin| (pin.from, pin.until) != (from, until));
        self.set_pins(&pins)?;
        Ok(pins)
    }

    fn set_pins(&self, pins: &[Pin]) -> Result<(), Problem> {
        let json = serde_json::to_string(pins).map_err(Problem::internal)?;
        self.set("pins", Some(json))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::catalog::tests::catalog;

    fn pin(from: i64, until: i64, text: &str) -> Pin {
        let text = text.to_owned();
        Pin { from, until, text }
    }

    #[test]
    fn each_range_once_in_order() {
        let catalog = catalog();
        assert_eq!(catalog.pins().unwrap(), []);
        catalog.pin(pin(20, 30, "b")).unwrap();
        catalog.pin(pin(10, 40, "a")).unwrap();
        let pins = catalog.pin(pin(20, 30, "c")).unwrap();
        assert_eq!(pins, [pin(10, 40, "a"), pin(20, 30, "c")]);
        assert_eq!(catalog.unpin(20, 31).unwrap().len(), 2);
        assert_eq!(catalog.unpin(20, 30).unwrap(), [pin(10, 40, "a")]);
        assert_eq!(catalog.pins().unwrap(), [pin(10, 40, "a")]);
    }

    #[test]
    fn what_is_refused() {
        let catalog = catalog();
        for (wrong, says) in [
            (pin(5, 5, ""), "a moment to seven days"),
            (pin(0, MAX_PINNED_MILLIS + 1, ""), "a moment to seven days"),
            (pin(i64::MIN, i64::MAX, ""), "a moment to seven days"),
            (pin(0, 1, &"x".repeat(257)), "text has 257 bytes"),
        ] {
            assert!(catalog.pin(wrong).unwrap_err().message.contains(says));
        }
        for i in 0..MAX_PINS as i64 {
            catalog.pin(pin(i, 100, "")).unwrap();
        }
        assert_eq!(catalog.pin(pin(50, 60, "")).unwrap_err().status, 429);
        catalog.pin(pin(3, 100, "again")).unwrap();
    }
}
