//! R2 through the platform's binding.

use std::ops::Range;

use worker::{Conditional, Error, Object as R2Object};

use super::{Bucket, BucketError, Condition, List, Listed, Object, Page};

/// A bucket of R2.
#[derive(Clone)]
pub(crate) struct R2Bucket(worker::Bucket);

impl R2Bucket {
    pub(super) fn new(bucket: worker::Bucket) -> Self {
        Self(bucket)
    }

    /// An object without its bytes.
    async fn head(&self, key: &str) -> Result<Option<Object>, BucketError> {
        let head = self.0.head(key).await.map_err(unavailable)?;
        Ok(head.map(|object| found(&object, Vec::new())))
    }
}

impl Bucket for R2Bucket {
    async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        condition: Condition,
    ) -> Result<String, BucketError> {
        let put = self.0.put(key, bytes);
        let put = match condition {
            Condition::None => put,
            // As in HTTP, the star stands for whatever is there.
            Condition::Absent => put.only_if(Conditional {
                etag_does_not_match: Some("*".to_owned()),
                ..Conditional::default()
            }),
            Condition::Matches(etag) => put.only_if(Conditional {
                etag_matches: Some(etag),
                ..Conditional::default()
            }),
        };
        match put.execute().await.map_err(unavailable)? {
            Some(object) => Ok(object.etag()),
            None => Err(BucketError::Precondition {
                key: key.to_owned(),
            }),
        }
    }

    async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<Option<Object>, BucketError> {
        // R2 knows no empty range.
        if range.as_ref().is_some_and(Range::is_empty) {
            return self.head(key).await;
        }
        let ranged = range.is_some();
        let get = self.0.get(key);
        let start = range.as_ref().map_or(0, |range| range.start);
        let get = match range {
            Some(Range { start, end }) => get.range(worker::Range::OffsetWithLength {
                offset: start,
                length: end - start,
            }),
            None => get,
        };
        let object = match get.execute().await {
            Ok(Some(object)) => object,
            Ok(None) => return Ok(None),
            // A range behind the end is an error like any other.
            Err(error) if ranged => {
                let head = self.head(key).await?;
                return if head.as_ref().is_none_or(|head| head.size <= start) {
                    Ok(head)
                } else {
                    Err(unavailable(error))
                };
            }
            Err(error) => return Err(unavailable(error)),
        };
        let body = object.body().ok_or_else(|| BucketError::Invalid {
            message: format!("the bucket returned {key} without a body"),
        })?;
        let bytes = body.bytes().await.map_err(unavailable)?;
        Ok(Some(found(&object, bytes)))
    }

    async fn list(
        &self,
        List {
            prefix,
            delimiter,
            after,
        }: List<'_>,
    ) -> Result<Page, BucketError> {
        let mut list = self.0.list().prefix(prefix);
        if let Some(delimiter) = delimiter {
            list = list.delimiter(delimiter);
        }
        if let Some(after) = after {
            list = list.cursor(after);
        }
        let page = list.execute().await.map_err(unavailable)?;
        let listed = |object: R2Object| Listed {
            key: object.key(),
            size: object.size(),
            uploaded_millis: object.uploaded().as_millis() as i64,
        };
        Ok(Page {
            objects: page.objects().into_iter().map(listed).collect(),
            prefixes: page.delimited_prefixes(),
            next: page.cursor().filter(|_| page.truncated()),
        })
    }

    async fn delete(&self, keys: &[String]) -> Result<(), BucketError> {
        if keys.is_empty() {
            return Ok(());
        }
        self.0
            .delete_multiple(keys.iter().map(String::as_str).collect())
            .await
            .map_err(unavailable)
    }
}

fn found(object: &R2Object, bytes: Vec<u8>) -> Object {
    Object {
        bytes,
        etag: object.etag(),
        size: object.size(),
    }
}

/// The binding's errors are texts; all that we can provoke are failures of the service.
fn unavailable(error: Error) -> BucketError {
    BucketError::Unavailable {
        message: error.to_string(),
    }
}
