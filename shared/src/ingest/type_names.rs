//! The types of a profile's columns, named as Pyroscope names them.

use super::request::Config;
use crate::model::profile::Profile;
use crate::model::profile_type::ProfileType;

/// Of a pprof profile that was pushed to `/ingest`: one name for all columns.
pub(super) fn of_pprof(profile: &Profile, config: Option<&Config>) -> Vec<ProfileType> {
    let kinds: Vec<&str> = profile
        .sample_types()
        .iter()
        .map(|t| profile.text(t.kind))
        .collect();
    named(profile, &group_name(&kinds, config))
}

/// Under a name that is known. Two names are replaced as Pyroscope's default rules do: that of
/// `godeltaprof`, whose profiles are like Go's own, and that of CPU time in a profile of wall time.
pub(crate) fn named(profile: &Profile, name: &str) -> Vec<ProfileType> {
    let text = |t| {
        let (kind, unit) = profile.type_text(t);
        (kind.to_owned(), unit.to_owned())
    };
    let (period_type, period_unit) = profile.header().period_type.map(text).unwrap_or_default();
    let of = |&t| {
        let (sample_type, sample_unit) = text(t);
        let name = match name.strip_prefix("godeltaprof_").unwrap_or(name) {
            "wall" if sample_type == "cpu" => "process_cpu",
            name => name,
        };
        ProfileType {
            name: name.to_owned(),
            sample_type,
            sample_unit,
            period_type: period_type.clone(),
            period_unit: period_unit.clone(),
        }
    };
    profile.sample_types().iter().map(of).collect()
}

/// The name of the group, `__name__`, by Pyroscope's rules. Only `sample_type_config` tells Go's
/// block profile from its mutex profile: both count `contentions`.
fn group_name(kinds: &[&str], config: Option<&Config>) -> String {
    if kinds.contains(&"wall") {
        return "wall".to_owned();
    }
    let shown = |kind: &str| match config {
        Some(config) => config
            .get(kind)
            .map(|c| c.display_name.clone())
            .filter(|n| !n.is_empty())
            .unwrap_or(kind.to_owned()),
        None => match kind {
            "samples" => "cpu",
            "goroutine" => "goroutines",
            "contentions" => "mutex_count",
            "delay" => "mutex_duration",
            other => other,
        }
        .to_owned(),
    };
    let shown: Vec<String> = kinds.iter().map(|kind| shown(kind)).collect();
    let known = shown.iter().find_map(|kind| {
        let has = |word: &str| kind.contains(word);
        match () {
            () if has("cpu") => Some("process_cpu"),
            () if has("alloc_") || has("inuse_") || has("space") || has("objects") => {
                Some("memory")
            }
            () if has("mutex_") => Some("mutex"),
            () if has("block_") => Some("block"),
            () if has("goroutines") => Some("goroutines"),
            () => None,
        }
    });
    known.map_or_else(|| shown.first().cloned().unwrap_or_default(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_groups() {
        let config = |pairs: &[(&str, &str)]| -> Config {
            let entry = |(k, v): &(&str, &str)| {
                (
                    (*k).to_owned(),
                    super::super::request::SampleTypeConfig {
                        display_name: (*v).to_owned(),
                    },
                )
            };
            pairs.iter().map(entry).collect()
        };
        assert_eq!(group_name(&["samples", "cpu"], None), "process_cpu");
        assert_eq!(group_name(&["sample", "wall"], None), "wall");
        assert_eq!(group_name(&["objects", "space"], None), "memory");
        assert_eq!(group_name(&["goroutine"], None), "goroutines");
        assert_eq!(group_name(&["contentions", "delay"], None), "mutex");
        let block = config(&[("contentions", "block_count"), ("delay", "block_duration")]);
        assert_eq!(group_name(&["contentions", "delay"], Some(&block)), "block");
        assert_eq!(group_name(&["exceptions"], None), "exceptions");
    }
}
