//! The catalog for a reader that has nothing but the bucket: the days that it found there.

use super::plan::{CatalogObject, PlanError};
use crate::base::units::TimeRange;
use crate::store::{CatalogDay, Directory, ObjectKey, StoreError};

/// The objects of days that touch a range; each day as its name and its bytes.
pub fn static_catalog<'a>(
    days: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    range: TimeRange,
) -> Result<Vec<CatalogObject>, PlanError> {
    let mut objects = Vec::new();
    for (name, bytes) in days {
        let damaged = |source: StoreError| PlanError::Damaged {
            key: name.to_owned(),
            offset: 0,
            source,
        };
        for row in CatalogDay::decode(bytes).map_err(damaged)?.rows {
            let directory = Directory::decode(&row.directory).map_err(damaged)?;
            let span = directory.min_time().zip(directory.max_time());
            if span.is_some_and(|(first, last)| range.touches(first, last)) {
                let level = row.key.parse::<ObjectKey>()?.level;
                objects.push(CatalogObject {
                    key: row.key,
                    level,
                    size: row.size,
                    directory,
                });
            }
        }
    }
    Ok(objects)
}
