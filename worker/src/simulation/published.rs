//! The catalog in the bucket: a reader that has nothing else finds what the database knows, however that came to be.

use std::collections::BTreeMap;

use futures_util::future::join;
use pilotlight_core::plans::{CatalogObject, QueryPlan, static_catalog, static_parts};
use pilotlight_core::store::{CatalogHead, head_key};
use pilotlight_core::{Selector, TimeRange};

use super::faults::{FAULTS, Fault};
use super::{DAY, HOUR, MINUTE, TYPE, World, counts};
use crate::bucket::{Bucket, Condition};
use crate::drive::drive;
use crate::errors::Problem;
use crate::publish;

/// What a reader finds.
pub(super) struct Found {
    /// Names of heads and their parts.
    pub(super) catalog: Vec<String>,
    /// Highest state of a head.
    state: u64,
    objects: Vec<CatalogObject>,
}

impl World {
    /// Names of what is in the bucket beside the catalog.
    pub(crate) fn objects(&self) -> Vec<String> {
        self.bucket.keys().into_iter().filter(|key| !key.contains("/catalog/")).collect()
    }

    /// Publishes the first object's catalog, if that is due.
    pub(crate) async fn publish(&self) -> Result<usize, Problem> {
        let (bucket, client, shard, now) = (self.faulty_bucket(), self.client(0), self.shard(), self.clock.now());
        self.faults.invocation(publish::publish(&bucket, &client, &shard, now)).await
    }

    /// Reads the catalogs in the bucket, all of which must be there, with all that they name.
    pub(super) async fn published(&self) -> Found {
        let mut found = Found { catalog: Vec::new(), state: 0, objects: Vec::new() };
        let there = self.bucket.keys();
        for host in &self.hosts {
            let (tenant, number) = (&host.shard.tenant, host.shard.number);
            let key = head_key(tenant, number);
            let Some(head) = self.bucket.get(&key, None).await.unwrap() else { continue };
            let head = CatalogHead::decode(&head.bytes).unwrap();
            let mut parts = Vec::new();
            for name in static_parts(&head, TimeRange::ALL, tenant, number) {
                let part = self.bucket.get(&name, None).await.unwrap();
                parts.push((name, part.expect("a part that the head names").bytes));
            }
            assert_eq!(parts.len(), head.parts.len(), "each has a time");
            let read = parts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
            let objects = static_catalog(read, TimeRange::ALL).unwrap();
            assert_eq!(objects.len() as u64, head.parts.iter().map(|part| part.objects).sum::<u64>());
            for object in &objects {
                assert!(there.iter().any(|key| **key == object.key), "{} is named and gone", object.key);
            }
            found.state = found.state.max(head.state);
            found.catalog.push(key);
            found.catalog.extend(parts.into_iter().map(|(name, _)| name));
            found.objects.extend(objects);
        }
        found
    }
}

impl Found {
    /// Names of all objects.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.objects.iter().map(|object| object.key.clone()).collect();
        names.sort();
        names
    }

    /// As [`World::counts`], without a database.
    pub(super) fn counts(&self, world: &World) -> BTreeMap<u32, i64> {
        let plan = QueryPlan::new(&Selector::default(), &TYPE.parse().unwrap(), TimeRange::ALL, &self.objects).unwrap();
        counts(&world.clock.run(drive(plan, &world.bucket)).unwrap().finish().unwrap())
    }
}

/// Pushes for hours, visits each few minutes.
fn busy(world: &World, hours: i64) {
    for n in 0..(hours * 12) as u32 {
        assert!(world.clock.run(world.push(n, 5)));
        let _ = world.clock.run(world.visit(0));
        world.clock.advance(5 * MINUTE);
    }
}

/// Visits until the catalog is published and what was replaced is deleted.
fn settle(world: &World) {
    for _ in 0..4 {
        world.clock.advance(HOUR);
        world.compact_all();
    }
    let found = world.clock.run(world.published());
    assert_eq!((found.names(), world.objects()), (world.live(), world.live()));
    assert_eq!(found.counts(world), world.counts());
    assert_eq!(world.bucket.keys().len(), world.live().len() + found.catalog.len());
}

#[test]
fn readers_follow_within_half_an_hour() {
    let world = World::new(&["a"]);
    let (mut states, mut before) = (0, 0);
    for n in 0..60 {
        assert!(world.clock.run(world.push(n, 0)));
        while world.clock.run(world.visit(0)).unwrap() {}
        let found = world.clock.run(world.published());
        // Every profile that was there half an hour ago counts once, whatever compaction has done since.
        let counts = found.counts(&world);
        assert!(counts.values().all(|count| *count == 1) && counts.len() as u32 + 6 >= n, "{n}: {counts:?}");
        states += usize::from(found.state > before);
        assert!(found.state >= before, "a head is later than the one before");
        before = found.state;
        world.clock.advance(5 * MINUTE);
    }
    assert_eq!(states, 10, "a head each half hour");
    let puts = world.faults.operations().iter().filter(|name| **name == "put").count();
    let objects = 60 + world.faults.operations().iter().filter(|name| **name == "/compaction/commit").count();
    assert_eq!(puts - objects, 20, "a head and a part each");
    settle(&world);
}

#[test]
fn an_idle_tenant_is_left_alone() {
    let world = World::new(&["a"]);
    busy(&world, 3);
    world.clock.advance(2 * DAY);
    settle(&world);
    let operations = world.faults.operations().len();
    for _ in 0..12 {
        world.clock.advance(10 * MINUTE);
        assert_eq!(world.clock.run(world.visit(0)), Ok(false));
    }
    let since = world.faults.operations().split_off(operations);
    assert!(since.iter().all(|name| ["/compaction/expired", "/compaction/lease"].contains(name)), "{since:?}");
}

#[test]
fn after_the_loss_of_a_database() {
    for rebuild in [true, false] {
        let world = World::new(&["a"]);
        busy(&world, 30);
        // A publication dies with the database: nobody knows its part.
        world.clock.advance(30 * MINUTE);
        let end = world.faults.operations().len() + 4;
        world.faults.plan(end, Fault::KillWorkerBefore);
        world.clock.run(world.publish()).unwrap_err();
        assert_eq!(world.faults.operations()[end], "put", "of the head");
        world.faults.stop();
        let (counts, state) = (world.counts(), world.clock.run(world.published()).state);
        world.wipe();
        if rebuild {
            world.clock.run(world.rebuild()).unwrap();
            assert_eq!(world.counts(), counts);
        } else {
            assert!(world.clock.run(world.push(1_000, 0)));
            world.clock.run(world.visit(0)).unwrap();
            assert_eq!(world.clock.run(world.published()).state, state, "it is all that is left");
            // The head tells that there is more, and a sweep finds it.
            world.clock.run(world.visit(0)).unwrap();
            assert_eq!(world.counts().len(), counts.len() + 1);
            world.clock.advance(30 * MINUTE);
        }
        world.clock.run(world.visit(0)).unwrap();
        assert!(world.clock.run(world.published()).state > state);
        world.clock.advance(7 * HOUR);
        settle(&world);
        assert_eq!(world.counts().len(), counts.len() + usize::from(!rebuild));
    }
}

#[test]
fn a_head_that_cannot_be_read_is_replaced() {
    for damage in [&b""[..], b"PLTCATH\x09 and more"] {
        let world = World::new(&["a"]);
        busy(&world, 2);
        let put = world.bucket.put("t/a/s0/catalog/head", damage.to_vec(), Condition::None);
        world.clock.run(put).unwrap();
        world.clock.advance(HOUR);
        settle(&world);
    }
}

#[test]
fn two_publishers_at_once() {
    // Objects of two days, and a head that is to be replaced.
    let begin = || {
        let world = World::new(&["a"]);
        busy(&world, 1);
        world.clock.advance(DAY);
        busy(&world, 1);
        world
    };
    let calm = begin();
    let (before, wait) = (calm.faults.operations().len(), 30 * MINUTE);
    calm.clock.advance(wait);
    calm.clock.run(calm.publish()).unwrap();
    for at in before..calm.faults.operations().len() {
        for fault in FAULTS {
            let world = begin();
            world.clock.advance(wait);
            world.faults.plan(at, fault);
            let second = async {
                world.clock.sleep(MINUTE).await;
                world.publish().await
            };
            let _ = world.clock.run(join(world.publish(), second));
            world.faults.stop();
            world.clock.run(world.published());
            for _ in 0..4 {
                world.clock.advance(30 * MINUTE);
                while world.clock.run(world.visit(0)).unwrap() {}
                world.clock.run(world.published());
            }
            settle(&world);
        }
    }
}
