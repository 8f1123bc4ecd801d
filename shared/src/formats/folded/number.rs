//! Values of lines: whole numbers, and decimals as flamegraph.pl takes them.
//!
//! A profile's values are whole numbers. Decimals are kept in a smaller unit, `count/1000` say,
//! which the viewer and [`encode`](super::encode()) write as decimals again.

/// Decimal places of a value that are read; what is behind them only says that there is more.
const PLACES: usize = 18;

/// The coarsest first. Few, so that two files are likely to have the same.
const SCALES: [Scale; 4] = [
    Scale::new(0, "count"),
    Scale::new(3, "count/1000"),
    Scale::new(6, "count/1000000"),
    Scale::new(9, "count/1000000000"),
];

/// 1 in the parts of [`Number::Decimal`].
const ONE: i128 = 10i128.pow(PLACES as u32);

/// A value as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// A whole one.
    Whole(i64),
    /// One with `places` decimal places, of which the last is not zero, in parts of 10^-18.
    Decimal {
        /// The value.
        parts: i128,
        /// How many decimal places it has.
        places: usize,
    },
}

impl Number {
    /// `12`, `-3`, `4.5` or `6.`, within 64 bits: no plus, no exponent.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        // `parse` takes a plus, which no writer writes.
        let value: i64 = whole.parse().ok().filter(|_| !whole.starts_with('+'))?;
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() {
            return Some(Self::Whole(value));
        }
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let kept = &fraction[..fraction.len().min(PLACES)];
        let parts = kept.parse::<i128>().ok()? * 10i128.pow((PLACES - kept.len()) as u32);
        let sign = if whole.starts_with('-') { -1 } else { 1 };
        Some(Self::Decimal {
            parts: i128::from(value) * ONE + sign * parts,
            places: fraction.len(),
        })
    }

    /// Whether a text is a number that 64 bits have no room for.
    pub(crate) fn is_too_large(text: &str) -> bool {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        !whole.is_empty()
            && all_digits(whole)
            && all_digits(fraction)
            && Self::parse(text).is_none()
    }

    /// A number of JSON, capped at 64 bits.
    pub(crate) fn of(value: f64) -> Self {
        let decimal = (value.fract() != 0.0).then(|| Self::parse(&value.to_string()));
        decimal.flatten().unwrap_or(Self::Whole(value as i64))
    }

    /// Whether it has no decimal places.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::Whole(_))
    }

    /// Whether it is below zero.
    pub(crate) fn is_negative(self) -> bool {
        self.parts() < 0
    }

    fn parts(self) -> i128 {
        match self {
            Self::Whole(value) => i128::from(value) * ONE,
            Self::Decimal { parts, .. } => parts,
        }
    }

    fn places(self) -> usize {
        match self {
            Self::Whole(_) => 0,
            Self::Decimal { places, .. } => places,
        }
    }
}

/// How the values of a text are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    /// Decimal places that are kept.
    places: usize,
    unit: &'static str,
}

impl Default for Scale {
    /// Whole numbers.
    fn default() -> Self {
        SCALES[0]
    }
}

impl Scale {
    const fn new(places: usize, unit: &'static str) -> Self {
        Self { places, unit }
    }

    /// The coarsest that keeps all of them exactly, else the finest in which their sum has room.
    pub(crate) fn for_all(numbers: impl Iterator<Item = Number>) -> Self {
        let (mut places, mut sum) = (0, 0i128);
        for number in numbers {
            places = places.max(number.places());
            sum = sum.saturating_add(number.parts().abs());
        }
        let mut scale = Self::default();
        for finer in SCALES {
            if scale.places < places && sum / finer.step() < i128::from(i64::MAX) {
                scale = finer;
            }
        }
        scale
    }

    /// What 1 of it is in the parts of [`Number::Decimal`].
    fn step(self) -> i128 {
        10i128.pow((PLACES - self.places) as u32)
    }

    /// A number in this scale, rounded to the nearest, and whether it had to be.
    pub(crate) fn of(self, number: Number) -> (i64, bool) {
        if let (Number::Whole(value), 0) = (number, self.places) {
            return (value, false);
        }
        let (value, _) = nearest(number.parts(), self.step());
        // Of places beyond 18 the parts know nothing.
        (value, number.places() > self.places)
    }

    /// The unit of the values.
    pub(crate) fn unit(self) -> &'static str {
        self.unit
    }

    /// That of a unit; `None` for units of other kinds.
    pub(crate) fn named(unit: &str) -> Option<Self> {
        SCALES.into_iter().find(|scale| scale.unit == unit)
    }

    /// That of a unit; whole numbers for units of other kinds.
    pub(crate) fn of_unit(unit: &str) -> Self {
        Self::named(unit).unwrap_or_default()
    }

    /// How many values of this scale make up one of a coarser scale; `None` for a finer one.
    pub(crate) fn parts_of(self, coarser: Self) -> Option<i64> {
        let places = self.places.checked_sub(coarser.places)?;
        Some(10i64.pow(places as u32))
    }

    /// So many times a value of this scale as a whole number, rounded to the nearest, and whether
    /// it had to be.
    pub(crate) fn times(self, value: i64, factor: i64) -> (i64, bool) {
        if self.places == 0 {
            return (value.saturating_mul(factor), false);
        }
        let product = i128::from(value) * i128::from(factor);
        nearest(product, 10i128.pow(self.places as u32))
    }

    /// A value of this scale as a decimal.
    pub(crate) fn text(self, value: i64) -> String {
        let (divisor, size) = (10u64.pow(self.places as u32), value.unsigned_abs());
        let sign = if value < 0 { "-" } else { "" };
        let whole = size / divisor;
        let mut text = format!("{sign}{whole}");
        if size % divisor > 0 {
            let fraction = format!(".{:0width$}", size % divisor, width = self.places);
            text.push_str(fraction.trim_end_matches('0'));
        }
        text
    }
}

/// The quotient that is nearest, within 64 bits, and whether it had to be rounded.
fn nearest(value: i128, step: i128) -> (i64, bool) {
    let whole = (value + step / 2 * value.signum()) / step;
    let clamped = whole.clamp(i64::MIN.into(), i64::MAX.into());
    (clamped as i64, whole * step != value)
}

/// Says that so many values were rounded.
pub(crate) fn rounded(values: u64, scale: Scale) -> String {
    let values = match values {
        1 => "1 value is".to_owned(),
        many => format!("{many} values are"),
    };
    match scale.places {
        0 => format!("{values} rounded to whole numbers"),
        places => format!("{values} rounded to {places} decimal places"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(texts: &[&str]) -> (Vec<i64>, &'static str, usize) {
        let numbers = texts.iter().map(|text| Number::parse(text).expect(text));
        let scale = Scale::for_all(numbers.clone());
        let values: Vec<_> = numbers.map(|number| scale.of(number)).collect();
        let rounded = values.iter().filter(|(_, rounded)| *rounded).count();
        let values = values.into_iter().map(|(value, _)| value).collect();
        (values, scale.unit(), rounded)
    }

    #[test]
    fn decimals_are_kept_exactly() {
        assert_eq!(scaled(&["1", "2.", "3.0"]), (vec![1, 2, 3], "count", 0));
        let thousandths = (vec![1500, -250, 7000], "count/1000", 0);
        assert_eq!(scaled(&["1.5", "-0.25", "7"]), thousandths);
        let millionths = (vec![1, 1_000_000], "count/1000000", 0);
        assert_eq!(scaled(&["0.000001", "1"]), millionths);
        assert_eq!(scaled(&["-9223372036854775808"]).0, [i64::MIN]);
    }

    #[test]
    fn numbers_of_json() {
        let scale = Scale::named("count/1000").expect("one of them");
        for (value, expect) in [
            (0.25, (250, false)),
            (-0.0, (0, false)),
            (-1.5, (-1500, false)),
            (1e-7, (0, true)),
            (3.0, (3000, false)),
        ] {
            assert_eq!(scale.of(Number::of(value)), expect, "{value}");
        }
        assert_eq!(Number::of(1e30), Number::Whole(i64::MAX));
        assert_eq!(Number::of(f64::NAN), Number::Whole(0));
    }

    #[test]
    fn numbers_beyond_64_bits() {
        for text in [
            "9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999.5",
        ] {
            assert!(Number::is_too_large(text), "{text}");
        }
        for text in [
            "",
            "-",
            "9223372036854775807",
            "1e30",
            "1.5",
            ".5",
            "+9223372036854775808",
        ] {
            assert!(!Number::is_too_large(text), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_kept_is_rounded_once() {
        let noise = "0.30000000000000004";
        let kept = (vec![300_000_000], "count/1000000000", 1);
        assert_eq!(scaled(&[noise]), kept);
        let large = (vec![10_000_000_000_000_000, 1], "count", 1);
        assert_eq!(scaled(&["10000000000000000", "0.5"]), large);
        let both = scaled(&["900000000000", "0.0005", "-0.0005"]);
        assert_eq!(both.1, "count/1000000");
        let sum_is_large = scaled(&["5000000000000", "5000000000000", "0.0005", "-0.0005"]);
        assert_eq!(&sum_is_large.0[2..], [1, -1]);
        assert_eq!((sum_is_large.1, sum_is_large.2), ("count/1000", 2));
        let longer = format!("0.{}1", "0".repeat(30));
        assert_eq!(scaled(&[&longer]), (vec![0], "count/1000000000", 1));
    }

    #[test]
    fn only_what_a_script_writes() {
        for text in [
            "",
            "-",
            ".",
            ".5",
            "+1",
            "1e3",
            "1.2.3",
            "0x1",
            "1,5",
            "--1",
            "9223372036854775808",
            "-9223372036854775809",
            "1.-5",
            "1.+5",
            "１",
        ] {
            assert_eq!(Number::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn written_as_decimals() {
        let scale = Scale::of_unit("count/1000");
        for (value, text) in [
            (205_500, "205.5"),
            (-250, "-0.25"),
            (1, "0.001"),
            (3_000, "3"),
            (0, "0"),
            (i64::MIN, "-9223372036854775.808"),
        ] {
            assert_eq!(scale.text(value), text);
        }
        assert_eq!(Scale::of_unit("nanoseconds").text(12), "12");
    }
}
