//! The description of the reports, held against the table of their parameters.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::report::{FORMAT, MAX_MARKDOWN};
use super::*;
use crate::api::annotations;
use crate::http::parameters::Parameters;

fn openapi() -> Value {
    serde_json::from_str(OPENAPI).expect("a description as JSON")
}

/// Name, required, schema, description of each parameter of a path.
fn described(path: &str) -> BTreeMap<String, (bool, Value, Value)> {
    let document = openapi();
    let parameters = document["paths"][path]["get"]["parameters"].as_array();
    let resolved = |parameter: &Value| match parameter["$ref"].as_str() {
        Some(reference) => document
            .pointer(reference.trim_start_matches('#'))
            .unwrap_or_else(|| panic!("{reference}"))
            .clone(),
        None => parameter.clone(),
    };
    parameters
        .unwrap_or_else(|| panic!("{path} is not described"))
        .iter()
        .map(resolved)
        .map(|parameter| {
            assert_eq!(parameter["in"], "query");
            let required = parameter["required"].as_bool().unwrap_or(false);
            let name = parameter["name"].as_str().unwrap_or("").to_owned();
            let [schema, about] = ["schema", "description"].map(|key| parameter[key].clone());
            (name, (required, schema, about))
        })
        .collect()
}

fn schema(kind: Kind) -> Value {
    match kind {
        Kind::Text => serde_json::json!({"type": "string"}),
        Kind::Number {
            least,
            most,
            default: None,
        } => serde_json::json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Number {
            least,
            most,
            default: Some(default),
        } => serde_json::json!({
            "type": "integer", "minimum": least, "maximum": most, "default": default
        }),
        Kind::Choice(values) => {
            serde_json::json!({"type": "string", "enum": values, "default": values[0]})
        }
    }
}

#[test]
fn the_description_has_the_parameters_of_the_table() {
    let document = openapi();
    let paths = document["paths"].as_object().expect("paths");
    let reports = || paths.keys().filter(|path| *path != ANNOTATIONS);
    assert_eq!(reports().count(), REPORTS.len());
    for path in reports() {
        let report = REPORTS.iter().find(|report| report.endpoint.path == path);
        let report = report.unwrap_or_else(|| panic!("{path} is no report"));
        let mut expect: BTreeMap<String, (bool, Value, Value)> = report
            .parameters
            .iter()
            .map(|p| {
                (
                    p.name.to_owned(),
                    (p.required, schema(p.kind), p.about.into()),
                )
            })
            .collect();
        let format = serde_json::json!({
            "type": "string", "enum": ["json", "markdown"], "default": "json"
        });
        let described = described(path);
        let about = described[FORMAT].2.clone();
        expect.insert(FORMAT.to_owned(), (false, format, about));
        assert_eq!(described, expect, "{path}");
    }
}

/// What is described beside the reports: what a deploy job calls.
const ANNOTATIONS: &str = "/api/v1/annotations";

#[test]
fn the_description_has_the_calls_of_annotations() {
    let document = openapi();
    let calls = document["paths"][ANNOTATIONS]
        .as_object()
        .expect("annotations are described");
    let described: BTreeSet<String> = calls.keys().map(|of| of.to_uppercase()).collect();
    let served = annotations::ENDPOINTS.iter().map(|of| of.method.to_owned());
    assert_eq!(described, served.collect());
}

#[test]
fn forms() {
    let form = |query: &str| {
        let now = pilotlight_core::UnixNanos(0);
        Form::of(&Parameters::parse(query, now)).map_err(|problem| problem.message)
    };
    assert_eq!(form(""), Ok(Form::Json));
    assert_eq!(form("format=markdown"), Ok(Form::Markdown(MAX_MARKDOWN)));
    assert_eq!(
        form("format=html"),
        Err("format must be one of json, markdown (got \"html\")".to_owned())
    );
}
