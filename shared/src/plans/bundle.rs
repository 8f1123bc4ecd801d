//! A bundle: the objects and the catalog of profiles that are all there, made at once. They answer
//! as if the profiles had been pushed and compacted. The same profiles give the same bytes, in
//! whatever order they come.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use super::compact::{CompactOutput, CompactPlan, CompactTask, MAX_PARTITION_BYTES};
use super::counted_chunks::CountedChunks;
use super::plan::{CatalogObject, Plan, PlanError};
use crate::base::units::UnixNanos;
use crate::store::{
    CatalogDay, CatalogRow, Level, ObjectKey, SegmentWriter, TenantId, arrival_day, catalog_key,
    chunk_head,
};

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// A file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleFile {
    /// Its name, as in a bucket.
    pub key: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Blocks and summaries of chunks, one of each for every day, and their catalog, which is last.
pub fn bundle(chunks: Vec<Vec<u8>>) -> Result<Vec<BundleFile>, PlanError> {
    let mut days: BTreeMap<i64, Vec<Vec<u8>>> = BTreeMap::new();
    for chunk in chunks {
        let head = chunk_head(&chunk).map_err(PlanError::Output)?;
        let first = head.series.iter().map(|series| series.time).min();
        // Names have no times before the epoch.
        let day = arrival_day(first.map_or(0, UnixNanos::millis).max(0));
        days.entry(day).or_default().push(chunk);
    }
    let mut writer = BundleWriter::default();
    for (day, mut chunks) in days {
        chunks.sort_unstable();
        let (segment, bytes) = segment(day, &chunks)?;
        let bytes = BTreeMap::from([(segment.key.as_str(), bytes.as_slice())]);
        for output in compacted(std::slice::from_ref(&segment), &bytes, Level::Minutes)? {
            writer.add(output)?;
        }
    }
    writer.finish()
}

/// All chunks of a day as a segment, each counted once.
fn segment(day: i64, chunks: &[Vec<u8>]) -> Result<(CatalogObject, Vec<u8>), PlanError> {
    let mut writer = SegmentWriter::new();
    for chunk in chunks {
        writer.push(chunk).map_err(PlanError::Output)?;
    }
    let (bytes, mut directory) = writer.finish().map_err(PlanError::Output)?;
    let millis = day * DAY;
    let ids = directory.chunks().iter().map(|chunk| chunk.id);
    let counts = CountedChunks::default().count(ids, millis);
    directory.keep_chunks(&counts);
    let key = ObjectKey {
        tenant: TenantId::anonymous(),
        shard: 0,
        level: Level::Segment,
        millis,
        unique: 0,
    };
    let object = CatalogObject {
        key: key.to_string(),
        level: Level::Segment,
        size: bytes.len() as u64,
        directory,
    };
    Ok((object, bytes))
}

/// Blocks made of sources whose bytes are here.
fn compacted(
    sources: &[CatalogObject],
    bytes: &BTreeMap<&str, &[u8]>,
    level: Level,
) -> Result<Vec<CompactOutput>, PlanError> {
    let mut outputs = Vec::new();
    loop {
        let partition = outputs.len() as u32;
        let task = CompactTask {
            level,
            token: 0,
            // Names come from the content.
            unique: 0,
            partition,
            partition_bytes: MAX_PARTITION_BYTES,
        };
        let mut plan = CompactPlan::new(sources.to_vec(), task)?;
        let count = plan.partition().count;
        loop {
            let wants = plan.wants();
            if wants.is_empty() {
                break;
            }
            for get in wants {
                let part = bytes.get(get.key.as_str()).and_then(|object| {
                    let start = usize::try_from(get.offset).ok()?;
                    let end = start.checked_add(usize::try_from(get.length).ok()?)?;
                    object.get(start..end.min(object.len()))
                });
                plan.provide(&get, part.unwrap_or_default())?;
            }
        }
        outputs.push(plan.finish()?);
        if outputs.len() as u32 == count {
            return Ok(outputs);
        }
    }
}

/// Gathers blocks of profiles. At the end each day of them gets its sums, and all a catalog.
#[derive(Default)]
pub(super) struct BundleWriter {
    /// By day of arrival.
    blocks: BTreeMap<i64, Vec<CatalogObject>>,
    files: BTreeMap<String, Vec<u8>>,
}

impl BundleWriter {
    /// Adds a block.
    pub(super) fn add(&mut self, output: CompactOutput) -> Result<(), PlanError> {
        let day = arrival_day(output.key.parse::<ObjectKey>()?.millis);
        let object = self.keep(output)?;
        self.blocks.entry(day).or_default().push(object);
        Ok(())
    }

    /// Names an object by its content, whoever it is of: where a bundle replaces another, no cache
    /// has other bytes under the name.
    fn keep(&mut self, output: CompactOutput) -> Result<CatalogObject, PlanError> {
        let mut name = ObjectKey {
            tenant: TenantId::anonymous(),
            shard: 0,
            unique: xxh3_64(&output.bytes),
            ..output.key.parse()?
        };
        // Equal profiles may have come in two objects.
        while self.files.contains_key(&name.to_string()) {
            name.unique = name.unique.wrapping_add(1);
        }
        let object = CatalogObject {
            key: name.to_string(),
            level: output.level,
            size: output.bytes.len() as u64,
            directory: output.directory,
        };
        self.files.insert(object.key.clone(), output.bytes);
        Ok(object)
    }

    /// All files, the catalog last.
    pub(super) fn finish(mut self) -> Result<Vec<BundleFile>, PlanError> {
        let mut objects = Vec::new();
        for (_, blocks) in std::mem::take(&mut self.blocks) {
            let files = blocks.iter().filter_map(|block| {
                let bytes = self.files.get(&block.key)?;
                Some((block.key.as_str(), bytes.as_slice()))
            });
            let sums = compacted(&blocks, &files.collect(), Level::Day)?;
            objects.extend(blocks);
            for output in sums {
                objects.push(self.keep(output)?);
            }
        }
        objects.sort_by(|a, b| a.key.cmp(&b.key));
        let rows = objects.into_iter().map(|object| {
            Ok(CatalogRow {
                directory: object.directory.encode().map_err(PlanError::Output)?,
                key: object.key,
                size: object.size,
            })
        });
        let catalog = CatalogDay {
            written: UnixNanos(0),
            rows: rows.collect::<Result<_, PlanError>>()?,
        };
        let mut files: Vec<BundleFile> = self
            .files
            .into_iter()
            .map(|(key, bytes)| BundleFile { key, bytes })
            .collect();
        files.push(BundleFile {
            key: catalog_key(&TenantId::anonymous(), 0, 0),
            bytes: catalog.encode().map_err(PlanError::Output)?,
        });
        Ok(files)
    }
}
