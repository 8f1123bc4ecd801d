//! Every endpoint of the worker is closed to those who may not use it.

use std::collections::BTreeMap;

use pilotlight_tests::local::client::Answer;

use super::endpoints::{Access, endpoints};
use super::locked::{FROM, Locked, TOKENS, profile, push};

#[test]
fn every_endpoint_is_closed_to_those_who_may_not() {
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
    for endpoint in endpoints() {
        let (method, path) = (endpoint.method.as_str(), endpoint.path.as_str());
        let ask = |token, headers: &[&str]| locked.send(method, path, token, headers);
        if endpoint.access == Access::Anyone {
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
            // Senders of OTLP read the number, clients of Prometheus' API its words.
            answer.text().contains("\"code\":\"unauthenticated\"")
                || path.contains("v1development") && answer.text().contains("\"code\":16")
                || path.contains("/prometheus/") && answer.text().contains("\"unauthorized\""),
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
            match &endpoint.access {
                Access::Tenant(needed) if needed == scope => {}
                Access::Installation(needed) if needed == scope => {
                    expect(&ask(name, &[]), 403, "tenant", &what)
                }
                _ => expect(&ask(name, &[]), 403, "scope", &what),
            }
        }
        let others = &["X-Scope-OrgID: t1"];
        match endpoint.access {
            Access::Installation(_) => expect(&ask(Some("t2-all"), others), 403, "tenant", &what),
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
