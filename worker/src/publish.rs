//! Writes the catalog of one of a tenant's objects into the bucket, for readers that have nothing else.
//!
//! Parts first, then the head, in the place of the one that was there when it began. Whoever dies on the way leaves parts that
//! no head names; the tenant's object knows their names beforehand and lets them go when the next one begins.

use pilotlight_core::UnixNanos;
use pilotlight_core::store::{CatalogHead, CatalogPart, CatalogRow, Directory, encode_catalog_part, head_key};

use crate::bucket::{Bucket, Condition};
use crate::errors::Problem;
use crate::tenant::{Head, Row, Shard, TenantClient, Transport};

/// Highest state of a head that can be one of ours: numbers go over JavaScript, which keeps them exact up to 2^53.
const MAX_STATE: u64 = 1 << 52;

/// Publishes what has changed; gives the number of days that have.
pub(crate) async fn publish(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    now: i64,
) -> Result<usize, Problem> {
    let key = head_key(&shard.tenant, shard.number);
    let there = bucket.get(&key, None).await?;
    // One that cannot be read is replaced like any other, and what it named is swept.
    let head = there.as_ref().and_then(|object| CatalogHead::decode(&object.bytes).ok());
    let head = head.filter(|head| head.state <= MAX_STATE).unwrap_or_default();
    let found = Head { state: head.state as i64, parts: names(&head.parts) };
    let Some(publication) = client.begin_publication(&found).await? else { return Ok(0) };

    let (token, unique) = (publication.token, publication.unique);
    let mut parts: Vec<CatalogPart> = head.parts.into_iter().filter(|part| !publication.days.contains(&part.day)).collect();
    for &day in &publication.days {
        let rows = client.of_day(token, day).await?;
        if !rows.is_empty() {
            let (part, bytes) = part(day, unique, rows)?;
            bucket.put(&part.key(&shard.tenant, shard.number), bytes, Condition::None).await?;
            parts.insert(parts.partition_point(|before| before.day < day), part);
        }
    }
    let published = Head { state: token, parts: names(&parts) };
    match there {
        // A tenant that has nothing is not to be seen in the bucket.
        Some(_) if parts.is_empty() => bucket.delete(&[key]).await?,
        None if parts.is_empty() => {}
        there => {
            let condition = there.map_or(Condition::Absent, |object| Condition::Matches(object.etag));
            let head = CatalogHead { state: token as u64, written: UnixNanos::from_millis(now), parts };
            bucket.put(&key, head.encode().map_err(Problem::internal)?, condition).await?;
        }
    }
    client.end_publication(&published).await?;
    Ok(publication.days.len())
}

fn part(day: i64, unique: u64, rows: Vec<(Row, Vec<u8>)>) -> Result<(CatalogPart, Vec<u8>), Problem> {
    let mut span = None;
    let mut of_day = Vec::with_capacity(rows.len());
    for (row, directory) in rows {
        let decoded = Directory::decode(&directory).map_err(|e| Problem::internal(format!("{}: {e}", row.key)))?;
        if let Some((first, last)) = decoded.min_time().zip(decoded.max_time()) {
            let (min, max) = span.unwrap_or((first, last));
            span = Some((first.min(min), last.max(max)));
        }
        of_day.push(CatalogRow { key: row.key, size: row.size, directory });
    }
    let (min_time, max_time) = span.unwrap_or_default();
    let bytes = encode_catalog_part(&of_day).map_err(Problem::internal)?;
    Ok((CatalogPart { day, unique, objects: of_day.len() as u64, min_time, max_time }, bytes))
}

fn names(parts: &[CatalogPart]) -> Vec<(i64, u64)> {
    parts.iter().map(|part| (part.day, part.unique)).collect()
}
