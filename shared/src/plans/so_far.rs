//! The sums of an hour that is not over ([`SO_FAR`]): when they are made, and which queries they answer.
//!
//! A query for the last hour read a dozen blocks, each with nearly all stacks that its services have, and merged those a dozen
//! times. The sums have them once.

use super::CatalogObject;
use super::job::{CompactJob, HOUR_MILLIS, Keyed, MAX_JOB_BYTES, fitting, is_able, is_over, job, spans};
use super::query::{is_whole, selects};
use crate::model::profile_type::ProfileType;
use crate::selector::Selector;
use crate::store::{ObjectKey, SO_FAR};

/// The sums so far of an hour that is not over are made anew once so many blocks have come since: 4, in less than a minute
/// of a busy tenant. A query for the last hour reads those sums, at most three blocks and what is in segments.
const MIN_NEW_BLOCKS: usize = 4;

/// Sums so far that have more bytes stay as they are: 4 MiB, some 40 services. Reading and writing them takes a second.
pub(super) const MAX_SO_FAR_BYTES: u64 = 4 << 20;

/// Whether the sums of an hour that is not over ([`SO_FAR`]) among `objects` answer a query: those are over all series of a
/// service. Otherwise the blocks that they stand for must.
pub fn sums_so_far_suffice(selector: &Selector, profile_type: &ProfileType, objects: &[CatalogObject]) -> bool {
    objects.iter().filter(|object| object.level == SO_FAR).all(|object| {
        let directory = &object.directory;
        let of_type = directory.types.iter().position(|t| t == profile_type);
        let mut datasets = directory.datasets().iter().filter(|d| Some(d.profile_type as usize) == of_type);
        datasets.all(|dataset| {
            let selected = selects(selector, profile_type, directory, dataset);
            is_whole(&selected) || !selected.contains(&true)
        })
    })
}

/// The one of a job's sources, in order of arrival, whose time is in the name of its output: the first; of sums so far the last,
/// which tells what they stand for.
pub fn named_after<T>(level: u8, sources: &[T]) -> Option<&T> {
    if level == SO_FAR { sources.last() } else { sources.first() }
}

/// Sums so far, and the blocks of the hour that they do not have yet, up to the first that no job may take; when there are so
/// many times as many of those as make it due.
pub(super) fn so_far(sums: &[&Keyed], blocks: &[&Keyed], now: i64, times: usize) -> Option<CompactJob> {
    let due = |hour: &[&Keyed]| {
        let has = |(of, _): &&&Keyed| is_same_hour(of.millis, hour[0].0.millis);
        let before: Vec<&Keyed> = sums.iter().filter(has).copied().collect();
        let new = hour.iter().filter(|(key, _)| !is_in(sums, key)).take_while(|(_, object)| is_able(object));
        let new: Vec<&Keyed> = new.copied().collect();
        let small = before.iter().map(|(_, object)| object.size).sum::<u64>() <= MAX_SO_FAR_BYTES;
        let due = small && new.len() >= times * MIN_NEW_BLOCKS;
        due.then(|| job(SO_FAR, &[before.as_slice(), fitting(&new, MAX_JOB_BYTES, |object| object.size)].concat()))
    };
    spans(blocks, HOUR_MILLIS).filter(|hour| !is_over(hour, HOUR_MILLIS, 0, now)).find_map(due)
}

/// Whether sums so far have a block of level 1: it arrived in their hour, until the time in their name.
pub(super) fn is_in(sums: &[&Keyed], block: &ObjectKey) -> bool {
    sums.iter().any(|(of, _)| is_same_hour(of.millis, block.millis) && block.millis <= of.millis)
}

fn is_same_hour(a: i64, b: i64) -> bool {
    a.div_euclid(HOUR_MILLIS) == b.div_euclid(HOUR_MILLIS)
}

#[cfg(test)]
mod tests {
    use super::super::job::tests::{check, object};
    use super::super::{MAX_FAILURES, MAX_SHARE_BYTES, ObjectSummary};
    use super::*;

    #[test]
    fn sums_so_far() {
        let blocks: Vec<_> = (0..20).map(|at| object(1, at, MAX_SHARE_BYTES)).collect();
        check(&blocks[..MIN_NEW_BLOCKS], 100, Some((SO_FAR, &[0, 1, 2, 3])));
        check(&blocks[..MIN_NEW_BLOCKS - 1], 100, None);
        check(&blocks[..MIN_NEW_BLOCKS], HOUR_MILLIS, None);
        // With those before, whose name has the time until which they reach.
        let with = |sums: &[i64], blocks: &[ObjectSummary]| -> Vec<ObjectSummary> {
            blocks.iter().cloned().chain(sums.iter().map(|&until| object(SO_FAR, until, 1))).collect()
        };
        check(&with(&[5], &blocks[..12]), 100, Some((SO_FAR, &[5, 6, 7, 8, 9, 10, 11])));
        check(&with(&[8], &blocks[..12]), 100, None);
        check(&with(&[-HOUR_MILLIS], &blocks[..6]), 100, Some((SO_FAR, &[0, 1, 2, 3, 4, 5])));
        // Not beyond what no job may take.
        let mut set_aside = blocks[..14].to_vec();
        set_aside[7].failures = MAX_FAILURES;
        check(&set_aside, 100, Some((SO_FAR, &[0, 1, 2, 3, 4, 5, 6])));
        check(&with(&[3], &set_aside), 100, None);
        set_aside[2].failures = MAX_FAILURES;
        check(&set_aside, 100, None);
        // Damaged sums are made anew from the blocks.
        let mut damaged = with(&[11], &blocks[..12]);
        damaged[12].failures = MAX_FAILURES;
        check(&damaged, 100, Some((SO_FAR, &(0..12).collect::<Vec<_>>())));
    }
}
