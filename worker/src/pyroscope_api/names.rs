//! What series there are: profile types, label names, label values, projections.

use std::collections::BTreeSet;

use pilotlight_core::{Labels, ProfileType, SERVICE_NAME, Selector, TimeRange, plans::CatalogObject};
use serde_json::{Value, json};

/// A series that has profiles.
type SeriesId<'a> = (&'a Labels, &'a ProfileType);

/// The series with profiles in a range that match one of `selectors`, or all without selectors.
pub(super) fn series<'a>(objects: &'a [CatalogObject], selectors: &[Selector], range: TimeRange) -> BTreeSet<SeriesId<'a>> {
    let all = objects.iter().flat_map(|object| object.directory.series());
    let mut unique = BTreeSet::new();
    unique.extend(all.filter(|&(_, _, first, last)| range.touches(first, last)).map(|(labels, t, ..)| (labels, t)));
    unique.retain(|&(labels, t)| selectors.is_empty() || selectors.iter().any(|s| s.matches(t, labels)));
    unique
}

/// `ProfileTypesResponse`.
pub(super) fn profile_types(series: &BTreeSet<SeriesId>) -> Value {
    let mut types: BTreeSet<&ProfileType> = BTreeSet::new();
    types.extend(series.iter().map(|(_, t)| *t));
    let types: Vec<Value> = types
        .iter()
        .map(|t| {
            json!({
                "ID": t.to_string(),
                "name": t.name,
                "sampleType": t.sample_type,
                "sampleUnit": t.sample_unit,
                "periodType": t.period_type,
                "periodUnit": t.period_unit,
            })
        })
        .collect();
    repeated("profileTypes", types)
}

/// `LabelNamesResponse`. Names that PromQL can't write are told only to clients that say they understand them.
pub(super) fn label_names(series: &BTreeSet<SeriesId>, any_names: bool) -> Value {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    names.extend(series.iter().flat_map(|&(labels, t)| pairs(labels, t)).map(|(name, _)| name));
    repeated("names", names.into_iter().filter(|name| any_names || is_plain(name)).collect())
}

/// Values of one label.
pub(super) fn values(series: &BTreeSet<SeriesId>, name: &str) -> BTreeSet<String> {
    let mut values = BTreeSet::new();
    values.extend(series.iter().flat_map(|&(labels, t)| value(labels, t, name)));
    values
}

/// `LabelValuesResponse`.
pub(super) fn label_values(series: &BTreeSet<SeriesId>, name: &str) -> Value {
    repeated("names", values(series, name).into_iter().collect())
}

/// `SeriesResponse`: the distinct label sets, reduced to `names` where those are given.
pub(super) fn label_sets(series: &BTreeSet<SeriesId>, names: &[String]) -> Value {
    let set = |&(labels, t): &SeriesId| -> Vec<(String, String)> {
        if names.is_empty() {
            return pairs(labels, t).map(|(name, value)| (name.to_owned(), value)).collect();
        }
        let named = names.iter().filter_map(|name| Some((name.clone(), value(labels, t, name)?)));
        let mut once = BTreeSet::new();
        once.extend(named);
        once.into_iter().collect()
    };
    let mut sets = BTreeSet::new();
    sets.extend(series.iter().map(set).filter(|set| !set.is_empty()));
    repeated("labelsSet", sets.iter().map(|set| json!({ "labels": label_pairs(set) })).collect())
}

/// `LabelPair`s.
pub(super) fn label_pairs(pairs: &[(String, String)]) -> Vec<Value> {
    pairs.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

/// The value of a label, those that name the profile type included.
pub(super) fn value(labels: &Labels, profile_type: &ProfileType, name: &str) -> Option<String> {
    pairs(labels, profile_type).find(|(n, _)| *n == name).map(|(_, value)| value)
}

/// All labels that Pyroscope gives a series, in order of name.
fn pairs<'a>(labels: &'a Labels, t: &ProfileType) -> impl Iterator<Item = (&'a str, String)> {
    let service = labels.get(SERVICE_NAME).unwrap_or("").to_owned();
    let own = [
        ("__name__", t.name.clone()),
        ("__period_type__", t.period_type.clone()),
        ("__period_unit__", t.period_unit.clone()),
        ("__profile_type__", t.to_string()),
        ("__service_name__", service),
        ("__type__", t.sample_type.clone()),
        ("__unit__", t.sample_unit.clone()),
    ];
    // An empty value is no label. Underscores come before small letters, not before capitals; no order is promised there.
    own.into_iter().chain(labels.iter().map(|(name, value)| (name, value.to_owned()))).filter(|(_, value)| !value.is_empty())
}

fn is_plain(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// A message of one repeated field, which protobuf's JSON leaves out when it is empty.
fn repeated<T: serde::Serialize>(field: &str, items: Vec<T>) -> Value {
    if items.is_empty() { json!({}) } else { json!({ field: items }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilotlight_core::parse_name;

    fn check(names: &[(&str, &str)], answer: impl Fn(&BTreeSet<SeriesId>) -> Value, expect: Value) {
        let owned: Vec<(Labels, ProfileType)> =
            names.iter().map(|(name, t)| (parse_name(name).unwrap(), t.parse().unwrap())).collect();
        assert_eq!(answer(&owned.iter().map(|(labels, t)| (labels, t)).collect()), expect);
    }

    const SERIES: [(&str, &str); 3] = [
        ("app{region=eu,otel.scope=x}", "process_cpu:cpu:nanoseconds:cpu:nanoseconds"),
        ("app{region=us}", "process_cpu:cpu:nanoseconds:cpu:nanoseconds"),
        ("db", "memory:inuse_space:bytes::"),
    ];

    #[test]
    fn types() {
        check(
            &SERIES[2..],
            profile_types,
            json!({"profileTypes": [{
                "ID": "memory:inuse_space:bytes::", "name": "memory", "sampleType": "inuse_space", "sampleUnit": "bytes",
                "periodType": "", "periodUnit": "",
            }]}),
        );
        check(&[], profile_types, json!({}));
    }

    #[test]
    fn names_and_values() {
        let own = [
            "__name__",
            "__period_type__",
            "__period_unit__",
            "__profile_type__",
            "__service_name__",
            "__type__",
            "__unit__",
        ];
        let with = |more: &[&str]| json!({ "names": own.iter().chain(more).collect::<Vec<_>>() });
        check(&SERIES, |s| label_names(s, false), with(&["region", "service_name"]));
        check(&SERIES, |s| label_names(s, true), with(&["otel.scope", "region", "service_name"]));
        check(&SERIES, |s| label_values(s, "region"), json!({"names": ["eu", "us"]}));
        check(&SERIES, |s| label_values(s, "__type__"), json!({"names": ["cpu", "inuse_space"]}));
        check(&SERIES, |s| label_values(s, "none"), json!({}));
    }

    #[test]
    fn projections() {
        let names = ["service_name".to_owned(), "__profile_type__".to_owned()];
        let set = |t: &str, s: &str| json!({"labels": [{"name": "__profile_type__", "value": t}, {"name": "service_name", "value": s}]});
        let expect = json!({"labelsSet": [
            set("memory:inuse_space:bytes::", "db"),
            set("process_cpu:cpu:nanoseconds:cpu:nanoseconds", "app"),
        ]});
        check(&SERIES, |s| label_sets(s, &names), expect);
    }
}
