//! Pages of the catalog, and helpers that other tests fill one with.

use super::*;
use crate::tenant::catalog::objects::directories::PART_BYTES;
use crate::tenant::catalog::pages::CatalogQuery;
use crate::tenant::catalog::sql::memory::MemorySql;
use pilotlight_core::{
    ProfileBuilder, UnixNanos, parse_name,
    store::{ChunkId, Level, SegmentWriter, Series, SeriesRows, encode_chunk},
};

/// A catalog in memory.
pub(crate) fn catalog() -> Catalog<MemorySql> {
    Catalog::new(MemorySql::new()).unwrap()
}

/// The directory of a segment with one chunk, whose profile starts at `millis`.
pub(crate) fn directory(millis: i64) -> Directory {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let stack = builder.named_stack(&["main"]);
    let series = Series {
        labels: parse_name("app").unwrap(),
        profile_type: "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
            .parse()
            .unwrap(),
        time: UnixNanos::from_millis(millis),
        ..Series::default()
    };
    let rows = vec![(stack, 1)];
    let chunk = encode_chunk(
        ChunkId([millis as u8; 16]),
        &builder.finish(),
        &[SeriesRows {
            series,
            rows,
            links: Vec::new(),
        }],
    )
    .unwrap();
    let mut writer = SegmentWriter::new();
    writer.push(&chunk).unwrap();
    writer.finish().unwrap().1
}

/// Adds a segment that was written, and whose profile starts, at `millis`.
pub(crate) fn add(catalog: &Catalog<MemorySql>, millis: i64) -> String {
    let key = format!("t/a/s0/l0/{millis:013}-0000000000000000.seg");
    catalog
        .add(
            Row {
                key: key.clone(),
                level: Level::Segment,
                size: 100,
            },
            &directory(millis),
            millis,
        )
        .unwrap();
    key
}

/// All keys in a span, read page by page.
pub(crate) fn keys(
    catalog: &Catalog<MemorySql>,
    first_millis: i64,
    last_millis: i64,
    page_bytes: usize,
) -> Vec<String> {
    let mut query = CatalogQuery {
        first_millis,
        last_millis,
        detail: Detail::Each,
        after: None,
    };
    let mut keys = Vec::new();
    loop {
        let (page, directories) = catalog.page(&query, page_bytes).unwrap();
        assert_eq!(page.rows.len(), directories.len());
        directories
            .iter()
            .for_each(|bytes| drop(Directory::decode(bytes).unwrap()));
        keys.extend(page.rows.into_iter().map(|row| row.key));
        query.after = page.after;
        if query.after.is_none() {
            return keys;
        }
    }
}

/// Directories of the objects added since a time.
pub(crate) fn since(catalog: &Catalog<MemorySql>, since: i64) -> Vec<(i64, Vec<u8>)> {
    let mut found = Vec::new();
    let take = |at, bytes| {
        found.push((at, bytes));
        Ok(())
    };
    catalog.since(since, take).unwrap();
    found
}

#[test]
fn pages_of_a_span() {
    let catalog = catalog();
    let added: Vec<String> = [10, 20, 30, 40].map(|millis| add(&catalog, millis)).into();
    for page_bytes in [0, 200, 1 << 20] {
        assert_eq!(keys(&catalog, i64::MIN, i64::MAX, page_bytes), added);
        assert_eq!(keys(&catalog, 20, 30, page_bytes), added[1..3]);
        assert_eq!(keys(&catalog, 21, 29, page_bytes), [""; 0]);
    }
}

#[test]
fn times_of_what_counts() {
    let catalog = catalog();
    assert_eq!(catalog.profile_times(), Ok(None));
    let added: Vec<String> = [30, 10, 20].map(|millis| add(&catalog, millis)).into();
    assert_eq!(catalog.profile_times(), Ok(Some((10, 30))));
    let replace = |keys: &[String]| {
        let keys = serde_json::to_string(keys).unwrap();
        objects::replace(&catalog.sql, &keys, 9, 40).unwrap();
    };
    replace(&added[..2]);
    assert_eq!(catalog.profile_times(), Ok(Some((20, 20))));
    // A block of which all was deleted touches no time.
    let row = Row {
        key: "t/a/s0/l1/0000000000050-0000000000000000.blk".to_owned(),
        level: Level::Minutes,
        size: 100,
    };
    insert_live(&catalog.sql, &row, b"", &Facts::default(), 9, 50).unwrap();
    assert_eq!(catalog.profile_times(), Ok(Some((20, 20))));
    replace(&added[2..]);
    assert_eq!(catalog.profile_times(), Ok(None));
}

#[test]
fn later_pages_show_the_state_of_the_first() {
    let catalog = catalog();
    let added: Vec<String> = [10, 20, 30].map(|millis| add(&catalog, millis)).into();
    let query = CatalogQuery {
        first_millis: 0,
        last_millis: 99,
        ..CatalogQuery::default()
    };
    let (first, _) = catalog.page(&query, 0).unwrap();
    assert_eq!((&first.rows[0].key, first.rows.len()), (&added[0], 1));
    add(&catalog, 25);
    let (rest, _) = catalog
        .page(
            &CatalogQuery {
                after: first.after,
                ..query
            },
            1 << 20,
        )
        .unwrap();
    assert_eq!(
        rest.rows.iter().map(|row| &row.key).collect::<Vec<_>>(),
        [&added[1], &added[2]]
    );
}

#[test]
fn large_directories_come_back_whole() {
    let catalog = catalog();
    let bytes: Vec<u8> = (0..PART_BYTES * 2 + 7).map(|i| i as u8).collect();
    let key = "t/a/s0/l1/0000000000005-0000000000000000.blk".to_owned();
    let row = Row {
        key: key.clone(),
        level: Level::Minutes,
        size: 1,
    };
    insert_live(
        &catalog.sql,
        &row,
        &bytes,
        &Facts::default(),
        next(&catalog.sql).unwrap(),
        5,
    )
    .unwrap();
    let query = CatalogQuery::default();
    assert_eq!(
        catalog.page(&query, 0).unwrap().1,
        std::slice::from_ref(&bytes)
    );
    assert_eq!(
        catalog.rows(&[key]).unwrap(),
        (vec![row], vec![bytes.clone()])
    );
    assert_eq!(since(&catalog, 5), [(5, bytes)]);
    assert_eq!(since(&catalog, 6), []);
}

#[test]
fn a_row_is_added_whole_or_not_at_all() {
    let catalog = catalog();
    let key = add(&catalog, 10);
    let before = catalog.last().unwrap();
    let again = catalog.add(
        Row {
            key,
            level: Level::Segment,
            size: 1,
        },
        &directory(20),
        20,
    );
    assert!(again.unwrap_err().message.contains("UNIQUE"));
    assert_eq!(catalog.last().unwrap(), before);
    assert_eq!(keys(&catalog, 0, 99, 0).len(), 1);
}
