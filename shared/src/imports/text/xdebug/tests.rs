//! Traces of one script and of several.

use super::*;
use crate::imports::testing::drawn;

const HEAD: &str = "Version: 3.2.0\nFile format: 4\nTRACE START [2026-01-01 00:00:00.5]\n";

fn open(records: &[&str]) -> Result<Decoded, FormatError> {
    let records = records.join("\n").replace(' ', "\t");
    decode(format!("{HEAD}{records}\nTRACE END   [2026-01-01 00:00:01]\n\n").as_bytes())
}

#[test]
fn what_passes_is_the_innermost_functions() {
    let decoded = open(&[
        "1 0 0 0.5 1000 {main} 1  /w.php 0 0",
        "2 1 0 0.500001 1000 include 1 /inc.php /w.php 7 0",
        "3 2 0 0.500002 1100 A\\W->f 1  /inc.php 3 1 2000",
        "4 3 0 0.500003 1100 usleep 0  /inc.php 9 1 'x\\t'",
        "4 3 1 0.500013 1300",
        "4 3 R   NULL",
        "3  A      /inc.php 8  $w=5",
        "3 2 1 0.500014 1250",
        "2 1 1 0.500014 1250",
        // The end of `main` ends `strlen`, too.
        "2 4 0 0.500015 1250 strlen 0  /w.php 8 0",
        "1 0 1 0.500017 1240",
        "   0.500020 900",
    ])
    .expect("good");
    assert_eq!(
        drawn(&decoded.profile),
        "wall/nanoseconds\nspace/bytes\n\
         {main} /w.php 1000 0 @0\n\
         {main} /w.php:7;include /inc.php 1000 100 @1000\n\
         {main} /w.php:7;include /inc.php:3;A\\W->f /inc.php 1000 0 @2000\n\
         {main} /w.php:7;include /inc.php:3;A\\W->f /inc.php:9;usleep 10000 200 @3000\n\
         {main} /w.php:7;include /inc.php:3;A\\W->f /inc.php 1000 -50 @13000\n\
         {main} /w.php 1000 0 @14000\n\
         {main} /w.php:8;strlen 2000 -10 @15000\n"
    );
    assert_eq!(decoded.warnings.len(), 0);
}

/// The first was killed, the second begins in a function, 60.5 seconds later.
#[test]
fn traces_of_a_file_lie_at_their_own_times() {
    let first = "1 0 0 0.5 1000 {main} 1  /w.php 0 0\n2 1 0 0.6 1000 f 1  /w.php 7 0";
    let second = "3 4 0 0.1 2000 g 1  /v.php 3 0\n4 5 0 0.2 2000 h 1  /u.php 4 0\n4 5 1 0.5 2010";
    let text = |start: &str, records: &str| {
        let head = HEAD.replace("2026-01-01 00:00:00.5", start);
        format!("{head}{}\n", records.replace(' ', "\t"))
    };
    let check = |starts: [&str; 2], gap: i64| {
        let text = [text(starts[0], first), text(starts[1], second)].concat();
        let decoded = decode(text.as_bytes()).expect("good");
        let [g, h] = [gap, gap + 100_000_000];
        assert_eq!(
            drawn(&decoded.profile),
            format!(
                "wall/nanoseconds\nspace/bytes\n{{main}} /w.php 100000000 0 @0\n\
                 g /u.php 100000000 0 @{g}\ng /u.php:4;h 300000000 10 @{h}\n"
            )
        );
        assert_eq!(decoded.warnings.len(), 0);
    };
    check(
        ["2026-01-31 23:59:59.75", "2026-02-01 00:01:00.25"],
        60_500_000_000,
    );
    check(
        ["2026-01-31 23:59:59", "2026-02-01 00:00:01"],
        2_000_000_000,
    );
    // Without a time, where the first ends.
    check(["2026-01-31 23:59:59", "yesterday"], 100_000_000);
    let readable = [
        text("2026-01-31 23:59:59", first).as_str(),
        "TRACE START [2026-02-01 00:00:01]\n",
    ]
    .concat();
    let error = decode(readable.as_bytes()).expect_err("the second is for people");
    assert!(
        error
            .to_string()
            .starts_with("Xdebug trace, line 6: the trace is in the human")
    );
}

#[test]
fn a_trace_may_begin_anywhere() {
    // In a function, of which only the end is told; then `g`, two levels down.
    let decoded = open(&[
        "2 2 1 0.1 5",
        "3 3 0 0.2 5 g 1  /a.php 3 0",
        "3 3 1 0.3 5",
        "   0.4 5",
    ])
    .expect("good");
    assert_eq!(
        drawn(&decoded.profile),
        "wall/nanoseconds\nspace/bytes\ng 100000000 0 @0\n"
    );
}

#[test]
fn what_is_wrong() {
    for (record, expect) in [
        (
            "1 0 0 x 5 f 1  a 3",
            "neither the start nor the end of a call: \"1\\t0\\t0\\tx",
        ),
        (
            "1 0 7 0.5 5",
            "neither the start nor the end of a call: \"1\\t0\\t7",
        ),
        (
            "1 0 0 0.5 5 f 1  a",
            "neither the start nor the end of a call: \"1\\t0\\t0",
        ),
        (
            "1 0 1 NaN 5",
            "neither the start nor the end of a call: \"1\\t0\\t1\\tNaN",
        ),
    ] {
        let error = open(&[record]).expect_err(record).to_string();
        let expect = format!("Xdebug trace, line 4: {expect}");
        assert!(error.starts_with(&expect), "{error}");
    }
    let readable = "TRACE START [2026-01-01 00:00:00]\n    0.0003     396288   -> {main}() a:0\n";
    assert!(sniff(Start::of(readable.as_bytes())));
    assert_eq!(
        decode(readable.as_bytes())
            .expect_err("is for people")
            .to_string(),
        "Xdebug trace, line 1: the trace is in the human-readable format; record it with xdebug.trace_format=1"
    );
    let error = open(&[]).expect_err("is empty").to_string();
    assert_eq!(error, "Xdebug trace: there are no samples");
}
