//! Points in time as Pyroscope's HTTP parameters give them: digits of several lengths, or relative
//! to now.

use crate::base::units::UnixNanos;

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Parses `from`, `until` and their like.
///
/// Digits are seconds (up to 10), milliseconds (13), microseconds (16) or nanoseconds (19) since the
/// epoch; eight digits are a date `yyyymmdd`, UTC. `now` and `now-1h30m` count from `now`; units
/// are `s`, `m` or `min`, `h`, `d`, `w`, `M` or `mon` (30 days) and `y` (365 days). `None` for
/// anything else.
pub fn parse_time(text: &str, now: UnixNanos) -> Option<UnixNanos> {
    let text = text.trim();
    if let Some(offset) = text.strip_prefix("now") {
        return match offset.strip_prefix('-') {
            Some(offset) => Some(now.plus(-parse_duration(offset)?)),
            None => offset.is_empty().then_some(now),
        };
    }
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: i64 = text.parse().ok()?;
    match text.len() {
        8 => date(number),
        ..=10 => number.checked_mul(SECOND).map(UnixNanos),
        11..=13 => number.checked_mul(1_000_000).map(UnixNanos),
        14..=16 => number.checked_mul(1_000).map(UnixNanos),
        17..=19 => Some(UnixNanos(number)),
        _ => None,
    }
}

/// Parses a length of time such as `1h30m`, with the units of [`parse_time`], as nanoseconds.
pub fn parse_duration(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut total = 0i64;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = rest[..digits].parse().ok()?;
        let letters = rest[digits..]
            .bytes()
            .take_while(u8::is_ascii_alphabetic)
            .count();
        let unit = match &rest[digits..digits + letters] {
            "s" | "sec" => SECOND,
            "m" | "min" => 60 * SECOND,
            "h" => 3600 * SECOND,
            "d" => DAY,
            "w" => 7 * DAY,
            "M" | "mon" => 30 * DAY,
            "y" => 365 * DAY,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = &rest[digits + letters..];
    }
    (!text.is_empty()).then_some(total)
}

/// Midnight UTC of a day given as `yyyymmdd`. Days since the epoch after Howard Hinnant's
/// `days_from_civil`.
pub(crate) fn date(number: i64) -> Option<UnixNanos> {
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        _ => 31,
    };
    if !(1970..=2262).contains(&year) || !(1..=12).contains(&month) || !(1..=days).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100
        + day_of_year
        - 719_468;
    days.checked_mul(DAY).map(UnixNanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let now = UnixNanos(1_700_000_000 * SECOND);
        let check = |text: &str, expect: Option<i64>| {
            assert_eq!(parse_time(text, now).map(|t| t.0), expect, "{text}")
        };
        check("now", Some(now.0));
        check("now-1h", Some(now.0 - 3600 * SECOND));
        check("now-1h30min", Some(now.0 - 5400 * SECOND));
        check("1700000000", Some(now.0));
        check("1700000000123", Some(now.0 + 123_000_000));
        check("1700000000123456", Some(now.0 + 123_456_000));
        check("1700000000123456789", Some(now.0 + 123_456_789));
        check("20231114", Some(1_699_920_000 * SECOND));
        check("20000229", Some(951_782_400 * SECOND));
        for (unit, seconds) in [
            ("s", 1),
            ("m", 60),
            ("min", 60),
            ("h", 3600),
            ("d", 86_400),
            ("w", 604_800),
            ("M", 2_592_000),
            ("mon", 2_592_000),
            ("y", 31_536_000),
        ] {
            check(&format!("now-2{unit}"), Some(now.0 - 2 * seconds * SECOND));
        }
        check("0", Some(0));
        check("86400", Some(DAY));
        check("999999999", Some(999_999_999 * SECOND));
        check("19700101", Some(0));
        check("20240229", Some(1_709_164_800 * SECOND));
        for text in [
            "20231314", "20230229", "21000229", "20230431", "20230100", "00000000",
        ] {
            check(text, None);
        }
        check("now-", None);
        check("now-1x", None);
        check("nowhere", None);
        check("", None);
        check("-5", None);
        check("99999999999999999999", None);
    }
}
