//! Values in words: 23.4 min, 1.2 GiB, 12,400, 31.4 %.
//!
//! Three significant digits, no zeros at the end, thousands grouped, a blank before the unit, and
//! U+2212 for minus: what the site shows. Arithmetic is exact and rounds half away from zero; a
//! unit is left for the next when rounding reaches it, so 999.95 ms is 1 s.
//!
//! Time goes from ns to days. Bytes go by 1,024 and say so (KiB); `kilobytes` in a profile are
//! 1,024 bytes too, as in pprof. Counts are exact below 100,000, then go by 1,000.
//!
//! pprof differs in its reports: two decimals, no blank, `kB` for 1,024 bytes, and neither minutes
//! nor days.

use std::fmt::Write as _;

use super::unit::{Dimension, Ladder, PREFIXES, SECOND, Unit, rounded};

/// Smaller counts are shown with every digit.
const FIRST_PREFIXED: u128 = 100_000;

/// Most digits behind the point. A nanosecond in days takes 14 zeros and then three digits.
const MAX_DECIMALS: u32 = 17;

/// A value in the largest unit that leaves at least one before the point. A unit that is not ours
/// is shown as it is, behind the number.
pub fn format_value(value: i64, unit: &str) -> String {
    with_sign(value < 0, &auto(u128::from(value.unsigned_abs()), 1, unit))
}

/// A value in a given unit; as [`format_value`] where that measures something else.
pub fn format_in(value: i64, unit: &str, target: &str) -> String {
    match (Unit::parse(unit), Unit::parse(target)) {
        (Some(from), Some(to)) if from.dimension == to.dimension => {
            let number = short(
                u128::from(value.unsigned_abs()) * u128::from(from.factor),
                u128::from(to.factor),
            );
            with_sign(value < 0, &join(&number, to.symbol))
        }
        _ => format_value(value, unit),
    }
}

/// Every digit, with the unit as it is given: 1,404,000,000 nanoseconds.
pub fn format_exact(value: i64, unit: &str) -> String {
    let shown = if is_count(unit) { "" } else { unit };
    with_sign(
        value < 0,
        &join(&grouped(&value.unsigned_abs().to_string()), shown),
    )
}

/// A value that took so long to gather, a second: 350 ms/s, 1.2 MiB/s, 12.4/s. `None` for a
/// duration that is not above zero.
pub fn format_rate(value: i64, unit: &str, duration_nanos: i64) -> Option<String> {
    let duration = u128::try_from(duration_nanos)
        .ok()
        .filter(|&nanos| nanos > 0)?;
    let per_second = u128::from(value.unsigned_abs()) * u128::from(SECOND);
    Some(with_sign(
        value < 0,
        &(auto(per_second, duration, unit) + "/s"),
    ))
}

/// A share of the whole: 31.4 %, 0.25 %. Never 0 for something, never 100 for less than all; 0
/// where there is no whole.
pub fn format_percent(part: i128, whole: i128) -> String {
    let (size, of) = (part.unsigned_abs(), whole.unsigned_abs());
    if size == 0 || of == 0 {
        return "0 %".to_owned();
    }
    // In thousandths of a percent, by division first where the product has no room: that is far
    // above any digit shown.
    let scaled = |times: u128| {
        size.checked_mul(times)
            .map_or_else(|| rounded(size, of / times.min(of)), |n| rounded(n, of))
    };
    let text = if scaled_below(size, of, 5, 100_000) {
        "<0.01".to_owned()
    } else if scaled_below(size, of, 1, 1_000) {
        decimal(scaled(10_000), 2)
    } else if size < of && !scaled_below(size, of, 9_995, 10_000) {
        ">99.9".to_owned()
    } else if !scaled_below(size, of, 10, 1) {
        grouped(&scaled(100).to_string())
    } else {
        trimmed(&decimal(scaled(1_000), 1))
    };
    with_sign((part < 0) != (whole < 0), &(text + " %"))
}

/// Whether `size / of < part / whole`.
fn scaled_below(size: u128, of: u128, part: u128, whole: u128) -> bool {
    match (size.checked_mul(whole), of.checked_mul(part)) {
        (Some(left), Some(right)) => left < right,
        _ => size / part < of / whole,
    }
}

/// `n / d` of a unit, in its dimension's best.
fn auto(n: u128, d: u128, unit: &str) -> String {
    match Unit::parse(unit) {
        Some(Unit {
            dimension: Dimension::Count,
            ..
        }) => count(n, d),
        None => join(&count(n, d), unit),
        Some(_) if n == 0 => "0".to_owned(),
        Some(found) => {
            let factor = u128::from(found.factor);
            // Where the product has no room, the quotient has 18 bits at least: more than three
            // digits.
            let (n, d) = n
                .checked_mul(factor)
                .map_or_else(|| ((n / d).saturating_mul(factor), 1), |n| (n, d));
            climb(n, d, found.ladder())
        }
    }
}

/// A count: every digit while it is short.
fn count(n: u128, d: u128) -> String {
    if rounded(n, d) >= FIRST_PREFIXED {
        climb(n, d, PREFIXES)
    } else {
        short(n, d)
    }
}

/// The number in the largest unit that leaves at least one before the point, rounding included.
fn climb(n: u128, d: u128, ladder: &Ladder) -> String {
    let (mut symbol, mut factor, _) = ladder[0];
    for &(next, next_factor, _) in &ladder[1..] {
        let decimals = decimals(n, d.saturating_mul(u128::from(factor)));
        let shown = rounded(
            n.saturating_mul(10u128.pow(decimals)),
            d.saturating_mul(u128::from(factor)),
        );
        if shown.saturating_mul(u128::from(factor)) < u128::from(next_factor) * 10u128.pow(decimals)
        {
            break;
        }
        (symbol, factor) = (next, next_factor);
    }
    let one = d.saturating_mul(u128::from(factor));
    // What rounding has brought here is shown as what it was rounded to: 59.95 s is 1 min, not
    // 0.999.
    let number = if n < one && factor > ladder[0].1 {
        "1".to_owned()
    } else {
        short(n, one)
    };
    join(&number, symbol)
}

/// `n / d` with three significant digits, or all those before the point.
fn short(n: u128, d: u128) -> String {
    let decimals = decimals(n, d);
    trimmed(&decimal(
        rounded(n.saturating_mul(10u128.pow(decimals)), d),
        decimals,
    ))
}

/// How many digits behind the point make three significant ones.
fn decimals(n: u128, d: u128) -> u32 {
    let is_enough = |&k: &u32| {
        n.checked_mul(10u128.pow(k + 1))
            .is_none_or(|n| rounded(n, d) >= 1_000)
    };
    if n == 0 {
        0
    } else {
        (0..MAX_DECIMALS).find(is_enough).unwrap_or(MAX_DECIMALS)
    }
}

/// A whole number as one with so many digits behind the point.
fn decimal(digits: u128, decimals: u32) -> String {
    if decimals == 0 {
        return grouped(&digits.to_string());
    }
    let one = 10u128.pow(decimals);
    let mut text = grouped(&(digits / one).to_string());
    write!(text, ".{:0width$}", digits % one, width = decimals as usize)
        .expect("a String takes all");
    text
}

/// Without zeros at the end of the part behind the point.
fn trimmed(decimal: &str) -> String {
    if decimal.contains('.') {
        decimal
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    } else {
        decimal.to_owned()
    }
}

/// Digits in groups of three.
fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn join(number: &str, unit: &str) -> String {
    if unit.is_empty() {
        number.to_owned()
    } else {
        format!("{number} {unit}")
    }
}

fn with_sign(is_negative: bool, text: &str) -> String {
    if is_negative {
        format!("\u{2212}{text}")
    } else {
        text.to_owned()
    }
}

fn is_count(unit: &str) -> bool {
    Unit::parse(unit).is_some_and(|unit| unit.dimension == Dimension::Count)
}

#[cfg(test)]
mod tests {
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
    fn in_a_given_unit() {
        let table = [
            (1_500_000, "ns", "s", "0.0015 s"),
            (1, "ns", "days", "0.0000000000000116 d"),
            (90, "s", "min", "1.5 min"),
            (3, "h", "seconds", "10,800 s"),
            (1, "mb", "kb", "1,024 KiB"),
            (-1, "byte", "KiB", "−0.000977 KiB"),
            (0, "ns", "ms", "0 ms"),
            (7, "objects", "count", "7"),
            (1_500_000, "ns", "bytes", "1.5 ms"),
            (5, "widgets", "s", "5 widgets"),
        ];
        for (value, unit, target, expect) in table {
            assert_eq!(
                format_in(value, unit, target),
                expect,
                "{value} {unit} in {target}"
            );
        }
    }

    #[test]
    fn rates() {
        let table = [
            (3_500_000_000, "nanoseconds", 10, "350 ms/s"),
            (12_582_912, "bytes", 10, "1.2 MiB/s"),
            (124, "count", 10, "12.4/s"),
            (1, "count", 300, "0.00333/s"),
            (124_000_000, "objects", 10, "12.4 M/s"),
            (0, "bytes", 10, "0/s"),
            (-5, "widgets", 2, "−2.5 widgets/s"),
            // A quotient of 2^63 / (2^63 / 10^9).
            (
                i64::MIN,
                "days",
                i64::MAX / 1_000_000_000,
                "−1,000,000,000 d/s",
            ),
        ];
        for (value, unit, seconds, expect) in table {
            assert_eq!(
                format_rate(value, unit, seconds * 1_000_000_000).as_deref(),
                Some(expect),
                "{value} {unit} in {seconds} s"
            );
        }
        assert_eq!(
            (format_rate(1, "count", 0), format_rate(1, "count", -1)),
            (None, None)
        );
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
        fn three_digits_are_right(value in any::<i64>(), shift in 0u32..63, unit in 0usize..6, target in 0usize..6) {
            let value = value >> shift;
            let units = ["ns", "microseconds", "day", "bytes", "tb", "widgets"];
            for shown in [format_value(value, units[unit]), format_in(value, units[unit], units[target])] {
                let (number, symbol) = shown.split_once(' ').unwrap_or((&shown, ""));
                let number: f64 = number.replace(',', "").replace('\u{2212}', "-").parse().unwrap();
                let (prefix, _) = symbol.split_once(' ').unwrap_or((symbol, ""));
                let ladder: f64 = PREFIXES.iter().find(|row| row.0 == prefix).map_or(1.0, |row| row.1 as f64);
                let factor = Unit::parse(symbol).map_or(ladder, |unit| unit.factor as f64);
                let exact = value as f64 * Unit::parse(units[unit]).map_or(1.0, |unit| unit.factor as f64);
                prop_assert!((number * factor - exact).abs() <= exact.abs() * 0.005, "{shown} for {value} {}", units[unit]);
            }
            prop_assert!(format_rate(value, units[unit], 1 + (value >> 1).saturating_abs()).is_some());
            prop_assert!(format_percent(i128::from(value) << 60, i128::from(value >> 3)).ends_with('%'));
        }
    }
}
