//! Compaction: segments become one block that answers every query as they did.
//!
//! Rows stay as they were pushed; symbols are stored once for each family (a service and a group of types that share
//! tables, such as the four of a heap profile).

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::dedup::counting;
use super::reads::{Reads, damaged};
use super::{CatalogObject, Get, PlanError};
use crate::builder::ProfileBuilder;
use crate::labels::SERVICE_NAME;
use crate::profile_type::ProfileType;
use crate::store::{
    BlockWriter, ChunkEntry, Counted, DatasetWriter, DecodedChunk, Directory, ObjectKey, Part, StoreError, Taken,
    copy_tables, decode_chunk, table_bytes,
};

/// Tables of a family beyond this go into a dataset of their own: 8 MiB. See [`super::MAX_JOB_BYTES`].
const MAX_TABLE_BYTES: usize = 8 << 20;

/// Reads segments whole and writes a block.
pub struct CompactPlan {
    sources: Vec<Source>,
    reads: Reads<usize>,
    output: ObjectKey,
}

struct Source {
    object: CatalogObject,
    counts: Vec<bool>,
    arrival_millis: i64,
    bytes: Vec<u8>,
}

/// A block to be put into the bucket.
#[derive(Debug)]
pub struct CompactOutput {
    /// Its name.
    pub key: String,
    /// The object.
    pub bytes: Vec<u8>,
    /// Its directory, for the catalog.
    pub directory: Directory,
    /// How many profiles it holds.
    pub profiles: u64,
    /// How many chunks were left out because a client had sent them twice.
    pub duplicates: u64,
}

/// A service and a group of types.
type Family = (String, String);

/// A chunk by index of source and place.
type ChunkPlace = (usize, usize);

impl CompactPlan {
    /// Plans to compact `sources`. `neighbours` are blocks that may have counted some of their chunks (see
    /// [`super::CompactJob`]); `unique` makes the output's name unique.
    pub fn new(sources: Vec<CatalogObject>, neighbours: &[CatalogObject], unique: u64) -> Result<Self, PlanError> {
        let all: Vec<&CatalogObject> = sources.iter().chain(neighbours).collect();
        let counts = counting(&all)?;
        let mut reads = Reads::new();
        let mut planned = Vec::with_capacity(sources.len());
        for (object, counts) in sources.into_iter().zip(counts) {
            let arrival_millis = object.key.parse::<ObjectKey>()?.millis;
            if object.level != 0 {
                return Err(PlanError::NotASegment(object.key));
            }
            reads.add(&object.key, vec![(Part { offset: 0, len: object.size }, planned.len())]);
            planned.push(Source { object, counts, arrival_millis, bytes: Vec::new() });
        }
        let keys = planned.iter().map(|s| s.object.key.parse::<ObjectKey>()).collect::<Result<Vec<_>, _>>()?;
        let first = keys.into_iter().min_by_key(|key| key.millis).ok_or(PlanError::NoSources)?;
        Ok(Self { sources: planned, reads, output: ObjectKey { level: 1, unique, ..first } })
    }

    /// What is still needed: each source, whole.
    pub fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    /// Takes what was asked for.
    pub fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (_, at, bytes) in self.reads.take(get, bytes)? {
            self.sources[at].bytes = bytes.to_vec();
        }
        Ok(())
    }

    /// Writes the block, when nothing is wanted any more.
    pub fn finish(self) -> Result<CompactOutput, PlanError> {
        self.reads.finished()?;
        let mut writer = BlockWriter::new().map_err(PlanError::Output)?;
        for (family, mut chunks) in self.families() {
            // In order of time, so that pages cover short spans.
            chunks.sort_by_key(|&place| {
                let chunk = self.chunk(place);
                (chunk.series.iter().map(|s| s.time).min(), chunk.id, place)
            });
            self.write_family(&mut writer, &family, &chunks)?;
        }
        let counted = self.sources.iter().flat_map(|source| {
            let chunks = source.object.directory.chunks().iter().zip(&source.counts).filter(|(_, counts)| **counts);
            chunks.map(|(chunk, _)| Counted { id: chunk.id, arrival_millis: source.arrival_millis })
        });
        let duplicates = self.sources.iter().flat_map(|s| &s.counts).filter(|counts| !**counts).count() as u64;
        let (bytes, directory) = writer.finish(counted.collect()).map_err(PlanError::Output)?;
        let profiles = directory.datasets().iter().map(|d| d.profiles).sum();
        Ok(CompactOutput { key: self.output.to_string(), bytes, directory, profiles, duplicates })
    }

    fn chunk(&self, (source, place): ChunkPlace) -> &ChunkEntry {
        &self.sources[source].object.directory.chunks()[place]
    }

    /// The chunks that count, by family; a chunk with several families is in each of them.
    fn families(&self) -> BTreeMap<Family, Vec<ChunkPlace>> {
        let mut families: BTreeMap<Family, Vec<ChunkPlace>> = BTreeMap::new();
        for (s, source) in self.sources.iter().enumerate() {
            let directory = &source.object.directory;
            for (place, chunk) in directory.chunks().iter().enumerate().filter(|(place, _)| source.counts[*place]) {
                for series in &chunk.series {
                    let labels = &directory.label_sets[series.labels as usize];
                    let name = &directory.types[series.profile_type as usize].name;
                    let family = (labels.get(SERVICE_NAME).unwrap_or("").to_owned(), name.clone());
                    let chunks = families.entry(family).or_default();
                    if chunks.last() != Some(&(s, place)) {
                        chunks.push((s, place));
                    }
                }
            }
        }
        families
    }

    fn write_family(&self, writer: &mut BlockWriter, family: &Family, chunks: &[ChunkPlace]) -> Result<(), PlanError> {
        let mut open = OpenFamily::default();
        for &place in chunks {
            let (source, chunk) = (&self.sources[place.0], self.chunk(place));
            let add = |open: &mut OpenFamily, writer: &mut BlockWriter| {
                let decoded = decode(family, &source.bytes, chunk)?;
                if table_bytes(open.tables.profile()) + table_bytes(&decoded.tables) > MAX_TABLE_BYTES {
                    std::mem::take(open).close(writer)?;
                }
                open.add(writer, decoded)
            };
            add(&mut open, writer).map_err(damaged(&source.object.key, chunk.part()))?;
        }
        open.close(writer).map_err(PlanError::Output)
    }
}

/// Reads what belongs to a family out of a chunk of a segment.
fn decode((service, name): &Family, object: &[u8], chunk: &ChunkEntry) -> Result<DecodedChunk, StoreError> {
    let (needed, found) = (chunk.offset.saturating_add(chunk.len), object.len() as u64);
    if needed > found {
        return Err(StoreError::Length { section: "segment", needed, found });
    }
    let bytes = &object[chunk.offset as usize..needed as usize];
    let decoded = decode_chunk(bytes, |_, series| {
        series.labels.get(SERVICE_NAME).unwrap_or("") == service && series.profile_type.name == *name
    })?;
    if decoded.id != chunk.id {
        let problem = "another chunk stands here than the directory says";
        return Err(StoreError::Corrupt { section: "chunk", offset: 0, problem });
    }
    Ok(decoded)
}

/// Datasets that share tables, while they grow.
#[derive(Default)]
struct OpenFamily {
    tables: ProfileBuilder,
    datasets: Vec<DatasetWriter>,
    index: HashMap<ProfileType, usize>,
}

impl OpenFamily {
    fn add(&mut self, writer: &mut BlockWriter, chunk: DecodedChunk) -> Result<(), StoreError> {
        let DecodedChunk { period, tables, series, .. } = chunk;
        let stacks = copy_tables(&tables, &mut self.tables);
        for (series, rows) in series {
            let at = *self.index.entry(series.profile_type.clone()).or_insert_with(|| {
                self.datasets.push(DatasetWriter::new(series.profile_type.clone()));
                self.datasets.len() - 1
            });
            let rows = rows.into_iter().map(|(stack, value)| (stack.map(|s| stacks[s.index()]), value));
            let taken = Taken { time: series.time, duration_nanos: series.duration_nanos, period };
            writer.add(&mut self.datasets[at], &series.labels, taken, rows)?;
        }
        Ok(())
    }

    fn close(self, writer: &mut BlockWriter) -> Result<(), StoreError> {
        if self.datasets.is_empty() { Ok(()) } else { writer.push(self.tables.profile(), self.datasets) }
    }
}
