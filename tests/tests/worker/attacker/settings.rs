//! What a worker lets in by its settings: pages of other sites, nobody, or everybody.

use std::thread;
use std::time::{Duration, Instant};

use pilotlight_tests::local::client::Answer;

use super::endpoints::{Access, Endpoint, endpoints};
use super::locked::{place, token};
use super::request::{base64, raw};

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

#[test]
fn a_worker_that_nobody_configured_serves_nobody() {
    let unset = [
        ("AUTH", String::new()),
        ("ADMIN_TOKEN_SHA256", String::new()),
    ];
    let place = place("attacker-unset", &unset);
    let _worker = place.start().expect("a worker");
    let bearer = format!("Authorization: Bearer {}", token(1).expose());
    for endpoint in endpoints() {
        let Endpoint {
            method,
            path,
            access,
        } = endpoint;
        let expect = match access {
            Access::Anyone => 200,
            _ => 401,
        };
        for headers in [&[][..], &[bearer.as_str()]] {
            let answer = raw(&place, method.as_str(), &path, headers);
            assert_eq!(answer.status, expect, "{method} {path}: {}", answer.text());
        }
    }
}

/// A page that points its own name at this machine is of the same site for its browser.
#[test]
fn an_open_worker_answers_under_its_own_names() {
    let variables = [
        ("AUTH", "open".to_owned()),
        ("ALLOWED_HOSTS", "profiles.internal".to_owned()),
    ];
    let place = place("attacker-hosts", &variables);
    let _worker = place.start().expect("a worker");
    for endpoint in endpoints() {
        let Endpoint {
            method,
            path,
            access,
        } = endpoint;
        let host = "Host: evil.example:4040";
        let page = [host, "Origin: http://evil.example:4040"];
        let answer = raw(&place, &method, &path, &page);
        match access {
            Access::Anyone => assert_eq!(answer.status, 200, "{method} {path}"),
            _ => {
                assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text());
                let names_it = answer.text().contains("ALLOWED_HOSTS");
                assert!(names_it || method == "HEAD", "{path}: {}", answer.text());
            }
        }
    }
    for (host, status) in [
        ("localhost", 200),
        ("[::1]:4040", 200),
        ("profiles.internal:4040", 200),
        ("10.0.0.1", 403),
        ("localhost.evil.example", 403),
    ] {
        let answer = raw(
            &place,
            "GET",
            "/api/v1/services",
            &[&format!("Host: {host}")],
        );
        assert_eq!(answer.status, status, "{host}: {}", answer.text());
    }
}

#[test]
fn an_open_worker_says_so_once() {
    let place = place("attacker-open", &[("AUTH", "open".to_owned())]);
    let _worker = place.start().expect("a worker");
    for _ in 0..3 {
        assert_eq!(raw(&place, "GET", "/api/v1/services", &[]).status, 200);
    }
    let warnings = || {
        let log = std::fs::read_to_string(place.log()).expect("a log");
        log.matches("AUTH is \"open\"").count()
    };
    let began = Instant::now();
    while warnings() == 0 && began.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_millis(50));
    }
    // A second one would come with the next answer.
    assert_eq!(raw(&place, "GET", "/api/v1/services", &[]).status, 200);
    thread::sleep(Duration::from_millis(200));
    assert_eq!(warnings(), 1);
}
