//! Symbol tables: what is written is read again, and nothing else.

use super::*;
use crate::testing::frame;
use crate::verbs::programs::Segment;

fn head() -> SymbolTableHead {
    SymbolTableHead {
        ids: vec!["ab12cd34".to_owned()],
        file: "shop".to_owned(),
        layout: Layout::Segments(vec![Segment {
            address: 0x1000,
            size: 0x200,
            offset: 0x400,
            file_size: 0x200,
            align: 0x1000,
            executable: true,
        }]),
    }
}

/// `outer` at 0x1000, with `inner` inlined at 0x1010; nothing at 0x1030; `last` at 0x1040.
fn table() -> SymbolTable {
    let mut builder = SymbolTableBuilder::new();
    builder.range(0x1000, &[frame("outer", 1)]);
    builder.range(0x1008, &[frame("outer", 1)]);
    builder.range(0x1010, &[frame("inner", 7), frame("outer", 2)]);
    builder.range(0x1030, &[]);
    builder.range(0x1020, &[frame("late", 1)]);
    builder.range(0x1040, &[frame("last", 0)]);
    builder.finish(head()).unwrap()
}

fn names(table: &SymbolTable, address: u64) -> Vec<(String, i64)> {
    let mut frames = Vec::new();
    table.frames(address, &mut frames);
    let named = frames.into_iter().map(|frame| (frame.name, frame.line));
    named.collect()
}

#[test]
fn ranges_have_frames_before_and_after_they_are_stored() {
    let built = table();
    let stored = SymbolTable::decode(&built.encode().unwrap()).unwrap();
    assert_eq!(stored.head(), &head());
    assert!(stored.has_lines());
    let one = |name: &str, line| (name.to_owned(), line);
    for table in [&built, &stored] {
        assert_eq!(table.functions(), 3);
        assert_eq!(names(table, 0xfff), []);
        for address in [0x1000, 0x1008, 0x100f] {
            assert_eq!(names(table, address), [one("outer", 1)]);
        }
        for address in [0x1010, 0x102f] {
            assert_eq!(
                names(table, address),
                [one("inner", 7), one("outer", 2)],
                "{address:x}"
            );
        }
        assert_eq!(names(table, 0x1030), []);
        assert_eq!(names(table, 0x1040), [one("last", 0)]);
        assert_eq!(names(table, u64::MAX), [one("last", 0)]);
    }
    let again = stored.encode().unwrap();
    assert_eq!(
        SymbolTableId::of(&again),
        SymbolTableId::of(&built.encode().unwrap())
    );
}

#[test]
fn what_is_no_table_of_a_program() {
    let finish = |head| SymbolTableBuilder::new().finish(head).unwrap_err();
    assert_eq!(finish(head()), SymbolTableError::Empty);
    let without = SymbolTableHead {
        ids: Vec::new(),
        ..head()
    };
    assert_eq!(finish(without), SymbolTableError::NoId);
    let long = SymbolTableHead {
        ids: vec!["a".repeat(MAX_ID + 1)],
        ..head()
    };
    assert_eq!(finish(long), SymbolTableError::Ids);

    let object = table().encode().unwrap();
    for cut in 0..object.len() {
        assert!(SymbolTable::decode(&object[..cut]).is_err(), "{cut} bytes");
    }
    for at in 0..object.len() {
        let mut damaged = object.clone();
        damaged[at] ^= 0x10;
        assert!(SymbolTable::decode(&damaged).is_err(), "byte {at}");
    }
}

#[test]
fn what_is_too_large_is_not_written() {
    let mut builder = SymbolTableBuilder::new();
    for i in 0..800_000 {
        builder.range(i * 1000, &[frame("a", i as i64 * 1000 % 77_777)]);
    }
    let table = builder.finish(head()).unwrap();
    let error = table.encode().unwrap_err();
    assert!(matches!(error, SymbolTableError::TooLarge { size } if size > 4 << 20));
}

#[test]
fn what_would_take_much_memory_is_refused_before() {
    let packed = |head: &[u8], columns: &[u8]| {
        let mut object = Vec::new();
        put_magic(&mut object, MAGIC);
        let mut packer = Packer::new().unwrap();
        packer.put(&mut object, head, FORMAT).unwrap();
        packer.put(&mut object, columns, FORMAT).unwrap();
        object
    };
    let of_zeros = packed(&vec![b' '; MAX_HEAD + 1], b"");
    assert!(of_zeros.len() < 1_000);
    assert_eq!(
        SymbolTable::decode(&of_zeros).unwrap_err(),
        SymbolTableError::Head("head")
    );
    let json = serde_json::to_vec(&head()).unwrap();
    let of_zeros = packed(&json, &vec![0; MAX_SYMBOL_COLUMNS + 1]);
    assert!(matches!(
        SymbolTable::decode(&of_zeros).unwrap_err(),
        SymbolTableError::TooLarge { .. }
    ));

    // Names and lists of frames are copied for each address.
    let mut builder = SymbolTableBuilder::new();
    builder.range(0x1000, &[frame(&"a".repeat(MAX_NAME_BYTES + 1), 1)]);
    let long = builder.finish(head()).unwrap().encode().unwrap();
    let error = SymbolTable::decode(&long).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a name or a list of frames is too long"),
        "{error}"
    );
    let mut builder = SymbolTableBuilder::new();
    let frames: Vec<_> = (0..100).map(|i| frame(&format!("f{i}"), 1)).collect();
    builder.range(0x1000, &frames);
    let table = builder.finish(head()).unwrap();
    let kept = names(&table, 0x1000);
    assert_eq!((kept.len(), &*kept[0].0, &*kept[63].0), (64, "f36", "f99"));
}
