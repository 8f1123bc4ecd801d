//! The kind of bucket, chosen when the worker runs.

use std::ops::Range;

use worker::Env;

use super::r2::R2Bucket;
use super::s3::config::Backend;
use super::s3::{Fetch, S3Bucket};
use super::{Bucket, BucketError, Condition, List, Object, Page};
use crate::platform::errors::Problem;

/// The bucket of a deployment.
#[derive(Clone)]
pub(crate) enum AnyBucket {
    /// The platform's own.
    R2(R2Bucket),
    /// Behind an S3 endpoint.
    S3(S3Bucket<Fetch>),
}

impl AnyBucket {
    /// The bucket that an environment is configured with.
    pub(crate) fn open(env: &Env) -> Result<Self, Problem> {
        Ok(match Backend::of(env).map_err(Problem::internal)? {
            Backend::R2 => Self::R2(R2Bucket::new(env.bucket("BUCKET")?)),
            Backend::S3(config) => Self::S3(S3Bucket::new(*config, Fetch)),
        })
    }
}

impl Bucket for AnyBucket {
    async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        condition: Condition,
    ) -> Result<String, BucketError> {
        match self {
            Self::R2(bucket) => bucket.put(key, bytes, condition).await,
            Self::S3(bucket) => bucket.put(key, bytes, condition).await,
        }
    }

    async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<Option<Object>, BucketError> {
        match self {
            Self::R2(bucket) => bucket.get(key, range).await,
            Self::S3(bucket) => bucket.get(key, range).await,
        }
    }

    async fn list(&self, list: List<'_>) -> Result<Page, BucketError> {
        match self {
            Self::R2(bucket) => bucket.list(list).await,
            Self::S3(bucket) => bucket.list(list).await,
        }
    }

    async fn delete(&self, keys: &[String]) -> Result<(), BucketError> {
        match self {
            Self::R2(bucket) => bucket.delete(keys).await,
            Self::S3(bucket) => bucket.delete(keys).await,
        }
    }
}
