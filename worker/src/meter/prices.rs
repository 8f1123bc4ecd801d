//! What each item costs, as configuration: `[vars.PRICES]` in `wrangler.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use super::{Item, Usage};

/// Prices in dollars, and what the monthly fee includes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prices {
    /// Dollars a month, whatever is used.
    pub(crate) fee: f64,
    /// Dollars of a gigabyte (10^9 bytes) stored for a month.
    pub(crate) stored_gigabyte: f64,
    /// Gigabytes that the fee includes.
    stored_included: f64,
    /// Dollars for each million.
    per_million: Costs,
    /// Units that the fee includes each month.
    included: Costs,
}

type Costs = [f64; Item::ALL.len()];

/// A price that does not say what it should.
#[derive(Clone, Debug, Error, PartialEq)]
pub(crate) enum PricesError {
    /// An item that is not counted.
    #[error("variable PRICES: unknown item {name:?}; the items are {}", names())]
    Name {
        /// The name.
        name: String,
    },
    /// A number that is no price.
    #[error(
        "variable PRICES: {name} must be a number of dollars or units, 0 or more (got {value})"
    )]
    Value {
        /// What it was for.
        name: String,
        /// The number.
        value: f64,
    },
}

fn names() -> String {
    Item::ALL.map(Item::name).join(", ")
}

/// The variable as it is written: what stands in it replaces the default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Given {
    fee: Option<f64>,
    stored_gigabyte: Option<f64>,
    stored_included: Option<f64>,
    #[serde(default)]
    per_million: BTreeMap<String, f64>,
    #[serde(default)]
    included: BTreeMap<String, f64>,
}

impl Default for Prices {
    /// Cloudflare's list prices of 2026, and what its paid plan of five dollars includes.
    fn default() -> Self {
        let costs = |of: &dyn Fn(Item) -> f64| Item::ALL.map(of);
        Self {
            fee: 5.0,
            stored_gigabyte: 0.015,
            stored_included: 10.0,
            per_million: costs(&|item| match item {
                Item::WorkerRequests => 0.30,
                Item::WorkerCpuMicros => 0.02 / 1e3,
                Item::ObjectRequests => 0.15,
                // 12.50 for a million gigabyte-seconds; an object is charged for 128 MB.
                Item::ObjectMillis => 12.50 * 0.128 / 1e3,
                Item::RowsRead => 0.001,
                Item::RowsWritten => 1.00,
                Item::BucketWrites | Item::BucketLists => 4.50,
                Item::BucketReads => 0.36,
                Item::BucketDeletes | Item::BucketBytesIn | Item::BucketBytesOut => 0.0,
                Item::Pushes | Item::PushBytes | Item::SubqueriesCached | Item::LostLinks => 0.0,
            }),
            included: costs(&|item| match item {
                Item::WorkerRequests => 10e6,
                Item::WorkerCpuMicros => 30e6 * 1e3,
                Item::ObjectRequests => 1e6,
                Item::ObjectMillis => 400e3 / 0.128 * 1e3,
                Item::RowsRead => 25e9,
                Item::RowsWritten => 50e6,
                // A million in all; listings are rare.
                Item::BucketWrites => 1e6,
                Item::BucketReads => 10e6,
                _ => 0.0,
            }),
        }
    }
}

impl Prices {
    /// The defaults, with what is given in their place.
    pub(crate) fn new(given: Given) -> Result<Self, PricesError> {
        let check = |name: &str, value: f64| {
            let valid = value.is_finite() && value >= 0.0;
            if valid {
                Ok(value)
            } else {
                Err(PricesError::Value {
                    name: name.to_owned(),
                    value,
                })
            }
        };
        let replace = |costs: &mut Costs, by: BTreeMap<String, f64>| {
            by.into_iter().try_for_each(|(name, value)| {
                let item =
                    Item::named(&name).ok_or_else(|| PricesError::Name { name: name.clone() })?;
                costs[item as usize] = check(&name, value)?;
                Ok(())
            })
        };
        let mut prices = Self::default();
        for (name, value, price) in [
            ("fee", given.fee, &mut prices.fee),
            (
                "stored_gigabyte",
                given.stored_gigabyte,
                &mut prices.stored_gigabyte,
            ),
            (
                "stored_included",
                given.stored_included,
                &mut prices.stored_included,
            ),
        ] {
            if let Some(value) = value {
                *price = check(name, value)?;
            }
        }
        replace(&mut prices.per_million, given.per_million)?;
        replace(&mut prices.included, given.included)?;
        Ok(prices)
    }

    /// Dollars for what was used of an item, as if nothing were included.
    pub(crate) fn dollars(&self, usage: &Usage, item: Item) -> f64 {
        usage.count(item) as f64 * self.per_million[item as usize] / 1e6
    }

    /// Dollars for what was used of an item beyond what the fee includes.
    pub(crate) fn beyond(&self, usage: &Usage, item: Item) -> f64 {
        let beyond = (usage.count(item) as f64 - self.included[item as usize]).max(0.0);
        beyond * self.per_million[item as usize] / 1e6
    }

    /// Dollars a month for stored bytes beyond what the fee includes.
    pub(crate) fn stored_beyond(&self, bytes: u64) -> f64 {
        (bytes as f64 / 1e9 - self.stored_included).max(0.0) * self.stored_gigabyte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(json: &str) -> Result<Prices, String> {
        let given: Given = serde_json::from_str(json).map_err(|e| e.to_string())?;
        Prices::new(given).map_err(|e| e.to_string())
    }

    #[test]
    fn what_is_given_replaces_the_default() {
        let prices =
            given(r#"{"fee": 0, "per_million": {"bucket_writes": 5.0}, "included": {"bucket_writes": 1000000}}"#).unwrap();
        let usage = Usage::of(Item::BucketWrites, 3_000_000);
        assert_eq!(
            (prices.fee, prices.dollars(&usage, Item::BucketWrites)),
            (0.0, 15.0)
        );
        assert_eq!(prices.beyond(&usage, Item::BucketWrites), 10.0);
        assert_eq!(
            prices.beyond(&Usage::of(Item::BucketWrites, 5), Item::BucketWrites),
            0.0
        );
        let reads = Usage::of(Item::BucketReads, 1_000_000);
        assert_eq!(
            prices.dollars(&reads, Item::BucketReads),
            0.36,
            "the default"
        );
    }

    #[test]
    fn refusals() {
        let message = given(r#"{"per_million": {"writes": 5.0}}"#).unwrap_err();
        assert!(
            message.starts_with(
                "variable PRICES: unknown item \"writes\"; the items are worker_requests, "
            ),
            "{message}"
        );
        assert_eq!(
            given(r#"{"fee": -1}"#).unwrap_err(),
            "variable PRICES: fee must be a number of dollars or units, 0 or more (got -1)"
        );
        assert!(
            given(r#"{"free": 1}"#)
                .unwrap_err()
                .contains("unknown field")
        );
    }
}
