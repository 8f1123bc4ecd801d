//! A bundle: the objects and the catalog of profiles that are all there, made at once. They answer
//! as if the profiles had been pushed and compacted. The same profiles give the same bytes, in
//! whatever order they come.

use std::collections::BTreeMap;

use super::compact::{CompactOutput, CompactPlan, CompactTask, MAX_PARTITION_BYTES};
use super::dedup::CountedChunks;
use super::plan::{CatalogObject, Plan, PlanError};
use crate::base::units::UnixNanos;
use crate::store::{
    CatalogDay, CatalogRow, Level, ObjectKey, SegmentWriter, StoreError, TenantId, arrival_day,
    catalog_key, chunk_head,
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
        let day = arrival_day(first.map_or(0, UnixNanos::millis));
        days.entry(day).or_default().push(chunk);
    }
    let (mut files, mut rows) = (Vec::new(), Vec::new());
    for (day, mut chunks) in days {
        chunks.sort_unstable();
        let segment = segment(day, &chunks)?;
        let mut blocks = Vec::new();
        for output in compacted(vec![segment.0], &segment.1, Level::Minutes)? {
            blocks.push(add(output, &mut files, &mut rows)?);
        }
        let bytes = |key: &str| files.iter().find(|file: &&BundleFile| file.key == key);
        let sources: BTreeMap<String, Vec<u8>> = blocks
            .iter()
            .filter_map(|block| Some((block.key.clone(), bytes(&block.key)?.bytes.clone())))
            .collect();
        for output in compacted(blocks, &sources, Level::Day)? {
            add(output, &mut files, &mut rows)?;
        }
    }
    rows.sort_by(|a: &CatalogRow, b| a.key.cmp(&b.key));
    let written = UnixNanos(0);
    let catalog = CatalogDay { written, rows };
    files.push(BundleFile {
        key: catalog_key(&TenantId::anonymous(), 0, 0),
        bytes: catalog.encode().map_err(PlanError::Output)?,
    });
    Ok(files)
}

/// All chunks of a day as a segment, each counted once.
fn segment(
    day: i64,
    chunks: &[Vec<u8>],
) -> Result<(CatalogObject, BTreeMap<String, Vec<u8>>), PlanError> {
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
    let bytes = BTreeMap::from([(object.key.clone(), bytes)]);
    Ok((object, bytes))
}

/// Blocks made of sources whose bytes are here.
fn compacted(
    sources: Vec<CatalogObject>,
    bytes: &BTreeMap<String, Vec<u8>>,
    level: Level,
) -> Result<Vec<CompactOutput>, PlanError> {
    let mut outputs = Vec::new();
    loop {
        let partition = outputs.len() as u32;
        let mut plan = CompactPlan::new(
            sources.clone(),
            CompactTask {
                level,
                token: 0,
                unique: partition.into(),
                partition,
                partition_bytes: MAX_PARTITION_BYTES,
            },
        )?;
        let count = plan.partition().count;
        loop {
            let wants = plan.wants();
            if wants.is_empty() {
                break;
            }
            for get in wants {
                let part = bytes.get(&get.key).and_then(|object| {
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

/// Takes a block into the bundle; gives it as a source of further ones.
fn add(
    output: CompactOutput,
    files: &mut Vec<BundleFile>,
    rows: &mut Vec<CatalogRow>,
) -> Result<CatalogObject, PlanError> {
    let encoded = |error: StoreError| PlanError::Output(error);
    rows.push(CatalogRow {
        key: output.key.clone(),
        size: output.bytes.len() as u64,
        directory: output.directory.encode().map_err(encoded)?,
    });
    let object = CatalogObject {
        key: output.key.clone(),
        level: output.level,
        size: output.bytes.len() as u64,
        directory: output.directory,
    };
    files.push(BundleFile {
        key: output.key,
        bytes: output.bytes,
    });
    Ok(object)
}
