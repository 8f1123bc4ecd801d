//! Texts in order, sorted by a few bytes at a time.
//!
//! Names of one program begin alike: comparing two reads both from their first byte, somewhere else
//! in memory each. Here all texts that agree so far are sorted by their next bytes, which stand in
//! the number that is sorted.

use crate::base::sort::insertion_sort;
use crate::model::id::StringId;
use crate::model::strings::Strings;

/// Bytes of a text that are sorted by at once.
const BYTES: usize = 3;

/// So many texts that agree are compared as a whole.
const FEW: usize = 8;

/// The rows of a table in order of their texts.
pub(crate) fn by_text(strings: &Strings) -> Vec<u32> {
    let text = |row: u64| strings.get(StringId::new(row as u32 as usize)).as_bytes();
    let mut rows: Vec<u64> = (0..strings.len() as u64).collect();
    // Runs of rows that agree, and in how many bytes.
    let mut runs = vec![(0..rows.len(), 0)];
    while let Some((places, agree)) = runs.pop() {
        let start = places.start;
        let run = &mut rows[places];
        if run.len() <= FEW {
            insertion_sort(run, |&row| &text(row)[agree..]);
            continue;
        }
        for row in run.iter_mut() {
            *row = key(&text(*row)[agree..]) << 32 | u64::from(*row as u32);
        }
        run.sort_unstable();
        let mut at = start;
        for same in run.chunk_by(|a, b| a >> 32 == b >> 32) {
            let end = at + same.len();
            // The others of a length are equal.
            if same.len() > 1 && text(same[0]).len() > agree + BYTES {
                runs.push((at..end, agree + BYTES));
            }
            at = end;
        }
    }
    rows.into_iter().map(|row| row as u32).collect()
}

/// What is left of a text, as a number of 32 bits that is ordered as its first bytes are, and then
/// by whether there are more.
fn key(rest: &[u8]) -> u64 {
    let byte = |i: usize| rest.get(i).map_or(0, |&byte| u64::from(byte));
    byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | rest.len().min(BYTES + 1) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check<'a>(texts: impl IntoIterator<Item = &'a str>) {
        let mut strings = Strings::default();
        for text in texts {
            strings.push(text);
        }
        let mut expect: Vec<u32> = (0..strings.len() as u32).collect();
        expect.sort_by_key(|&row| (strings.get(StringId::new(row as usize)), row));
        assert_eq!(by_text(&strings), expect);
    }

    #[test]
    fn ends_come_before_zeros() {
        check([
            "ab\0\0", "ab", "ab\0", "a", "abc", "abcd", "abc\0", "abcdefg", "abcdef", "ab",
            "abcdef\0", "ü", "abcde",
        ]);
    }

    proptest! {
        #[test]
        fn is_the_order_of_texts(texts in prop::collection::vec("(ab|a|\0|xyzxyz){0,6}", 0..60)) {
            check(texts.iter().map(String::as_str));
        }
    }
}
