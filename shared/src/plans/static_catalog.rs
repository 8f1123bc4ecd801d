//! The catalog for a reader that has nothing but the bucket: the head, then the parts that a range needs.

use super::plan::{CatalogObject, PlanError};
use crate::base::units::TimeRange;
use crate::store::{CatalogHead, CatalogPart, Directory, ObjectKey, StoreError, Tenant, decode_catalog_part};

/// Names of the parts whose objects may touch a range.
pub fn static_parts(head: &CatalogHead, range: TimeRange, tenant: &Tenant, shard: u16) -> Vec<String> {
    let touches = |part: &&CatalogPart| range.touches(part.min_time, part.max_time);
    head.parts.iter().filter(touches).map(|part| part.key(tenant, shard)).collect()
}

/// The objects of parts that touch a range; each part with its name.
pub fn static_catalog<'a>(
    parts: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    range: TimeRange,
) -> Result<Vec<CatalogObject>, PlanError> {
    let mut objects = Vec::new();
    for (name, bytes) in parts {
        let damaged = |source: StoreError| PlanError::Damaged { key: name.to_owned(), offset: 0, source };
        for row in decode_catalog_part(bytes).map_err(damaged)? {
            let directory = Directory::decode(&row.directory).map_err(damaged)?;
            let span = directory.min_time().zip(directory.max_time());
            if span.is_some_and(|(first, last)| range.touches(first, last)) {
                let level = row.key.parse::<ObjectKey>()?.level;
                objects.push(CatalogObject { key: row.key, level, size: row.size, directory });
            }
        }
    }
    Ok(objects)
}
