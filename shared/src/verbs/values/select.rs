//! Select: some of the sample types.

use thiserror::Error;

use crate::model::id::StringId;
use crate::model::profile::{Profile, Samples};
use crate::verbs::rewrite::with_samples;

/// What becomes of samples that have only zeros in the selected columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroSamples {
    /// They stay.
    Keep,
    /// They go.
    Drop,
}

/// Why sample types cannot be selected.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SelectError {
    /// There is no such column.
    #[error("sample type {index} (counted from 0) does not exist; the profile has {count}")]
    NoColumn {
        /// What was asked for, from 0.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// More than the profile has.
    #[error("{asked} sample types were requested; the profile has only {count}")]
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        count: usize,
    },
}

/// Keeps some value columns, in the order in which they are asked for.
///
/// Laws: totals of the selected columns stay; `select(all) = p`; commutes with merging.
pub fn select(
    profile: &Profile,
    columns: &[usize],
    zeros: ZeroSamples,
) -> Result<Profile, SelectError> {
    let count = profile.sample_types.len();
    // Repeated columns could otherwise multiply a profile's size.
    if columns.len() > count {
        return Err(SelectError::TooMany {
            asked: columns.len(),
            count,
        });
    }
    if let Some(&index) = columns.iter().find(|&&i| i >= count) {
        return Err(SelectError::NoColumn { index, count });
    }
    let all = &profile.samples;
    let kept: Vec<usize> = match zeros {
        ZeroSamples::Keep => (0..profile.len()).collect(),
        ZeroSamples::Drop => (0..profile.len())
            .filter(|&row| columns.iter().any(|&c| all.values[c][row] != 0))
            .collect(),
    };
    let samples = Samples {
        stacks: kept.iter().map(|&row| all.stacks[row]).collect(),
        labels: kept.iter().map(|&row| all.labels[row]).collect(),
        values: columns
            .iter()
            .map(|&c| kept.iter().map(|&row| all.values[c][row]).collect())
            .collect(),
        times: all
            .times
            .as_ref()
            .map(|times| kept.iter().map(|&row| times[row]).collect()),
    };
    let sample_types: Vec<_> = columns.iter().map(|&c| profile.sample_types[c]).collect();
    let mut selected = with_samples(profile, samples);
    let default = selected.text(selected.header.default_sample_type);
    if !sample_types
        .iter()
        .any(|t| selected.text(t.kind) == default)
    {
        selected.header.default_sample_type = StringId::EMPTY;
    }
    Ok(Profile {
        sample_types,
        ..selected
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    #[test]
    fn columns_in_the_order_asked_for() {
        let p = profile("a 1 0 3\nb 4 0 0\nc 0 5 0");
        let both = select(&p, &[2, 1], ZeroSamples::Drop).unwrap();
        let types: Vec<_> = both
            .sample_types()
            .iter()
            .map(|&t| both.type_text(t).0)
            .collect();
        assert_eq!(
            (types, both.samples.values.clone()),
            (vec!["v2", "v1"], vec![vec![3, 0], vec![0, 5]])
        );
        assert_eq!(
            select(&p, &[1], ZeroSamples::Keep).unwrap().samples.values,
            [[0, 0, 5]]
        );
        assert_eq!(select(&p, &[0, 1, 2], ZeroSamples::Keep).unwrap(), p);
        assert_eq!(
            select(&p, &[3], ZeroSamples::Keep),
            Err(SelectError::NoColumn { index: 3, count: 3 })
        );
        assert_eq!(
            select(&p, &[0; 4], ZeroSamples::Keep),
            Err(SelectError::TooMany { asked: 4, count: 3 })
        );
    }
}
