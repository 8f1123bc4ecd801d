//! Queries about several tenants.

use crate::simulation::world::{DAY, HOUR, MINUTE, World, chunk};

#[test]
fn equal_profiles_of_two_tenants_are_two() {
    let world = World::new(&["a", "b"]);
    let push = |host: usize, n: u32| {
        let chunk = chunk(n, world.clock.now());
        world.clock.run(world.line(host).append(&chunk)).unwrap();
    };
    for n in 0..10 {
        push(0, n);
        push(1, n);
        // A retry, which counts for neither.
        push(1, n);
    }
    push(1, 10);
    let both = (0..10).map(|n| (n, 2)).chain([(10, 1)]).collect();
    assert_eq!(world.counts(), both);
    for millis in [HOUR + 2 * MINUTE, 2 * DAY] {
        world.clock.advance(millis);
        for host in [0, 1] {
            while world.clock.run(world.visit(host)).unwrap() {}
        }
        assert_eq!(world.counts(), both, "compacted");
    }
    let live = world.live();
    assert!(
        live.iter().any(|key| key.starts_with("t/a/s0/l3/")),
        "{live:?}"
    );
    assert!(
        live.iter().any(|key| key.starts_with("t/b/s0/l3/")),
        "{live:?}"
    );
}
