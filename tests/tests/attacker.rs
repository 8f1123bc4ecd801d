//! Somebody who may not, at every route of the built worker: without a token, with a wrong one, with
//! one that ended, that lacks the scope or is another tenant's, and by tricks. Each attempt is
//! refused and counted, while honest requests are served.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pilotlight_core::access::Token;
use pilotlight_core::{ProfileBuilder, pprof};
use pilotlight_tests::local::client::{Answer, Client};
use pilotlight_tests::local::{Local, Place};
use regex_lite::Regex;
use serde_json::{Value, json};

const FROM: i64 = 1_795_235_400;
const CPU: &str = "process_cpu:cpu:nanoseconds::";
const TOKENS: &str = "/api/v1/admin/tokens";

/// What a route asks for, by this test's own judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Nothing,
    Scope(&'static str),
    Whole(&'static str),
}

/// A worker that asks for tokens, and what it has made.
struct Locked {
    place: Place,
    _worker: Local,
    admin: String,
    /// By name; `t1-push` is of tenant t1 and has the scope push.
    tokens: BTreeMap<&'static str, String>,
}

fn token(n: u8) -> Token {
    Token::from_entropy([n; 32])
}

fn place(name: &str, more: &[(&'static str, String)]) -> Place {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let own = [
        ("AUTH", "required".to_owned()),
        ("ADMIN_TOKEN_SHA256", token(1).digest().to_hex()),
        ("FLUSH_MS", "20".to_owned()),
    ];
    Place::fresh(&state, &[&own[..], more].concat()).expect("a place")
}

impl Locked {
    fn start(name: &str) -> Self {
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

    fn create(&self, wanted: Value) -> Value {
        let body = wanted.to_string();
        let made = self
            .client(&self.admin)
            .post(TOKENS, "application/json", body.as_bytes());
        let made = made.expect("an answer");
        assert_eq!(made.status, 200, "{}", made.text());
        made.json()
    }

    fn client(&self, token: &str) -> Client {
        Client::new(&self.place.url()).with_token(token)
    }

    /// A request, with just these headers; `token` is a name among the tokens.
    fn send(&self, method: &str, path: &str, token: Option<&str>, headers: &[&str]) -> Answer {
        let bearer = token.map(|name| format!("Authorization: Bearer {}", self.tokens[name]));
        let headers: Vec<&str> = bearer
            .iter()
            .map(String::as_str)
            .chain(headers.iter().copied())
            .collect();
        raw(&self.place, method, path, &headers)
    }

    /// How many refusals were counted so far.
    fn counted(&self) -> BTreeMap<String, u64> {
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
    fn total(&self, token: &str) -> Option<i64> {
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

/// One request on a connection of its own, with an empty body where the method may have one.
fn raw(place: &Place, method: &str, path: &str, headers: &[&str]) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", place.port)).expect("a connection");
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .expect("a timeout");
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    if !["GET", "HEAD"].contains(&method) {
        head.push_str("Content-Length: 0\r\n");
    }
    for header in headers {
        head.push_str(&format!("{header}\r\n"));
    }
    stream
        .write_all(format!("{head}\r\n").as_bytes())
        .expect("sent");
    let (mut head, mut byte) = (Vec::new(), [0]);
    // A server that ends the connection without an answer has refused too: status 0.
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count > 0) {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head);
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let headers: Vec<(String, String)> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, length)| length.parse().ok());
    // The server lingers before it closes; what has come in chunks, no test looks at.
    let mut body = vec![0; length.filter(|_| method != "HEAD").unwrap_or(0)];
    stream.read_exact(&mut body).expect("a body");
    Answer {
        status: status.unwrap_or(0),
        headers,
        body,
    }
}

/// Method and path of each row of the worker's own table.
fn routes() -> Vec<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../worker/src/http/route.rs");
    let source = std::fs::read_to_string(source).expect("the table of routes");
    let row = Regex::new(r#"\(\s*"(/[^"]+)",\s*"([A-Z]+)",\s*Route::"#).expect("a pattern");
    let rows: Vec<_> = row
        .captures_iter(&source)
        .map(|found| (found[2].to_owned(), found[1].to_owned()))
        .collect();
    let length = Regex::new(r"Route\); (\d+)\]").expect("a pattern");
    let length = &length.captures(&source).expect("the table's length")[1];
    assert_eq!(rows.len().to_string(), length, "every row is read");
    rows
}

fn wanted(path: &str) -> Wanted {
    match path {
        "/healthz" => Wanted::Nothing,
        "/metrics" => Wanted::Whole("read"),
        "/api/v1/admin/bucket-check" => Wanted::Whole("admin"),
        _ if path.contains("/admin/") => Wanted::Scope("admin"),
        _ if path.ends_with("/ingest") || path.contains("push.v1.") => Wanted::Scope("push"),
        _ if path.contains("v1development") => Wanted::Scope("push"),
        _ if path.contains("debuginfo.") => Wanted::Scope("push"),
        _ => Wanted::Scope("read"),
    }
}

fn profile(function: &str, value: i64) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let stack = builder.named_stack(&["main", function]);
    builder.sample(stack, None, &[value]);
    pprof::encode(&builder.finish())
}

fn push(client: &Client, at: i64, body: &[u8]) -> Answer {
    let path = format!("/ingest?name=app&format=pprof&from={at}&until={}", at + 10);
    client
        .post(&path, "application/octet-stream", body)
        .expect("an answer")
}

#[test]
fn every_route_is_closed_to_those_who_may_not() {
    let locked = Locked::start("attacker-routes");
    assert_eq!(
        push(
            &locked.client(&locked.tokens["t1-push"]),
            FROM,
            &profile("secret_of_t1", 7)
        )
        .status,
        200
    );
    let before = locked.counted();
    let mut refused = BTreeMap::from([
        ("missing", 0_u64),
        ("unknown", 0),
        ("expired", 0),
        ("revoked", 0),
    ]);
    refused.extend([("malformed", 0), ("scope", 0), ("tenant", 0)]);
    let mut expect = |answer: &Answer, status: u16, reason: &'static str, what: &str| {
        assert_eq!(answer.status, status, "{what}: {}", answer.text());
        *refused.get_mut(reason).expect("a reason") += 1;
    };
    for (method, path) in routes() {
        let wanted = wanted(&path);
        let ask = |token, headers: &[&str]| locked.send(&method, &path, token, headers);
        if wanted == Wanted::Nothing {
            assert_eq!(ask(None, &[]).status, 200);
            continue;
        }
        let what = format!("{method} {path}");
        let answer = ask(None, &[]);
        expect(&answer, 401, "missing", &what);
        assert_eq!(
            answer.header("www-authenticate"),
            Some("Basic realm=\"pilotlight\"")
        );
        assert!(
            answer.text().contains("\"code\":\"unauthenticated\""),
            "{}",
            answer.text()
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        for header in [
            "Authorization: Bearer plt_x",
            "Authorization: Basic e30=",
            "Authorization: Digest a",
        ] {
            expect(&ask(None, &[header]), 401, "malformed", &what);
        }
        let texts = ["unknown", "expired", "revoked"].map(|reason| {
            let answer = ask(Some(reason), &[]);
            expect(&answer, 401, reason, &what);
            answer.text()
        });
        assert!(
            texts[0] == texts[1] && texts[1] == texts[2],
            "they look alike: {texts:?}"
        );

        for scope in ["push", "read", "admin"] {
            let name = ["t1-push", "t1-read", "t1-admin"]
                .into_iter()
                .find(|name| name.ends_with(scope));
            match wanted {
                Wanted::Scope(needed) if needed == scope => {}
                Wanted::Whole(needed) if needed == scope => {
                    expect(&ask(name, &[]), 403, "tenant", &what)
                }
                _ => expect(&ask(name, &[]), 403, "scope", &what),
            }
        }
        let others = &["X-Scope-OrgID: t1"];
        match wanted {
            Wanted::Whole(_) => expect(&ask(Some("t2-all"), others), 403, "tenant", &what),
            // Tokens know no header: their calls are about what the caller's own token reaches.
            _ if path == TOKENS => {}
            _ => expect(&ask(Some("t2-all"), others), 403, "tenant", &what),
        }
    }
    let after = locked.counted();
    for (reason, count) in refused {
        assert!(count > 0, "{reason} was tried");
        assert_eq!(after[reason] - before[reason], count, "{reason}");
    }
    assert_eq!(locked.total("t1-read"), Some(7), "nothing was lost");
    let log = std::fs::read_to_string(locked.place.log()).expect("a log");
    assert!(!log.contains("plt_"), "no token is in the log");
}

#[test]
fn a_tenant_never_touches_another() {
    let locked = Locked::start("attacker-tenants");
    let (one, two) = (
        locked.client(&locked.tokens["t1-all"]),
        locked.client(&locked.tokens["t2-all"]),
    );
    assert_eq!(push(&one, FROM, &profile("secret_of_t1", 7)).status, 200);
    let query =
        form_urlencoded::byte_serialize(format!("{CPU}{{}}").as_bytes()).collect::<String>();
    let millis = format!(
        "query={query}&from={}&until={}",
        FROM * 1000,
        (FROM + 3_600) * 1000
    );
    let ask = json!({
        "profileTypeID": CPU, "labelSelector": "{}", "start": FROM * 1000, "end": (FROM + 3_600) * 1000, "step": 15,
        "name": "service_name",
    });
    for (method, path) in routes() {
        if wanted(&path) != Wanted::Scope("read") {
            continue;
        }
        let answer = match method.as_str() {
            "GET" => two.get(&format!("{path}?{millis}&label=service_name")),
            _ => two.post(&path, "application/json", ask.to_string().as_bytes()),
        };
        let answer = answer.expect("an answer");
        assert!(answer.status < 500, "{path}: {}", answer.text());
        for secret in ["secret_of_t1", "app"] {
            assert!(!answer.text().contains(secret), "{path}: {}", answer.text());
        }
    }
    // Everything that changes or deletes, with all that the other may do.
    let put = |path: &str| locked.send("PUT", path, Some("t2-all"), &[]);
    for path in ["parked/retry", "rebuild"] {
        let path = format!("/api/v1/admin/{path}");
        assert_eq!(
            two.post(&path, "", b"").expect("an answer").status,
            200,
            "{path}"
        );
    }
    for path in [
        format!(
            "/api/v1/admin/profiles?query=%7B%7D&from=0&until={}",
            (FROM + 3_600) * 1000
        ),
        "/api/v1/admin/tenant".to_owned(),
    ] {
        assert_eq!(two.delete(&path).expect("an answer").status, 200, "{path}");
    }
    assert_ne!(put("/api/v1/admin/retention").status, 403);
    assert_eq!(push(&two, FROM, &profile("of_t2", 5)).status, 200);
    assert_eq!(
        (locked.total("t1-read"), locked.total("t2-all")),
        (Some(7), Some(5))
    );

    // Tokens: an administrator of a tenant sees, makes and revokes those of that tenant.
    let listed = two.get(TOKENS).expect("an answer").json();
    let listed = listed["tokens"].as_array().expect("tokens");
    assert!(
        listed.len() == 1 && listed[0]["tenant"] == "t2",
        "{listed:?}"
    );
    assert!(listed[0]["last_used"].is_i64(), "{listed:?}");
    for tenant in ["t1", "*"] {
        let wanted = json!({ "tenant": tenant, "scopes": ["read"] }).to_string();
        let answer = two.post(TOKENS, "application/json", wanted.as_bytes());
        assert_eq!(answer.expect("an answer").status, 403, "{tenant}");
    }
    let all = locked.client(&locked.admin).get(TOKENS).expect("an answer");
    assert!(!all.text().contains("sha256") && !all.text().contains("plt_"));
    for record in all.json()["tokens"].as_array().expect("tokens") {
        if record["tenant"] != "t2" {
            let path = format!("{TOKENS}?id={}", record["id"].as_str().expect("an id"));
            assert_eq!(
                two.delete(&path).expect("an answer").status,
                404,
                "{record}"
            );
        }
    }
    let own = format!("{TOKENS}?id={}", listed[0]["id"].as_str().expect("an id"));
    assert_eq!(two.delete(&own).expect("an answer").status, 200);
    assert_eq!(two.get(TOKENS).expect("an answer").status, 401, "at once");
}

#[test]
fn tricks_with_paths_and_headers() {
    let locked = Locked::start("attacker-tricks");
    let one = locked.client(&locked.tokens["t1-push"]);
    assert_eq!(push(&one, FROM, &profile("secret_of_t1", 7)).status, 200);
    let paths = [
        "/api/v1/admin/tenant",
        "//api/v1/admin/tenant",
        "/api/v1//admin/tenant",
        "/api/v1/admin/./tenant",
        "/ingest/../api/v1/admin/tenant",
        "/ingest/%2e%2e/api/v1/admin/tenant",
        "/ingest/..%2fapi/v1/admin/tenant",
        "/healthz/../api/v1/admin/tenant",
        "/healthz/%2e%2e/metrics",
        "/healthz/api/v1/admin/tokens",
        "/x/y/api/v1/admin/tokens",
        "/api/v1/admin/tokens/",
        "/api/v1/admin/tokens;/ingest",
        "/api/v1/admin/tokens%00/ingest",
        "/api/v1/admin/tokens?/ingest",
        "/api/v1/services?x=/healthz",
        "/API/V1/ADMIN/TENANT",
        "/metrics%2f..%2fhealthz",
        "/api/v1/profile\\..\\healthz",
        "/visit",
        "/append",
        "/",
    ];
    let mut refused = 0;
    for path in paths {
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            for token in [None, Some("t1-push")] {
                let answer = locked.send(method, path, token, &["X-HTTP-Method-Override: DELETE"]);
                // What ends in the path that is open to everybody gets its answer, and no other.
                let open = path.ends_with("healthz") && !path.contains('?');
                if open && answer.status == 200 {
                    assert!(["ok", ""].contains(&answer.text().as_str()), "{path}");
                    continue;
                }
                let pushes = token.is_some() && method == "POST" && path.contains("/ingest");
                let allowed: &[u16] = if pushes {
                    &[400, 403, 404, 405]
                } else {
                    &[401, 403, 404, 405]
                };
                assert!(
                    allowed.contains(&answer.status),
                    "{method} {path} {token:?}: {}",
                    answer.status
                );
                refused += u64::from(answer.status != 400);
            }
        }
    }
    // Overriding the method, and headers by which the worker's own parts talk to each other.
    let post = |headers: &[&str]| {
        locked.send(
            "POST",
            "/api/v1/admin/tenant?_method=DELETE",
            Some("t1-all"),
            headers,
        )
    };
    assert_eq!(
        post(&["X-HTTP-Method-Override: DELETE", "X-HTTP-Method: DELETE"]).status,
        405
    );
    refused += 1;
    let spoofed = [
        "X-Pilotlight-Shard: t1/0",
        "X-Pilotlight-Usage: {}",
        "Cf-Access-Authenticated-User-Email: a@b",
    ];
    assert_eq!(
        locked
            .send("GET", "/api/v1/services", None, &spoofed)
            .status,
        401
    );
    refused += 1;
    let counted: u64 = locked.counted().values().sum();
    assert!(counted >= refused, "{counted} of {refused} are counted");

    let good = format!("Authorization: Bearer {}", locked.tokens["t1-all"]);
    let wrong = format!("Authorization: Bearer {}", locked.tokens["unknown"]);
    let ask = |headers: &[&str]| raw(&locked.place, "GET", "/api/v1/services", headers).status;
    assert_eq!(ask(&[&good]), 200);
    for two in [[&good, &wrong], [&wrong, &good], [&good, &good]] {
        assert_eq!(ask(&two.map(String::as_str)), 401);
    }
    // Values that are no token, whatever the parser of HTTP makes of them.
    for broken in [
        good.replace("Bearer ", "Bearer\0"),
        good.replace("Bearer ", "Bearer\u{a0}"),
        format!("{good}\t,x"),
        format!("{good}\0"),
        "Authorization: Bearer ".to_owned() + &"x".repeat(20_000),
    ] {
        let status = ask(&[&broken]);
        assert!(
            matches!(status, 0 | 400 | 401 | 413 | 431),
            "{broken:?}: {status}"
        );
    }
    // Lines that parsers read in unlike ways: with a wrong token none of the readings lets in.
    for (from, to) in [
        ("Authorization:", "Authorization :"),
        ("Bearer ", "Bearer\r\n "),
        ("Bearer ", "Bearer\n"),
        ("Bearer ", "Bearer\r"),
        (
            "Auth",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\nAuth",
        ),
    ] {
        let status = ask(&[&wrong.replace(from, to)]);
        assert!(
            matches!(status, 0 | 400 | 401 | 413 | 431 | 501),
            "{to:?}: {status}"
        );
    }
    for (id, expect) in [
        ("t1", 200),
        ("", 200),
        ("  ", 200),
        ("t2", 403),
        ("../t2", 403),
        ("t1/../t2", 403),
        ("t1, t2", 403),
        ("t1|t2", 403),
        ("*", 403),
        ("T1", 403),
        ("t1%00", 403),
    ] {
        assert_eq!(
            ask(&[&good, &format!("X-Scope-OrgID: {id}")]),
            expect,
            "{id:?}"
        );
    }
    assert_eq!(ask(&[&good, "X-Scope-OrgID: t1", "X-Scope-OrgID: t2"]), 403);
    let head = locked.send("HEAD", "/api/v1/services", None, &[]);
    assert_eq!((head.status, head.text().as_str()), (401, ""));
    assert_eq!(locked.total("t1-read"), Some(7), "nothing was lost");
}

#[test]
fn ten_thousand_wrong_tokens_while_honest_pushes_are_served() {
    const WRONG: u64 = 10_000;
    let locked = Locked::start("attacker-flood");
    let honest = locked.client(&locked.tokens["t1-push"]);
    assert_eq!(push(&honest, FROM, &profile("work", 1)).status, 200);
    let before = locked.counted();
    let (left, over) = (AtomicU64::new(WRONG), AtomicBool::new(false));
    let began = Instant::now();
    let (pushes, slowest) = thread::scope(|scope| {
        let attackers: Vec<_> = (0..4_u8)
            .map(|n| {
                let (left, url) = (&left, locked.place.url());
                scope.spawn(move || {
                    let client = Client::new(&url).with_token(token(100 + n).expose());
                    let more = |left: u64| left.checked_sub(1);
                    while left
                        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
                        .is_ok()
                    {
                        let answer = client.get("/api/v1/services").expect("an answer");
                        assert_eq!(answer.status, 401);
                    }
                })
            })
            .collect();
        let pusher = scope.spawn(|| {
            let (mut pushes, mut slowest) = (0, Duration::ZERO);
            while !over.load(Ordering::Relaxed) {
                let asked = Instant::now();
                let answer = push(&honest, FROM + 20 + pushes, &profile("work", 2 + pushes));
                assert_eq!(answer.status, 200, "{}", answer.text());
                (pushes, slowest) = (pushes + 1, slowest.max(asked.elapsed()));
            }
            (pushes, slowest)
        });
        for attacker in attackers {
            attacker.join().expect("an attacker");
        }
        over.store(true, Ordering::Relaxed);
        pusher.join().expect("the honest one")
    });
    println!(
        "{WRONG} wrong tokens in {:.1?}; {pushes} honest pushes meanwhile, the slowest in {slowest:.1?}",
        began.elapsed()
    );
    assert_eq!(locked.counted()["unknown"] - before["unknown"], WRONG);
    let sum: i64 = 1 + (2..2 + pushes).sum::<i64>();
    assert!(pushes > 0);
    assert_eq!(
        locked.total("t1-read"),
        Some(sum),
        "every honest push is there"
    );
}

#[test]
fn pages_of_other_sites() {
    let origins = ("CORS_ORIGINS", "https://grafana.example".to_owned());
    let place = place("attacker-pages", &[origins]);
    let _worker = place.start().expect("a worker");
    let bearer = format!("Authorization: Bearer {}", token(1).expose());
    let allowed = |answer: &Answer| {
        answer
            .header("access-control-allow-origin")
            .map(str::to_owned)
    };
    for (origin, status, expect) in [
        (
            "https://grafana.example",
            204,
            Some("https://grafana.example".to_owned()),
        ),
        ("https://evil.example", 405, None),
        ("null", 405, None),
    ] {
        let origin = format!("Origin: {origin}");
        let asked = raw(&place, "OPTIONS", "/api/v1/services", &[&origin]);
        assert_eq!(
            (asked.status, allowed(&asked)),
            (status, expect.clone()),
            "{origin}"
        );
        let got = raw(
            &place,
            "GET",
            "/api/v1/services",
            &[&bearer, &origin, "Sec-Fetch-Site: cross-site"],
        );
        assert_eq!(
            (got.status, allowed(&got)),
            (200, expect.clone()),
            "{origin}"
        );
        let headers = [&bearer, &origin, "Sec-Fetch-Site: cross-site"];
        let changed = raw(&place, "POST", "/api/v1/admin/parked/retry", &headers);
        assert_eq!(
            changed.status,
            if expect.is_some() { 200 } else { 403 },
            "{origin}"
        );
    }
    let page = raw(&place, "GET", "/api/v1/services", &["Sec-Fetch-Mode: cors"]);
    let challenge = page.header("www-authenticate");
    assert_eq!(
        challenge,
        Some("Bearer realm=\"pilotlight\""),
        "no browser asks for a password"
    );
    let basic = format!("plt:{}", token(1).expose());
    let basic = raw(
        &place,
        "GET",
        "/api/v1/services",
        &[&format!("Authorization: Basic {}", base64(&basic))],
    );
    assert_eq!(basic.status, 200);
    let policy = basic.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert_eq!(basic.header("cache-control"), Some("no-store"));
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = text.as_bytes().chunks(3).map(|group| {
        let bits = group
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        let digit = |n: usize| match n <= group.len() {
            true => char::from(DIGITS[(bits >> (18 - 6 * n) & 63) as usize]),
            false => '=',
        };
        [0, 1, 2, 3].map(digit).into_iter().collect::<String>()
    });
    groups.collect()
}

#[test]
fn a_worker_that_nobody_configured_serves_nobody() {
    let unset = [
        ("AUTH", String::new()),
        ("ADMIN_TOKEN_SHA256", String::new()),
    ];
    let place = place("attacker-unset", &unset);
    let _worker = place.start().expect("a worker");
    let bearer = format!("Authorization: Bearer {}", token(1).expose());
    for (method, path) in routes() {
        let expect = if path == "/healthz" { 200 } else { 401 };
        for headers in [&[][..], &[bearer.as_str()]] {
            let answer = raw(&place, method.as_str(), &path, headers);
            assert_eq!(answer.status, expect, "{method} {path}: {}", answer.text());
        }
    }
}

#[test]
fn an_open_worker_says_so_once() {
    let place = place("attacker-open", &[("AUTH", "open".to_owned())]);
    let _worker = place.start().expect("a worker");
    for _ in 0..3 {
        assert_eq!(raw(&place, "GET", "/api/v1/services", &[]).status, 200);
    }
    thread::sleep(Duration::from_millis(500));
    let log = std::fs::read_to_string(place.log()).expect("a log");
    assert_eq!(log.matches("AUTH is \"open\"").count(), 1, "{log}");
}
