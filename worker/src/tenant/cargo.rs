//! A block on its way into the bucket inside a segment.
//!
//! A busy tenant's object writes a segment every few seconds, and a job over segments makes a block each ten or fifteen seconds.
//! Written by itself, it would be one write for three others; as part of the next segment it is none.
//!
//! Who did the job does not wait for that: the lease is the object's from then on. When the segment is in the bucket the job
//! is committed; when that fails, or takes longer than the hour lasts, the job came to nothing and is done again.

use pilotlight_core::store::{Directory, ObjectKey, SO_FAR};

use super::compaction::Done;
use super::packet;
use crate::errors::Problem;

/// Largest block that is carried: 8 MiB. Blocks of ten busy seconds have a third of one, those that 36 become up to 7. It is in
/// memory three times while it is written, beside the largest segment: 32 MiB of 128.
const MAX_CARGO_BYTES: usize = 8 << 20;

const HOUR_MILLIS: i64 = 3_600_000;

/// A block that waits for a segment.
pub(super) struct Cargo {
    /// Its name, were it an object of its own.
    pub(super) key: ObjectKey,
    pub(super) done: Done,
    pub(super) directory: Directory,
    pub(super) block: Vec<u8>,
}

/// Whether a segment that is written at a time may carry a block: when both are of one hour. Once that is over, a job replaces
/// the block, which is not the only one then since the segment becomes another, and neither keeps the other's bytes in the
/// bucket. So, too, what is in arrears does not wait.
pub(crate) fn may_be_carried(block: &ObjectKey, bytes: usize, now: i64) -> bool {
    let hour = |millis: i64| millis.div_euclid(HOUR_MILLIS);
    matches!(block.level, 1 | SO_FAR) && bytes <= MAX_CARGO_BYTES && hour(block.millis) == hour(now)
}

impl Cargo {
    /// Reads what [`super::TenantClient::carry`] sends; `None` for what is not to be carried.
    pub(super) fn read(packet: &[u8], now: i64) -> Result<Option<Self>, Problem> {
        let (done, blobs): (Done, Vec<Vec<u8>>) = packet::decode(packet).map_err(Problem::invalid)?;
        let Ok([directory, block]) = <[Vec<u8>; 2]>::try_from(blobs) else {
            return Err(Problem::invalid("a block comes with its directory and its bytes"));
        };
        let key: ObjectKey = done.output.key.parse().map_err(Problem::invalid)?;
        let directory = Directory::decode(&directory).map_err(Problem::invalid)?;
        let cargo = Self { key, done, directory, block };
        Ok(cargo.fits(now).then_some(cargo))
    }

    /// Whether a segment that is written now may carry it.
    pub(super) fn fits(&self, now: i64) -> bool {
        may_be_carried(&self.key, self.block.len(), now)
    }
}

#[cfg(test)]
mod tests {
    use pilotlight_core::store::place;

    use super::*;
    use crate::tenant::Row;
    use crate::tenant::catalog::Catalog;
    use crate::tenant::catalog::tests::{add, catalog, directory, keys};
    use crate::tenant::sql::memory::MemorySql;

    /// A catalog with two segments of the first hour and the lease of a job over them, a third segment, and the names of a block:
    /// as one of its own and inside the third.
    fn leased() -> (Catalog<MemorySql>, Done, [String; 3], String) {
        let catalog = catalog();
        let (first, second) = (add(&catalog, 10), add(&catalog, 20));
        let lease = catalog.lease(1, 2 * HOUR_MILLIS).unwrap().unwrap().0;
        let third = add(&catalog, 30);
        let output = Row { key: "t/a/s0/l1/0000000000010-0000000000000001.blk".to_owned(), level: 1, size: 50 };
        let inside = output.key.parse::<ObjectKey>().unwrap().carried_by(&third.parse().unwrap(), 812).to_string();
        (catalog, Done { token: lease.token, output, division: 0 }, [first, second, third], inside)
    }

    #[test]
    fn blocks_of_this_hour_that_are_not_large() {
        let key = |level, millis| format!("t/a/s0/l{level}/{millis:013}-0000000000000001.blk").parse::<ObjectKey>().unwrap();
        let last = HOUR_MILLIS - 1;
        assert!(may_be_carried(&key(1, 0), MAX_CARGO_BYTES, last));
        assert!(!may_be_carried(&key(1, 0), MAX_CARGO_BYTES + 1, last));
        assert!(!may_be_carried(&key(1, 0), 1, HOUR_MILLIS));
        assert!(!may_be_carried(&key(2, 0), 1, last));
    }

    #[test]
    fn a_segment_and_the_block_inside_go_together() {
        let (catalog, done, [first, second, third], inside) = leased();
        catalog.commit_as(inside.clone(), done.clone(), &directory(10), 100).unwrap();
        catalog.commit_as(inside.clone(), done, &directory(10), 100).unwrap();
        assert_eq!(keys(&catalog, 0, 99, 0), [third.clone(), inside.clone()]);
        assert_eq!(catalog.expired(i64::MAX).unwrap(), [first, second]);
        assert_eq!(catalog.absent(&[place(&inside).0.to_owned()]).unwrap(), [""; 0]);

        let remove = |key: &str, millis: i64| {
            let sql = "UPDATE objects SET removed = added + 1, removed_millis = ? WHERE key = ?";
            crate::tenant::Sql::exec(&catalog.sql, sql, vec![(millis).into(), key.into()]).unwrap();
        };
        catalog.forget(&catalog.expired(i64::MAX).unwrap()).unwrap();
        for (one, other) in [(&third, &inside), (&inside, &third)] {
            crate::tenant::Sql::exec(&catalog.sql, "UPDATE objects SET removed = NULL, removed_millis = NULL", vec![])
                .unwrap();
            remove(one, 200);
            assert_eq!(catalog.expired(i64::MAX).unwrap(), [""; 0], "{other} is there still");
            remove(other, 300);
            let wait = crate::tenant::published::WAIT_MILLIS;
            assert_eq!(catalog.expired(wait + 299).unwrap(), [""; 0], "{other} may be read still");
            assert_eq!(catalog.expired(wait + 300).unwrap(), [one.clone(), other.clone()]);
        }
        // Known as long as one of them is not deleted.
        catalog.forget(std::slice::from_ref(&third)).unwrap();
        assert_eq!(catalog.absent(std::slice::from_ref(&third)).unwrap(), [""; 0]);
        catalog.forget(&[inside]).unwrap();
        assert_eq!(catalog.absent(std::slice::from_ref(&third)).unwrap(), [third]);
    }

    #[test]
    fn a_rebuild_knows_what_counts_inside_segments_and_what_does_not() {
        let (catalog, done, _, inside) = leased();
        let failed =
            crate::tenant::Failed { token: done.token, message: String::new(), blame: crate::tenant::Blame::Nobody };
        catalog.fail(failed, 100).unwrap();
        let late = catalog.commit_as(inside.clone(), done.clone(), &directory(10), 100);
        assert_eq!(late.unwrap_err().status, 409);
        let begun = catalog.begin_rebuild(100).unwrap();
        assert_eq!((begun.removed, begun.carried), (vec![inside.clone(), done.output.key], vec![]));

        let (catalog, done, [first, second, _], inside) = leased();
        catalog.commit_as(inside.clone(), done, &directory(10), 100).unwrap();
        let begun = catalog.begin_rebuild(100).unwrap();
        assert_eq!((begun.removed, begun.carried), (vec![first, second], vec![inside]));
    }
}
