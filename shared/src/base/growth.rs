//! How much room a table needs while a file is being read.
//!
//! Doubling takes up to twice what is needed, and three times while the rows are moved. A file says
//! how far it is read.

/// For how many more rows to make room, after `so_far` of them came of `read` bytes and `left`
/// bytes are to come: as many as there are at the beginning of the file, then as many a byte as so
/// far and an eighth, which is mostly the last time. No byte makes more than one row.
pub(crate) fn room(so_far: usize, read: usize, left: usize) -> usize {
    // Rows of the first sixteenth are too few to go by.
    if read < left / 16 {
        return so_far.min(left);
    }
    let expected = so_far as u64 * left as u64 / read.max(1) as u64;
    usize::try_from(expected + (expected + so_far as u64) / 8)
        .unwrap_or(left)
        .min(left)
}

/// Appends a row to a table that grows by [`room`].
pub(crate) fn push<Row>(rows: &mut Vec<Row>, row: Row, read: usize, left: usize) {
    if rows.len() == rows.capacity() {
        rows.reserve_exact(1 + room(rows.len(), read, left));
    }
    rows.push(row);
}

#[cfg(test)]
mod tests {
    use super::room;

    #[test]
    fn grows_as_the_file_says() {
        assert_eq!(room(10, 100, 100_000), 10);
        assert_eq!(room(1000, 10_000, 90_000), 9000 + 1250);
        assert_eq!(room(1000, 100_000, 0), 0);
        assert_eq!(room(900, 1000, 100), 100);
    }
}
