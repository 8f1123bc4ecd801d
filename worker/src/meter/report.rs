//! Usage as metrics in the text format of Prometheus, and as dollars.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::AddAssign;

use pilotlight_core::ingest::DiscardReason;
use serde::{Deserialize, Serialize};

use super::{Item, Prices, Usage};

/// What a tenant used in one month so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MonthUsage {
    /// The month as `2026-11`, in UTC.
    pub(crate) month: String,
    /// What was used.
    pub(crate) usage: Usage,
    /// Bytes in the bucket at the moment, those of replaced objects that still stand there
    /// included.
    pub(crate) stored_bytes: u64,
    /// Objects in the bucket at the moment.
    pub(crate) stored_objects: u64,
    /// Pushes that were discarded since the tenant's first.
    pub(crate) discarded: BTreeMap<DiscardReason, u64>,
}

impl AddAssign for MonthUsage {
    fn add_assign(&mut self, other: Self) {
        self.month = other.month;
        self.usage += other.usage;
        self.stored_bytes += other.stored_bytes;
        self.stored_objects += other.stored_objects;
        for (reason, count) in other.discarded {
            *self.discarded.entry(reason).or_default() += count;
        }
    }
}

/// The item of what is stored, in costs.
const STORED_ITEM: &str = "stored_bytes";

/// Dollars of the month for one tenant: each item that costs anything, and the sum. What the fee
/// includes is not taken off, since it is shared.
fn cost(month: &MonthUsage, prices: &Prices) -> (Vec<(&'static str, f64)>, f64) {
    let items = Item::ALL
        .into_iter()
        .map(|item| (item.name(), prices.dollars(&month.usage, item)));
    let stored = (
        STORED_ITEM,
        month.stored_bytes as f64 / 1e9 * prices.stored_gigabyte,
    );
    let items: Vec<_> = items
        .chain([stored])
        .filter(|(_, dollars)| *dollars > 0.0)
        .collect();
    let sum = items.iter().map(|(_, dollars)| dollars).sum();
    (items, sum)
}

/// Dollars of the month for all tenants: the fee, and what was used beyond what it includes.
fn bill(tenants: &[(String, MonthUsage)], prices: &Prices) -> f64 {
    let mut usage = Usage::default();
    tenants.iter().for_each(|(_, month)| usage += month.usage);
    let stored: u64 = tenants.iter().map(|(_, month)| month.stored_bytes).sum();
    let beyond: f64 = Item::ALL
        .into_iter()
        .map(|item| prices.beyond(&usage, item))
        .sum();
    prices.fee + beyond + prices.stored_beyond(stored)
}

/// All tenants' usage as metrics.
pub(crate) fn prometheus(tenants: &[(String, MonthUsage)], prices: &Prices) -> String {
    let mut text = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, lines: &[(String, String)]| {
        let _ = writeln!(
            text,
            "# HELP pilotlight_{name} {help}\n# TYPE pilotlight_{name} {kind}"
        );
        for (labels, value) in lines {
            let _ = writeln!(text, "pilotlight_{name}{labels} {value}");
        }
    };
    let each = |value: &dyn Fn(&MonthUsage) -> String| -> Vec<(String, String)> {
        tenants
            .iter()
            .map(|(tenant, month)| (labels(&[("tenant", tenant)]), value(month)))
            .collect()
    };
    for item in Item::ALL {
        let lines = each(&|month| month.usage.count(item).to_string());
        metric(
            &format!("{}_total", item.name()),
            "counter",
            &format!("{} Counted since the start of the month.", item.help()),
            &lines,
        );
    }
    metric(
        "stored_bytes",
        "gauge",
        "Bytes in the bucket.",
        &each(&|month| month.stored_bytes.to_string()),
    );
    metric(
        "stored_objects",
        "gauge",
        "Objects in the bucket.",
        &each(&|month| month.stored_objects.to_string()),
    );
    let discarded = tenants.iter().flat_map(|(tenant, month)| {
        let of_tenant = month.discarded.iter();
        of_tenant.map(|(reason, count)| {
            let labels = labels(&[("tenant", tenant), ("reason", reason.name())]);
            (labels, count.to_string())
        })
    });
    metric(
        "discarded_pushes_total",
        "counter",
        "Rejected pushes or parts of pushes, by reason.",
        &discarded.collect::<Vec<_>>(),
    );
    let costs = tenants.iter().flat_map(|(tenant, month)| {
        let (items, _) = cost(month, prices);
        items.into_iter().map(|(item, dollars)| {
            (
                labels(&[("tenant", tenant), ("item", item)]),
                format!("{dollars:.6}"),
            )
        })
    });
    let help =
        "Price of usage since the start of the month, as if the monthly fee included nothing.";
    metric(
        "month_cost_dollars",
        "gauge",
        help,
        &costs.collect::<Vec<_>>(),
    );
    let help = "The bill since the start of the month: the fee, plus all tenants' usage beyond what it includes.";
    metric(
        "month_bill_dollars",
        "gauge",
        help,
        &[(String::new(), format!("{:.6}", bill(tenants, prices)))],
    );
    text
}

/// Labels of a sample. A tenant's id has no character that would have to be escaped.
fn labels(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}=\"{value}\""))
        .collect();
    format!("{{{}}}", pairs.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn month(item: Item, count: u64, stored_bytes: u64) -> MonthUsage {
        MonthUsage {
            month: "2026-11".to_owned(),
            usage: Usage::of(item, count),
            stored_bytes,
            stored_objects: 1,
            discarded: BTreeMap::from([(DiscardReason::SeriesLimit, 3)]),
        }
    }

    #[test]
    fn a_bill() {
        let tenants = [
            (
                "a".to_owned(),
                month(Item::BucketWrites, 800_000, 15_000_000_000),
            ),
            ("b".to_owned(), month(Item::BucketWrites, 400_000, 0)),
        ];
        let prices = Prices::default();
        let (items, sum) = cost(&tenants[0].1, &prices);
        assert_eq!(
            items.iter().map(|item| item.0).collect::<Vec<_>>(),
            ["bucket_writes", "stored_bytes"]
        );
        assert!((sum - (0.8 * 4.5 + 15.0 * 0.015)).abs() < 1e-9, "{sum}");
        // A million writes and ten gigabytes are included.
        let expect = 5.0 + 0.2 * 4.5 + 5.0 * 0.015;
        assert!((bill(&tenants, &prices) - expect).abs() < 1e-9);
    }

    #[test]
    fn metrics() {
        let text = prometheus(
            &[("a".to_owned(), month(Item::RowsWritten, 2_000_000, 7))],
            &Prices::default(),
        );
        let expect = [
            "# TYPE pilotlight_rows_written_total counter",
            "pilotlight_rows_written_total{tenant=\"a\"} 2000000",
            "pilotlight_bucket_reads_total{tenant=\"a\"} 0",
            "pilotlight_stored_bytes{tenant=\"a\"} 7",
            "pilotlight_discarded_pushes_total{tenant=\"a\",reason=\"series_limit\"} 3",
            "pilotlight_month_cost_dollars{tenant=\"a\",item=\"rows_written\"} 2.000000",
            "pilotlight_month_bill_dollars 5.000000",
        ];
        for line in expect {
            assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
        }
        // Every line is a comment or a sample: name, labels, one number.
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (_, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
        }
    }
}
