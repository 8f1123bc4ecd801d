//! A worker that asks for tokens, the tokens, and what it has counted and stored.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Duration;

use pilotlight_core::access::Token;
use pilotlight_core::{ProfileBuilder, pprof};
use pilotlight_tests::local::client::{Answer, Client};
use pilotlight_tests::local::{Local, Place};
use regex_lite::Regex;
use serde_json::{Value, json};

use super::request::raw;

pub(crate) const FROM: i64 = 1_795_235_400;
pub(crate) const CPU: &str = "process_cpu:cpu:nanoseconds::";
pub(crate) const TOKENS: &str = "/api/v1/admin/tokens";

/// A worker that asks for tokens, and what it has made.
pub(crate) struct Locked {
    pub(crate) place: Place,
    _worker: Local,
    pub(crate) admin: String,
    /// By name; `t1-push` is of tenant t1 and has the scope push.
    pub(crate) tokens: BTreeMap<&'static str, String>,
}

pub(crate) fn token(n: u8) -> Token {
    Token::from_entropy([n; 32])
}

pub(crate) fn place(name: &str, more: &[(&'static str, String)]) -> Place {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let own = [
        ("AUTH", "required".to_owned()),
        ("ADMIN_TOKEN_SHA256", token(1).digest().to_hex()),
        ("FLUSH_MS", "20".to_owned()),
    ];
    Place::fresh(&state, &[&own[..], more].concat()).expect("a place")
}

impl Locked {
    pub(crate) fn start(name: &str) -> Self {
        let place = place(name, &[]);
        let worker = place.start().expect("a worker");
        let mut locked = Self {
            place,
            _worker: worker,
            admin: token(1).expose().to_owned(),
            tokens: BTreeMap::new(),
        };
        for (name, tenant, scopes) in [
            ("t1-push", "t1", &["push"][..]),
            ("t1-read", "t1", &["read"]),
            ("t1-admin", "t1", &["admin"]),
            ("t1-all", "t1", &["push", "read", "admin"]),
            ("t2-all", "t2", &["push", "read", "admin"]),
            ("*-read", "*", &["read"]),
            ("revoked", "t1", &["push", "read", "admin"]),
        ] {
            let made = locked.create(json!({ "tenant": tenant, "scopes": scopes, "name": name }));
            let text = made["token"].as_str().expect("a token").to_owned();
            if name == "revoked" {
                let path = format!("{TOKENS}?id={}", made["id"].as_str().expect("an id"));
                let gone = locked.client(&locked.admin).delete(&path);
                assert_eq!(gone.expect("an answer").status, 200);
            }
            locked.tokens.insert(name, text);
        }
        let short = json!({ "tenant": "*", "scopes": ["push", "read", "admin"], "ttl_seconds": 1 });
        let made = locked.create(short);
        let text = made["token"].as_str().expect("a token").to_owned();
        locked.tokens.insert("expired", text);
        thread::sleep(Duration::from_millis(1_200));
        let unknown = token(9).expose().to_owned();
        locked.tokens.insert("unknown", unknown);
        locked
    }

    pub(crate) fn create(&self, wanted: Value) -> Value {
        let body = wanted.to_string();
        let made = self
            .client(&self.admin)
            .post(TOKENS, "application/json", body.as_bytes());
        let made = made.expect("an answer");
        assert_eq!(made.status, 200, "{}", made.text());
        made.json()
    }

    pub(crate) fn client(&self, token: &str) -> Client {
        Client::new(&self.place.url()).with_token(token)
    }

    /// A request, with just these headers; `token` is a name among the tokens.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        headers: &[&str],
    ) -> Answer {
        let bearer = token.map(|name| format!("Authorization: Bearer {}", self.tokens[name]));
        let headers: Vec<&str> = bearer
            .iter()
            .map(String::as_str)
            .chain(headers.iter().copied())
            .collect();
        raw(&self.place, method, path, &headers)
    }

    /// How many refusals were counted so far.
    pub(crate) fn counted(&self) -> BTreeMap<String, u64> {
        let metrics = self.client(&self.tokens["*-read"]).get("/metrics");
        let metrics = metrics.expect("an answer").text();
        let line = Regex::new(
            r#"(?m)^pilotlight_isolate_refused_requests_total\{reason="(\w+)"\} (\d+)$"#,
        )
        .expect("a pattern");
        let count = |found: regex_lite::Captures<'_>| {
            let count = found[2].parse().expect("a number");
            (found[1].to_owned(), count)
        };
        let found: BTreeMap<String, u64> = line.captures_iter(&metrics).map(count).collect();
        assert!(found.len() > 5, "{metrics}");
        found
    }

    /// The sum of what a tenant has stored.
    pub(crate) fn total(&self, token: &str) -> Option<i64> {
        let query =
            form_urlencoded::byte_serialize(format!("{CPU}{{}}").as_bytes()).collect::<String>();
        let path = format!(
            "/pyroscope/render?query={query}&from={FROM}&until={}",
            FROM + 3_600
        );
        let answer = self
            .client(&self.tokens[token])
            .get(&path)
            .expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["flamebearer"]["numTicks"].as_i64()
    }
}

pub(crate) fn profile(function: &str, value: i64) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let stack = builder.named_stack(&["main", function]);
    builder.sample(stack, None, &[value]);
    pprof::encode(&builder.finish())
}

pub(crate) fn push(client: &Client, at: i64, body: &[u8]) -> Answer {
    let path = format!("/ingest?name=app&format=pprof&from={at}&until={}", at + 10);
    client
        .post(&path, "application/octet-stream", body)
        .expect("an answer")
}
