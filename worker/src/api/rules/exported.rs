//! `GET /exported-metrics`: a recent minute of each rule, for Prometheus to scrape.
//!
//! A point has the time of its minute, so a scrape that finds the same minute again changes
//! nothing, and two scrapes a minute get every point.

use std::fmt::Write;

use worker::{Request, Response};

use super::metric::{Metric, MetricSeries, metrics};
use super::points::{MINUTE, Steps, last_minute};
use super::prometheus::evaluate::number;
use super::record;
use crate::api::query::EdgeQueryRunner;
use crate::http::content_type;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

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
    // Prometheus keeps only the first value of a minute.
    let until = last_minute(clock::now_millis());
    let steps = Steps::covering(until - MINUTE, until, MINUTE)?;
    let runner = EdgeQueryRunner::open(scope)?;
    let rules = record::of_tenant(scope).await?;
    // A rule that can't be computed must not hide the others; the page of rules shows the error.
    let found = metrics(&rules, steps, &runner).await?;
    let mut families: Vec<Metric> = Vec::new();
    // Both formats need all samples of a metric in one group, also those of several rules.
    for metric in found.metrics {
        match families
            .iter_mut()
            .find(|family| family.name == metric.name)
        {
            Some(family) => family.series.extend(metric.series),
            None => families.push(metric),
        }
    }
    let (content_type, text) = text(&families, form);
    Ok(content_type::response(
        200,
        content_type,
        text.into_bytes(),
    )?)
}

/// The text with its content type.
fn text(families: &[Metric], form: Form) -> (&'static str, String) {
    let mut text = String::new();
    for Metric {
        name,
        help,
        unit,
        series,
    } in families
    {
        let _ = writeln!(text, "# TYPE {name} gauge");
        let has_unit = !unit.is_empty() && name.ends_with(&format!("_{unit}"));
        if form == Form::OpenMetrics && has_unit {
            let _ = writeln!(text, "# UNIT {name} {unit}");
        }
        let _ = writeln!(text, "# HELP {name} {help}");
        for MetricSeries { labels, samples } in series {
            let labels = labels
                .iter()
                .map(|(n, v)| format!("{n}=\"{}\"", escaped(v)));
            let labels = labels.collect::<Vec<_>>().join(",");
            for (time, value) in samples {
                let value = number(*value);
                let _ = match form {
                    Form::OpenMetrics => {
                        writeln!(text, "{name}{{{labels}}} {value} {}", time / 1000)
                    }
                    Form::Prometheus => writeln!(text, "{name}{{{labels}}} {value} {time}"),
                };
            }
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
        let families = [Metric {
            name: "profiles_recorded_cpu_seconds".to_owned(),
            help: "Sum.".to_owned(),
            unit: "seconds".to_owned(),
            series: vec![MetricSeries {
                labels: [("path".to_owned(), "a\\b\"c\nd".to_owned())].into(),
                samples: vec![(1_795_000_020_000, 1.5)],
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
