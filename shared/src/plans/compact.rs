//! Compaction: objects become one block that answers every query as they did.
//!
//! | level | of | holds |
//! |---|---|---|
//! | 1 | segments | every profile, sums of minutes |
//! | 2 | blocks of level 1 | every profile, sums of minutes and hours |
//! | 3 | blocks of level 1 or 2 | sums of hours and days; its sources stay beside it |
//!
//! Symbols are stored once for each family (a service and a group of types that share tables, such as the four of a heap
//! profile). Rows of profiles stay as they were pushed. The same sources give the same bytes.
//!
//! A job may leave out deleted profiles, and rewrite a single block for that alone.

use std::collections::{BTreeMap, BTreeSet};

use super::family::{Family, OpenFamily, Piece, family_of};
use super::reads::{Reads, damaged};
use super::{CatalogObject, Deletion, Get, PlanError};
use crate::sort::sort_by;
use crate::store::{
    BlockWriter, Contents, Counted, Dataset, Directory, Ids, ObjectKey, PageEntry, PageKind, Part, Scope, Shape, StoreError,
    Window, read_ids,
};

/// Largest gap read along with what is needed: 1 MiB. So a job over 12 MiB takes some tens of requests beyond one for each
/// source, however many datasets stand in them.
const MAX_GAP: u64 = 1 << 20;

/// Reads what is needed of its sources and writes a block.
pub struct CompactPlan {
    pub(super) sources: Vec<Source>,
    pub(super) shape: Shape,
    level: u8,
    token: u64,
    deletions: Vec<Deletion>,
    reads: Reads<usize>,
    output: ObjectKey,
}

pub(super) struct Source {
    pub(super) object: CatalogObject,
    arrival_millis: i64,
    parts: BTreeMap<Part, Vec<u8>>,
}

/// A block to be put into the bucket.
#[derive(Debug)]
pub struct CompactOutput {
    /// Its name.
    pub key: String,
    /// Its level.
    pub level: u8,
    /// The object.
    pub bytes: Vec<u8>,
    /// Its directory, for the catalog.
    pub directory: Directory,
    /// How many profiles it holds or sums up.
    pub profiles: u64,
}

impl CompactPlan {
    /// Plans to make a block of `level` out of `sources` (see [`super::CompactJob`]). `token` is that of the lease, and
    /// `unique` makes the output's name unique.
    pub fn new(sources: Vec<CatalogObject>, level: u8, token: u64, unique: u64) -> Result<Self, PlanError> {
        Self::without(sources, level, token, unique, Vec::new())
    }

    /// The same without deleted profiles: out of segments, or out of one block of the same level. What only they had of
    /// symbols goes too; which chunks were counted stays known.
    pub fn without(
        sources: Vec<CatalogObject>,
        level: u8,
        token: u64,
        unique: u64,
        deletions: Vec<Deletion>,
    ) -> Result<Self, PlanError> {
        let (mut keyed, rewrite) = (Vec::with_capacity(sources.len()), !deletions.is_empty());
        let single = rewrite && sources.len() == 1;
        for object in sources {
            let fits = match (&object.directory.contents, level) {
                (Contents::Segment(_), 1) => object.level == 0,
                (Contents::Block(_), 1 | 2) if rewrite => single && object.level == level,
                (Contents::Block(_), 3) if rewrite => false,
                (Contents::Block(_), 2) => object.level == 1,
                (Contents::Block(_), 3) => matches!(object.level, 1 | 2),
                _ => false,
            };
            if !fits {
                return Err(PlanError::Level { key: object.key, level });
            }
            keyed.push((object.key.parse::<ObjectKey>()?, object));
        }
        sort_by(&mut keyed, |a, b| (a.0.millis, &a.1.key).cmp(&(b.0.millis, &b.1.key)));
        let output = keyed.first().map(|(key, _)| ObjectKey { level, unique, ..key.clone() });
        let (Some(output), Some(shape)) = (output, Shape::of_level(level)) else { return Err(PlanError::NoSources) };
        let mut reads = Reads::with_gap(MAX_GAP);
        let mut sources = Vec::with_capacity(keyed.len());
        for (key, object) in keyed {
            reads.add(&object.key, needs(&object.directory, level).into_iter().map(|part| (part, sources.len())).collect());
            sources.push(Source { object, arrival_millis: key.millis, parts: BTreeMap::new() });
        }
        Ok(Self { sources, shape, level, token, deletions, reads, output })
    }

    /// What is still needed.
    pub fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    /// Takes what was asked for.
    pub fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (part, at, bytes) in self.reads.take(get, bytes)? {
            self.sources[at].parts.insert(part, bytes.to_vec());
        }
        Ok(())
    }

    /// Writes the block, when nothing is wanted any more.
    pub fn finish(self) -> Result<CompactOutput, PlanError> {
        self.reads.finished()?;
        let counted = self.counted()?;
        let mut writer = BlockWriter::new(self.shape).map_err(PlanError::Output)?;
        for (family, pieces) in self.families() {
            let mut open = OpenFamily::new(family, self.shape, &self.deletions);
            for (source, piece) in pieces {
                let (source, part) = (&self.sources[source], piece.part(&self.sources[source].object.directory));
                open.add(&mut writer, source, piece).map_err(damaged(&source.object.key, part))?;
            }
            open.close(&mut writer).map_err(PlanError::Output)?;
        }
        let names = self.sources.into_iter().map(|source| source.object.key).collect();
        let (made_of, sums_of) = if self.shape.raw { (names, Vec::new()) } else { (Vec::new(), names) };
        let ids = Ids { counted, made_of };
        let (bytes, directory) = writer.finish(self.token, &ids, sums_of).map_err(PlanError::Output)?;
        let profiles = directory.datasets().iter().fold(0, |sum: u64, d| sum.saturating_add(d.profiles));
        Ok(CompactOutput { key: self.output.to_string(), level: self.level, bytes, directory, profiles })
    }

    /// The chunks that went into the sources, with their arrivals.
    fn counted(&self) -> Result<Vec<Counted>, PlanError> {
        let mut counted = Vec::new();
        // A block of sums replaces nothing, so it has counted nothing.
        for source in self.sources.iter().filter(|_| self.shape.raw) {
            let (directory, arrival_millis) = (&source.object.directory, source.arrival_millis);
            counted.extend(directory.chunks().iter().map(|chunk| Counted { id: chunk.id, arrival_millis }));
            if let Some(part) = directory.block().and_then(|block| block.ids) {
                counted.extend(source.part(part).and_then(read_ids).map_err(damaged(&source.object.key, part))?.counted);
            }
        }
        Ok(counted)
    }

    /// What there is of each family, in the order in which it is written: chunks in order of time, so that pages cover short
    /// spans; datasets in order of arrival, which is about the same.
    fn families(&self) -> BTreeMap<Family, Vec<(usize, Piece)>> {
        let mut families: BTreeMap<Family, Vec<(usize, Piece)>> = BTreeMap::new();
        for (s, source) in self.sources.iter().enumerate() {
            let directory = &source.object.directory;
            for (place, chunk) in directory.chunks().iter().enumerate() {
                for series in &chunk.series {
                    let chunks = families.entry(family_of(directory, series.labels, series.profile_type)).or_default();
                    if chunks.last() != Some(&(s, Piece::Chunk(place))) {
                        chunks.push((s, Piece::Chunk(place)));
                    }
                }
            }
            for (place, dataset) in directory.datasets().iter().enumerate() {
                let Some(&labels) = dataset.series.first() else { continue };
                let pieces = families.entry(family_of(directory, labels, dataset.profile_type)).or_default();
                match pieces.last_mut() {
                    // Datasets over the same tables are read together.
                    Some((of, Piece::Datasets(symbols, places))) if *of == s && *symbols == dataset.symbols => {
                        places.push(place);
                    }
                    _ => pieces.push((s, Piece::Datasets(dataset.symbols, vec![place]))),
                }
            }
        }
        for pieces in families.values_mut() {
            let key = |(s, piece): &(usize, Piece)| match piece {
                Piece::Chunk(place) => {
                    let chunk = &self.sources[*s].object.directory.chunks()[*place];
                    (chunk.series.iter().map(|s| s.time).min(), chunk.id, *s, *place)
                }
                Piece::Datasets(..) => (None, Default::default(), *s, 0),
            };
            sort_by(pieces, |a, b| key(a).cmp(&key(b)));
        }
        families
    }
}

impl Source {
    /// Bytes of a part that was provided.
    pub(super) fn part(&self, part: Part) -> Result<&[u8], StoreError> {
        let missing = StoreError::Length { section: "part of a source", needed: part.len, found: 0 };
        self.parts.get(&part).map(Vec::as_slice).ok_or(missing)
    }
}

/// Pages, what they are, and which sums of a new block they go into (`None`: all).
type Feed<'a> = (&'a [PageEntry], PageKind, Option<Scope>);

/// What is needed of a dataset for a block with the profiles themselves, or for one of sums: those of hours where there are
/// all of them.
pub(super) fn feeds(dataset: &Dataset, raw: bool) -> Vec<Feed<'_>> {
    let profiles = vec![(dataset.pages.as_slice(), PageKind::Raw, None)];
    let (all, each) = (dataset.sums(Window::Hour, Scope::All), dataset.sums(Window::Hour, Scope::Series));
    match (all, each) {
        _ if raw => profiles,
        (Some(all), _) if dataset.series.len() == 1 => vec![(&all.pages, PageKind::Sums, None)],
        (Some(all), Some(each)) => {
            vec![(&all.pages, PageKind::Sums, Some(Scope::All)), (&each.pages, PageKind::Sums, Some(Scope::Series))]
        }
        _ => profiles,
    }
}

/// The parts of a source that a block of `level` is made from.
fn needs(directory: &Directory, level: u8) -> BTreeSet<Part> {
    let mut parts = BTreeSet::new();
    parts.extend(directory.chunks().iter().map(|chunk| chunk.part()));
    let has_raw = Shape::of_level(level).is_some_and(|shape| shape.raw);
    for dataset in directory.datasets() {
        parts.insert(dataset.symbols);
        parts.extend(feeds(dataset, has_raw).into_iter().flat_map(|(pages, ..)| pages).map(|page| page.part));
    }
    parts.extend(directory.block().and_then(|block| block.ids).filter(|_| has_raw));
    parts
}

/// How many bytes of an object a block of `level` is made from: what a job over it holds in memory.
pub(super) fn needed_bytes(directory: &Directory, level: u8) -> u64 {
    needs(directory, level).iter().fold(0, |sum, part| sum.saturating_add(part.len))
}
