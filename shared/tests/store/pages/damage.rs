//! Damage of a page that two datasets share.

use pilotlight_core::plans::PlanError;
use pilotlight_core::store::{Contents, Directory, StoreError};

use super::*;

#[test]
fn a_flipped_bit_of_a_shared_page_is_noticed_by_both() {
    let mut bucket = Bucket::filled(&two_hours(|_| PERIOD));
    bucket.compact_all(1);
    let object = bucket.catalog[0].clone();
    let before = bucket.objects[&object.key].clone();
    for (kind, pages) in pages(dataset(&object, "cpu")) {
        let Part { offset, len } = pages[0].part;
        // Minutes as a whole and cut, or hours.
        let cut = TimeRange::of_nanos(0, 361_000_000_001);
        let range = if kind.is_some_and(|(window, _)| window == SumWindow::Hour) {
            TimeRange::ALL
        } else {
            cut
        };
        for at in offset..offset + len {
            bucket.objects.get_mut(&object.key).unwrap()[at as usize] ^= 0x20;
            let fails = |sample_type| {
                matches!(
                    bucket.query("", &profile_type("process_cpu", sample_type), range),
                    Err(PlanError::Damaged { offset: found, .. }) if found == offset
                )
            };
            assert!(fails("samples") && fails("cpu"), "byte {at}");
            bucket.objects.get_mut(&object.key).unwrap()[at as usize] ^= 0x20;
        }
    }
    assert_eq!(bucket.objects[&object.key], before);
}

#[test]
fn a_divisor_of_no_writer_is_an_error() {
    let mut bucket = Bucket::filled(&two_hours(|_| PERIOD));
    (1..=2).for_each(|level| bucket.compact_all(level));
    let mut set = |divisor: u64| {
        let Contents::Block(block) = &mut bucket.catalog[0].directory.contents else {
            panic!("not a block")
        };
        for d in &mut block.datasets {
            let pages = d
                .pages
                .iter_mut()
                .chain(d.sums.iter_mut().flat_map(|sums| &mut sums.pages));
            pages.for_each(|page| page.divisor = divisor);
        }
        let query = bucket
            .query("", &profile_type("process_cpu", "cpu"), TimeRange::ALL)
            .map(|answer| answer.saturated);
        let compacted = bucket.try_compact(3, bucket.catalog.clone()).map(drop);
        (
            query,
            compacted,
            Directory::decode(&bucket.catalog[0].directory.encode().unwrap()).map(drop),
        )
    };
    // The largest value is 9, so sums fit what a seventh of the highest does not.
    for divisor in [u64::MAX, 1 << 63, i64::MAX as u64, i64::MAX as u64 / 6] {
        let (query, compacted, directory) = set(divisor);
        let overflows = |error: PlanError| match error {
            PlanError::Damaged {
                source:
                    StoreError::Corrupt {
                        section: "page",
                        problem,
                        ..
                    },
                ..
            } => problem == "a value does not fit in 64 bits",
            _ => false,
        };
        assert!(
            query.is_err_and(overflows) && compacted.is_err_and(overflows),
            "{divisor}"
        );
        // It is not the directory's to know the values.
        assert_eq!(directory, Ok(()));
    }
    let (.., directory) = set(0);
    assert!(
        matches!(
            directory,
            Err(StoreError::Corrupt {
                problem: "a page's divisor is 0",
                ..
            })
        ),
        "{directory:?}"
    );
}
