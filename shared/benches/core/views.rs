//! Verbs on trees, of the same synthetic profiles and of a tree of a million nodes.

use std::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, measurement::WallTime};
use pilotlight_core::pyroscope::flame_graph;
use pilotlight_core::verbs::{callees, callers, inverted};
use pilotlight_core::{By, CallTree, Profile, function_table};

/// Nodes that an answer is limited to: Pyroscope's default.
const MAX_NODES: usize = 8_192;

/// Measures with a profile of `name` samples.
pub(crate) fn measure(criterion: &mut Criterion, name: &str, profile: &Profile) {
    let tree = CallTree::new(profile, 0, By::Function);
    let mut group = criterion.benchmark_group(format!("views {name}"));
    trees(&mut group, &tree);
    group.finish();
}

fn trees(group: &mut BenchmarkGroup<'_, WallTime>, tree: &CallTree) {
    let rows = function_table(tree);
    let busiest = rows.iter().max_by_key(|row| row.total).expect("a function");
    let most_places = rows.iter().max_by_key(|row| row.nodes).expect("a function");
    let turned = inverted(tree);
    assert_eq!((turned.tree.total(), turned.cut), (tree.total(), None));
    let below = callees(tree, |frame| frame == busiest.frame);
    assert_eq!(below.total(), busiest.total[0]);
    let above = callers(tree, |frame| frame == most_places.frame);
    assert_eq!(above.tree.total(), most_places.total[0]);
    println!(
        "{} nodes; inverted {}, callees of the busiest {}, callers from {} places {}",
        tree.shape().len(),
        turned.tree.shape().len(),
        below.shape().len(),
        most_places.nodes,
        above.tree.shape().len()
    );
    group.bench_function("inverted", |b| {
        b.iter_with_large_drop(|| inverted(black_box(tree)))
    });
    group.bench_function("callees", |b| {
        b.iter_with_large_drop(|| callees(black_box(tree), |frame| frame == busiest.frame));
    });
    group.bench_function("callers", |b| {
        b.iter_with_large_drop(|| callers(black_box(tree), |frame| frame == most_places.frame));
    });
    group.bench_function("limit", |b| {
        b.iter_with_large_drop(|| flame_graph(black_box(tree), MAX_NODES))
    });
}
