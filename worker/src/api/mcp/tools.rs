//! The reports as tools: their names, what they take as JSON schemas, and reading what is given.

use pilotlight_core::UnixNanos;
use serde::Serialize;
use serde_json::Value;

use crate::api::reports::{Arguments, Parameter, REPORTS, Report, object};
use crate::http::parameters::Parameters;
use crate::platform::clock;
use crate::platform::errors::Problem;

/// A tool as a client is told of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tool {
    name: &'static str,
    description: &'static str,
    /// JSON schema of what it takes.
    input_schema: Value,
    annotations: Annotations,
}

/// What a client may tell its user.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Annotations {
    read_only_hint: bool,
    open_world_hint: bool,
}

/// All tools.
pub(super) fn list() -> Vec<Tool> {
    REPORTS.into_iter().map(tool).collect()
}

fn tool(report: &'static Report) -> Tool {
    let taken = || parameters(report);
    Tool {
        name: report.tool,
        description: report.about,
        input_schema: object([
            ("type", "object".into()),
            ("properties", Value::Object(taken().map(property).collect())),
            (
                "required",
                taken().filter(|p| p.required).map(|p| p.name).collect(),
            ),
            ("additionalProperties", false.into()),
        ]),
        annotations: Annotations {
            read_only_hint: true,
            open_world_hint: false,
        },
    }
}

/// What a tool takes: all that has an effect on text.
fn parameters(report: &Report) -> impl Iterator<Item = &'static Parameter> + use<> {
    let all = report.parameters.iter();
    all.filter(|parameter| !parameter.json_only)
}

fn property(parameter: &Parameter) -> (String, Value) {
    let mut schema = parameter.kind.schema();
    schema["description"] = parameter.about.into();
    (parameter.name.to_owned(), schema)
}

/// The tool of a name.
pub(super) fn named(name: &str) -> Option<&'static Report> {
    REPORTS.into_iter().find(|report| report.tool == name)
}

/// What to say of a name that no tool has.
pub(super) fn unknown(name: &str) -> String {
    let tools = REPORTS.map(|report| report.tool).join(", ");
    format!("unknown tool {name:?}; the tools are {tools}")
}

/// What is asked of a tool. `None` asks for nothing in particular.
pub(super) fn arguments(tool: &Report, given: Option<&Value>) -> Result<Arguments, Problem> {
    parsed(tool, given, clock::now())
}

fn parsed(tool: &Report, given: Option<&Value>, now: UnixNanos) -> Result<Arguments, Problem> {
    let mut pairs = Vec::new();
    match given {
        None | Some(Value::Null) => {}
        Some(Value::Object(given)) => {
            for (name, value) in given {
                let text = match value {
                    Value::Null => continue,
                    Value::String(text) => text.clone(),
                    // A whole number may be written as 2.0.
                    Value::Number(number) => match number.as_f64() {
                        Some(whole) if number.is_f64() && whole.fract() == 0.0 => whole.to_string(),
                        _ => number.to_string(),
                    },
                    Value::Array(texts) if texts.iter().all(Value::is_string) => {
                        let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
                        texts.join(",")
                    }
                    _ => {
                        let message = format!("{name} must be a string or a number");
                        return Err(Problem::invalid(message));
                    }
                };
                pairs.push((name.clone(), text));
            }
        }
        Some(_) => return Err(Problem::invalid("arguments must be a JSON object")),
    }
    Arguments::new(tool.parameters, Parameters::new(pairs, now), &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn services() -> &'static Report {
        named("list_services").expect("a report")
    }

    fn message(given: &Value) -> Option<String> {
        let parsed = parsed(services(), Some(given), UnixNanos(0));
        parsed.err().map(|problem| problem.message)
    }

    #[test]
    fn what_is_given() {
        let right = json!({"from": 1_700_000_000_000_u64, "limit": 3.0, "until": null});
        assert_eq!(message(&right), None);
        assert_eq!(message(&Value::Null), None);
        let wrong = json!({"from": [1]});
        let told = message(&wrong).unwrap();
        assert_eq!(told, "from must be a string or a number");
        let told = message(&json!([])).unwrap();
        assert_eq!(told, "arguments must be a JSON object");
        let unknown = message(&json!({"form": "now"})).unwrap();
        assert!(
            unknown.starts_with("unknown parameter \"form\""),
            "{unknown}"
        );
    }

    #[test]
    fn what_is_told_of_a_tool() {
        let tool = serde_json::to_value(tool(services())).unwrap();
        assert_eq!(tool["name"], "list_services");
        let schema = &tool["inputSchema"];
        let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["from", "limit", "until"]);
        assert_eq!(schema["required"], json!([]));
        assert_eq!(schema["additionalProperties"], false);
    }
}
