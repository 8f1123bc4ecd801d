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

use super::unit::{Dimension, Ladder, PREFIXES, Unit, rounded};

/// Smaller counts are shown with every digit.
const FIRST_PREFIXED: u128 = 100_000;

/// Most digits behind the point. Below one is only what rounding takes to the next unit, such as
/// 0.9996 s, and that has three.
const MAX_DECIMALS: u32 = 3;

/// A value in the largest unit that leaves at least one before the point. A unit that is not ours
/// is shown as it is, behind the number.
pub fn format_value(value: i64, unit: &str) -> String {
    with_sign(value < 0, &auto(value.unsigned_abs(), unit))
}

/// The mean of `of` values with this sum, as a value: a small count with what is behind the point.
pub fn format_mean(sum: i64, of: u64, unit: &str) -> String {
    let (size, of) = (u128::from(sum.unsigned_abs()), u128::from(of.max(1)));
    let is_plain = Unit::parse(unit).is_none_or(|unit| unit.dimension == Dimension::Count);
    let text = if is_plain && size < 1_000 * of {
        join(&short(size, of), if is_count(unit) { "" } else { unit })
    } else {
        auto(rounded(size, of) as u64, unit)
    };
    with_sign(sum < 0, &text)
}

/// Every digit, with the unit as it is given: 1,404,000,000 nanoseconds.
pub fn format_exact(value: i64, unit: &str) -> String {
    let shown = if is_count(unit) { "" } else { unit };
    with_sign(
        value < 0,
        &join(&grouped(&value.unsigned_abs().to_string()), shown),
    )
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

/// `n` of a unit, in its dimension's best.
fn auto(n: u64, unit: &str) -> String {
    match Unit::parse(unit) {
        Some(Unit {
            dimension: Dimension::Count,
            ..
        }) => count(n.into()),
        None => join(&count(n.into()), unit),
        Some(_) if n == 0 => "0".to_owned(),
        Some(found) => climb(u128::from(n) * u128::from(found.factor), found.ladder()),
    }
}

/// A count: every digit while it is short.
fn count(n: u128) -> String {
    if n >= FIRST_PREFIXED {
        climb(n, PREFIXES)
    } else {
        grouped(&n.to_string())
    }
}

/// The number in the largest unit that leaves at least one before the point, rounding included.
fn climb(n: u128, ladder: &Ladder) -> String {
    let (mut symbol, mut one) = (ladder[0].0, u128::from(ladder[0].1));
    for &(next, next_factor, _) in &ladder[1..] {
        let decimals = decimals(n, one);
        let shown = rounded(n.saturating_mul(10u128.pow(decimals)), one);
        if shown.saturating_mul(one) < u128::from(next_factor) * 10u128.pow(decimals) {
            break;
        }
        (symbol, one) = (next, u128::from(next_factor));
    }
    // What rounding has brought here is shown as what it was rounded to: 59.95 s is 1 min, not
    // 0.999.
    let number = if n < one {
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
mod tests;
