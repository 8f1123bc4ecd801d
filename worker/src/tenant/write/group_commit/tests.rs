//! Group commit without a clock: who drives, who hears, what is shared by senders of several kinds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::*;
use crate::tenant::write::retry_window::WINDOW_MILLIS;

const BATCH_BYTES: usize = 1_000;
const PENDING_BYTES: usize = 4_000;

fn group() -> GroupCommit<u32> {
    group_of(BATCH_BYTES)
}

fn group_of(bytes: usize) -> GroupCommit<u32> {
    GroupCommit::new(Flush {
        millis: 6_000,
        bytes,
        pending: bytes.max(PENDING_BYTES),
    })
}

fn id(n: u32) -> Id {
    let mut id = [0; 16];
    id[..4].copy_from_slice(&n.to_le_bytes());
    id
}

/// Offers chunk `n` of `bytes` for waiter `waiter`.
fn offer(group: &mut GroupCommit<u32>, n: u32, bytes: usize, waiter: u32, now: i64) -> Offered {
    group.offer(id(n), &mut vec![0; bytes], waiter, now)
}

/// Senders that each wait for their answer, beside a fleet of processes that do not: how many
/// batches are written in so many milliseconds, and how many chunks the senders got through.
fn simulate(senders: u32, fleet: u32, length: i64) -> (u32, u32) {
    const INTERVAL: i64 = 15_000;
    const WAY: i64 = 20;
    const WRITE: i64 = 60;
    let (mut group, start) = (group_of(1 << 30), 1_790_000_000_000);
    let moment = |who: u32| i64::from(who.wrapping_mul(0x9e37_79b9) >> 8) % INTERVAL;
    // Who pushes when.
    let fleet = (senders..senders + fleet).map(|who| Reverse((start + moment(who), who)));
    let mut due: BinaryHeap<_> = (0..senders)
        .map(|who| Reverse((start, who)))
        .chain(fleet)
        .collect();
    let (mut batches, mut through, mut next_id) = (0, 0, 0);
    // When the driver looks again at what gathers, and when what it writes is there.
    let (mut looks, mut lands) = (None, None);
    loop {
        let push = due.peek().map(|Reverse((at, _))| *at);
        let now = [push, looks, lands].into_iter().flatten().min();
        let now = now.filter(|now| *now < start + length);
        let Some(now) = now else {
            return (batches, through);
        };
        if push == Some(now)
            && let Some(Reverse((_, who))) = due.pop()
        {
            next_id += 1;
            if let Offered::Waits(Next::Drive | Next::Hasten) =
                offer(&mut group, next_id, 1, who, now)
                && lands.is_none()
            {
                looks = Some(now);
            }
            if who >= senders {
                due.push(Reverse((now + INTERVAL, who)));
            }
        } else if lands == Some(now) {
            for who in group
                .finish(true, now)
                .into_iter()
                .filter(|who| *who < senders)
            {
                through += 1;
                due.push(Reverse((now + WAY, who)));
            }
            (looks, lands) = (Some(now), None);
        } else {
            looks = match group.gathers(now) {
                0 => None,
                millis => Some(now + i64::from(millis)),
            };
            if looks.is_none() && !group.take().is_empty() {
                batches += 1;
                lands = Some(now + WRITE);
            }
        }
    }
}

#[test]
fn who_waits_for_each_answer_is_answered_at_once() {
    // 110 ms each, for the way, the write and 30 ms; a second each half minute.
    let (batches, through) = simulate(1, 0, 600_000);
    assert!((5_000..=5_400).contains(&through), "{through}");
    assert!(batches - through <= 1, "{through} in {batches}");
    // Many at a time share their writes.
    let (batches, through) = simulate(24, 0, 600_000);
    assert!((5_000..=5_400).contains(&batches), "{batches}");
    assert!(through >= 24 * (batches - 1), "{through} in {batches}");
    // Where a fleet pushes, they wait with it.
    let (batches, through) = simulate(5, 100, 3_600_000);
    assert_eq!(through, 5 * batches);
    assert_eq!(batches, 745, "as before there were closed loops");
}

/// Counted before there were closed loops.
#[test]
fn a_fleet_that_does_not_wait_shares_as_before() {
    for (fleet, expect) in [
        (3, 720),
        (10, 742),
        (15, 510),
        (30, 631),
        (100, 726),
        (1_000, 779),
    ] {
        let (batches, _) = simulate(0, fleet, 3_600_000);
        assert_eq!(batches, expect, "{fleet} processes");
    }
}

#[test]
fn one_drives_and_all_hear() {
    let mut group = group();
    assert_eq!(
        offer(&mut group, 1, 10, 1, 1_000),
        Offered::Waits(Next::Drive)
    );
    assert_eq!(
        offer(&mut group, 2, 10, 2, 1_050),
        Offered::Waits(Next::Nothing)
    );
    assert_eq!(group.gathers(1_050), 50, "counted from the first chunk");
    assert_eq!(group.take().len(), 2);
    assert_eq!(
        offer(&mut group, 3, 10, 3, 1_300),
        Offered::Waits(Next::Nothing),
        "gathers for the next batch"
    );
    assert_eq!(group.finish(true, 1_400), [1, 2]);
    assert_eq!(group.take().len(), 1);
    assert_eq!(group.finish(true, 1_500), [3]);
    assert_eq!(group.take().len(), 0);
    assert_eq!(
        offer(&mut group, 4, 10, 4, 1_600),
        Offered::Waits(Next::Drive),
        "the driver had stopped"
    );
}

#[test]
fn a_retry_waits_for_the_same_write_and_is_kept_once() {
    let mut group = group();
    offer(&mut group, 1, 10, 1, 0);
    assert_eq!(
        offer(&mut group, 1, 10, 2, 1),
        Offered::Joins,
        "not acknowledged early"
    );
    assert_eq!(group.take().len(), 1);
    assert_eq!(
        offer(&mut group, 1, 10, 3, 2),
        Offered::Joins,
        "also while it is being written"
    );
    assert_eq!(group.finish(true, 3), [1, 2, 3]);
    assert_eq!(offer(&mut group, 1, 10, 4, 4), Offered::Durable);
    assert_eq!(
        offer(&mut group, 1, 10, 4, WINDOW_MILLIS + 60_000),
        Offered::Waits(Next::Nothing),
        "the flush window has an end"
    );
}

#[test]
fn a_failed_batch_is_forgotten() {
    let mut group = group();
    offer(&mut group, 1, 10, 1, 0);
    group.take();
    assert_eq!(group.finish(false, 1), [1]);
    assert_eq!(group.take().len(), 0);
    assert_eq!(offer(&mut group, 1, 10, 2, 2), Offered::Waits(Next::Drive));
}

#[test]
fn memory_is_bounded() {
    let mut group = group();
    assert_eq!(
        offer(&mut group, 1, PENDING_BYTES + 1, 1, 0),
        Offered::Waits(Next::Drive),
        "alone, any size goes"
    );
    assert_eq!(offer(&mut group, 2, 1, 2, 0), Offered::Full);
    group.take();
    assert_eq!(
        offer(&mut group, 2, 1, 2, 0),
        Offered::Full,
        "what is being written counts"
    );
    group.finish(true, 1);
    assert_eq!(offer(&mut group, 2, 1, 2, 2), Offered::Waits(Next::Nothing));
}

#[test]
fn a_full_batch_does_not_wait() {
    let mut group = group();
    offer(&mut group, 1, 10, 1, 0);
    assert_eq!(
        offer(&mut group, 2, BATCH_BYTES, 2, 0),
        Offered::Waits(Next::Hasten)
    );
    assert_eq!(
        offer(&mut group, 3, 10, 3, 0),
        Offered::Waits(Next::Nothing),
        "said once"
    );
    assert_eq!(group.gathers(0), 0);
}

#[test]
fn a_clock_set_back_does_not_prolong() {
    let mut group = group();
    offer(&mut group, 1, 10, 1, 1_000_000);
    assert_eq!(group.gathers(0), 100);
    assert_eq!(group.gathers(2_000_000), 0);
}

#[test]
fn under_load_a_batch_gathers_longer() {
    let mut group = group();
    let mut windows = Vec::new();
    for second in 0..60 {
        offer(&mut group, second, 10, second, i64::from(second) * 1_000);
        windows.push(group.gathers(i64::from(second) * 1_000));
        group.take();
        group.finish(true, i64::from(second) * 1_000 + 50);
    }
    assert_eq!(
        [
            windows[0],
            windows[19],
            windows[29],
            windows[39],
            windows[59]
        ],
        [100, 100, 3_050, 6_000, 6_000]
    );
    // What is known already is no load, and the flush window is that of the moment at which the batch
    // began.
    assert_eq!(offer(&mut group, 59, 10, 0, 60_000), Offered::Durable);
    offer(&mut group, 100, 10, 0, 200_000);
    offer(&mut group, 101, 10, 0, 200_090);
    assert_eq!(group.gathers(200_090), 10);
}

#[test]
fn what_was_written_is_forgotten_and_what_was_not_is_kept() {
    let mut group = group();
    offer(&mut group, 1, 10, 1, 0);
    group.take();
    group.finish(true, 1);
    offer(&mut group, 2, 10, 2, 2);
    group.take();
    offer(&mut group, 3, 10, 3, 3);
    group.forget_written();
    assert_eq!(
        offer(&mut group, 1, 10, 4, 4),
        Offered::Waits(Next::Nothing),
        "stored again"
    );
    assert_eq!(offer(&mut group, 2, 10, 5, 4), Offered::Joins);
    assert_eq!(offer(&mut group, 3, 10, 6, 4), Offered::Joins);
    group.finish(true, 5);
    assert_eq!(
        offer(&mut group, 2, 10, 7, 6),
        Offered::Durable,
        "written after it"
    );
}

#[test]
fn the_window_is_refilled() {
    let mut group = group();
    group.recall(id(1), 0);
    group.recall(id(2), 1_000);
    assert_eq!(offer(&mut group, 1, 10, 1, 1_000), Offered::Durable);
    assert_eq!(
        offer(&mut group, 3, 10, 1, 1_000),
        Offered::Waits(Next::Drive)
    );
}

#[test]
fn a_driver_that_is_gone_leaves_nothing_behind() {
    let mut group = group();
    offer(&mut group, 1, 10, 1, 0);
    group.take();
    offer(&mut group, 2, 10, 2, 0);
    group.abandon();
    assert_eq!(offer(&mut group, 1, 10, 3, 1), Offered::Waits(Next::Drive));
    assert_eq!((group.take().len(), group.finish(true, 2)), (1, vec![3]));
}
