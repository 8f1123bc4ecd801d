//! What series there are: profile types, label names, label values, projections.

use std::collections::BTreeSet;

use pilotlight_core::{
    Labels, ProfileType, Selector, TYPE_LABELS, TimeRange, label_of,
    plans::{self, CatalogObject},
};

use super::messages::{self, Labels as LabelsMessage, label_pairs};
use crate::api::query::EdgeQueryRunner;
use crate::platform::errors::Problem;

/// A series that has profiles.
type SeriesId<'a> = (&'a Labels, &'a ProfileType);

/// The objects of a range, and which of their series are asked for.
pub(super) struct Matched {
    objects: Vec<CatalogObject>,
    selectors: Vec<Selector>,
    range: TimeRange,
}

impl Matched {
    /// Reads what the catalog has. A series needs to match one of `selectors`, if there are any.
    pub(super) async fn read(
        runner: &EdgeQueryRunner,
        range: TimeRange,
        selectors: Vec<Selector>,
    ) -> Result<Self, Problem> {
        Ok(Self {
            objects: runner.catalog(range).await?,
            selectors,
            range,
        })
    }

    pub(super) fn series(&self) -> BTreeSet<SeriesId<'_>> {
        series(&self.objects, &self.selectors, self.range)
    }
}

/// The series with profiles in a range that match one of `selectors`, or all without selectors.
pub(super) fn series<'a>(
    objects: &'a [CatalogObject],
    selectors: &[Selector],
    range: TimeRange,
) -> BTreeSet<SeriesId<'a>> {
    let mut unique = plans::series(objects, range);
    unique.retain(|&(labels, t)| {
        selectors.is_empty() || selectors.iter().any(|s| s.matches(t, labels))
    });
    unique
}

/// `ProfileTypesResponse`.
pub(super) fn profile_types(series: &BTreeSet<SeriesId>) -> messages::ProfileTypesResponse {
    let mut types: BTreeSet<&ProfileType> = BTreeSet::new();
    types.extend(series.iter().map(|(_, t)| *t));
    let message = |t: &ProfileType| {
        let id = t.to_string();
        let ProfileType {
            name,
            sample_type,
            sample_unit,
            period_type,
            period_unit,
        } = t.clone();
        messages::ProfileType {
            id,
            name,
            sample_type,
            sample_unit,
            period_type,
            period_unit,
        }
    };
    messages::ProfileTypesResponse {
        profile_types: types.into_iter().map(message).collect(),
    }
}

/// `LabelNamesResponse`. Names that PromQL can't write are told only to clients that say they
/// understand them.
pub(super) fn label_names(
    series: &BTreeSet<SeriesId>,
    any_names: bool,
) -> messages::LabelNamesResponse {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    names.extend(
        series
            .iter()
            .flat_map(|&(labels, t)| pairs(labels, t))
            .map(|(name, _)| name),
    );
    let names = names
        .into_iter()
        .filter(|name| any_names || is_plain(name))
        .map(str::to_owned);
    messages::LabelNamesResponse {
        names: names.collect(),
    }
}

/// Values of one label.
pub(super) fn values(series: &BTreeSet<SeriesId>, name: &str) -> BTreeSet<String> {
    let mut values = BTreeSet::new();
    values.extend(
        series
            .iter()
            .flat_map(|&(labels, t)| value(labels, t, name)),
    );
    values
}

/// `LabelValuesResponse`.
pub(super) fn label_values(
    series: &BTreeSet<SeriesId>,
    name: &str,
) -> messages::LabelValuesResponse {
    messages::LabelValuesResponse {
        names: values(series, name).into_iter().collect(),
    }
}

/// `SeriesResponse`: the distinct label sets, reduced to `names` where those are given.
pub(super) fn label_sets(
    series: &BTreeSet<SeriesId>,
    names: &[String],
) -> messages::SeriesResponse {
    let set = |&(labels, t): &SeriesId| -> Vec<(String, String)> {
        if names.is_empty() {
            return pairs(labels, t)
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
        }
        let named = names
            .iter()
            .filter_map(|name| Some((name.clone(), value(labels, t, name)?)));
        let mut once = BTreeSet::new();
        once.extend(named);
        once.into_iter().collect()
    };
    let mut sets = BTreeSet::new();
    sets.extend(series.iter().map(set).filter(|set| !set.is_empty()));
    let labels_set = sets
        .into_iter()
        .map(|set| LabelsMessage {
            labels: label_pairs(set),
        })
        .collect();
    messages::SeriesResponse { labels_set }
}

/// The value of a label, those that name the profile type included.
pub(super) fn value(labels: &Labels, profile_type: &ProfileType, name: &str) -> Option<String> {
    Some(label_of(name, profile_type, labels).into_owned()).filter(|value| !value.is_empty())
}

/// All labels that Pyroscope gives a series, in order of name. A selector finds each of them.
fn pairs<'a>(labels: &'a Labels, t: &'a ProfileType) -> impl Iterator<Item = (&'a str, String)> {
    let names = TYPE_LABELS
        .into_iter()
        .chain(labels.iter().map(|(name, _)| name));
    // An empty value is no label. Underscores come before small letters, not before capitals; no
    // order is promised there.
    names
        .map(|name| (name, label_of(name, t, labels).into_owned()))
        .filter(|(_, value)| !value.is_empty())
}

fn is_plain(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilotlight_core::parse_name;
    use serde_json::{Value, json};

    fn check<M: serde::Serialize>(
        names: &[(&str, &str)],
        answer: impl Fn(&BTreeSet<SeriesId>) -> M,
        expect: Value,
    ) {
        let owned: Vec<(Labels, ProfileType)> = names
            .iter()
            .map(|(name, t)| (parse_name(name).unwrap(), t.parse().unwrap()))
            .collect();
        let found = answer(&owned.iter().map(|(labels, t)| (labels, t)).collect());
        assert_eq!(serde_json::to_value(found).unwrap(), expect);
    }

    const SERIES: [(&str, &str); 3] = [
        (
            "app{region=eu,otel.scope=x}",
            "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
        ),
        (
            "app{region=us}",
            "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
        ),
        ("db", "memory:inuse_space:bytes::"),
    ];

    #[test]
    fn types() {
        check(
            &SERIES[2..],
            profile_types,
            json!({"profileTypes": [{
                "ID": "memory:inuse_space:bytes::", "name": "memory", "sampleType": "inuse_space", "sampleUnit": "bytes",
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
        check(
            &SERIES,
            |s| label_names(s, false),
            with(&["region", "service_name"]),
        );
        check(
            &SERIES,
            |s| label_names(s, true),
            with(&["otel.scope", "region", "service_name"]),
        );
        check(
            &SERIES,
            |s| label_values(s, "region"),
            json!({"names": ["eu", "us"]}),
        );
        check(
            &SERIES,
            |s| label_values(s, "__type__"),
            json!({"names": ["cpu", "inuse_space"]}),
        );
        check(&SERIES, |s| label_values(s, "none"), json!({}));
    }

    #[test]
    fn what_is_shown_is_found() {
        for (name, of_type) in SERIES {
            let (labels, of_type): (Labels, ProfileType) =
                (parse_name(name).unwrap(), of_type.parse().unwrap());
            for (name, value) in pairs(&labels, &of_type) {
                let finds = |operator: &str| {
                    let selector =
                        Selector::parse(&format!("{{{name}{operator}\"{value}\"}}")).unwrap();
                    assert_eq!(selector.unknown_label(), None, "{name}");
                    selector.matches(&of_type, &labels)
                };
                assert!(finds("=") && !finds("!="), "{name}={value:?}");
            }
        }
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
