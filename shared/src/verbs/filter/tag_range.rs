//! Ranges of numeric labels, such as `32kb:64mb`, and the units that they are written in.

use std::ops::RangeInclusive;

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bytes,
    Time,
    /// Google's compute units, which pprof knows.
    Gcu,
}

/// A unit as a multiple of the smallest of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unit {
    kind: Kind,
    factor: i128,
}

/// A range of numbers with units, ends included. One that is open ends at what no number reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TagRange {
    unit: FilterUnit,
    /// In `unit`'s smallest.
    scaled: RangeInclusive<i128>,
    /// As written; what numbers in unknown units are held against.
    plain: RangeInclusive<i128>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FilterUnit {
    Known(Unit),
    /// None, or one that is not known.
    Other(String),
}

/// Why something that looks like a range is none.
pub(crate) const TOO_LARGE: &str = "the number does not fit in 64 bits";

impl TagRange {
    /// Parses `32kb`, `:64kb`, `4mb:` or `32kb:64mb`; `None` for everything else, which is a
    /// regular expression then.
    pub(crate) fn parse(text: &str) -> Option<Result<Self, &'static str>> {
        let (low, high) = match text.split_once(':') {
            None => (Some(text), Some(text)),
            Some(("", high)) => (None, Some(high)),
            Some((low, "")) => (Some(low), None),
            Some((low, high)) => (Some(low), Some(high)),
        };
        let (low, high) = (
            low.map_or(Some(None), |t| term(t).map(Some))?,
            high.map_or(Some(None), |t| term(t).map(Some))?,
        );
        let (number, unit) = low.or(high)?;
        let unit = FilterUnit::of(unit);
        let plain = |number: &str| number.parse::<i64>().map(i128::from).map_err(|_| TOO_LARGE);
        let (Ok(low_plain), Ok(_)) = (low.map_or(Ok(i128::MIN), |(n, _)| plain(n)), plain(number))
        else {
            return Some(Err(TOO_LARGE));
        };
        let high_plain = match high.map_or(Ok(i128::MAX), |(n, _)| plain(n)) {
            Ok(high) => high,
            Err(e) => return Some(Err(e)),
        };
        // The second number may have a unit of its own, which must be of the same kind.
        let high_unit = match high {
            Some((_, text)) if low.is_some() => unit.second(text)?,
            _ => unit.clone(),
        };
        let scaled = |n: i128, unit: &FilterUnit| n.saturating_mul(unit.factor());
        let (low_scaled, high_scaled) = (scaled(low_plain, &unit), scaled(high_plain, &high_unit));
        // What an unknown unit is held against is the range in the first number's unit: 12kb:1mb is
        // 12 to 1024.
        let high_plain = if high_plain == i128::MAX {
            i128::MAX
        } else {
            high_scaled.div_euclid(unit.factor())
        };
        Some(Ok(Self {
            unit,
            scaled: low_scaled..=high_scaled,
            plain: low_plain..=high_plain,
        }))
    }

    /// Whether a number in a unit is in the range. A unit that is not known counts as that of the
    /// range, as in pprof; one that is known must be of the range's kind.
    pub(crate) fn contains(&self, number: i64, unit: &str) -> bool {
        match (Unit::named(unit), &self.unit) {
            (None, _) => self.plain.contains(&i128::from(number)),
            (Some(unit), FilterUnit::Known(own)) => {
                // |number| < 2^63 and the largest factor is 2^50: no overflow.
                unit.kind == own.kind && self.scaled.contains(&(i128::from(number) * unit.factor))
            }
            (Some(_), FilterUnit::Other(_)) => false,
        }
    }
}

impl FilterUnit {
    fn of(text: &str) -> Self {
        match Unit::named(text) {
            Some(unit) => Self::Known(unit),
            // Words for "no unit in particular".
            None if ["count", "sample", "unit", "minimum", "auto"].contains(&text) => {
                Self::Other(String::new())
            }
            None => Self::Other(text.to_owned()),
        }
    }

    /// The unit of a range's second number: any of the same kind, and an unknown one or none is the
    /// first's.
    fn second(&self, text: &str) -> Option<Self> {
        match (Unit::named(text), self) {
            (None, own) => Some(own.clone()),
            (Some(unit), Self::Known(own)) if unit.kind == own.kind => Some(Self::Known(unit)),
            (Some(_), _) => None,
        }
    }

    fn factor(&self) -> i128 {
        match self {
            Self::Known(unit) => unit.factor,
            Self::Other(_) => 1,
        }
    }
}

impl Unit {
    /// A unit by any of its names, in any case, singular or plural.
    fn named(text: &str) -> Option<Self> {
        const NAMES: [(Kind, i128, &[&str]); 20] = [
            (Kind::Bytes, 1, &["b", "byte"]),
            (Kind::Bytes, 1 << 10, &["kb", "kbyte", "kilobyte"]),
            (Kind::Bytes, 1 << 20, &["mb", "mbyte", "megabyte"]),
            (Kind::Bytes, 1 << 30, &["gb", "gbyte", "gigabyte"]),
            (Kind::Bytes, 1 << 40, &["tb", "tbyte", "terabyte"]),
            (Kind::Bytes, 1 << 50, &["pb", "pbyte", "petabyte"]),
            (Kind::Time, 1, &["ns", "nanosecond"]),
            (Kind::Time, 1_000, &["μs", "us", "microsecond"]),
            (Kind::Time, 1_000_000, &["ms", "millisecond"]),
            (Kind::Time, 1_000_000_000, &["s", "sec", "second"]),
            (Kind::Time, 3_600_000_000_000, &["hour", "hr"]),
            (Kind::Gcu, 1, &["nanogcu"]),
            (Kind::Gcu, 1_000, &["microgcu"]),
            (Kind::Gcu, 1_000_000, &["milligcu"]),
            (Kind::Gcu, 1_000_000_000, &["gcu"]),
            (Kind::Gcu, 1_000_000_000_000, &["kilogcu"]),
            (Kind::Gcu, 1_000_000_000_000_000, &["megagcu"]),
            (Kind::Gcu, 1_000_000_000_000_000_000, &["gigagcu"]),
            (Kind::Gcu, 1_000_000_000_000_000_000_000, &["teragcu"]),
            (Kind::Gcu, 1_000_000_000_000_000_000_000_000, &["petagcu"]),
        ];
        let lower = text.to_lowercase();
        // "s" and "ns" are no plurals.
        let name = lower
            .strip_suffix('s')
            .filter(|_| lower.len() > 2)
            .unwrap_or(&lower);
        let found = NAMES.iter().find(|(_, _, names)| names.contains(&name));
        found.map(|&(kind, factor, _)| Self { kind, factor })
    }
}

/// A number and the letters behind it.
fn term(text: &str) -> Option<(&str, &str)> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let letters = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_term = letters.len() < digits.len() && letters.bytes().all(|c| c.is_ascii_alphabetic());
    is_term.then(|| text.split_at(text.len() - letters.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(range: &str, number: i64, unit: &str, expect: bool) {
        let parsed = TagRange::parse(range).unwrap().unwrap();
        assert_eq!(
            parsed.contains(number, unit),
            expect,
            "{number} {unit} in {range}"
        );
    }

    #[test]
    fn ranges_with_units() {
        check("32kb", 32 << 10, "bytes", true);
        check("32kb", 32, "kilobytes", true);
        check("32kb", (32 << 10) + 1, "bytes", false);
        check(":64kb", 64 << 10, "bytes", true);
        check(":64kb", i64::MIN, "bytes", true);
        check("4mb:", (4 << 20) - 1, "bytes", false);
        check("4mb:", i64::MAX, "pb", true);
        check("12kb:64mb", 1, "mb", true);
        check("12kb:64mb", 65, "mb", false);
        check("12kb:64", 64, "kb", true);
        check("-5:-1", -3, "", true);
        check("+5", 5, "", true);
        check("9223372036854775807tb:", i64::MAX, "tb", true);
    }

    #[test]
    fn kinds_do_not_mix_and_unknown_units_are_the_ranges() {
        check("5ms", 5, "bytes", false);
        check("5", 5, "bytes", false);
        check("5foo", 5, "bytes", false);
        check("5", 5, "request", true);
        check("5foo", 5, "bar", true);
        check("5kb", 5, "request", true);
        check("5count", 5, "", true);
        check("1kb:1mb", 1024, "request", true);
        check("1kb:1mb", 1025, "request", false);
    }

    #[test]
    fn everything_else_is_no_range() {
        for text in [
            "", ":", "a", "5-3", "5 kb", "kb", "5:6:7", "5kb:3ms", "5:3mb", "-", "5kb,6kb", "5µs",
        ] {
            assert_eq!(TagRange::parse(text), None, "{text}");
        }
        assert_eq!(TagRange::parse("9223372036854775808"), Some(Err(TOO_LARGE)));
        assert_eq!(
            TagRange::parse("1:9223372036854775808"),
            Some(Err(TOO_LARGE))
        );
    }
}
