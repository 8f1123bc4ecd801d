//! Stacks of graphs, and how many calls are looked at for them.

use super::*;
use crate::imports::testing::samples;

/// A graph in which `callers` call a hub, which calls as many callees that cost nothing, and one
/// that costs 1 for each caller.
fn hub(callers: u32) -> CallGraph {
    let mut graph = CallGraph::new("test", 1 << 30);
    graph.rows.sample_type("ticks", "count").expect("the first");
    let mut function = |name: String| {
        let function = graph.rows.function(&name, "");
        let location = graph.rows.location(None, function, 0);
        graph.function(location)
    };
    let (hub, costly) = (function("hub".to_owned()), function("costly".to_owned()));
    let outer: Vec<u32> = (0..callers)
        .map(|n| function(format!("caller{n}")))
        .collect();
    let inner: Vec<u32> = (0..callers)
        .map(|n| function(format!("callee{n}")))
        .collect();
    for (&from, &to) in outer.iter().zip(&inner) {
        graph.own[from as usize] = 1;
        let call = graph.call(from, hub, 1);
        graph.inclusive[call as usize] = 1;
        graph.call(hub, to, 1);
    }
    graph.own[costly as usize] = callers.into();
    let call = graph.call(hub, costly, 1);
    graph.inclusive[call as usize] = callers.into();
    graph
}

#[test]
fn calls_that_cost_nothing_are_passed_over_once() {
    let stacked = |callers: u32| stacks(hub(callers), 1 << 24).expect("has samples").profile;
    assert_eq!(
        samples(&stacked(2)),
        [
            "caller0 [1]",
            "caller1 [1]",
            "caller0;hub;costly [1]",
            "caller1;hub;costly [1]"
        ]
    );
    assert_eq!(stacked(2).functions().len(), 6, "and none for other calls");
    let many = stacked(5_000);
    assert_eq!((many.total(0), many.len()), (10_000, 10_000));

    let graph = hub(5_000);
    let order = Order::of(&graph, graph.own.len());
    let mut spread = Spread {
        order: &order,
        calls: &graph.calls,
        shares: Vec::new(),
        below: Vec::new(),
        costly: Costly::default(),
        sums: StackSums::new(crate::Profile::default()),
        other: LocationId::new(0),
        left_out: false,
    };
    spread.weigh(&graph.own, &graph.inclusive);
    assert_eq!(order.calls_of(0).count(), 5_001);
    assert_eq!(spread.costly.of(0).len(), 1);
}
