//! How a job is divided: into shares, each of which becomes a block.
//!
//! A job over the blocks of a busy hour or day has more than fits into memory. So it is done service by service, each
//! share being some families that are neighbours in order of name; one family that is too large by itself is divided by its
//! sources. The same sources always give the same shares.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3;

use super::input::{Family, Piece, family_of};
use crate::base::sort::sort_by;
use crate::store::{BlockLayout, Directory, Level};

/// A share of a day reads four times as much as it holds at once, 48 MiB: its output is small, because the sums of 24 hours
/// become one. That takes some eight seconds of CPU, where a worker has thirty.
const DAY_SHARES: u64 = 4;

/// A family, and what of it stands where: places of sources and pieces.
pub(super) type Gathered = (Family, Vec<(usize, Piece)>);

/// The shares of a job that makes blocks of `level` out of sources in order of arrival. Profiles out of segments are put
/// in order of time, so those are not divided; nor is a block that is rewritten.
pub(super) fn shares(sources: &[&Directory], level: Level, shape: BlockLayout, share_bytes: u64) -> Vec<Vec<Gathered>> {
    let most = match level {
        _ if sources.len() == 1 || sources.iter().any(|source| source.block().is_none()) => u64::MAX,
        Level::Day => share_bytes.saturating_mul(DAY_SHARES),
        _ => share_bytes,
    };
    let (mut shares, mut open, mut open_bytes) = (Vec::new(), Vec::new(), 0u64);
    for (family, pieces) in families(sources) {
        for (run, bytes) in runs(sources, pieces, shape, most) {
            if !open.is_empty() && bytes.saturating_add(open_bytes) > most {
                shares.push(std::mem::take(&mut open));
                open_bytes = 0;
            }
            open_bytes = open_bytes.saturating_add(bytes);
            open.push((family.clone(), run));
        }
    }
    if !open.is_empty() || shares.is_empty() {
        shares.push(open);
    }
    shares
}

/// Tells one division from another: two that are equal have equal digests.
pub(super) fn digest(shares: &[Vec<Gathered>]) -> u64 {
    let mut hash = Xxh3::new();
    for share in shares {
        hash.update(&(share.len() as u64).to_le_bytes());
        for ((service, name), pieces) in share {
            for text in [service, name] {
                hash.update(&(text.len() as u64).to_le_bytes());
                hash.update(text.as_bytes());
            }
            hash.update(&(pieces.len() as u64).to_le_bytes());
            pieces.iter().for_each(|(source, _)| hash.update(&(*source as u64).to_le_bytes()));
        }
    }
    hash.digest()
}

/// Divides the pieces of a family between sources, so that one source's are together, and counts their bytes.
fn runs(
    sources: &[&Directory],
    pieces: Vec<(usize, Piece)>,
    shape: BlockLayout,
    most: u64,
) -> Vec<(Vec<(usize, Piece)>, u64)> {
    let mut runs: Vec<(Vec<(usize, Piece)>, u64)> = Vec::new();
    for of_source in pieces.chunk_by(|a, b| a.0 == b.0) {
        let bytes = of_source.iter().fold(0u64, |sum, (s, piece)| sum.saturating_add(piece.bytes(sources[*s], shape)));
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

/// What there is of each family, in the order in which it is written: chunks in order of time, so that pages cover short
/// spans; datasets in order of arrival, which is about the same.
fn families(sources: &[&Directory]) -> BTreeMap<Family, Vec<(usize, Piece)>> {
    let mut families: BTreeMap<Family, Vec<(usize, Piece)>> = BTreeMap::new();
    for (s, directory) in sources.iter().enumerate() {
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
                let chunk = &sources[*s].chunks()[*place];
                (chunk.series.iter().map(|s| s.time).min(), chunk.id, *s, *place)
            }
            Piece::Datasets(..) => (None, Default::default(), *s, 0),
        };
        sort_by(pieces, |a, b| key(a).cmp(&key(b)));
    }
    families
}
