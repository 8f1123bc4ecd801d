//! Putting a forest of rows (each with a parent that is an earlier row) into preorder.

/// The kept rows in preorder: a parent, then its children in order of `key`, each followed by its own.
///
/// The parent of a kept row must be kept.
pub(crate) fn preorder<Key: Ord>(
    count: usize,
    keep: impl Fn(usize) -> bool,
    parent: impl Fn(usize) -> Option<usize>,
    key: impl Fn(usize) -> Key,
) -> Vec<u32> {
    let slot = |i: u32| parent(i as usize).map_or(0, |p| p + 1);
    // Siblings side by side, in reverse order of key: taken from the end of a list they come out in order.
    let mut siblings: Vec<u32> = (0..count).filter(|&i| keep(i)).map(|i| i as u32).collect();
    siblings.sort_unstable_by_key(|&i| (slot(i), std::cmp::Reverse(key(i as usize))));
    // Children of row `p` are `siblings[starts[p + 1]..starts[p + 2]]`; the roots come first.
    let mut starts = vec![0u32; count + 2];
    for &i in &siblings {
        starts[slot(i) + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let family = |slot: usize| &siblings[starts[slot] as usize..starts[slot + 1] as usize];
    let mut order = Vec::with_capacity(siblings.len());
    let mut open = family(0).to_vec();
    while let Some(row) = open.pop() {
        order.push(row);
        open.extend_from_slice(family(row as usize + 1));
    }
    order
}
