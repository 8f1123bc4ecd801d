//! What the JSON of `/pyroscope/render` says about its numbers.

use crate::model::profile_type::ProfileType;

/// Divisor, unit and name of the numbers of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Divisor from ticks to seconds.
    pub sample_rate: i64,
    /// Unit that old clients know.
    pub units: String,
    /// The sample type.
    pub name: String,
}

/// The metadata of a profile type.
pub fn metadata(profile_type: &ProfileType) -> Metadata {
    let kind = profile_type.sample_type.as_str();
    let (sample_rate, units) = match kind {
        "cpu" => (1_000_000_000, "samples"),
        "inuse_objects" | "alloc_objects" | "goroutine" | "samples" => (100, "objects"),
        _ => (100, profile_type.sample_unit.as_str()),
    };
    Metadata {
        sample_rate,
        units: units.to_owned(),
        name: kind.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_by_sample_type() {
        let check = |id: &str, rate: i64, units: &str, name: &str| {
            let about = metadata(&id.parse().expect("a profile type"));
            assert_eq!(
                (about.sample_rate, about.units.as_str(), about.name.as_str()),
                (rate, units, name)
            );
        };
        check(
            "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
            1_000_000_000,
            "samples",
            "cpu",
        );
        check(
            "memory:inuse_objects:count:space:bytes",
            100,
            "objects",
            "inuse_objects",
        );
        check(
            "memory:inuse_space:bytes:space:bytes",
            100,
            "bytes",
            "inuse_space",
        );
    }
}
