//! The sample types of a profile, as clients call them, and the columns that they ask for.

use pilotlight_core::{Profile, finer_unit};

use crate::platform::errors::Problem;

/// How clients call each of the sample types: by its name, and with its unit where others have the
/// same name.
pub(super) fn types(profile: &Profile) -> Vec<String> {
    let units = units(profile);
    let name = |(kind, unit): &(String, String)| {
        let is_alone = units.iter().filter(|(other, _)| other == kind).count() == 1;
        match kind.as_str() {
            "" => format!(":{unit}"),
            kind if is_alone => kind.to_owned(),
            kind => format!("{kind}:{unit}"),
        }
    };
    units.iter().map(name).collect()
}

/// Name and unit of each sample type.
pub(super) fn units(profile: &Profile) -> Vec<(String, String)> {
    let types = profile.sample_types().iter();
    let texts = types.map(|of| profile.type_text(*of));
    texts
        .map(|(kind, unit)| (kind.to_owned(), unit.to_owned()))
        .collect()
}

/// The column of a sample type, else of one that counts the same thing in a unit of another size.
pub(super) fn place_of(
    (kind, unit): &(String, String),
    columns: &[(String, String)],
) -> Option<usize> {
    let same = |(other, part): &(String, String)| other == kind && part == unit;
    let alike =
        |(other, part): &(String, String)| other == kind && finer_unit(part, unit).is_some();
    let place = columns.iter().position(same);
    place.or_else(|| columns.iter().position(alike))
}

/// Each text once.
pub(super) fn distinct(mut texts: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

/// The sample type that is asked for, or the one that the profile shows first.
pub(super) fn column(
    profile: &Profile,
    types: &[String],
    asked: Option<&str>,
) -> Result<usize, Problem> {
    if types.is_empty() {
        return Err(Problem::invalid("the profile has no sample types"));
    }
    match asked.filter(|name| !name.is_empty()) {
        None => Ok(profile.default_type()),
        Some(asked) => types.iter().position(|name| name == asked).ok_or_else(|| {
            let message = format!(
                "the profile has no type {asked:?}; it has {}",
                types.join(", ")
            );
            Problem::invalid(message)
        }),
    }
}
