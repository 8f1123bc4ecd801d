//! The bucket: objects are written once, read in ranges, listed and deleted, whoever keeps them.
//!
//! [`Bucket`] is what each kind of bucket does, [`AnyBucket`] the choice among them at run time;
//! [`read_all`], [`list_all`] and [`tenants`] are what we do with one.

mod any;
pub(crate) mod contract;
pub(crate) mod drive;
#[cfg(test)]
pub(crate) mod memory;
mod metered;
mod r2;
pub(crate) mod record;
pub(crate) mod s3;
pub(crate) mod shared_object;

use std::ops::Range;

use futures_util::{StreamExt, stream::FuturesUnordered};
use pilotlight_core::{plans::Get, store::TenantId};
use thiserror::Error;

use crate::platform::CONNECTIONS;
use crate::platform::errors::Problem;
pub(crate) use any::AnyBucket;
pub(crate) use metered::Metered;

/// Most pages of the tenant list that are read: 10 of 1,000.
const TENANT_PAGES: usize = 10;

/// Most names on a page of a list, and most objects deleted at once.
pub(crate) const MAX_PAGE: usize = 1_000;

/// A bucket. Objects are written once; those of the catalog are replaced conditionally.
pub(crate) trait Bucket: Clone + 'static {
    /// Writes an object and gives its entity tag. Under a condition that does not hold:
    /// `BucketError::Precondition`.
    async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        condition: Condition,
    ) -> Result<String, BucketError>;

    /// Reads a range of an object (`None`: all of it); `None` when there is no such object.
    async fn get(
        &self,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<Option<Object>, BucketError>;

    /// Lists names with a prefix in order, at most 1,000 a page, beginning after the name or token
    /// `after`; with a delimiter, names are cut behind it.
    async fn list(&self, list: List<'_>) -> Result<Page, BucketError>;

    /// Deletes objects, at most 1,000; those that are not there are no error.
    async fn delete(&self, keys: &[String]) -> Result<(), BucketError>;
}

/// Under which an object is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Whatever is there.
    None,
    /// Only when there is no object of that name.
    Absent,
    /// Only over the object with this entity tag.
    Matches(String),
}

/// What was read of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    /// The range asked for, as far as the object has it.
    pub(crate) bytes: Vec<u8>,
    /// What tells this state of the object from others.
    pub(crate) etag: String,
    /// Length of the whole object.
    pub(crate) size: u64,
}

/// Which names are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct List<'a> {
    /// How they begin.
    pub(crate) prefix: &'a str,
    /// Behind which, after the prefix, they are cut.
    pub(crate) delimiter: Option<&'a str>,
    /// Where to go on: [`Page::next`].
    pub(crate) after: Option<&'a str>,
}

/// A page of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// Objects, in order of name.
    pub(crate) objects: Vec<Listed>,
    /// Names that were cut, each once, in order.
    pub(crate) prefixes: Vec<String>,
    /// How to go on, `None` at the end.
    pub(crate) next: Option<String>,
}

/// An object in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) key: String,
    pub(crate) size: u64,
    pub(crate) uploaded_millis: i64,
}

/// Why a bucket did not do what it was asked.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum BucketError {
    /// The condition of a write does not hold.
    #[error("{key} has changed since it was read, or already exists")]
    Precondition { key: String },
    /// It does not let us: credentials, a wrong request. The same again will not help.
    #[error("the bucket rejected the request: {message}")]
    Refused { message: String },
    /// The network, the bucket's own trouble, too many requests: worth trying again.
    #[error("the bucket is unavailable: {message}")]
    Unavailable { message: String },
    /// An answer that is not understood.
    #[error("invalid response from the bucket: {message}")]
    Invalid { message: String },
}

impl From<BucketError> for Problem {
    fn from(error: BucketError) -> Self {
        match error {
            BucketError::Precondition { .. } => Self::new(409, "aborted", error),
            BucketError::Unavailable { .. } => Self::unavailable(error),
            BucketError::Refused { .. } | BucketError::Invalid { .. } => Self::misconfigured(error),
        }
    }
}

/// Most bytes that are read at once, unless a single range has more: 16 MiB. They are in memory
/// twice on their way into WASM, which has 128 MB in all.
const MAX_OUTSTANDING: u64 = 16 << 20;

/// Reads ranges, a few at a time, and hands each over as it comes.
pub(crate) async fn read_all(
    bucket: &impl Bucket,
    gets: Vec<Get>,
    mut provide: impl FnMut(&Get, &[u8]) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let (mut waiting, mut reads, mut outstanding) =
        (gets.into_iter().peekable(), FuturesUnordered::new(), 0);
    loop {
        let fits = |get: &Get, open: usize, outstanding: u64| {
            open == 0 || open < CONNECTIONS && outstanding + get.length <= MAX_OUTSTANDING
        };
        while let Some(get) = waiting.next_if(|get| fits(get, reads.len(), outstanding)) {
            outstanding += get.length;
            reads.push(async move {
                let bytes = read(bucket, &get).await?;
                Ok::<_, Problem>((get, bytes))
            });
        }
        let Some(read) = reads.next().await else {
            return Ok(());
        };
        let (get, bytes) = read?;
        outstanding -= get.length;
        provide(&get, &bytes)?;
    }
}

/// Reads what a plan wants.
pub(crate) async fn get_part(
    bucket: &impl Bucket,
    get: &Get,
) -> Result<Option<Object>, BucketError> {
    bucket
        .get(
            &get.key,
            Some(get.offset..get.offset.saturating_add(get.length)),
        )
        .await
}

async fn read(bucket: &impl Bucket, get: &Get) -> Result<Vec<u8>, Problem> {
    match get_part(bucket, get).await? {
        Some(object) => Ok(object.bytes),
        // Compacted and deleted while the query ran for longer than the grace period: it has
        // another name by now.
        None => Err(
            Problem::unavailable(format!("object {} was deleted; try again", get.key))
                .about(&get.key),
        ),
    }
}

/// All objects whose names begin so, in order of name.
pub(crate) async fn list_all(
    bucket: &impl Bucket,
    prefix: &str,
) -> Result<Vec<Listed>, BucketError> {
    let (mut objects, mut after) = (Vec::new(), None::<String>);
    loop {
        let page = bucket
            .list(List {
                prefix,
                delimiter: None,
                after: after.as_deref(),
            })
            .await?;
        objects.extend(page.objects);
        after = page.next;
        if after.is_none() {
            return Ok(objects);
        }
    }
}

/// The tenants that have objects, in order of name; at most some thousands.
pub(crate) async fn tenants(bucket: &impl Bucket) -> Result<Vec<TenantId>, Problem> {
    let (mut tenants, mut after) = (Vec::new(), None::<String>);
    for _ in 0..TENANT_PAGES {
        let list = List {
            prefix: "t/",
            delimiter: Some("/"),
            after: after.as_deref(),
        };
        let page = bucket.list(list).await?;
        // Other names under t/ are none of ours.
        tenants.extend(
            page.prefixes
                .iter()
                .filter_map(|p| p.strip_prefix("t/")?.strip_suffix('/')?.parse().ok()),
        );
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    Ok(tenants)
}
