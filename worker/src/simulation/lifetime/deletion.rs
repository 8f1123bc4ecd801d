//! Deletion: what is to go is in no answer and in no byte of the bucket any more, the rest is as it
//! was.

use futures_util::future::join;

use crate::api::admin::delete_tenant::delete_tenant;
use crate::bucket::Bucket;
use crate::platform::config::Retention;
use crate::simulation::world::faults::{FAULTS, Fault};
use crate::simulation::world::{DAY, HOUR, MINUTE, World};

/// Days of profiles in all states: sums, blocks, segments.
fn stored() -> World {
    let world = World::new(&["a", "a/s1"]);
    for n in 0..6 {
        assert!(world.clock.run(world.push(n, 0)));
        world.clock.advance(8 * HOUR);
    }
    for host in [0, 1] {
        while world.clock.run(world.visit(host)).unwrap() {}
    }
    assert!(world.clock.run(world.push(6, 0)));
    world
}

/// A deletion by an operator, who tries again when it fails.
fn delete(world: &World, tries: usize) -> u64 {
    let tenant = "a".parse().unwrap();
    for _ in 0..tries {
        let (bucket, shards, now) = (world.faulty_bucket(), world.tenant(), world.clock.now());
        let deletion = world
            .faults
            .invocation(delete_tenant(&bucket, &shards, &tenant, now));
        if let Ok(deleted) = world.clock.run(deletion) {
            return deleted.left;
        }
    }
    panic!("it fails {tries} times");
}

#[test]
fn a_tenant_is_deleted_at_once() {
    let world = stored();
    assert_eq!(world.counts().len(), 7);
    assert!(!world.clock.run(world.published()).names().is_empty());
    let own = Retention {
        raw_days: 5,
        sums_days: 5,
    };
    world.keep(|kept| kept.retention = Some(own));
    // Of a tenant whose name begins the same, and one that nobody has a row of.
    for key in [
        "t/ab/s0/l0/x",
        "t/a/s0/l0/1700000000000-00000000000000ff.seg",
    ] {
        let put =
            crate::bucket::Bucket::put(&world.bucket, key, vec![1], crate::bucket::Condition::None);
        world.clock.run(put).unwrap();
    }
    assert_eq!(delete(&world, 1), 0);
    assert_eq!((world.counts().len(), world.live()), (0, Vec::new()));
    assert_eq!(world.bucket.keys(), ["t/ab/s0/l0/x"]);
    assert!(
        world.clock.run(world.push(7, 0)),
        "what comes later is stored"
    );
    assert_eq!(world.counts().into_keys().collect::<Vec<_>>(), [7]);
}

#[test]
fn a_job_under_way_brings_nothing_back() {
    let world = stored();
    world.clock.advance(2 * DAY);
    let job = world
        .clock
        .run(world.client(0).lease())
        .unwrap()
        .expect("one is due");
    let sources: Vec<String> = job.sources.into_iter().map(|source| source.key).collect();
    assert!(!sources.is_empty());
    assert_eq!(
        delete(&world, 1),
        1,
        "what the job may write is deleted after the grace period"
    );
    world.clock.advance(DAY);
    for host in [0, 1] {
        // The first visit of a day may sweep.
        let worked: Vec<bool> = (0..2)
            .map(|_| world.clock.run(world.visit(host)).unwrap())
            .collect();
        assert!(!worked[1], "{worked:?}");
    }
    assert_eq!((delete(&world, 1), world.bucket.keys()), (0, Vec::new()));
}

#[test]
fn a_publication_under_way_brings_nothing_back() {
    let scenario = |world: &World| {
        world.clock.advance(HOUR);
        world.clock.run(join(world.publish(), async {
            world.clock.sleep(MINUTE).await;
            let (bucket, shards, now) = (world.faulty_bucket(), world.tenant(), world.clock.now());
            delete_tenant(&bucket, &shards, &"a".parse().unwrap(), now)
                .await
                .unwrap();
        }))
    };
    let calm = stored();
    let before = calm.faults.operations().len();
    scenario(&calm).0.unwrap();
    let count = calm
        .faults
        .operations()
        .iter()
        .skip(before)
        .position(|name| *name == "/publication/end")
        .unwrap()
        + 1;
    // With days from before, which the new ones are to replace, and without.
    for without in [false, true] {
        for at in before..before + count {
            let world = stored();
            if without {
                let days = world.clock.run(world.published()).catalog;
                world.clock.run(world.bucket.delete(&days)).unwrap();
            }
            world.faults.plan(at, Fault::Stall);
            drop(scenario(&world));
            world.faults.stop();
            assert_eq!(world.counts().len(), 0);
            for _ in 0..3 {
                world.clock.advance(HOUR);
                for host in [0, 1] {
                    world.clock.run(world.visit(host)).unwrap();
                }
            }
            assert_eq!(world.bucket.keys(), [""; 0], "{without}, stalled at {at}");
        }
    }
}

#[test]
fn any_operation_of_a_deletion_may_fail() {
    let calm = stored();
    let before = calm.faults.operations().len();
    assert_eq!(delete(&calm, 1), 0);
    for at in before..calm.faults.operations().len() {
        for fault in FAULTS {
            let world = stored();
            world.faults.plan(at, fault);
            delete(&world, 2);
            world.faults.stop();
            assert_eq!(
                (world.counts().len(), world.bucket.keys()),
                (0, Vec::new()),
                "{fault:?} at {at}"
            );
        }
    }
}
