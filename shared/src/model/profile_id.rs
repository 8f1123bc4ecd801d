//! Identity of a stored profile, so that a client can ask for that one again.
//!
//! It is derived from what every object keeps: type and labels of the series, and the start to the
//! nanosecond. So it is the same before and after compaction, and nothing stores it. The start
//! stands in it as it is, which tells a query where to look. Profiles of one series that start at
//! the same nanosecond share an id.
//!
//! ```text
//!  time, first 48 bits │ version 8 │ next 12 │ variant │ last 4 │ series, 58 bits
//! ```

use std::fmt;

use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use crate::base::units::UnixNanos;
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;

/// Bits of a series: what a UUID has left beside the time.
const SERIES_BITS: u32 = 58;

/// A UUID of version 8 (RFC 9562), in order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProfileId {
    time: UnixNanos,
    series: SeriesHash,
}

/// What tells a series from the others: a hash of its type and labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeriesHash(u64);

/// A text that is no UUID.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("a profile ID must be a UUID (32 hex digits with hyphens)")]
pub struct ProfileIdError;

impl SeriesHash {
    /// Of a series.
    pub fn new(profile_type: &ProfileType, labels: &Labels) -> Self {
        let mut hash = Xxh3::new();
        // Lengths go first, so parts cannot run together.
        let mut put = |part: &str| {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        };
        put(&profile_type.to_string());
        for (name, value) in labels.iter() {
            put(name);
            put(value);
        }
        Self(hash.digest() >> (u64::BITS - SERIES_BITS))
    }
}

impl ProfileId {
    /// Of a profile that starts then.
    pub fn new(series: SeriesHash, time: UnixNanos) -> Self {
        Self { time, series }
    }

    /// When the profile starts.
    pub fn time(self) -> UnixNanos {
        self.time
    }

    /// Reads a UUID in its usual form, or without hyphens. `None` is one that no stored profile
    /// has, as it has another version.
    pub fn parse(text: &str) -> Result<Option<Self>, ProfileIdError> {
        let bytes = text.as_bytes();
        let hyphens = [8, 13, 18, 23];
        let digits: Vec<u8> = match bytes.len() {
            32 => bytes.to_vec(),
            36 if hyphens.iter().all(|&at| bytes[at] == b'-') => {
                let digits = bytes.iter().enumerate();
                let digits = digits.filter(|(at, _)| !hyphens.contains(at));
                digits.map(|(_, &digit)| digit).collect()
            }
            _ => return Err(ProfileIdError),
        };
        // Every digit is looked at, as a number may begin with a sign.
        let uuid = digits.iter().try_fold(0u128, |uuid, &digit| {
            let digit = char::from(digit).to_digit(16)?;
            Some(uuid << 4 | u128::from(digit))
        });
        let uuid = uuid.ok_or(ProfileIdError)?;
        let bits =
            |from: u32, count: u32| (uuid >> from) as u64 & (u64::MAX >> (u64::BITS - count));
        if bits(76, 4) != 8 || bits(62, 2) != 2 {
            return Ok(None);
        }
        let time = bits(80, 48) << 16 | bits(64, 12) << 4 | bits(SERIES_BITS, 4);
        Ok(Some(Self {
            time: UnixNanos(time as i64),
            series: SeriesHash(bits(0, SERIES_BITS)),
        }))
    }

    /// The lowest and the highest id of profiles that start from `first` to `last`.
    pub(crate) fn between(first: UnixNanos, last: UnixNanos) -> (Self, Self) {
        (
            Self::new(SeriesHash(0), first),
            Self::new(SeriesHash(u64::MAX), last),
        )
    }
}

impl fmt::Display for ProfileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (time, series) = (self.time.0 as u64, self.series.0);
        let low = 0b10 << 62 | (time & 0xf) << SERIES_BITS | series;
        write!(
            f,
            "{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}",
            time >> 32,
            time >> 16 & 0xffff,
            time >> 4 & 0xfff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(labels: &[(&str, &str)]) -> SeriesHash {
        let labels = labels.iter().map(|&(n, v)| (n.to_owned(), v.to_owned()));
        let labels = Labels::new(labels.collect()).unwrap();
        SeriesHash::new(&"cpu:samples:count::".parse().unwrap(), &labels)
    }

    #[test]
    fn ids_come_back() {
        let series = series(&[("service_name", "a")]);
        for time in [
            0,
            1,
            -1,
            15,
            16,
            1_700_000_000_123_456_789,
            i64::MIN,
            i64::MAX,
        ] {
            let id = ProfileId::new(series, UnixNanos(time));
            let text = id.to_string();
            assert_eq!(text.len(), 36, "{text}");
            assert_eq!((&text[14..15], &text[8..9]), ("8", "-"), "{text}");
            assert!("89ab".contains(&text[19..20]), "{text}");
            for form in [text.clone(), text.to_uppercase(), text.replace('-', "")] {
                assert_eq!(ProfileId::parse(&form), Ok(Some(id)), "{form}");
            }
        }
    }

    /// People keep ids in links, so an id never changes.
    #[test]
    fn an_id_stays_the_same() {
        let id = ProfileId::new(
            series(&[("region", "eu"), ("service_name", "a")]),
            UnixNanos(1_700_000_000_123_456_789),
        );
        assert_eq!(id.to_string(), "17979cfe-3d85-8cd1-94f7-bcb2244c857a");
    }

    #[test]
    fn series_differ() {
        let all = [
            series(&[]),
            series(&[("a", "bc")]),
            series(&[("ab", "c")]),
            series(&[("a", "b"), ("c", "d")]),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[at + 1..].contains(one));
        }
    }

    #[test]
    fn what_is_no_id() {
        let other = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
        assert_eq!(ProfileId::parse(other), Ok(None));
        for text in [
            "",
            "7c9e6679",
            "7c9e6679-7425-40de-944b-e07fc1f90aeg",
            "7c9e6679-7425-40de-944b+e07fc1f90ae7",
            "+c9e6679742540de944be07fc1f90ae7",
            "ééééééééééééééééé7",
        ] {
            assert_eq!(ProfileId::parse(text), Err(ProfileIdError), "{text}");
        }
    }
}
