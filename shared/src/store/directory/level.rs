//! How far the profiles of an object have been compacted.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::store::error::StoreError;

/// The level of an object, a number in its name and in the catalog.
///
/// | level | made of | sums, over all series and of each | replaces its sources |
/// |---|---|---|---|
/// | 0, segment | pushes | none | |
/// | 1, minutes | segments or blocks of minutes, of one hour | hours, minutes | yes |
/// | 2, hour | blocks of minutes, of one hour | hours, hours of each, minutes | yes |
/// | 3, day | blocks of minutes or of hours, of one day | days, hours, days of each | no |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
pub enum Level {
    /// Pushes end to end.
    Segment,
    /// A block of what arrived in some minutes of an hour.
    Minutes,
    /// A block of what arrived in an hour.
    Hour,
    /// Sums of what arrived in a day.
    Day,
}

impl Level {
    /// All, in order.
    pub const ALL: [Self; 4] = [Self::Segment, Self::Minutes, Self::Hour, Self::Day];

    /// Its number.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Whether its objects are made of those of a level.
    pub fn is_made_of(self, source: Self) -> bool {
        match self {
            Self::Segment => false,
            Self::Minutes => matches!(source, Self::Segment | Self::Minutes),
            Self::Hour => source == Self::Minutes,
            Self::Day => matches!(source, Self::Minutes | Self::Hour),
        }
    }

    /// Whether its objects hold the profiles themselves. Such a block replaces its sources; one of
    /// nothing but sums stands beside them.
    pub fn has_profiles(self) -> bool {
        self != Self::Day
    }

    /// Whether its objects are blocks that hold the profiles themselves.
    pub fn is_block_of_profiles(self) -> bool {
        matches!(self, Self::Minutes | Self::Hour)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> Self {
        level.number()
    }
}

impl TryFrom<u8> for Level {
    type Error = StoreError;

    fn try_from(number: u8) -> Result<Self, StoreError> {
        Self::ALL
            .get(usize::from(number))
            .copied()
            .ok_or(StoreError::Level(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (level, number) in Level::ALL.into_iter().zip(0..) {
            assert_eq!(
                (level.number(), Level::try_from(number)),
                (number, Ok(level))
            );
        }
        assert_eq!(
            Level::try_from(4).unwrap_err().to_string(),
            "there is no level 4"
        );
    }

    #[test]
    fn an_object_is_made_of_lower_ones() {
        for level in Level::ALL {
            let sources: Vec<u8> = Level::ALL
                .into_iter()
                .filter(|&of| level.is_made_of(of))
                .map(Level::number)
                .collect();
            let expect: [&[u8]; 4] = [&[], &[0, 1], &[1], &[1, 2]];
            assert_eq!(sources, expect[usize::from(level.number())]);
        }
    }
}
