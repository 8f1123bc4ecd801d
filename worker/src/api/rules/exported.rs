//! `GET /exported-metrics`: a recent minute of each rule, for Prometheus to scrape.
//!
//! A point has the time of its minute, so a scrape that finds the same minute again changes
//! nothing, and two scrapes a minute get every point.

use std::fmt::Write;

use worker::{Request, Response};

use super::points::{self, MINUTE, Steps};
use super::prometheus::evaluate::{check_held, number};
use super::record;
use crate::api::query::EdgeQueryRunner;
use crate::http::content_type;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

/// How long after its end a minute is exported: agents send a profile some 10 to 60 seconds after
/// it began, and Prometheus keeps only the first value of a minute.
const DELAY: i64 = 2 * MINUTE;

/// Text formats.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    OpenMetrics,
    Prometheus,
}

pub(super) async fn answer(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let accept = request.headers().get("accept")?.unwrap_or_default();
    let form = match accept.contains("application/openmetrics-text") {
        true => Form::OpenMetrics,
        false => Form::Prometheus,
    };
    let until = (clock::now_millis() - DELAY).div_euclid(MINUTE) * MINUTE;
    let steps = Steps::covering(until - MINUTE, until, MINUTE)?;
    let runner = EdgeQueryRunner::open(scope)?;
    let mut families: Vec<Family> = Vec::new();
    let mut held = 0;
    for rule in record::of_tenant(scope).await? {
        // A rule that can't be computed must not hide the others; the page of rules shows the
        // error.
        let Ok(measure) = rule.measure() else {
            continue;
        };
        let found = match points::points(&rule, &measure, steps, MINUTE, &runner).await {
            Ok(found) => found,
            Err(problem) if problem.status < 500 => continue,
            Err(problem) => return Err(problem),
        };
        held += found.held;
        check_held(held)?;
        let samples = found.series.into_iter().filter_map(|series| {
            // There is one step.
            let (time, point) = series.points.into_iter().next()?;
            Some(Sample {
                labels: series.labels.into_iter().collect(),
                value: measure.value(point),
                time,
            })
        });
        let samples: Vec<Sample> = samples.collect();
        // Both formats need all samples of a metric in one group, also those of several rules.
        match families
            .iter_mut()
            .find(|family| family.name == measure.name)
        {
            Some(family) => family.samples.extend(samples),
            None => families.push(Family {
                help: measure.help(),
                name: measure.name,
                unit: measure.unit,
                samples,
            }),
        }
    }
    let (content_type, text) = text(&families, form);
    Ok(content_type::response(
        200,
        content_type,
        text.into_bytes(),
    )?)
}

struct Family {
    name: String,
    help: String,
    unit: String,
    samples: Vec<Sample>,
}

struct Sample {
    labels: Vec<(String, String)>,
    value: f64,
    /// Milliseconds since the epoch.
    time: i64,
}

/// The text with its content type.
fn text(families: &[Family], form: Form) -> (&'static str, String) {
    let mut text = String::new();
    for Family {
        name,
        help,
        unit,
        samples,
    } in families
    {
        let _ = writeln!(text, "# TYPE {name} gauge");
        let has_unit = !unit.is_empty() && name.ends_with(&format!("_{unit}"));
        if form == Form::OpenMetrics && has_unit {
            let _ = writeln!(text, "# UNIT {name} {unit}");
        }
        let _ = writeln!(text, "# HELP {name} {help}");
        for Sample {
            labels,
            value,
            time,
        } in samples
        {
            let labels = labels
                .iter()
                .map(|(n, v)| format!("{n}=\"{}\"", escaped(v)));
            let labels = labels.collect::<Vec<_>>().join(",");
            let value = number(*value);
            let _ = match form {
                Form::OpenMetrics => writeln!(text, "{name}{{{labels}}} {value} {}", time / 1000),
                Form::Prometheus => writeln!(text, "{name}{{{labels}}} {value} {time}"),
            };
        }
    }
    match form {
        Form::OpenMetrics => {
            text.push_str("# EOF\n");
            let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            (content_type, text)
        }
        Form::Prometheus => ("text/plain; version=0.0.4; charset=utf-8", text),
    }
}

fn escaped(value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    value.replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_both_forms() {
        let families = [Family {
            name: "profiles_recorded_cpu_seconds".to_owned(),
            help: "Sum.".to_owned(),
            unit: "seconds".to_owned(),
            samples: vec![Sample {
                labels: vec![("path".to_owned(), "a\\b\"c\nd".to_owned())],
                value: 1.5,
                time: 1_795_000_020_000,
            }],
        }];
        let help = "# HELP profiles_recorded_cpu_seconds Sum.\n";
        let line = r#"profiles_recorded_cpu_seconds{path="a\\b\"c\nd"} 1.5 1795000020"#;
        assert_eq!(
            text(&families, Form::OpenMetrics).1,
            format!(
                "# TYPE profiles_recorded_cpu_seconds gauge\n# UNIT profiles_recorded_cpu_seconds seconds\n{help}{line}\n# EOF\n"
            )
        );
        assert_eq!(
            text(&families, Form::Prometheus).1,
            format!("# TYPE profiles_recorded_cpu_seconds gauge\n{help}{line}000\n")
        );
    }
}
