//! The catalog in the bucket: a reader that has nothing else finds what the database knows, however
//! that came to be.

use std::collections::BTreeMap;

use futures_util::future::join;
use pilotlight_core::plans::{CatalogObject, QueryPlan, static_catalog};
use pilotlight_core::store::{CatalogDay, ObjectKey, arrival_day, catalog_key, catalog_prefix};
use pilotlight_core::{Selector, TimeRange, UnixNanos};

use crate::bucket::drive::drive;
use crate::bucket::{Bucket, Condition};
use crate::maintenance::publish;
use crate::platform::errors::Problem;
use crate::simulation::world::faults::{FAULTS, Fault};
use crate::simulation::world::{DAY, HOUR, MINUTE, TYPE, World, counts};

/// What a reader finds.
pub(in crate::simulation) struct Found {
    /// Names of the days.
    pub(in crate::simulation) catalog: Vec<String>,
    /// When the latest was written.
    written: UnixNanos,
    objects: Vec<CatalogObject>,
}

impl World {
    /// Names of what is in the bucket beside the catalog.
    pub(crate) fn objects(&self) -> Vec<String> {
        self.bucket
            .keys()
            .into_iter()
            .filter(|key| !key.contains("/catalog/"))
            .collect()
    }

    /// Publishes the first object's catalog, if that is due.
    pub(crate) async fn publish(&self) -> Result<usize, Problem> {
        let (bucket, client, shard, now) = (
            self.faulty_bucket(),
            self.client(0),
            self.shard(),
            self.clock.now(),
        );
        self.faults
            .invocation(publish::publish(&bucket, &client, &shard, now))
            .await
    }

    /// Reads the catalogs in the bucket; all that they name must be there.
    pub(in crate::simulation) async fn published(&self) -> Found {
        let mut found = Found {
            catalog: Vec::new(),
            written: UnixNanos(0),
            objects: Vec::new(),
        };
        let there = self.bucket.keys();
        for host in &self.hosts {
            let prefix = catalog_prefix(&host.shard.tenant, host.shard.number);
            for name in there.iter().filter(|name| name.starts_with(&prefix)) {
                let bytes = self.bucket.get(name, None).await.unwrap().unwrap().bytes;
                let day = CatalogDay::decode(&bytes).unwrap();
                assert!(!day.rows.is_empty(), "{name} is empty");
                let objects =
                    static_catalog([(name.as_str(), bytes.as_slice())], TimeRange::ALL).unwrap();
                for object in &objects {
                    assert!(
                        there.iter().any(|key| **key == object.key),
                        "{} is named and gone",
                        object.key
                    );
                    let arrived = arrival_day(object.key.parse::<ObjectKey>().unwrap().millis);
                    assert_eq!(
                        catalog_key(&host.shard.tenant, host.shard.number, arrived),
                        *name
                    );
                }
                found.written = found.written.max(day.written);
                found.catalog.push(name.clone());
                found.objects.extend(objects);
            }
        }
        found
    }
}

impl Found {
    /// Names of all objects.
    pub(in crate::simulation) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .objects
            .iter()
            .map(|object| object.key.clone())
            .collect();
        names.sort();
        names
    }

    /// As [`World::counts`], without a database.
    pub(in crate::simulation) fn counts(&self, world: &World) -> BTreeMap<u32, i64> {
        world.clock.run(self.counts_of(world))
    }

    async fn counts_of(&self, world: &World) -> BTreeMap<u32, i64> {
        let plan = QueryPlan::new(
            &Selector::default(),
            &TYPE.parse().unwrap(),
            TimeRange::ALL,
            &self.objects,
        )
        .unwrap();
        counts(&drive(plan, &world.bucket).await.unwrap().finish().unwrap())
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
fn finish_all_work(world: &World) {
    for _ in 0..4 {
        world.clock.advance(HOUR);
        world.compact_all();
    }
    let found = world.clock.run(world.published());
    assert_eq!(
        (found.names(), world.objects()),
        (world.live(), world.live())
    );
    assert_eq!(found.counts(world), world.counts());
    assert_eq!(
        world.bucket.keys().len(),
        world.live().len() + found.catalog.len()
    );
}

#[test]
fn readers_follow_within_half_an_hour() {
    let world = World::new(&["a"]);
    let (mut states, mut before) = (0, UnixNanos(0));
    for n in 0..60 {
        assert!(world.clock.run(world.push(n, 0)));
        while world.clock.run(world.visit(0)).unwrap() {}
        let found = world.clock.run(world.published());
        // Every profile that was there half an hour ago counts once, whatever compaction has done
        // since.
        let counts = found.counts(&world);
        assert!(
            counts.values().all(|count| *count == 1) && counts.len() as u32 + 6 >= n,
            "{n}: {counts:?}"
        );
        states += usize::from(found.written > before);
        assert!(
            found.written >= before,
            "a day is later than the one before"
        );
        before = found.written;
        world.clock.advance(5 * MINUTE);
    }
    assert_eq!(states, 10, "one each half hour");
    let puts = world
        .faults
        .operations()
        .iter()
        .filter(|name| **name == "put")
        .count();
    let objects = 60
        + world
            .faults
            .operations()
            .iter()
            .filter(|name| **name == "/compaction/commit")
            .count();
    assert_eq!(puts - objects, 10, "one object each");
    finish_all_work(&world);
}

#[test]
fn an_idle_tenant_is_left_alone() {
    let world = World::new(&["a"]);
    busy(&world, 3);
    world.clock.advance(2 * DAY);
    finish_all_work(&world);
    let operations = world.faults.operations().len();
    for _ in 0..12 {
        world.clock.advance(10 * MINUTE);
        assert_eq!(world.clock.run(world.visit(0)), Ok(false));
    }
    let since = world.faults.operations().split_off(operations);
    let calls = ["/visit/begin", "/compaction/lease"];
    let read: Vec<_> = since.iter().filter(|name| !calls.contains(name)).collect();
    assert_eq!(read, [&"get"; 2], "its retention, once an hour: {since:?}");
}

#[test]
fn after_the_loss_of_a_database() {
    for rebuild in [true, false] {
        let world = World::new(&["a"]);
        busy(&world, 30);
        // A publication dies with the database: its day is in the bucket and nobody knows its tag.
        world.clock.advance(30 * MINUTE);
        let end = world.faults.operations().len() + 2;
        world.faults.plan(end, Fault::KillWorkerAfter);
        world.clock.run(world.publish()).unwrap_err();
        assert_eq!(world.faults.operations()[end], "put");
        world.faults.stop();
        let (counts, written) = (world.counts(), world.clock.run(world.published()).written);
        world.wipe();
        if rebuild {
            world.clock.run(world.rebuild()).unwrap();
            assert_eq!(world.counts(), counts);
            world.clock.advance(MINUTE);
        } else {
            assert!(world.clock.run(world.push(1_000, 0)));
            world.clock.run(world.visit(0)).unwrap();
            assert_eq!(
                world.clock.run(world.published()).written,
                written,
                "it is all that is left"
            );
            // The days tell that there is more, and a sweep finds it.
            world.clock.run(world.visit(0)).unwrap();
            assert_eq!(world.counts().len(), counts.len() + 1);
            world.clock.advance(30 * MINUTE);
        }
        world.clock.run(world.visit(0)).unwrap();
        assert!(world.clock.run(world.published()).written > written);
        world.clock.advance(7 * HOUR);
        finish_all_work(&world);
        assert_eq!(world.counts().len(), counts.len() + usize::from(!rebuild));
    }
}

/// A sweep that fails is begun again, and meanwhile no day is written without what it would find.
#[test]
fn after_the_loss_of_a_database_sweeps_fail() {
    // The list of days, the list of objects, the judgement.
    for (step, operation) in [(2, "list"), (4, "list"), (6, "/rebuild/begin")] {
        let world = World::new(&["a"]);
        busy(&world, 3);
        world.clock.advance(30 * MINUTE);
        world.clock.run(world.visit(0)).unwrap();
        let counts = world.counts();
        let written = world.clock.run(world.published()).written;
        world.wipe();
        assert!(world.clock.run(world.push(1_000, 0)));
        world.clock.run(world.visit(0)).unwrap();
        // More often than the same objects are judged.
        for _ in 0..5 {
            world.clock.advance(2 * HOUR);
            let at = world.faults.operations().len() + step;
            world.faults.plan(at, Fault::FailBefore);
            world.clock.run(world.visit(0)).unwrap_err();
            assert_eq!(world.faults.operations()[at], operation);
            world.faults.stop();
            assert_eq!(
                world.clock.run(world.published()).written,
                written,
                "{operation}: it is all that is left"
            );
        }
        world.clock.advance(HOUR);
        finish_all_work(&world);
        assert_eq!(world.counts().len(), counts.len() + 1);
        assert!(world.clock.run(world.published()).written > written);
    }
}

#[test]
fn a_day_that_is_not_as_we_wrote_it_is_replaced() {
    for strange in [&b""[..], b"PLTCATD\x09 and more"] {
        let world = World::new(&["a"]);
        busy(&world, 2);
        let key = catalog_key(&world.shard().tenant, 0, arrival_day(world.clock.now()));
        assert!(world.bucket.keys().contains(&key));
        world
            .clock
            .run(world.bucket.put(&key, strange.to_vec(), Condition::None))
            .unwrap();
        assert!(world.clock.run(world.push(1_000, 0)));
        world.clock.advance(HOUR);
        finish_all_work(&world);
    }
}

#[test]
fn a_day_that_is_gone_is_written_again() {
    let world = World::new(&["a"]);
    busy(&world, 2);
    let days = world.clock.run(world.published()).catalog;
    world.clock.run(world.bucket.delete(&days)).unwrap();
    assert!(world.clock.run(world.push(1_000, 0)));
    world.clock.advance(HOUR);
    finish_all_work(&world);
}

/// A world with objects of two days, of which the earlier has been published and has changed.
fn two_days() -> World {
    let world = World::new(&["a"]);
    busy(&world, 1);
    world.clock.advance(DAY);
    busy(&world, 1);
    world.clock.advance(30 * MINUTE);
    world
}

#[test]
fn two_publishers_at_once() {
    let calm = two_days();
    let before = calm.faults.operations().len();
    calm.clock.run(calm.publish()).unwrap();
    for at in before..calm.faults.operations().len() {
        for fault in FAULTS {
            let world = two_days();
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
            finish_all_work(&world);
        }
    }
}

#[test]
fn who_lags_behind_is_refused() {
    // The first stops at each operation until the second, whose lease is a later one, has published
    // something else.
    let calm = two_days();
    let before = calm.faults.operations().len();
    calm.clock.run(calm.publish()).unwrap();
    let operations = calm.faults.operations().split_off(before);
    for (at, operation) in operations.iter().enumerate() {
        let world = two_days();
        world.faults.plan(before + at, Fault::Lag);
        let second = async {
            world.clock.sleep(16 * MINUTE).await;
            assert!(world.push(1_000, 0).await);
            let published = world.publish().await;
            (published, world.published().await.counts_of(&world).await)
        };
        let (first, (second, counts)) = world.clock.run(join(world.publish(), second));
        world.faults.stop();
        assert!(counts.contains_key(&1_000), "{operation}: {second:?}");
        // Who had not begun yet finds nothing left to do.
        let expect = if at == 0 { Ok(0) } else { Err(409) };
        assert_eq!(
            first.map_err(|problem| problem.status),
            expect,
            "{operation}"
        );
        let after = world.clock.run(world.published()).counts(&world);
        assert_eq!(
            after, counts,
            "{operation}, {at}: what the later one wrote stays"
        );
        finish_all_work(&world);
    }
}
