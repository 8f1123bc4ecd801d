//! How queries are split.

use super::*;
use crate::store::BlockEntry;

const HOUR: i64 = 3_600_000;

/// A block with the reads of so many bytes: `hour bytes`, and after `!` one whose answer
/// depends on the range.
fn drawn(text: &str) -> Vec<Closed> {
    let one = |word: &str| {
        let (fixed, word) = word
            .strip_prefix('!')
            .map_or((true, word), |word| (false, word));
        let (hour, kilobytes) = word.split_once(':').unwrap();
        let millis = hour.parse::<i64>().unwrap() * HOUR;
        let directory = Directory {
            label_sets: Vec::new(),
            types: Vec::new(),
            contents: Contents::Block(BlockEntry::default()),
        };
        let object = CatalogObject {
            key: word.to_owned(),
            level: Level::Hour,
            size: 0,
            directory,
        };
        Closed {
            objects: vec![object],
            millis,
            bytes: kilobytes.parse::<u64>().unwrap() << 10,
            reads: 1,
            fixed,
        }
    };
    text.split_whitespace().map(one).collect()
}

/// Parts as hours, with `=` before those whose answer is fixed.
fn check(text: &str, expect: &[&str]) {
    let shown = parts(drawn(text), 4 << 20).into_iter().map(|part| {
        let hours: Vec<&str> = part
            .objects
            .iter()
            .map(|object| object.key.split(':').next().unwrap())
            .collect();
        format!("{}{}", if part.fixed { "=" } else { "" }, hours.join(" "))
    });
    assert_eq!(shown.collect::<Vec<_>>(), expect, "{text}");
}

#[test]
fn parts_are_days() {
    check("", &[]);
    check("0:100 24:100", &["0 24"]);
    // Days of half a megabyte: two together have as much as days may have together.
    check("0:512 24:512 48:512 72:512", &["=0 24", "=48 72"]);
    check("24:512 48:512 72:512", &["=24", "=48 72"]);
    check("0:1000 24:1000 48:1000", &["=0", "=24", "=48"]);
    // A day that is too large is halved, until its halves fit.
    check("0:3000 1:900 13:3000 24:1000", &["=0 1", "=13", "=24"]);
    check("0:9000 0:9000 0:9000", &["=0", "=0", "=0"]);
}

#[test]
fn what_depends_on_the_range_is_put_together() {
    check("!0:300 24:1000 !48:300 72:100", &["=24", "0 48 72"]);
    check("!0:3000 !1:3000 !2:1000 !3:1", &["0", "1 2 3"]);
    check("!-1:100 0:300", &["=0", "-1"]);
}

/// A range that ends a day later has all days but one from before.
#[test]
fn parts_are_found_again() {
    let days = |from: i64, until: i64| {
        let text: Vec<String> = (from..until)
            .map(|day| format!("{}:1500", day * 24))
            .collect();
        parts(drawn(&text.join(" ")), 4 << 20)
    };
    let (today, tomorrow) = (days(100, 130), days(101, 131));
    assert_eq!(
        tomorrow.iter().filter(|part| today.contains(part)).count(),
        29
    );
}
