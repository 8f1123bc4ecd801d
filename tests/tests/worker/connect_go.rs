//! A client of connect-go against the built worker: every method of Pyroscope's services in every
//! form of messages, and the calls of Grafana's data source. The client and what it expects are in
//! `tests/agents/connect`; `cargo xtask setup --test` builds them, on machines that have Go.

use std::path::Path;
use std::process::Command;

use pilotlight_tests::locked::Locked;
use serde_json::json;

#[test]
fn every_method_answers_what_was_pushed() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let program = target
        .expect("target/tmp has a parent")
        .join("xtask/agents/connect/connect.test");
    if !program.exists() {
        let path = program.display();
        println!("skipped: cargo xtask setup --test has not made {path}");
        return;
    }
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("connect-go");
    let worker = Locked::start(&state, &[("FLUSH_MS", "1".to_owned())]);
    let little = json!({ "ingestion_rate_mb": 0.0001, "ingestion_burst_size_mb": 0.0001 });
    let limits = worker.admin.of_tenant("limited");
    let limited = limits.put("/api/v1/admin/limits", &little.to_string());
    let limited = limited.expect("an answer");
    assert_eq!(limited.status, 200, "{}", limited.text());

    let output = Command::new(program)
        .arg("-test.timeout=120s")
        .env("PILOTLIGHT_URL", worker.place.url())
        .env("TOKEN_PUSH", worker.token("one", "push"))
        .env("TOKEN_READ", worker.token("one", "read"))
        .env("TOKEN_LIMITED", worker.token("limited", "push"))
        .output()
        .expect("it runs");
    assert!(
        output.status.success(),
        "{}{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        worker.place.last_words()
    );
}
