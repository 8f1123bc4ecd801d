//! Retries that come to an object which has died meanwhile, to compacted and deleted segments, or
//! to a full one.

use std::cell::RefCell;

use futures_util::future::{join, join_all};
use futures_util::poll;
use pilotlight_core::store::TenantId;

use crate::api::admin::delete_tenant::delete_tenant;
use crate::meter::Usage;
use crate::platform::config::Flush;
use crate::simulation::world::faults::Fault;
use crate::simulation::world::{HOUR, MINUTE, World, chunk};
use crate::tenant::{Appended, TenantRpc, packet};

fn tenant() -> TenantId {
    "a".parse().unwrap()
}

/// Kills the objects.
fn kill(world: &World) {
    world
        .faults
        .plan(world.faults.operations().len(), Fault::KillObjectsBefore);
    world.clock.run(world.query()).unwrap();
    world.faults.stop();
}

#[test]
fn a_retry_after_a_death_counts_once() {
    let world = World::new(&["a"]);
    assert!(world.clock.run(world.push(1, 0)));
    let again = chunk(1, world.clock.now());
    kill(&world);
    world.clock.run(world.tenant().append(&again)).unwrap();
    assert_eq!(world.counts().into_iter().collect::<Vec<_>>(), [(1, 1)]);
    assert_eq!(world.bucket.keys().len(), 1);
}

#[test]
fn a_retry_counts_once_although_its_segment_is_deleted() {
    let world = World::new(&["a"]);
    world.hosts[0].grace_seconds.set(1);
    world.clock.advance(HOUR - 28 * MINUTE);
    assert!(world.clock.run(world.push(0, 0)));
    assert_eq!(world.clock.run(world.visit(0)), Ok(false));
    world.clock.advance(26 * MINUTE);
    assert!(world.clock.run(world.push(1, 0)));
    world.clock.advance(3 * MINUTE);
    assert_eq!(world.clock.run(world.visit(0)), Ok(true));
    // Half an hour after the first publication the day is published again, now with the block.
    world.clock.advance(MINUTE);
    assert_eq!(world.clock.run(world.visit(0)), Ok(false));
    world.clock.advance(2_000);
    assert_eq!(world.clock.run(world.visit(0)), Ok(false));
    assert_eq!((world.objects(), world.live().len()), (world.live(), 1));
    kill(&world);

    let bytes = chunk(1, world.clock.now());
    world.clock.run(world.tenant().append(&bytes)).unwrap();
    assert_eq!(world.live().len(), 1, "nothing was written");
    assert_eq!(
        world.counts().into_iter().collect::<Vec<_>>(),
        [(0, 1), (1, 1)]
    );

    world.clock.advance(10 * MINUTE);
    world.clock.run(world.visit(0)).unwrap();
    kill(&world);
    world.clock.run(world.tenant().append(&bytes)).unwrap();
    assert_eq!(world.live().len(), 2, "later it is another profile");
}

#[test]
fn after_a_tenant_is_deleted_the_same_push_is_stored_again() {
    // Over the living object, one that died since, and one whose segment is part of a block.
    for state in 0..3 {
        let world = World::new(&["a"]);
        let bytes = chunk(1, world.clock.now());
        let append = || world.clock.run(world.tenant().append(&bytes));
        assert_eq!(append(), Ok(Appended::Stored));
        assert_eq!(append(), Ok(Appended::Repeated));
        if state == 2 {
            world.clock.advance(HOUR + 2 * MINUTE);
            world.compact_all();
        }
        let deleted = world.clock.run(delete_tenant(
            &world.faulty_bucket(),
            &world.tenant(),
            &tenant(),
            world.clock.now(),
        ));
        assert_eq!(deleted.unwrap().left, 0);
        assert_eq!(world.objects(), Vec::<String>::new());
        if state == 1 {
            kill(&world);
        }
        assert_eq!(append(), Ok(Appended::Stored), "in state {state}");
        assert_eq!(append(), Ok(Appended::Repeated));
        assert_eq!(world.counts().into_iter().collect::<Vec<_>>(), [(1, 1)]);
        kill(&world);
        assert_eq!(append(), Ok(Appended::Repeated));
        world.clock.run(world.rebuild()).unwrap();
        assert_eq!(
            world.counts().into_iter().collect::<Vec<_>>(),
            [(1, 1)],
            "rebuilt in state {state}"
        );
    }
}

#[test]
fn what_does_not_fit_is_refused_with_a_time_to_come_again() {
    let chunks: Vec<_> = (0..5)
        .map(|n| chunk(n, crate::simulation::world::BEGIN))
        .collect();
    let pending = chunks[..3].iter().map(Vec::len).sum();
    let world = World::with(
        &["a"],
        Flush {
            millis: 200,
            bytes: 64 << 10,
            pending,
        },
    );
    let tenant = world.tenant();
    let outcomes = world
        .clock
        .run(join_all(chunks.iter().map(|chunk| tenant.append(chunk))));
    let refused: Vec<_> = outcomes
        .into_iter()
        .filter_map(Result::err)
        .map(|p| (p.status, p.retry_after))
        .collect();
    assert_eq!(refused, [(429, Some(1)); 2]);
    assert_eq!(world.counts().len(), 3);
}

#[test]
fn a_job_that_lost_its_lease_leaves_nothing_behind() {
    // A visit begins, reads the retention and takes a lease; then the job has its source, output and commit.
    for (step, wanted) in [(3, "get"), (4, "put"), (5, "/compaction/commit")] {
        let world = World::new(&["a"]);
        assert!(world.clock.run(world.push(1, 0)));
        world.clock.advance(HOUR + 2 * MINUTE);
        world.clock.run(world.publish()).unwrap();
        let before = world.faults.operations().len();
        world.faults.plan(before + step, Fault::Stall);
        let second = async {
            world.clock.sleep(5 * MINUTE + 30_000).await;
            world.visit(0).await
        };
        let (late, second) = world.clock.run(join(world.visit(0), second));
        assert_eq!(world.faults.operations()[before + step], wanted);
        assert_eq!(
            (late.map_err(|p| p.status), second),
            (Err(409), Ok(true)),
            "at {wanted}"
        );
        assert_eq!(world.objects().len(), 3, "the segment and both blocks");
        for _ in 0..2 {
            world.clock.advance(HOUR);
            assert_eq!(world.clock.run(world.visit(0)), Ok(false));
        }
        assert_eq!((world.objects(), world.live().len()), (world.live(), 1));
        assert_eq!(world.counts().into_iter().collect::<Vec<_>>(), [(1, 1)]);
    }
}

#[test]
fn a_driver_that_is_dropped_takes_no_one_with_it() {
    let world = World::new(&["a"]);
    let (host, driver) = (&world.hosts[0], RefCell::new(None));
    let object = host.object().1;
    let keep = |task| *driver.borrow_mut() = Some(task);
    let answer = object.answer(
        &host.shard,
        TenantRpc::Append,
        packet::encode(&(), &[chunk(1, crate::simulation::world::BEGIN)]).unwrap(),
        Usage::default(),
        keep,
    );
    let started_and_dropped = async {
        let mut task = driver.take().unwrap();
        assert!(poll!(&mut task).is_pending());
    };
    let (reply, ()) = world.clock.run(join(answer, started_and_dropped));
    assert_eq!((reply.status, reply.retry_after), (503, Some(1)));
    assert!(
        world.clock.run(world.push(1, 0)),
        "the next push finds a new driver"
    );
    assert_eq!(world.counts().len(), 1);
}

#[test]
fn one_object_a_batch() {
    let world = World::new(&["a"]);
    let told = world.clock.run(join_all((0..20).map(|n| world.push(n, 0))));
    assert_eq!((told, world.bucket.keys().len()), (vec![true; 20], 1));
}
