//! Paths and headers that two readers may read in two ways.

use super::locked::{FROM, Locked, profile, push};
use super::request::raw;

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
