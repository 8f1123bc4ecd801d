//! What a compaction reads: a source, what it has of a group, and which parts of it a block needs.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::labels::SERVICE_NAME;
use crate::plans::plan::CatalogObject;
use crate::store::{
    BlockLayout, Dataset, Directory, PageEntry, PageKind, Part, StoreError, SumScope, SumWindow,
};

/// A service and a group of types.
pub(super) type DatasetGroup = (String, String);

/// What a source has of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// The chunk at this place.
    Chunk(usize),
    /// The datasets at these places, which share these symbols.
    Datasets(Part, Vec<usize>),
}

/// An object that becomes a part of a block.
pub(super) struct Source {
    pub(super) object: CatalogObject,
    pub(super) arrival_millis: i64,
    /// What was read of it.
    pub(super) parts: BTreeMap<Part, Vec<u8>>,
}

/// The group of a series.
pub(super) fn group_of(directory: &Directory, labels: u32, profile_type: u32) -> DatasetGroup {
    let service = directory.label_sets[labels as usize]
        .get(SERVICE_NAME)
        .unwrap_or("");
    (
        service.to_owned(),
        directory.types[profile_type as usize].name.clone(),
    )
}

impl Source {
    /// Bytes of a part that was provided.
    pub(super) fn part(&self, part: Part) -> Result<&[u8], StoreError> {
        let missing = StoreError::Length {
            section: "part of a source",
            needed: part.len,
            found: 0,
        };
        self.parts.get(&part).map(Vec::as_slice).ok_or(missing)
    }

    /// How many segments it is or was made of.
    pub(super) fn segments(&self) -> u64 {
        self.object
            .directory
            .block()
            .map_or(1, |block| block.segments)
    }
}

impl Input {
    /// Where it is, for messages.
    pub(super) fn part(&self, directory: &Directory) -> Part {
        match self {
            Self::Chunk(place) => directory.chunks()[*place].part(),
            Self::Datasets(symbols, _) => *symbols,
        }
    }

    /// The parts of its source that a block of a layout is made from. A page that datasets have in
    /// common comes once for each.
    pub(super) fn parts(&self, directory: &Directory, layout: BlockLayout) -> Vec<Part> {
        match self {
            Self::Chunk(place) => {
                let chunk = &directory.chunks()[*place];
                let links = chunk.links.filter(|_| layout.raw);
                [chunk.part()].into_iter().chain(links).collect()
            }
            Self::Datasets(symbols, places) => {
                let datasets = places.iter().map(|&place| &directory.datasets()[place]);
                datasets
                    .flat_map(|dataset| pages(dataset, layout))
                    .chain([*symbols])
                    .collect()
            }
        }
    }

    /// How large what it becomes may be: what datasets have in common counts for each, since they
    /// may differ later.
    pub(super) fn bytes(&self, directory: &Directory, layout: BlockLayout) -> u64 {
        length(self.parts(directory, layout).into_iter())
    }
}

/// Whether a dataset is over as many stacks as its directory says, so that its rows find theirs.
pub(super) fn check_stacks(dataset: &Dataset, count: usize) -> Result<(), StoreError> {
    if dataset.stacks == count as u64 {
        return Ok(());
    }
    let problem = "the number of stacks doesn't match the directory";
    Err(StoreError::Corrupt {
        section: "symbols",
        offset: 0,
        problem,
    })
}

/// Pages, what they are, and which sums of a new block they go into (`None`: all).
type Feed<'a> = (&'a [PageEntry], PageKind, Option<SumScope>);

/// What is needed of a dataset for a block with the profiles themselves, or for one of sums: those
/// of hours where there are all of them.
pub(super) fn feeds(dataset: &Dataset, layout: BlockLayout) -> Vec<Feed<'_>> {
    let to = if layout.by_series() || layout.raw {
        None
    } else {
        Some(SumScope::All)
    };
    let profiles = vec![(dataset.pages.as_slice(), PageKind::Raw, to)];
    let (all, each) = (
        dataset.sums(SumWindow::Hour, SumScope::All),
        dataset.sums(SumWindow::Hour, SumScope::Series),
    );
    match (all, each) {
        _ if layout.raw => profiles,
        (Some(all), _) if to.is_some() || dataset.series.len() == 1 => {
            vec![(&all.pages, PageKind::Sums, to)]
        }
        (Some(all), Some(each)) => {
            vec![
                (&all.pages, PageKind::Sums, Some(SumScope::All)),
                (&each.pages, PageKind::Sums, Some(SumScope::Series)),
            ]
        }
        _ => profiles,
    }
}

/// How many bytes of an object go into a block of nothing but sums, counted as those of a
/// partition. It is asked of every segment that is written, so groups are not told apart for it.
pub(super) fn day_bytes(directory: &Directory) -> u64 {
    let chunks = directory.chunks().iter().map(|chunk| chunk.part());
    let mut symbols = BTreeSet::new();
    symbols.extend(directory.datasets().iter().map(|dataset| dataset.symbols));
    length(
        directory
            .datasets()
            .iter()
            .flat_map(|dataset| pages(dataset, BlockLayout::DAY))
            .chain(symbols)
            .chain(chunks),
    )
}

/// What is read of a dataset beside its symbols.
fn pages(dataset: &Dataset, layout: BlockLayout) -> impl Iterator<Item = Part> {
    let links = if layout.raw {
        dataset.links.as_slice()
    } else {
        &[]
    };
    feeds(dataset, layout)
        .into_iter()
        .flat_map(|(pages, ..)| pages)
        .chain(links)
        .map(|page| page.part)
}

fn length(parts: impl Iterator<Item = Part>) -> u64 {
    parts.fold(0, |sum, part| sum.saturating_add(part.len))
}
