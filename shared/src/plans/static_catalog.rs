//! The catalog for a reader that has nothing but the bucket: the days that it found there.

use std::collections::BTreeMap;

use serde::Serialize;

use super::plan::{CatalogObject, Get, Plan, PlanError};
use crate::base::units::{TimeRange, UnixNanos};
use crate::store::{CatalogDay, Directory, ObjectKey, StoreError};

/// Days of a published catalog, as they come.
#[derive(Default)]
pub struct StaticCatalog {
    /// By name: those of a day and a shard, as bytes.
    days: BTreeMap<String, Vec<u8>>,
}

/// A range of an object that is to be read.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Want {
    /// Name of the object in the bucket.
    pub key: String,
    /// First byte.
    pub offset: u64,
    /// How many.
    pub length: u64,
    /// How many bytes the object has.
    pub size: u64,
}

/// The length of each object.
#[derive(Default)]
pub struct ObjectSizes(BTreeMap<String, u64>);

impl StaticCatalog {
    /// Adds a day, or replaces the one of this name. Gives when it was written.
    pub fn add_day(&mut self, name: &str, bytes: &[u8]) -> Result<UnixNanos, PlanError> {
        let day = CatalogDay::decode(bytes).map_err(|source| PlanError::Damaged {
            key: name.to_owned(),
            offset: 0,
            source,
        })?;
        self.days.insert(name.to_owned(), bytes.to_vec());
        Ok(day.written)
    }

    /// The objects that touch a range.
    pub fn objects(&self, range: TimeRange) -> Result<Vec<CatalogObject>, PlanError> {
        let days = self.days.iter();
        static_catalog(
            days.map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
            range,
        )
    }
}

impl ObjectSizes {
    /// Of these objects.
    pub fn of(objects: &[CatalogObject]) -> Self {
        let objects = objects.iter();
        Self(
            objects
                .map(|object| (object.key.clone(), object.size))
                .collect(),
        )
    }

    /// What plans still want to read, each once.
    pub fn wants(&self, plans: &[&dyn Plan]) -> Vec<Want> {
        let mut gets: Vec<Get> = plans.iter().flat_map(|plan| plan.wants()).collect();
        gets.sort_unstable();
        gets.dedup();
        let want = |get: Get| Want {
            size: self.0.get(&get.key).copied().unwrap_or(0),
            key: get.key,
            offset: get.offset,
            length: get.length,
        };
        gets.into_iter().map(want).collect()
    }
}

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
