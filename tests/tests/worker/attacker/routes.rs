//! The worker's routes, and that each is closed to those who may not.

use std::collections::BTreeMap;
use std::path::Path;

use pilotlight_tests::local::client::Answer;
use regex_lite::Regex;

use super::locked::{FROM, Locked, TOKENS, profile, push};

/// What a route asks for, by this test's own judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Nothing,
    Scope(&'static str),
    Whole(&'static str),
}

/// Method and path of each row of the worker's own table.
pub(crate) fn routes() -> Vec<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../worker/src/http/route/table.rs");
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

pub(crate) fn wanted(method: &str, path: &str) -> Wanted {
    match path {
        "/healthz" | "/ready" | "/api/v1/openapi.json" => Wanted::Nothing,
        "/metrics" => Wanted::Whole("read"),
        "/api/v1/admin/bucket-check" => Wanted::Whole("admin"),
        "/api/v1/admin/limits" if method != "GET" => Wanted::Whole("admin"),
        _ if path.contains("/admin/") => Wanted::Scope("admin"),
        "/api/v1/annotations" if method == "POST" => Wanted::Scope("push"),
        "/api/v1/symbols" if method != "GET" => Wanted::Scope("push"),
        "/api/v1/pins" if method == "DELETE" => Wanted::Scope("admin"),
        _ if path.ends_with("/ingest") || path.contains("push.v1.") => Wanted::Scope("push"),
        _ if path.contains("v1development") => Wanted::Scope("push"),
        _ if path.contains("debuginfo.") => Wanted::Scope("push"),
        _ => Wanted::Scope("read"),
    }
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
        let wanted = wanted(&method, &path);
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
            // Senders of OTLP read the number.
            answer.text().contains("\"code\":\"unauthenticated\"")
                || path.contains("v1development") && answer.text().contains("\"code\":16"),
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
