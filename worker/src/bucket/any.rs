//! The kind of bucket, chosen when the worker runs.

use std::ops::Range;

use worker::Env;

use super::r2::R2Bucket;
use super::{Bucket, BucketError, Condition, List, Object, Page};
use crate::errors::Problem;

/// The bucket of a deployment.
#[derive(Clone)]
pub(crate) enum AnyBucket {
    /// The platform's own.
    R2(R2Bucket),
}

impl AnyBucket {
    /// The bucket that an environment is configured with.
    pub(crate) fn open(env: &Env) -> Result<Self, Problem> {
        Ok(Self::R2(R2Bucket::new(env.bucket("BUCKET")?)))
    }
}

impl Bucket for AnyBucket {
    async fn put(&self, key: &str, bytes: Vec<u8>, condition: Condition) -> Result<String, BucketError> {
        match self {
            Self::R2(bucket) => bucket.put(key, bytes, condition).await,
        }
    }

    async fn get(&self, key: &str, range: Option<Range<u64>>) -> Result<Option<Object>, BucketError> {
        match self {
            Self::R2(bucket) => bucket.get(key, range).await,
        }
    }

    async fn list(&self, list: List<'_>) -> Result<Page, BucketError> {
        match self {
            Self::R2(bucket) => bucket.list(list).await,
        }
    }

    async fn delete(&self, keys: &[String]) -> Result<(), BucketError> {
        match self {
            Self::R2(bucket) => bucket.delete(keys).await,
        }
    }
}
