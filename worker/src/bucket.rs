//! The bucket: objects are written once, read in ranges and deleted.

use futures_util::{StreamExt, stream};
use pilotlight_core::{
    plans::Get,
    store::{ObjectKey, Tenant as TenantId},
};
use worker::{Bucket, Range};

use crate::clock;
use crate::errors::Problem;

/// Reads open at once: the platform opens six connections a request and lets further ones wait.
const READS_AT_ONCE: usize = 6;

/// Most pages of the tenant list that are read: 10 of 1,000.
const TENANT_PAGES: usize = 10;

/// A fresh name for an object of `level` whose writing began at `millis`.
pub(crate) fn object_key(tenant: &TenantId, level: u8, millis: i64) -> ObjectKey {
    ObjectKey { tenant: tenant.clone(), shard: 0, level, millis, unique: clock::random() }
}

/// Writes an object under a name that is new.
pub(crate) async fn put(bucket: &Bucket, key: &str, bytes: Vec<u8>) -> Result<(), Problem> {
    bucket.put(key, bytes).execute().await?;
    Ok(())
}

/// Reads ranges, a few at a time, and hands each over as it comes.
pub(crate) async fn read_all(
    bucket: &Bucket,
    gets: Vec<Get>,
    mut provide: impl FnMut(&Get, &[u8]) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut reads = stream::iter(gets)
        .map(|get| async move {
            let bytes = read(bucket, &get).await?;
            Ok::<_, Problem>((get, bytes))
        })
        .buffer_unordered(READS_AT_ONCE);
    while let Some(read) = reads.next().await {
        let (get, bytes) = read?;
        provide(&get, &bytes)?;
    }
    Ok(())
}

async fn read(bucket: &Bucket, get: &Get) -> Result<Vec<u8>, Problem> {
    let range = Range::OffsetWithLength { offset: get.offset, length: get.length };
    let object = bucket.get(&get.key).range(range).execute().await?;
    match object.as_ref().and_then(worker::Object::body) {
        Some(body) => Ok(body.bytes().await?),
        // Compacted and deleted while the query ran for longer than the grace period: it has another name by now.
        None => Err(Problem::unavailable(format!("object {} is gone; ask again", get.key))),
    }
}

/// The tenants that have objects, in order of name; at most some thousands.
pub(crate) async fn tenants(bucket: &Bucket) -> Result<Vec<TenantId>, Problem> {
    let (mut tenants, mut cursor) = (Vec::new(), None::<String>);
    for _ in 0..TENANT_PAGES {
        let mut list = bucket.list().prefix("t/").delimiter("/");
        if let Some(cursor) = cursor.take() {
            list = list.cursor(cursor);
        }
        let page = list.execute().await?;
        let names = page.delimited_prefixes();
        // Other names under t/ are none of ours.
        tenants.extend(names.iter().filter_map(|p| p.strip_prefix("t/")?.strip_suffix('/')?.parse().ok()));
        cursor = page.cursor();
        if cursor.is_none() || !page.truncated() {
            break;
        }
    }
    Ok(tenants)
}
