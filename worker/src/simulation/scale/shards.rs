//! A tenant with several objects.

use std::collections::BTreeSet;

use futures_util::future::join_all;

use crate::simulation::world::{HOUR, MINUTE, World};

#[test]
fn services_are_divided_and_answers_are_whole() {
    let world = World::new(&["a", "a/s1", "a/s2"]);
    let told = world.clock.run(join_all((0..30).map(|n| world.push(n, 0))));
    assert_eq!(told, [true; 30]);
    let places =
        |keys: &[String]| -> BTreeSet<String> { keys.iter().map(|k| k[..6].to_owned()).collect() };
    let live = world.live();
    assert_eq!(live, world.bucket.keys());
    assert!(
        places(&live).len() > 1,
        "five services go to more than one object: {live:?}"
    );
    let all = (0..30).map(|n| (n, 1)).collect();
    assert_eq!(world.counts(), all);

    world.clock.advance(HOUR + 2 * MINUTE);
    for host in 0..3 {
        world.clock.run(world.visit(host)).unwrap();
    }
    let compacted = world.live();
    assert!(compacted.iter().all(|key| key.ends_with(".blk")));
    assert_eq!(
        places(&compacted),
        places(&live),
        "blocks stay where their segments were"
    );
    assert_eq!(world.counts(), all);
}

#[test]
fn a_service_stays_in_one_object() {
    let world = World::new(&["a", "a/s1", "a/s2", "a/s3"]);
    for n in [3, 8, 13] {
        // All of app3.
        assert!(world.clock.run(world.push(n, 0)));
    }
    let places: BTreeSet<String> = world
        .live()
        .into_iter()
        .map(|key| key[..6].to_owned())
        .collect();
    assert_eq!(places.len(), 1);
}
