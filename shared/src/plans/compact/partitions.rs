//! How a job is divided: into partitions, each of which becomes a block.
//!
//! A job over the blocks of a busy hour or day has more than fits into memory. So it is done
//! service by service, each partition being some groups that are neighbours in order of name; one
//! group that is too large by itself is divided by its sources. The same sources always give the
//! same partitions.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3;

use super::input::{DatasetGroup, Input, group_of};
use crate::base::sort::sort_by;
use crate::store::{BlockLayout, Directory, Level};

/// A partition of a day reads four times as much as it holds at once, 48 MiB: its output is small,
/// because the sums of 24 hours become one. That takes some eight seconds of CPU, where a worker
/// has thirty.
const DAY_PARTITIONS: u64 = 4;

/// A group, and what of it stands where: places of sources and inputs.
pub(super) type Gathered = (DatasetGroup, Vec<(usize, Input)>);

/// The partitions of a job that makes blocks of `level` out of sources in order of arrival.
/// Profiles out of segments are put in order of time, so those are not divided; nor is a block that
/// is rewritten.
pub(super) fn partitions(
    sources: &[&Directory],
    level: Level,
    layout: BlockLayout,
    partition_bytes: u64,
) -> Vec<Vec<Gathered>> {
    let most = match level {
        _ if sources.len() == 1 || sources.iter().any(|source| source.block().is_none()) => {
            u64::MAX
        }
        Level::Day => partition_bytes.saturating_mul(DAY_PARTITIONS),
        _ => partition_bytes,
    };
    let (mut partitions, mut open, mut open_bytes) = (Vec::new(), Vec::new(), 0u64);
    for (group, inputs) in groups(sources) {
        for (run, bytes) in runs(sources, inputs, layout, most) {
            if !open.is_empty() && bytes.saturating_add(open_bytes) > most {
                partitions.push(std::mem::take(&mut open));
                open_bytes = 0;
            }
            open_bytes = open_bytes.saturating_add(bytes);
            open.push((group.clone(), run));
        }
    }
    if !open.is_empty() || partitions.is_empty() {
        partitions.push(open);
    }
    partitions
}

/// Tells one partitioning from another: two that are equal have equal digests.
pub(super) fn digest(partitions: &[Vec<Gathered>]) -> u64 {
    let mut hash = Xxh3::new();
    for partition in partitions {
        hash.update(&(partition.len() as u64).to_le_bytes());
        for ((service, name), inputs) in partition {
            for text in [service, name] {
                hash.update(&(text.len() as u64).to_le_bytes());
                hash.update(text.as_bytes());
            }
            hash.update(&(inputs.len() as u64).to_le_bytes());
            inputs
                .iter()
                .for_each(|(source, _)| hash.update(&(*source as u64).to_le_bytes()));
        }
    }
    hash.digest()
}

/// Divides the inputs of a group between sources, so that one source's are together, and counts
/// their bytes.
fn runs(
    sources: &[&Directory],
    inputs: Vec<(usize, Input)>,
    layout: BlockLayout,
    most: u64,
) -> Vec<(Vec<(usize, Input)>, u64)> {
    let mut runs: Vec<(Vec<(usize, Input)>, u64)> = Vec::new();
    for of_source in inputs.chunk_by(|a, b| a.0 == b.0) {
        let bytes = of_source.iter().fold(0u64, |sum, (s, input)| {
            sum.saturating_add(input.bytes(sources[*s], layout))
        });
        match runs.last_mut() {
            Some((run, sum)) if sum.saturating_add(bytes) <= most => {
                run.extend_from_slice(of_source);
                *sum += bytes;
            }
            _ => runs.push((of_source.to_vec(), bytes)),
        }
    }
    runs
}

/// What there is of each group, in the order in which it is written: chunks in order of time, so
/// that pages cover short spans; datasets in order of arrival, which is about the same.
fn groups(sources: &[&Directory]) -> BTreeMap<DatasetGroup, Vec<(usize, Input)>> {
    let mut groups: BTreeMap<DatasetGroup, Vec<(usize, Input)>> = BTreeMap::new();
    for (s, directory) in sources.iter().enumerate() {
        for (place, chunk) in directory.chunks().iter().enumerate() {
            for series in &chunk.series {
                let chunks = groups
                    .entry(group_of(directory, series.labels, series.profile_type))
                    .or_default();
                if chunks.last() != Some(&(s, Input::Chunk(place))) {
                    chunks.push((s, Input::Chunk(place)));
                }
            }
        }
        for (place, dataset) in directory.datasets().iter().enumerate() {
            let Some(&labels) = dataset.series.first() else {
                continue;
            };
            let inputs = groups
                .entry(group_of(directory, labels, dataset.profile_type))
                .or_default();
            match inputs.last_mut() {
                // Datasets over the same tables are read together.
                Some((of, Input::Datasets(symbols, places)))
                    if *of == s && *symbols == dataset.symbols =>
                {
                    places.push(place);
                }
                _ => inputs.push((s, Input::Datasets(dataset.symbols, vec![place]))),
            }
        }
    }
    for inputs in groups.values_mut() {
        let key = |(s, input): &(usize, Input)| match input {
            Input::Chunk(place) => {
                let chunk = &sources[*s].chunks()[*place];
                (
                    chunk.series.iter().map(|s| s.time).min(),
                    chunk.id,
                    *s,
                    *place,
                )
            }
            Input::Datasets(..) => (None, Default::default(), *s, 0),
        };
        sort_by(inputs, |a, b| key(a).cmp(&key(b)));
    }
    groups
}
