//! The contract finds what it should, with no more requests than there may be.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use futures_executor::block_on;

use super::*;
use crate::bucket::memory::MemoryBucket;
use crate::bucket::{BucketError, Condition, List, Object, Page};

/// What a bucket does wrong.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    Nothing,
    ConditionsIgnored,
    RangesIgnored,
    DelimitersIgnored,
    DeletionsIgnored,
    TagsOfTime,
}

/// A bucket in memory that counts requests, and may have a fault.
#[derive(Clone)]
struct Faulty(MemoryBucket, Fault, Rc<Cell<u64>>);

impl Faulty {
    fn new(fault: Fault) -> Self {
        Self(MemoryBucket::default(), fault, Rc::default())
    }

    fn count(&self) -> u64 {
        self.2.update(|count| count + 1);
        self.2.get()
    }
}

impl Bucket for Faulty {
    async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        condition: Condition,
    ) -> Result<String, BucketError> {
        self.count();
        let condition = if self.1 == Fault::ConditionsIgnored {
            Condition::None
        } else {
            condition
        };
        self.0.put(key, bytes, condition).await
    }

    async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<Option<Object>, BucketError> {
        let count = self.count();
        let range = range.filter(|_| self.1 != Fault::RangesIgnored);
        let mut found = self.0.get(key, range).await?;
        if let (Fault::TagsOfTime, Some(object)) = (self.1, &mut found) {
            object.etag = count.to_string();
        }
        Ok(found)
    }

    async fn list(&self, list: List<'_>) -> Result<Page, BucketError> {
        self.count();
        let delimiter = list
            .delimiter
            .filter(|_| self.1 != Fault::DelimitersIgnored);
        self.0.list(List { delimiter, ..list }).await
    }

    async fn delete(&self, keys: &[String]) -> Result<(), BucketError> {
        self.count();
        if self.1 == Fault::DeletionsIgnored {
            Ok(())
        } else {
            self.0.delete(keys).await
        }
    }
}

const USUAL: [Part; 3] = [Part::Objects, Part::Conditions, Part::Lists];

fn failed(fault: Fault) -> Vec<&'static str> {
    let report = block_on(check(&Faulty::new(fault), 1, &USUAL));
    let failed: Vec<_> = report
        .checks
        .iter()
        .filter(|check| !check.ok)
        .map(|check| check.name)
        .collect();
    assert_eq!(report.ok, failed.is_empty());
    failed
}

#[test]
fn memory_keeps_it() {
    let report = block_on(check(&MemoryBucket::default(), 1, &Part::ALL));
    assert!(report.ok && report.checks.len() == 13, "{report:#?}");
}

#[test]
fn parts_are_within_the_requests_of_an_invocation() {
    for part in [Part::Objects, Part::Conditions, Part::Lists] {
        let bucket = Faulty::new(Fault::Nothing);
        assert!(block_on(check(&bucket, 1, &[part])).ok);
        let requests = bucket.2.get();
        // Over S3, the ranges without bytes take one request more each.
        assert!(
            (10..=45).contains(&requests),
            "{part:?}: {requests} requests"
        );
    }
}

#[test]
fn faults_are_found() {
    let conditional = "conditional writes: create only (If-None-Match)";
    let known = "conditional writes: replace a known version (If-Match)";
    let rivals = "concurrent conditional writes: exactly one succeeds";
    assert_eq!(failed(Fault::Nothing), [""; 0]);
    assert_eq!(
        failed(Fault::ConditionsIgnored),
        [conditional, known, rivals]
    );
    assert_eq!(failed(Fault::RangesIgnored), ["ranges", "large objects"]);
    assert_eq!(
        failed(Fault::DelimitersIgnored),
        ["lists: grouped by a delimiter"]
    );
    assert_eq!(
        failed(Fault::DeletionsIgnored),
        ["bulk deletion", known, "cleanup"]
    );
    assert!(failed(Fault::TagsOfTime).contains(&"read after write"));
}
