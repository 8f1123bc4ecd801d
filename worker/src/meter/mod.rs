//! What the store costs: counts of everything that the platform charges for, per tenant and month,
//! and their price.
//!
//! Whoever does something chargeable adds it to a [`Usage`]. That of a request travels with its
//! calls to the shard, which keeps the sum of the month in one row of its database.

pub(crate) mod cpu;
mod discards;
mod duties;
mod prices;
mod report;

use std::cell::RefCell;
use std::fmt;
use std::ops::AddAssign;
use std::rc::Rc;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::platform::errors::Problem;

pub(crate) use discards::{DiscardQueue, Discarded, Discards};
pub(crate) use duties::{DutyCounts, Outcome};
pub(crate) use prices::{Prices, PricesError};
pub(crate) use report::{MonthUsage, prometheus};

/// What is counted. The names are those of metrics and of prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// Requests that started the worker, those of schedules included.
    WorkerRequests,
    /// Microseconds of CPU in the worker, estimated: the platform shows no clock that runs while
    /// code does.
    WorkerCpuMicros,
    /// Requests to Durable Objects.
    ObjectRequests,
    /// Milliseconds in which a Durable Object was in memory.
    ObjectMillis,
    /// Rows of SQLite read.
    RowsRead,
    /// Rows of SQLite written, those of indices included.
    RowsWritten,
    /// Objects written to the bucket.
    BucketWrites,
    /// Reads of the bucket.
    BucketReads,
    /// Pages of listings.
    BucketLists,
    /// Objects deleted from the bucket.
    BucketDeletes,
    /// Bytes written to the bucket.
    BucketBytesIn,
    /// Bytes read from the bucket.
    BucketBytesOut,
    /// Profiles pushed.
    Pushes,
    /// Bytes of the bodies of pushes.
    PushBytes,
    /// Parts of queries whose answers were in the cache.
    SubqueriesCached,
    /// Pushed samples whose span was not kept in full.
    LostLinks,
}

impl Item {
    /// All, in order.
    pub(crate) const ALL: [Self; 16] = [
        Self::WorkerRequests,
        Self::WorkerCpuMicros,
        Self::ObjectRequests,
        Self::ObjectMillis,
        Self::RowsRead,
        Self::RowsWritten,
        Self::BucketWrites,
        Self::BucketReads,
        Self::BucketLists,
        Self::BucketDeletes,
        Self::BucketBytesIn,
        Self::BucketBytesOut,
        Self::Pushes,
        Self::PushBytes,
        Self::SubqueriesCached,
        Self::LostLinks,
    ];

    /// Its name in metrics, prices and stored usage.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::WorkerRequests => "worker_requests",
            Self::WorkerCpuMicros => "worker_cpu_micros",
            Self::ObjectRequests => "object_requests",
            Self::ObjectMillis => "object_millis",
            Self::RowsRead => "rows_read",
            Self::RowsWritten => "rows_written",
            Self::BucketWrites => "bucket_writes",
            Self::BucketReads => "bucket_reads",
            Self::BucketLists => "bucket_lists",
            Self::BucketDeletes => "bucket_deletes",
            Self::BucketBytesIn => "bucket_bytes_in",
            Self::BucketBytesOut => "bucket_bytes_out",
            Self::Pushes => "pushes",
            Self::PushBytes => "push_bytes",
            Self::SubqueriesCached => "subqueries_cached",
            Self::LostLinks => "lost_links",
        }
    }

    /// What it counts, in a sentence.
    fn help(self) -> &'static str {
        match self {
            Self::WorkerRequests => "Requests that started the worker, including schedules.",
            Self::WorkerCpuMicros => "Estimated CPU time of the worker in microseconds.",
            Self::ObjectRequests => "Requests to Durable Objects.",
            Self::ObjectMillis => "Milliseconds that Durable Objects were in memory.",
            Self::RowsRead => "SQLite rows read in Durable Objects.",
            Self::RowsWritten => "SQLite rows written in Durable Objects, including indexes.",
            Self::BucketWrites => "Objects written to the bucket.",
            Self::BucketReads => "Bucket reads.",
            Self::BucketLists => "Pages of bucket listings.",
            Self::BucketDeletes => "Objects deleted from the bucket.",
            Self::BucketBytesIn => "Bytes written to the bucket.",
            Self::BucketBytesOut => "Bytes read from the bucket.",
            Self::Pushes => "Profiles pushed and accepted.",
            Self::PushBytes => "Bytes of push bodies.",
            Self::SubqueriesCached => "Parts of queries answered from the cache.",
            Self::LostLinks => "Pushed samples whose span was not fully stored.",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|item| item.name() == name)
    }
}

/// How much of each item. As JSON an object with the items that are not zero; unknown names are
/// passed over, so that the row of an older or newer version still reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage([u64; Item::ALL.len()]);

impl Usage {
    /// One item.
    #[cfg(test)]
    pub(crate) fn of(item: Item, count: u64) -> Self {
        let mut usage = Self::default();
        usage.add(item, count);
        usage
    }

    pub(crate) fn add(&mut self, item: Item, count: u64) {
        let sum = &mut self.0[item as usize];
        *sum = sum.saturating_add(count);
    }

    pub(crate) fn count(&self, item: Item) -> u64 {
        self.0[item as usize]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&count| count == 0)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        Item::ALL
            .into_iter()
            .for_each(|item| self.add(item, other.count(item)));
    }
}

impl Serialize for Usage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for item in Item::ALL.into_iter().filter(|&item| self.count(item) > 0) {
            map.serialize_entry(item.name(), &self.count(item))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Usage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items;
        impl<'de> Visitor<'de> for Items {
            type Value = Usage;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of counts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Usage, A::Error> {
                let mut usage = Usage::default();
                while let Some((name, count)) = map.next_entry::<String, u64>()? {
                    if let Some(item) = Item::named(&name) {
                        usage.add(item, count);
                    }
                }
                Ok(usage)
            }
        }
        deserializer.deserialize_map(Items)
    }
}

/// Usage that several parts of one request add to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Rc<RefCell<Usage>>);

impl Meter {
    pub(crate) fn add(&self, item: Item, count: u64) {
        self.0.borrow_mut().add(item, count);
    }

    /// Adds what another counted.
    pub(crate) fn book(&self, usage: Usage) {
        *self.0.borrow_mut() += usage;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Takes what was counted so far as a header's value; `None` when that is nothing.
    pub(crate) fn take_header(&self) -> Result<Option<String>, Problem> {
        if self.is_empty() {
            return Ok(None);
        }
        serde_json::to_string(&self.take())
            .map(Some)
            .map_err(Problem::internal)
    }

    /// Takes what was counted so far.
    pub(crate) fn take(&self) -> Usage {
        self.0.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_as_json() {
        let mut usage = Usage::of(Item::BucketWrites, 3);
        usage.add(Item::Pushes, u64::MAX);
        usage += Usage::of(Item::Pushes, 1);
        let json = serde_json::to_string(&usage).unwrap();
        assert_eq!(json, r#"{"bucket_writes":3,"pushes":18446744073709551615}"#);
        assert_eq!(serde_json::from_str::<Usage>(&json).unwrap(), usage);
        assert_eq!(
            serde_json::from_str::<Usage>(r#"{"of_tomorrow":1,"bucket_writes":2}"#)
                .unwrap()
                .count(Item::BucketWrites),
            2
        );
        assert!(serde_json::from_str::<Usage>("[]").is_err());
    }

    #[test]
    fn items_stand_at_their_place() {
        for (at, item) in Item::ALL.into_iter().enumerate() {
            assert_eq!((item as usize, Item::named(item.name())), (at, Some(item)));
        }
    }

    #[test]
    fn a_meter_is_emptied() {
        let meter = Meter::default();
        let other = meter.clone();
        other.add(Item::RowsRead, 2);
        assert_eq!(meter.take(), Usage::of(Item::RowsRead, 2));
        assert!(other.take().is_empty());
    }
}
