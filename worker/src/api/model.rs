//! A language model of the operator's, which is asked what a summary of a profile means.
//!
//! | call | answer |
//! |---|---|
//! | `GET …/api/v1/explain` | `{"model":"NAME"}`; null where there is none |
//! | `POST …/api/v1/explain` with `{"text":"…"}` | `{"model":"NAME","text":"…"}` |
//!
//! The model speaks the "chat completions" of OpenAI's API, as most servers of models do. It gets the text and nothing
//! else. A browser is not let to it: its token is for the server alone.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use worker::{Env, Request, Response};

use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::http::{body, outgoing};
use crate::platform::config::{ConfigError, variables};
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/explain", READ, |_, scope| {
        Box::pin(async { name(scope) })
    }),
    Endpoint::post("/api/v1/explain", READ, |request, scope| {
        Box::pin(explain(request, scope))
    }),
];

/// Longest text that is passed on: 32 KiB. A summary has some 3.
const MAX_TEXT: usize = 32 << 10;

/// Most bytes of an answer.
const MAX_ANSWER: usize = 256 << 10;

/// Longest wait: models that think take their time.
const LIMIT: Duration = Duration::from_secs(90);

/// What the model is told before the text.
const INSTRUCTIONS: &str = "You help engineers read profiles of programs. The user gives the summary of a profile, or of a \
    comparison of two. Say in at most 200 words what uses the time or memory, what most likely causes it, and what to look at \
    first. Use only the names and numbers in the summary, and say so if they are not enough. Plain text, no headings.";

/// Which model, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    address: String,
    name: String,
    token: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    text: String,
}

#[derive(Serialize)]
struct Answer<'a> {
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct Completion<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Deserialize)]
struct Completed {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Content,
}

#[derive(Deserialize)]
struct Content {
    content: String,
}

impl Model {
    /// Parses `MODEL_URL`, `MODEL` and the secret `MODEL_TOKEN`; `None` without the first.
    pub(crate) fn parse(var: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, ConfigError> {
        let var = |name| {
            let value = var(name).map(|value| value.trim().to_owned());
            value.filter(|value| !value.is_empty())
        };
        let Some(address) = var("MODEL_URL") else {
            return Ok(None);
        };
        if !outgoing::is_web(&address) {
            return Err(ConfigError {
                name: "MODEL_URL",
                found: address,
                expected: "an address, like https://api.openai.com/v1/chat/completions",
            });
        }
        let name = var("MODEL").ok_or_else(|| ConfigError {
            name: "MODEL",
            found: String::new(),
            expected: "the name of a model, as MODEL_URL is set",
        })?;
        let secret = var;
        let token = secret("MODEL_TOKEN");
        Ok(Some(Self {
            address,
            name,
            token,
        }))
    }

    /// Parses the variables of an environment.
    pub(crate) fn of(env: &Env) -> Result<Option<Self>, ConfigError> {
        Self::parse(variables(env))
    }

    async fn explain(&self, text: &str) -> Result<String, Problem> {
        let asked = serde_json::to_vec(&Completion {
            model: &self.name,
            messages: [
                Message {
                    role: "system",
                    content: INSTRUCTIONS,
                },
                Message {
                    role: "user",
                    content: text,
                },
            ],
        })
        .map_err(Problem::internal)?;
        let bearer = self.token.as_ref().map(|token| format!("Bearer {token}"));
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(bearer.iter().map(|bearer| ("authorization", &**bearer)));
        let answer = outgoing::ask(&self.address, &headers, Some(asked), LIMIT, MAX_ANSWER).await;
        let answer = answer.map_err(unavailable)?;
        match answer.status {
            200 => completed(&answer.body),
            429 => Err(Problem::new(
                429,
                "resource_exhausted",
                "the language model is overloaded; try again later",
            )),
            status => Err(unavailable(format!("it returned status {status}"))),
        }
    }
}

fn completed(body: &[u8]) -> Result<String, Problem> {
    let completed: Completed = serde_json::from_slice(body)
        .map_err(|error| unavailable(format!("can't parse its response: {error}")))?;
    let first = completed.choices.into_iter().next();
    first
        .map(|choice| choice.message.content)
        .ok_or_else(|| unavailable("its response has no text".to_owned()))
}

fn unavailable(reason: String) -> Problem {
    let message = format!("no answer from the language model: {reason}");
    Problem::new(502, "unavailable", message)
}

/// The model's name; null without one.
fn name(scope: &Scope) -> Result<Response, Problem> {
    let model = Model::of(scope.env()).map_err(Problem::internal)?;
    answer(model.as_ref(), None)
}

async fn explain(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let model = Model::of(scope.env()).map_err(Problem::internal)?;
    let none = || Problem::unimplemented("this server has no language model: MODEL_URL is not set");
    let model = model.as_ref().ok_or_else(none)?;
    let question: Question =
        body::json(request, &scope.isolate().bodies, MAX_TEXT, "question").await?;
    if question.text.trim().is_empty() {
        return Err(Problem::invalid("text is empty"));
    }
    answer(Some(model), Some(model.explain(&question.text).await?))
}

fn answer(model: Option<&Model>, text: Option<String>) -> Result<Response, Problem> {
    let model = model.map(|model| model.name.as_str());
    Ok(Response::from_json(&Answer { model, text })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(vars: &[(&str, &str)]) -> Result<Option<Model>, ConfigError> {
        Model::parse(|name| {
            let found = vars.iter().find(|(of, _)| *of == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn there_is_one_where_both_are_set() {
        let url = ("MODEL_URL", "https://models.example/v1/chat/completions");
        assert_eq!(model(&[("MODEL", "m")]).unwrap(), None);
        assert_eq!(model(&[url]).unwrap_err().name, "MODEL");
        assert_eq!(model(&[url, ("MODEL", "m")]).unwrap().unwrap().name, "m");
        let wrong = model(&[("MODEL_URL", "models.example"), ("MODEL", "m")]);
        assert_eq!(wrong.unwrap_err().name, "MODEL_URL");
    }

    #[test]
    fn an_answer_is_its_first_text() {
        let body = br#"{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"It is JSON."}}]}"#;
        assert_eq!(completed(body).unwrap(), "It is JSON.");
        for (body, says) in [
            ("{\"choices\":[]}", "has no text"),
            ("<html>", "can't parse its response"),
        ] {
            let problem = completed(body.as_bytes()).unwrap_err();
            assert_eq!(problem.status, 502);
            assert!(problem.message.contains(says), "{}", problem.message);
        }
    }
}
