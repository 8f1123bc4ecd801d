//! Sorting rows by number, through one function: a copy of the sort for each type of row is 7 kB of
//! WASM, and there were fifteen. Collecting into an ordered map or set has one, too; extending an
//! empty one has not.

use std::cmp::Ordering;

/// Sorts numbers of rows by a comparison of the rows; equal ones by number.
pub(crate) fn sort_rows(rows: &mut [u32], compare: &mut dyn FnMut(u32, u32) -> Ordering) {
    rows.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
}

/// Sorts items by a comparison; equal ones stay in order. Twice the memory of the list, and the
/// time of the standard sort plus a move or two an item; none where it is in order already, as most
/// are.
pub fn sort_by<Item>(items: &mut Vec<Item>, mut compare: impl FnMut(&Item, &Item) -> Ordering) {
    if items.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return;
    }
    let mut rows: Vec<u32> = (0..items.len() as u32).collect();
    sort_rows(&mut rows, &mut |a, b| {
        compare(&items[a as usize], &items[b as usize])
    });
    let mut unsorted: Vec<Option<Item>> = std::mem::take(items).into_iter().map(Some).collect();
    items.extend(
        rows.into_iter()
            .filter_map(|row| unsorted[row as usize].take()),
    );
}

/// Sorts a short list in place; equal items stay as they are. Takes the square of the length in
/// moves, none where it is in order already.
pub(crate) fn insertion_sort<Item, Key: Ord>(items: &mut [Item], key: impl Fn(&Item) -> Key) {
    for i in 1..items.len() {
        let at = items[..i].partition_point(|before| key(before) <= key(&items[i]));
        items[at..=i].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts() {
        let words = ["b", "a", "c", "a"];
        let mut rows = [3, 2, 1, 0];
        sort_rows(&mut rows, &mut |a, b| {
            words[a as usize].cmp(words[b as usize])
        });
        assert_eq!(rows, [1, 3, 0, 2]);
        let mut pairs: Vec<_> = words.into_iter().zip(0..).collect();
        sort_by(&mut pairs, |a, b| a.0.cmp(b.0));
        assert_eq!(pairs, [("a", 1), ("a", 3), ("b", 0), ("c", 2)]);
        let mut items = [(2, 'x'), (1, 'y'), (2, 'a'), (0, 'z'), (1, 'b')];
        insertion_sort(&mut items, |item| item.0);
        assert_eq!(items, [(0, 'z'), (1, 'y'), (1, 'b'), (2, 'x'), (2, 'a')]);
    }
}
