//! Numbers of JSON → whole values.

use super::document::{Kind, RawProfile, Unit};
use crate::base::warnings::Warnings;
use crate::formats::folded::{Number, Scale, rounded};

/// How the values without a unit are kept, in all profiles of a file.
pub(super) fn scale_of<'a>(profiles: impl Iterator<Item = &'a RawProfile>) -> Scale {
    let unitless = profiles.filter(|raw| raw.unit == Unit::None);
    Scale::for_all(unitless.flat_map(|raw| {
        let (weights, events) = match raw.kind {
            Kind::Sampled => (raw.weights.as_deref(), None),
            Kind::Evented => (None, raw.events.as_deref()),
        };
        let weights = weights.unwrap_or_default().iter().copied();
        let times = events.unwrap_or_default().iter().map(|event| event.at);
        weights.chain(times).map(Number::of)
    }))
}

/// The values of a profile, and how many of them could not be kept.
pub(super) struct Rounding {
    unit: Unit,
    scale: Scale,
    /// What rounding took from the weights so far; the next one gets it, so that their sum stays.
    carry: f64,
    pub(super) lost: Lost,
}

/// How many values are not what they were.
#[derive(Default)]
pub(super) struct Lost {
    /// Those without a unit.
    decimals: u64,
    bytes: u64,
    /// Times that are not 0 and became 0.
    times: u64,
    /// Starts of profiles that became 0.
    starts: u64,
}

impl Rounding {
    /// For the values of a profile.
    pub(super) fn new(unit: Unit, scale: Scale) -> Self {
        Self {
            unit,
            scale,
            carry: 0.0,
            lost: Lost::default(),
        }
    }

    /// A weight.
    pub(super) fn weight(&mut self, value: f64) -> i64 {
        if self.unit != Unit::Bytes || value.fract() == 0.0 {
            let whole = self.point(value);
            self.lost.times += u64::from(self.unit.is_time() && whole == 0 && value != 0.0);
            return whole;
        }
        self.lost.bytes += 1;
        self.carry += value.fract();
        let whole = self.carry.round();
        self.carry -= whole;
        (value.trunc() + whole) as i64
    }

    /// Where the first sample of a profile in a unit of time begins: 0 if the samples after `start`
    /// don't fit in 64 bits.
    pub(super) fn start(&mut self, start: f64, weights: &[f64]) -> i64 {
        let end = start + weights.iter().sum::<f64>();
        let fits = |at: f64| (at * self.unit.factor()).abs() < i64::MAX as f64;
        if start == 0.0 || (fits(start) && fits(end)) {
            return self.point(start);
        }
        self.lost.starts += 1;
        0
    }

    /// The point of an event. Points are rounded, not the distances between them.
    pub(super) fn point(&mut self, value: f64) -> i64 {
        match self.unit {
            Unit::None => {
                let (whole, is_rounded) = self.scale.of(Number::of(value));
                self.lost.decimals += u64::from(is_rounded);
                whole
            }
            Unit::Bytes => {
                self.lost.bytes += u64::from(value.fract() != 0.0);
                value.round() as i64
            }
            _ => (value * self.unit.factor()).round() as i64,
        }
    }
}

impl Lost {
    /// Adds those of another profile.
    pub(super) fn add(&mut self, other: &Self) {
        self.decimals += other.decimals;
        self.bytes += other.bytes;
        self.times += other.times;
        self.starts += other.starts;
    }

    /// Says how many there are.
    pub(super) fn note(&self, scale: Scale, warnings: &mut Warnings) {
        if self.decimals > 0 {
            warnings.add(|| rounded(self.decimals, scale));
        }
        if self.bytes > 0 {
            warnings.add(|| format!("{} of bytes", rounded(self.bytes, Scale::default())));
        }
        if self.times > 0 {
            let times = match self.times {
                1 => "1 time is".to_owned(),
                many => format!("{many} times are"),
            };
            warnings.add(|| format!("{times} below 0.5 ns and counted as 0"));
        }
        if self.starts > 0 {
            let starts = match self.starts {
                1 => "1 startValue is ignored: the samples after it exceed".to_owned(),
                many => format!("{many} startValues are ignored: the samples after them exceed"),
            };
            warnings.add(|| format!("{starts} 64 bits of nanoseconds; check the unit"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::folded;
    use crate::formats::speedscope::{decode, decode_with_times, encode};

    /// A file of profiles.
    fn file(profiles: &str) -> String {
        format!(
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json",
            "shared":{{"frames":[{{"name":"main"}},{{"name":"a"}}]}},"profiles":[{profiles}]}}"#
        )
    }

    fn sampled(unit: &str, weights: &str) -> String {
        file(&format!(
            r#"{{"type":"sampled","name":"","unit":"{unit}","samples":[[0],[0,1],[0,1]],"weights":{weights}}}"#
        ))
    }

    /// Reads a file: unit, stacks, warnings.
    fn check(text: &str, unit: &str, stacks: &str, warnings: &[&str]) {
        for decode in [decode, decode_with_times] {
            let decoded = decode(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
            let profile = &decoded.profile;
            assert_eq!(profile.type_text(profile.sample_types()[0]).1, unit);
            let folded = folded::encode(profile, 0, 1 << 10);
            assert_eq!(folded.as_deref(), Ok(stacks), "{text}");
            assert_eq!(decoded.warnings, warnings, "{text}");
        }
    }

    #[test]
    fn fractions_without_a_unit_are_kept() {
        let text = sampled("none", "[0.5,0.25,0.25]");
        check(&text, "count/1000", "main 0.5\nmain;a 0.5\n", &[]);
        let profile = decode(text.as_bytes()).expect("good").profile;
        let written = encode(&profile, 0, 1 << 10).expect("small");
        check(&written, "count/1000", "main 0.5\nmain;a 0.5\n", &[]);
        check(
            &sampled("none", "[0.30000000000000004,2,3]"),
            "count/1000000000",
            "main 0.3\nmain;a 5\n",
            &["1 value is rounded to 9 decimal places"],
        );
        let events = r#"{"type":"evented","name":"","unit":"none","startValue":0,"endValue":2,"events":[
            {"type":"O","at":0.25,"frame":0},{"type":"O","at":0.5,"frame":1},
            {"type":"C","at":1.5,"frame":1},{"type":"C","at":1.75,"frame":0}]}"#;
        check(&file(events), "count/1000", "main 0.5\nmain;a 1\n", &[]);
    }

    #[test]
    fn bytes_keep_their_sum() {
        check(
            &sampled("bytes", "[0.4,0.4,0.4]"),
            "bytes",
            "main;a 1\n",
            &["3 values are rounded to whole numbers of bytes"],
        );
        check(
            &sampled("bytes", "[9007199254740991,0.5,-3]"),
            "bytes",
            "main 9007199254740991\nmain;a -2\n",
            &["1 value is rounded to whole numbers of bytes"],
        );
    }

    #[test]
    fn times_are_nanoseconds() {
        check(
            &sampled("seconds", "[0.5,1.5,0]"),
            "nanoseconds",
            "main 500000000\nmain;a 1500000000\n",
            &[],
        );
        check(
            &sampled("nanoseconds", "[5,0.4,0]"),
            "nanoseconds",
            "main 5\n",
            &["1 time is below 0.5 ns and counted as 0"],
        );
    }
}
