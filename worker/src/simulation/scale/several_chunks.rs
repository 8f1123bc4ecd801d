//! Requests that hold several chunks.

use crate::platform::config::Flush;
use crate::simulation::world::faults::Fault;
use crate::simulation::world::{BEGIN, World, chunk};
use crate::tenant::Appended::{Repeated, Stored};

fn chunks(world: &World, numbers: impl IntoIterator<Item = u32>) -> Vec<Vec<u8>> {
    let now = world.clock.now();
    numbers.into_iter().map(|n| chunk(n, now)).collect()
}

#[test]
fn each_is_answered_in_order_over_all_shards() {
    let world = World::new(&["a", "a/s1", "a/s2"]);
    let tenant = world.tenant();
    let append = |chunks: Vec<_>| world.clock.run(tenant.append_all(&chunks)).unwrap();
    assert_eq!(append(chunks(&world, 0..5)), [Stored; 5]);
    assert!(world.live().len() <= 3, "one object a shard");
    assert_eq!(
        append(chunks(&world, [7, 3, 8, 1])),
        [Stored, Repeated, Stored, Repeated]
    );
    assert_eq!(append(Vec::new()), []);
    let counts = world.counts().into_iter().collect::<Vec<_>>();
    assert_eq!(counts, [0, 1, 2, 3, 4, 7, 8].map(|n| (n, 1)));
}

#[test]
fn a_chunk_that_is_twice_in_a_request_counts_once() {
    let world = World::new(&["a"]);
    let twice = chunks(&world, [1, 1]);
    assert_eq!(
        world.clock.run(world.tenant().append_all(&twice)),
        Ok(vec![Stored, Repeated])
    );
    assert_eq!(world.counts().into_iter().collect::<Vec<_>>(), [(1, 1)]);
}

#[test]
fn more_than_there_is_room_for_is_written_in_turn() {
    let size = chunk(1, BEGIN).len();
    let world = World::with(
        &["a"],
        Flush {
            millis: 200,
            bytes: size,
            pending: 2 * size + size / 2,
        },
    );
    let seven = chunks(&world, 0..7);
    assert_eq!(
        world.clock.run(world.tenant().append_all(&seven)),
        Ok(vec![Stored; 7])
    );
    assert_eq!(world.counts().len(), 7);
}

#[test]
fn a_retry_after_half_a_success_stores_what_is_missing() {
    let world = World::new(&["a", "a/s1", "a/s2"]);
    let five = chunks(&world, 0..5);
    world
        .faults
        .plan(world.faults.operations().len() + 1, Fault::FailBefore);
    let first = world.clock.run(world.tenant().append_all(&five));
    assert_eq!(first.map_err(|problem| problem.status), Err(503));
    world.faults.stop();
    let stored = world.counts().len();
    assert!((1..5).contains(&stored), "{stored} of five were stored");
    let again = world.clock.run(world.tenant().append_all(&five)).unwrap();
    let repeated = again.iter().filter(|&&outcome| outcome == Repeated);
    assert_eq!(repeated.count(), stored);
    assert_eq!(
        world.counts().into_iter().collect::<Vec<_>>(),
        [0, 1, 2, 3, 4].map(|n| (n, 1))
    );
}
