//! New code is deployed while profiles are on their way: the shard that has them loses its
//! storage, another takes over.

use futures_util::future::{join, join_all};

use crate::simulation::world::faults::Fault;
use crate::simulation::world::{World, chunk};
use crate::tenant::Appended;

/// A world in which new code is deployed after the first operation of that name from now on.
fn deployed_after(operation: &str, calm: &World) -> World {
    let world = World::new(&["a"]);
    let at = calm
        .faults
        .operations()
        .iter()
        .position(|name| *name == operation)
        .unwrap();
    world.faults.plan(at, Fault::Deploy);
    world
}

fn pushed() -> World {
    let world = World::new(&["a"]);
    assert!(world.clock.run(world.push(1, 0)));
    world
}

#[test]
fn between_the_object_and_its_row_nothing_is_acknowledged_and_nothing_stays() {
    let world = deployed_after("put", &pushed());
    let bytes = [1, 2].map(|n| chunk(n, world.clock.now()));
    let tenant = world.tenant();
    let told = world
        .clock
        .run(join_all(bytes.iter().map(|bytes| tenant.append(bytes))));
    for outcome in told {
        assert_eq!(
            outcome.map_err(|problem| (problem.status, problem.retry_after)),
            Err((503, Some(1)))
        );
    }
    assert_eq!((world.bucket.keys().len(), world.live().len()), (0, 0));
    assert_eq!(
        world.clock.run(tenant.append(&bytes[0])),
        Ok(Appended::Stored),
        "the new object knows nothing of it"
    );
    assert_eq!(
        world.clock.run(tenant.append(&bytes[0])),
        Ok(Appended::Repeated)
    );
    assert_eq!(world.counts().into_iter().collect::<Vec<_>>(), [(1, 1)]);
}

#[test]
fn while_a_batch_gathers_a_retry_is_stored_by_the_new_object() {
    let world = deployed_after("/append", &pushed());
    // The call has been answered by then.
    assert!(world.clock.run(world.push(1, 0)));
    let bytes = chunk(1, world.clock.now());
    assert_eq!(
        world.clock.run(world.tenant().append(&bytes)),
        Ok(Appended::Repeated),
        "it recalls what the rows have"
    );

    let world = deployed_after("delay", &pushed());
    let (bytes, tenant) = (chunk(1, world.clock.now()), world.tenant());
    let retry = async {
        world.clock.sleep(150).await;
        tenant.append(&bytes).await
    };
    let (first, retry) = world.clock.run(join(tenant.append(&bytes), retry));
    assert_eq!(
        (first.map_err(|problem| problem.status), retry),
        (Err(503), Ok(Appended::Stored))
    );
    assert_eq!(world.counts().into_iter().collect::<Vec<_>>(), [(1, 1)]);
    assert_eq!(world.bucket.keys().len(), 1);
}
