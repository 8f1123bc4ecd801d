//! A bucket whose requests are counted.

use std::ops::Range;

use crate::bucket::{Bucket, BucketError, Condition, List, Object, Page};
use crate::meter::{Item, Meter};

/// Counts what another bucket is asked, whether it does it or not: a request that fails is charged
/// for as well.
#[derive(Clone)]
pub(crate) struct Metered<B> {
    bucket: B,
    meter: Meter,
}

impl<B> Metered<B> {
    pub(crate) fn new(bucket: B, meter: Meter) -> Self {
        Self { bucket, meter }
    }
}

impl<B: Bucket> Bucket for Metered<B> {
    async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        condition: Condition,
    ) -> Result<String, BucketError> {
        self.meter.add(Item::BucketWrites, 1);
        self.meter.add(Item::BucketBytesIn, bytes.len() as u64);
        self.bucket.put(key, bytes, condition).await
    }

    async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<Option<Object>, BucketError> {
        self.meter.add(Item::BucketReads, 1);
        let object = self.bucket.get(key, range).await?;
        self.meter.add(
            Item::BucketBytesOut,
            object
                .as_ref()
                .map_or(0, |object| object.bytes.len() as u64),
        );
        Ok(object)
    }

    async fn list(&self, list: List<'_>) -> Result<Page, BucketError> {
        self.meter.add(Item::BucketLists, 1);
        self.bucket.list(list).await
    }

    async fn delete(&self, keys: &[String]) -> Result<(), BucketError> {
        self.meter.add(Item::BucketDeletes, keys.len() as u64);
        self.bucket.delete(keys).await
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::bucket::memory::MemoryBucket;
    use crate::meter::Usage;

    #[test]
    fn requests_are_counted() {
        let meter = Meter::default();
        let bucket = Metered::new(MemoryBucket::default(), meter.clone());
        let requests = async {
            bucket
                .put("a", vec![1, 2, 3], Condition::None)
                .await
                .unwrap();
            bucket
                .put("a", vec![1], Condition::Absent)
                .await
                .unwrap_err();
            assert_eq!(
                bucket.get("a", Some(1..3)).await.unwrap().unwrap().bytes,
                [2, 3]
            );
            assert!(bucket.get("b", None).await.unwrap().is_none());
            bucket.list(List::default()).await.unwrap();
            bucket
                .delete(&["a".to_owned(), "b".to_owned()])
                .await
                .unwrap();
        };
        requests.now_or_never().unwrap();
        let mut expect = Usage::default();
        for (item, count) in [
            (Item::BucketWrites, 2),
            (Item::BucketBytesIn, 4),
            (Item::BucketReads, 2),
            (Item::BucketBytesOut, 2),
            (Item::BucketLists, 1),
            (Item::BucketDeletes, 2),
        ] {
            expect.add(item, count);
        }
        assert_eq!(meter.take(), expect);
    }
}
