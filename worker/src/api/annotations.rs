//! Annotations: what happened when, such as a deploy, for whoever looks at a timeline.
//!
//! | call | answer |
//! |---|---|
//! | `POST …/api/v1/annotations` with `{"text":"…","time":ms,"service":"…","url":"…"}` | the annotation with its `id`; `time` is now by default |
//! | `GET …/api/v1/annotations?from&until&service` | `{"annotations":[…]}`, the earliest first |
//! | `DELETE …/api/v1/annotations?id` | nothing |
//!
//! One object has all of a tenant's, so each change reads and writes them.

use pilotlight_core::UnixNanos;
use pilotlight_core::store::TenantId;
use serde::{Deserialize, Serialize};
use worker::{Request, Response};

use crate::auth::access::{PUSH, READ};
use crate::bucket::record::{self, JsonRecord};
use crate::http::body;
use crate::http::endpoint::Endpoint;
use crate::http::parameters::{Parameters, check_millis};
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    // A deploy job has the token that its service pushes with.
    Endpoint::post("/api/v1/annotations", PUSH, |request, scope| {
        Box::pin(create(request, scope))
    }),
    Endpoint::get("/api/v1/annotations", READ, |request, scope| {
        Box::pin(list(request, scope))
    }),
    Endpoint::delete("/api/v1/annotations", READ, |request, scope| {
        Box::pin(delete(request, scope))
    }),
];

/// Most annotations of a tenant: 1,000. One more takes the place of the earliest.
const MAX_ANNOTATIONS: usize = 1_000;

/// Most bytes of their texts, services and addresses together: 1 MiB, as all are read for each.
const MAX_BYTES: usize = 1 << 20;

/// How far ahead a time may lie: a year.
const MAX_AHEAD_MILLIS: i64 = 366 * 86_400_000;

/// Longest text in bytes.
const MAX_TEXT: usize = 256;

/// Longest name of a service, and longest address, in bytes.
const MAX_NAME: usize = 2_048;

/// Most bytes of a request.
const MAX_REQUEST: usize = 16 << 10;

/// The only version there is.
const VERSION: u32 = 1;

/// Where a tenant's annotations are.
pub(crate) fn annotations_key(tenant: &TenantId) -> String {
    format!("annotations/{tenant}")
}

/// An annotation as a request has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewAnnotation {
    text: String,
    /// Milliseconds since the epoch.
    time: Option<i64>,
    /// The service that it is about; all if none is given.
    service: Option<String>,
    /// A page about it.
    url: Option<String>,
}

/// An annotation as it is stored and told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Annotation {
    id: u64,
    time: i64,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    service: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// A tenant's annotations, in order of time and id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Annotations {
    version: u32,
    /// The id of the next one.
    next: u64,
    annotations: Vec<Annotation>,
}

#[derive(Serialize)]
struct Listing<'a> {
    annotations: Vec<&'a Annotation>,
}

impl Default for Annotations {
    fn default() -> Self {
        Self {
            version: VERSION,
            next: 1,
            annotations: Vec::new(),
        }
    }
}

impl Annotation {
    /// Bytes of what it says.
    fn bytes(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        self.text.len() + length(&self.service) + length(&self.url)
    }
}

impl JsonRecord for Annotations {
    const WHAT: &'static str = "annotations";
    const VERSION: u32 = VERSION;

    fn version(&self) -> u32 {
        self.version
    }
}

impl NewAnnotation {
    fn parse(body: &[u8], now: i64) -> Result<Self, Problem> {
        let new: Self = serde_json::from_slice(body)
            .map_err(|error| Problem::invalid(format!("invalid annotation: {error}")))?;
        let lengths = [
            ("text", Some(&new.text), MAX_TEXT),
            ("service", new.service.as_ref(), MAX_NAME),
            ("url", new.url.as_ref(), MAX_NAME),
        ];
        for (name, text, most) in lengths {
            let Some(text) = text else { continue };
            if text.is_empty() {
                return Err(Problem::invalid(format!("{name} is empty")));
            }
            if text.len() > most {
                let length = text.len();
                let message = format!("{name} has {length} bytes; at most {most} are allowed");
                return Err(Problem::invalid(message));
            }
            if text.contains(char::is_control) {
                return Err(Problem::invalid(format!(
                    "{name} contains control characters"
                )));
            }
        }
        // The page makes a link of it.
        let is_web = |url: &String| url.starts_with("https://") || url.starts_with("http://");
        if new.url.as_ref().is_some_and(|url| !is_web(url)) {
            return Err(Problem::invalid("url must start with https:// or http://"));
        }
        if let Some(time) = new.time {
            check_millis("time", &time.to_string())?;
            if !(0..=now.saturating_add(MAX_AHEAD_MILLIS)).contains(&time) {
                let message = format!(
                    "time must be milliseconds since 1970, up to a year from now (got {time})"
                );
                return Err(Problem::invalid(message));
            }
        }
        Ok(new)
    }
}

impl Annotations {
    /// Keeps one, and gives it its id. One that is there already stays the only one.
    fn add(&mut self, new: &NewAnnotation, now: i64) -> Result<Annotation, Problem> {
        let NewAnnotation {
            text,
            time,
            service,
            url,
        } = new.clone();
        let new = Annotation {
            id: self.next,
            time: time.unwrap_or(now),
            text,
            service,
            url,
        };
        let said = |one: &Annotation| {
            (one.time, &one.text, &one.service, &one.url)
                == (new.time, &new.text, &new.service, &new.url)
        };
        if let Some(there) = self.annotations.iter().find(|one| said(one)) {
            return Ok(there.clone());
        }
        let at = self.annotations.partition_point(|one| one.time <= new.time);
        self.annotations.insert(at, new.clone());
        // The latest stay, as many as fit.
        let mut bytes = 0;
        let fits = |one: &&Annotation| {
            bytes += one.bytes();
            bytes <= MAX_BYTES
        };
        let latest = self.annotations.iter().rev().take(MAX_ANNOTATIONS);
        let surplus = self.annotations.len() - latest.take_while(fits).count();
        if at < surplus {
            self.annotations.remove(at);
            let message = format!(
                "later annotations already fill the limit of {MAX_ANNOTATIONS} annotations or {MAX_BYTES} bytes; delete one"
            );
            return Err(Problem::new(429, "resource_exhausted", message));
        }
        self.annotations.drain(..surplus);
        self.next += 1;
        Ok(new)
    }

    fn delete(&mut self, id: u64) -> Result<(), Problem> {
        let there = self.annotations.iter().position(|one| one.id == id);
        let Some(at) = there else {
            let message = format!("annotation {id} not found");
            return Err(Problem::new(404, "not_found", message));
        };
        self.annotations.remove(at);
        Ok(())
    }
}

async fn create(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let now = clock::now_millis();
    let new = NewAnnotation::parse(
        &body::read(request, &scope.isolate().bodies, MAX_REQUEST).await?,
        now,
    )?;
    let added = change(scope, |all| all.add(&new, now)).await?;
    Ok(Response::from_json(&added)?)
}

async fn delete(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let id = parameters.required("id")?;
    let id: u64 = id
        .parse()
        .map_err(|_| Problem::invalid(format!("id must be a number (got {id:?})")))?;
    change(scope, |all| all.delete(id)).await?;
    Ok(Response::empty()?.with_status(204))
}

async fn change<O>(
    scope: &Scope,
    change: impl Fn(&mut Annotations) -> Result<O, Problem>,
) -> Result<O, Problem> {
    let key = annotations_key(scope.tenant());
    let changed = record::change(&scope.bucket()?, &key, clock::now_millis, change).await?;
    Ok(changed.outcome)
}

/// Those of a range, and of a service or of all: what is about all services is about each.
async fn list(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let (bucket, parameters) = (scope.bucket()?, Parameters::of(request));
    let range = parameters.range_millis()?;
    let service = parameters.get("service");
    let all: Annotations = record::read(&bucket, &annotations_key(scope.tenant())).await?;
    let about = |one: &Annotation| match (service, &one.service) {
        (Some(asked), Some(service)) => asked == service,
        _ => true,
    };
    let seen = |one: &&Annotation| range.contains(UnixNanos::from_millis(one.time)) && about(one);
    Ok(Response::from_json(&Listing {
        annotations: all.annotations.iter().filter(seen).collect(),
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::record::Record;

    fn new(text: &str, time: i64) -> NewAnnotation {
        NewAnnotation {
            text: text.to_owned(),
            time: Some(time),
            service: None,
            url: None,
        }
    }

    fn texts(all: &Annotations) -> Vec<(&str, u64)> {
        let all = all.annotations.iter();
        all.map(|one| (one.text.as_str(), one.id)).collect()
    }

    #[test]
    fn in_order_of_time_each_once() {
        let mut all = Annotations::default();
        for (text, time, id) in [("b", 20, 1), ("a", 10, 2), ("c", 20, 3), ("b", 20, 1)] {
            assert_eq!(all.add(&new(text, time), 0).unwrap().id, id);
        }
        assert_eq!(texts(&all), [("a", 2), ("b", 1), ("c", 3)]);
        let now = NewAnnotation {
            time: None,
            ..new("d", 0)
        };
        assert_eq!(all.add(&now, 15).unwrap().time, 15);
        assert_eq!(texts(&all), [("a", 2), ("d", 4), ("b", 1), ("c", 3)]);
        assert_eq!(Annotations::decode(&all.encode().unwrap()).unwrap(), all);
        assert_eq!(all.delete(9).unwrap_err().status, 404);
        all.delete(2).unwrap();
        // An id is not given again.
        assert_eq!(all.add(&new("a", 10), 0).unwrap().id, 5);
    }

    #[test]
    fn the_latest_are_kept() {
        let mut all = Annotations::default();
        for i in 0..MAX_ANNOTATIONS as i64 {
            all.add(&new("x", 1_000 + i), 0).unwrap();
        }
        assert_eq!(all.add(&new("early", 5), 0).unwrap_err().status, 429);
        all.add(&new("late", 9_000), 0).unwrap();
        assert_eq!(all.annotations.len(), MAX_ANNOTATIONS);
        assert_eq!(all.annotations[0].time, 1_001);
        // Long ones take the place of several.
        let long = |time| NewAnnotation {
            url: Some("u".repeat(MAX_NAME)),
            ..new("long", time)
        };
        for time in 0..MAX_ANNOTATIONS as i64 {
            all.add(&long(10_000 + time), 0).unwrap();
        }
        let bytes =
            |all: &Annotations| -> usize { all.annotations.iter().map(Annotation::bytes).sum() };
        assert!(bytes(&all) <= MAX_BYTES && bytes(&all) > MAX_BYTES - 2 * MAX_NAME);
        let first = all.annotations[0].time;
        assert_eq!(all.add(&long(first - 1), 0).unwrap_err().status, 429);
    }

    #[test]
    fn what_is_refused() {
        let refused = |body: &str| {
            NewAnnotation::parse(body.as_bytes(), 1_795_235_400_000)
                .map_err(|problem| problem.message)
        };
        assert!(refused(r#"{"text":"v2","service":"shop","time":5,"url":"https://ci/1"}"#).is_ok());
        for (body, says) in [
            ("{}", "missing field `text`"),
            (r#"{"text":""}"#, "text is empty"),
            (r#"{"text":"a","when":1}"#, "unknown field `when`"),
            (r#"{"text":"a","time":"now"}"#, "invalid type: string"),
            (r#"{"text":"a\u0007"}"#, "text contains control characters"),
            (
                r#"{"text":"a","time":17952354000000}"#,
                "up to a year from now",
            ),
            (r#"{"text":"a","time":-1}"#, "time must be milliseconds"),
            (
                r#"{"text":"a","time":1795235400}"#,
                "which looks like seconds",
            ),
            (
                r#"{"text":"a","url":"javascript:alert(1)"}"#,
                "url must start with",
            ),
        ] {
            let message = refused(body).unwrap_err();
            assert!(message.contains(says), "{body}: {message}");
        }
        let long = format!(r#"{{"text":"{}"}}"#, "a".repeat(257));
        assert_eq!(
            refused(&long).unwrap_err(),
            "text has 257 bytes; at most 256 are allowed"
        );
    }
}
