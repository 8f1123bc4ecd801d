//! Values and the words for them.

use proptest::prelude::*;

use super::*;

#[test]
fn values() {
    // Value, unit, as it is shown.
    let table = "
        0 ns 0
        1 ns 1 ns
        999 ns 999 ns
        1000 ns 1 µs
        1234 ns 1.23 µs
        1235 ns 1.24 µs
        9994 ns 9.99 µs
        9995 ns 10 µs
        99949 ns 99.9 µs
        99950 ns 100 µs
        999499 ns 999 µs
        999500 ns 1 ms
        999950000 ns 1 s
        999499999 ns 999 ms
        59949 ms 59.9 s
        59950 ms 1 min
        1404 s 23.4 min
        3597 s 1 h
        3596 s 59.9 min
        86399 seconds 1 d
        86400 Seconds 1 d
        90000 hours 3,750 d
        7 us 7 µs
        7 μs 7 µs
        3 milliseconds 3 ms
        2 minutes 2 min
        -1500 microseconds −1.5 ms
        -9223372036854775808 nanoseconds −106,752 d
        9223372036854775807 days 9,223,372,036,854,775,807 d
        0 bytes 0
        1 byte 1 B
        1023 B 1,023 B
        1024 bytes 1 KiB
        1536 b 1.5 KiB
        1048064 bytes 1 MiB
        1048063 bytes 1,023 KiB
        1 kilobytes 1 KiB
        512 KiB 512 KiB
        3 mb 3 MiB
        1 pb 1 PiB
        9223372036854775807 bytes 8,192 PiB
        0 count 0
        12400 objects 12,400
        99999 count 99,999
        100000 count 100 k
        240499 none 240 k
        999499 count 999 k
        999500 count 1 M
        1240000 object 1.24 M
        -1500000000 count −1.5 G
        9223372036854775807 count 9.22 E
        5 samples 5 samples
        1234567 widgets 1.23 M widgets
        0 widgets 0 widgets
    ";
    for line in table.trim().lines() {
        let mut words = line.trim().splitn(3, ' ');
        let (value, unit, expect) = (
            words.next().unwrap(),
            words.next().unwrap(),
            words.next().unwrap(),
        );
        assert_eq!(format_value(value.parse().unwrap(), unit), expect, "{line}");
    }
    assert_eq!(format_value(1_234, ""), "1,234");
}

#[test]
fn percents() {
    let table = [
        (0, 7, "0 %"),
        (7, 0, "0 %"),
        (1, 1, "100 %"),
        (314, 1_000, "31.4 %"),
        (1, 400, "0.3 %"),
        (99, 100_000, "0.10 %"),
        (25, 100_000, "0.03 %"),
        (5, 100_000, "0.01 %"),
        (4, 100_000, "<0.01 %"),
        (-1, i128::MAX, "−<0.01 %"),
        (9_994, 10_000, "99.9 %"),
        (9_995, 10_000, ">99.9 %"),
        (10_001, 10_000, "100 %"),
        (12_345, 1_000, "1,235 %"),
        (-3, 2, "−150 %"),
        (-3, -2, "150 %"),
        (i128::MAX, i128::MAX, "100 %"),
        (i128::MAX / 4, i128::MAX, "25 %"),
    ];
    for (part, whole, expect) in table {
        assert_eq!(format_percent(part, whole), expect, "{part} of {whole}");
    }
}

#[test]
fn exact() {
    assert_eq!(
        format_exact(1_404_000_000_000, "nanoseconds"),
        "1,404,000,000,000 nanoseconds"
    );
    assert_eq!(
        format_exact(i64::MIN, "count"),
        "−9,223,372,036,854,775,808"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn three_digits_are_right(value in any::<i64>(), shift in 0u32..63, unit in 0usize..6) {
        let value = value >> shift;
        let units = ["ns", "microseconds", "day", "bytes", "tb", "widgets"];
        let shown = format_value(value, units[unit]);
        let (number, symbol) = shown.split_once(' ').unwrap_or((&shown, ""));
        let number: f64 = number.replace(',', "").replace('\u{2212}', "-").parse().unwrap();
        let (prefix, _) = symbol.split_once(' ').unwrap_or((symbol, ""));
        let ladder: f64 = PREFIXES.iter().find(|row| row.0 == prefix).map_or(1.0, |row| row.1 as f64);
        let factor = Unit::parse(symbol).map_or(ladder, |unit| unit.factor as f64);
        let exact = value as f64 * Unit::parse(units[unit]).map_or(1.0, |unit| unit.factor as f64);
        prop_assert!((number * factor - exact).abs() <= exact.abs() * 0.005, "{shown} for {value} {}", units[unit]);
        prop_assert!(format_percent(i128::from(value) << 60, i128::from(value >> 3)).ends_with('%'));
    }
}

#[test]
fn means() {
    for (sum, of, unit, text) in [
        (8, 3, "count", "2.67"),
        (5, 2, "count", "2.5"),
        (-5, 2, "samples", "−2.5 samples"),
        (2_307, 76, "count", "30.4"),
        (4_000, 2, "count", "2,000"),
        (3_000_000_000, 2, "nanoseconds", "1.5 s"),
        (0, 0, "count", "0"),
    ] {
        assert_eq!(format_mean(sum, of, unit), text, "{sum} / {of} {unit}");
    }
}
