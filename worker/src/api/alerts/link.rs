//! Links in messages: the page of the site that compares the window of an alert with the time
//! before it.

use form_urlencoded::Serializer;

use super::alert::{Alert, Kind};
use super::new_functions;
use super::series::Labels;
use crate::api::rules::points::MINUTE;
use crate::api::rules::rule::{Measure, Rule, metric_label};

/// The link for a series at a minute; empty if `site` is. The parameters are those of the site's
/// `state/url/route.ts`.
pub(super) fn link(
    site: &str,
    alert: &Alert,
    rule: &Rule,
    measure: &Measure,
    minute: i64,
    labels: &Labels,
) -> String {
    if site.is_empty() {
        return String::new();
    }
    let (mut service, mut filters, mut versions) = (None, Vec::new(), Vec::new());
    for (name, operator, value) in measure.selector.matchers() {
        match (name, operator) {
            ("service_name", "=") => service = Some(value),
            _ => filters.push(matcher(name, operator, value)),
        }
    }
    for name in &rule.group_by {
        match (name.as_str(), labels.get(&metric_label(name))) {
            ("service_name", Some(value)) => service = Some(value),
            // A new version has no time before: it is compared with all versions then.
            (_, Some(value)) if tells_versions(name) => versions.push(matcher(name, "=", value)),
            (_, Some(value)) => filters.push(matcher(name, "=", value)),
            (_, None) => {}
        }
    }
    let Some(service) = service else {
        return format!("{site}/alerts");
    };
    let (begin, window) = (minute - alert.window(), alert.window());
    // The condition may have held for minutes, and a new function may have been there in the
    // evaluation before.
    let before = match alert.kind {
        Kind::NewFunction => begin - new_functions::EVERY,
        _ => begin - (alert.hold() - MINUTE),
    };
    let time = |millis: i64| millis.to_string();
    let mut query = Serializer::new(String::new());
    query.append_pair("s", service);
    query.append_pair("t", &measure.profile_type.to_string());
    query.append_pair("from", &time(before - window));
    // A silent series has no profiles to compare.
    let is_compared = alert.kind != Kind::Silent;
    query.append_pair("until", &time(if is_compared { before } else { minute }));
    let all = [&filters[..], &versions[..]].concat();
    for filter in if is_compared { &filters } else { &all } {
        query.append_pair("l", filter);
    }
    if is_compared {
        query.append_pair("from2", &time(begin));
        query.append_pair("until2", &time(minute));
        for filter in &all {
            query.append_pair("l2", filter);
        }
    }
    let function = labels
        .get("function")
        .filter(|_| alert.kind == Kind::NewFunction);
    let function = function.or(Some(&rule.function).filter(|name| !name.is_empty()));
    if let Some(function) = function {
        query.append_pair("q", function);
    }
    let page = if is_compared { "diff" } else { "explore" };
    format!("{site}/{page}?{}", query.finish())
}

/// Whether a label tells versions of a program apart, by a word in its name, as in the site's
/// `state/query/labels.ts`.
fn tells_versions(name: &str) -> bool {
    const WORDS: [&str; 7] = [
        "version", "release", "revision", "commit", "sha", "build", "tag",
    ];
    let (mut words, mut was_lower) = (String::new(), false);
    for c in name.chars() {
        // A new word begins behind a sign, or with a capital letter.
        if was_lower && c.is_ascii_uppercase() || !c.is_ascii_alphabetic() {
            words.push(' ');
        }
        was_lower = c.is_ascii_lowercase();
        words.push(c.to_ascii_lowercase());
    }
    let letters: Vec<&str> = words.split(|c: char| !c.is_ascii_alphabetic()).collect();
    letters.iter().any(|word| WORDS.contains(word)) || letters.join("").contains("gitref")
}

fn matcher(name: &str, operator: &str, value: &str) -> String {
    let quoted = |text: &str| format!("{:?}", text);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let name = match name.chars().all(plain) {
        true => name.to_owned(),
        false => quoted(name),
    };
    format!("{name}{operator}{}", quoted(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::alerts::conditions::measure_of;

    fn of(query: &str, kind: Kind, labels: &[(&str, &str)]) -> String {
        let of_all = Rule {
            query: query.to_owned(),
            ..Rule::default()
        };
        let rule = match kind {
            Kind::NewFunction => of_all,
            _ => Rule {
                group_by: vec!["region".to_owned(), "version".to_owned()],
                function: "main.work".to_owned(),
                ..of_all
            },
        };
        let alert = Alert {
            kind,
            minutes: 5,
            for_minutes: if kind == Kind::Below { 3 } else { 1 },
            ..Alert::default()
        };
        let labels = labels
            .iter()
            .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
        let measure = measure_of(&alert, &rule).unwrap();
        link(
            "https://x",
            &alert,
            &rule,
            &measure,
            1_200_000,
            &labels.collect(),
        )
    }

    #[test]
    fn pages() {
        let query = r#"process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="a b",tier!="x"}"#;
        assert_eq!(
            of(query, Kind::Above, &[("region", "eu")]),
            "https://x/diff?s=a+b&t=process_cpu%3Acpu%3Ananoseconds%3Acpu%3Ananoseconds&from=600000&until=900000&l=tier%21%3D%22x%22&l=region%3D%22eu%22&from2=900000&until2=1200000&l2=tier%21%3D%22x%22&l2=region%3D%22eu%22&q=main.work"
        );
        assert!(
            tells_versions("version")
                && tells_versions("appVersion")
                && tells_versions("service.version")
                && tells_versions("git_ref")
                && !tells_versions("region")
                && !tells_versions("stage")
                && !tells_versions("conversion")
        );
        let deployed = of(query, Kind::Above, &[("region", "eu"), ("version", "2")]);
        assert!(
            deployed.contains("&l=region%3D%22eu%22&from2=")
                && deployed.contains("&l2=region%3D%22eu%22&l2=version%3D%222%22&q="),
            "{deployed}"
        );
        let new = of(query, Kind::NewFunction, &[]);
        assert!(
            new.contains("from=0&until=300000&") && new.contains("from2=900000&"),
            "{new}"
        );
        // The window of the first of three minutes begins two minutes earlier.
        let held = of(query, Kind::Below, &[]);
        assert!(held.contains("from=480000&until=780000&"), "{held}");
        let silent = of(query, Kind::Silent, &[]);
        assert!(
            silent.starts_with("https://x/explore?s=a+b&") && !silent.contains("from2"),
            "{silent}"
        );
        assert!(silent.contains("from=600000&until=1200000"));
        let all = "process_cpu:cpu:nanoseconds:cpu:nanoseconds{}";
        assert_eq!(of(all, Kind::Grew, &[]), "https://x/alerts");
    }
}
