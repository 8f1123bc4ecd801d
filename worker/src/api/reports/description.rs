//! The description of these calls, OpenAPI 3.1. `openapi.json` has the shapes of answers, and the calls
//! of annotations; the calls of reports are described by the reports themselves.

use serde_json::Value;
use worker::Response;

use super::list::REPORTS;
use super::parameters::{FROM, Parameter, QUERY, UNTIL, object};
use super::report::{FORMAT, Form, Report};
use crate::http::content_type;
use crate::platform::errors::Problem;

/// Parameters that have an example in `openapi.json`.
const COMMON: [Parameter; 3] = [QUERY, FROM, UNTIL];

pub(super) fn openapi() -> Result<Response, Problem> {
    let bytes = serde_json::to_vec(&document()?).map_err(Problem::internal)?;
    Ok(content_type::response(
        200,
        Form::Json.content_type(),
        bytes,
    )?)
}

pub(super) fn document() -> Result<Value, Problem> {
    let mut document: Value =
        serde_json::from_str(include_str!("openapi.json")).map_err(Problem::internal)?;
    for parameter in &COMMON {
        let example = document["components"]["parameters"][parameter.name]["example"].take();
        let mut described = described(parameter);
        described["example"] = example;
        document["components"]["parameters"][parameter.name] = described;
    }
    for report in REPORTS {
        let path = report.endpoint.path;
        let others = document["paths"][path].take();
        document["paths"][path] = object([("get", call(report, &others["responses"]))]);
    }
    Ok(document)
}

fn call(report: &Report, others: &Value) -> Value {
    let mut parameters: Vec<Value> = report.parameters.iter().map(parameter).collect();
    parameters.push(reference("parameters", FORMAT));
    let content = object([
        (
            "application/json",
            object([("schema", reference("schemas", report.shape))]),
        ),
        (
            "text/markdown",
            object([("schema", object([("type", "string".into())]))]),
        ),
    ]);
    let answer = object([("description", "The report.".into()), ("content", content)]);
    let mut responses = object([("200", answer)]);
    for (status, name) in [
        ("400", "Invalid"),
        ("401", "Unauthorized"),
        ("403", "Forbidden"),
        ("413", "TooLarge"),
        ("429", "Busy"),
        ("503", "Unavailable"),
    ] {
        responses[status] = reference("responses", name);
    }
    for (status, other) in others.as_object().into_iter().flatten() {
        responses[status] = other.clone();
    }
    object([
        (
            "operationId",
            report.endpoint.path.rsplit('/').next().into(),
        ),
        ("summary", report.about.into()),
        ("parameters", parameters.into()),
        ("responses", responses),
    ])
}

fn parameter(parameter: &Parameter) -> Value {
    if COMMON.contains(parameter) {
        return reference("parameters", parameter.name);
    }
    described(parameter)
}

fn described(parameter: &Parameter) -> Value {
    object([
        ("name", parameter.name.into()),
        ("in", "query".into()),
        ("description", parameter.about.into()),
        ("required", parameter.required.into()),
        ("schema", parameter.kind.schema()),
    ])
}

fn reference(kind: &str, name: &str) -> Value {
    object([("$ref", format!("#/components/{kind}/{name}").into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::annotations;
    use serde_json::json;
    use std::collections::BTreeSet;

    /// Calls `see` with each reference of a document.
    fn references(value: &Value, see: &mut impl FnMut(&str)) {
        match value {
            Value::Object(fields) => {
                if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                    see(reference);
                }
                fields.values().for_each(|field| references(field, see));
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, see)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_to_something_that_is_described() {
        let document = document().unwrap();
        let mut count = 0;
        references(&document, &mut |reference| {
            count += 1;
            let target = document.pointer(reference.trim_start_matches('#'));
            assert!(target.is_some_and(Value::is_object), "{reference}");
        });
        assert!(count > 100, "{count}");
    }

    #[test]
    fn calls_have_the_parameters_and_answers_of_their_reports() {
        let document = document().unwrap();
        let call = &document["paths"]["/api/v1/functions"]["get"];
        assert_eq!(call["operationId"], "functions");
        assert_eq!(call["parameters"][0], reference("parameters", "query"));
        let sort = json!({
            "name": "sort", "in": "query", "required": false,
            "description": "Sort by self value, or by total including callees.",
            "schema": {"type": "string", "enum": ["self", "total"], "default": "self"},
        });
        assert_eq!(call["parameters"][3], sort);
        let query = &document["components"]["parameters"]["query"];
        assert_eq!(query["required"], true);
        assert!(query["example"].is_string());
        let absent = &document["paths"]["/api/v1/function"]["get"]["responses"]["404"];
        assert!(absent["description"].is_string());
    }

    #[test]
    fn the_calls_of_annotations_are_described() {
        let document = document().unwrap();
        let calls = document["paths"]["/api/v1/annotations"]
            .as_object()
            .unwrap();
        let described: BTreeSet<String> = calls.keys().map(|of| of.to_uppercase()).collect();
        let served = annotations::ENDPOINTS.iter().map(|of| of.method.to_owned());
        assert_eq!(described, served.collect());
    }
}
