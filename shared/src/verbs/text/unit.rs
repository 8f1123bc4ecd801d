//! Units of values and the words for them.

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Factors are nanoseconds.
    Time,
    /// Factors are bytes.
    Bytes,
    /// Things: calls, objects. Shown without a unit.
    Count,
}

/// A unit that can be converted to others of its dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// What it measures.
    pub dimension: Dimension,
    /// How many of the dimension's smallest unit it is.
    pub factor: u64,
    /// How it is written behind a number; empty for a count.
    pub symbol: &'static str,
}

pub(crate) const SECOND: u64 = 1_000_000_000;

/// Units of a dimension from small to large: symbol, factor, and the words for it besides the
/// symbol, in the singular.
pub(crate) type Ladder = [(&'static str, u64, &'static [&'static str])];

const TIME: &Ladder = &[
    ("ns", 1, &["nanosecond", "nanosec"]),
    // The micro sign and the Greek letter.
    (
        "µs",
        1_000,
        &["us", "μs", "microsecond", "microsec", "usec"],
    ),
    ("ms", 1_000_000, &["millisecond", "millisec", "msec"]),
    ("s", SECOND, &["second", "sec"]),
    ("min", 60 * SECOND, &["minute"]),
    ("h", 3_600 * SECOND, &["hour", "hr"]),
    ("d", 86_400 * SECOND, &["day"]),
];

const BYTES: &Ladder = &[
    ("B", 1, &["byte"]),
    ("KiB", 1 << 10, &["kb", "kbyte", "kilobyte", "kibibyte"]),
    ("MiB", 1 << 20, &["mb", "mbyte", "megabyte", "mebibyte"]),
    ("GiB", 1 << 30, &["gb", "gbyte", "gigabyte", "gibibyte"]),
    ("TiB", 1 << 40, &["tb", "tbyte", "terabyte", "tebibyte"]),
    ("PiB", 1 << 50, &["pb", "pbyte", "petabyte", "pebibyte"]),
];

const COUNT: &Ladder = &[("", 1, &["count", "object", "none", "1"])];

/// Prefixes of counts, from the first that is used.
pub(crate) const PREFIXES: &Ladder = &[
    ("k", 1_000, &[]),
    ("M", 1_000_000, &[]),
    ("G", 1_000_000_000, &[]),
    ("T", 1_000_000_000_000, &[]),
    ("P", 1_000_000_000_000_000, &[]),
    ("E", 1_000_000_000_000_000_000, &[]),
];

impl Unit {
    /// The unit of a word such as `ns`, `Nanoseconds`, `kb` or `objects`; case does not count, nor
    /// does an `s` at the end. `None` for a word that is no unit of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        let singular = lower
            .strip_suffix('s')
            .filter(|word| word.chars().count() > 1);
        // First as it is, so that `ms` is not a plural.
        [Some(lower.as_str()), singular]
            .into_iter()
            .flatten()
            .find_map(|word| {
                [
                    (Dimension::Time, TIME),
                    (Dimension::Bytes, BYTES),
                    (Dimension::Count, COUNT),
                ]
                .into_iter()
                .find_map(|(dimension, ladder)| {
                    let is_it = |(symbol, _, words): &&(&str, u64, &[&str])| {
                        symbol.to_lowercase() == word || words.contains(&word)
                    };
                    ladder.iter().find(is_it).map(|&(symbol, factor, _)| Self {
                        dimension,
                        factor,
                        symbol,
                    })
                })
            })
    }

    /// The units that its values are shown in.
    pub(crate) fn ladder(self) -> &'static Ladder {
        match self.dimension {
            Dimension::Time => TIME,
            Dimension::Bytes => BYTES,
            Dimension::Count => PREFIXES,
        }
    }
}

/// `n / d`, half rounded up.
pub(crate) fn rounded(n: u128, d: u128) -> u128 {
    let (quotient, rest) = (n / d, n % d);
    quotient + u128::from(rest >= d - rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let table = [
            ("ns", "ns"),
            ("Nanoseconds", "ns"),
            ("us", "µs"),
            ("\u{b5}s", "µs"),
            ("\u{3bc}s", "µs"),
            ("ms", "ms"),
            ("s", "s"),
            ("sec", "s"),
            ("mins", "min"),
            ("hrs", "h"),
            ("days", "d"),
            ("B", "B"),
            ("byte", "B"),
            ("kb", "KiB"),
            ("KiB", "KiB"),
            ("Megabytes", "MiB"),
            ("petabyte", "PiB"),
        ];
        for (word, symbol) in table {
            assert_eq!(
                Unit::parse(word).map(|unit| unit.symbol),
                Some(symbol),
                "{word}"
            );
        }
        for word in ["", "count", "counts", "object", "objects", "none", "1"] {
            assert_eq!(
                Unit::parse(word).map(|unit| unit.dimension),
                Some(Dimension::Count),
                "{word:?}"
            );
        }
        for word in ["parsecs", "samples", "m", "goroutine", "ss"] {
            assert_eq!(Unit::parse(word), None, "{word}");
        }
    }
}
