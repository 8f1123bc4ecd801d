//! Many that want in at once, and those who wait too long.

use std::cell::Cell;

use futures_util::future::{join, join_all};

use super::*;
use crate::simulation::World;

impl Memory {
    /// Starts anew with another budget.
    pub(crate) fn set_budget(&self, bytes: u64) {
        self.0.replace(Ledger::new(bytes));
    }
}

#[test]
fn what_a_push_asks_for() {
    let gzip = |len: usize, claimed: u32| {
        let mut body = vec![0; len];
        body[..2].copy_from_slice(&[0x1f, 0x8b]);
        body[len - 4..].copy_from_slice(&claimed.to_le_bytes());
        body
    };
    assert_eq!(push_claims(b""), 4 << 20);
    assert_eq!(push_claims(&[0x1f, 0x8b]), 4 << 20);
    assert_eq!(push_claims(&vec![0; 4 << 20]), 4 << 20);
    assert_eq!(push_claims(&vec![0; 5 << 20]), 5 << 20);
    assert_eq!(push_claims(&gzip(30_000, 90_000)), 4 << 20);
    assert_eq!(push_claims(&gzip(2 << 20, 8 << 20)), 8 << 20);
    assert_eq!(
        push_claims(&gzip(1 << 20, u32::MAX)),
        16 << 20,
        "more than a push may have is refused later"
    );
    let world = World::new(&["a"]);
    world.memory.set_budget(100 << 20);
    let admission = world.admission();
    assert!(world.clock.run(admission.push(4 << 20)).unwrap().is_none());
    let permit = world.clock.run(admission.push(5 << 20)).unwrap();
    assert_eq!(world.memory.admitted().bytes, 15 << 20);
    drop(permit);
}

#[test]
fn many_at_once_stay_within_the_budget_and_all_are_served() {
    let world = World::new(&["a"]);
    world.memory.set_budget(100);
    let most = Cell::new(0);
    let work = |n: i64| {
        let (admission, memory, most) = (world.admission(), &world.memory, &most);
        async move {
            let permit = admission.enter(20 + n as u64 % 3 * 20).await?;
            most.set(most.get().max(memory.admitted().bytes));
            admission.platform.clock.sleep(100 + n % 7 * 50).await;
            drop(permit);
            Ok::<_, Problem>(())
        }
    };
    let told = world.clock.run(join_all((0..30).map(work)));
    assert!(told.iter().all(Result::is_ok), "{told:?}");
    assert_eq!(
        (
            most.get(),
            world.memory.admitted().bytes,
            world.memory.admitted().waiting
        ),
        (100, 0, 0)
    );
}

#[test]
fn who_waits_too_long_is_told_to_come_again() {
    let world = World::new(&["a"]);
    world.memory.set_budget(100);
    let admission = world.admission();
    let held = world.clock.run(admission.enter(1_000)).unwrap();
    let begun = world.clock.now();
    // One of them leaves before its time.
    let (refused, gone) = (admission.enter(1), Box::pin(admission.enter(1)));
    let gone = async {
        let left = futures_util::future::select(gone, Box::pin(world.clock.sleep(1_000))).await;
        drop(left);
    };
    let (refused, ()) = world.clock.run(join(refused, gone));
    let problem = refused.unwrap_err();
    assert_eq!((problem.status, problem.retry_after), (503, Some(1)));
    assert_eq!(world.clock.now() - begun, WAIT_MILLIS);
    assert_eq!(
        world.memory.admitted(),
        Admitted {
            bytes: 100,
            waiting: 0,
            refused: 1
        }
    );
    drop(held);
    drop(world.clock.run(admission.enter(100)).unwrap());

    let held = world.clock.run(admission.enter(100)).unwrap();
    let told = world
        .clock
        .run(join_all((0..MAX_WAITING + 3).map(|_| admission.enter(1))));
    assert_eq!(
        told.iter().filter(|outcome| outcome.is_err()).count(),
        MAX_WAITING + 3
    );
    assert_eq!(world.clock.now() - begun, 2 * WAIT_MILLIS);
    drop((told, held));
    assert_eq!(
        (
            world.memory.admitted().bytes,
            world.memory.admitted().waiting
        ),
        (0, 0)
    );
}
