//! `/pgo/SERVICE` of the built worker: what several hosts pushed, as a file that `go build -pgo` takes.

use std::fs;
use std::path::Path;

use pilotlight_core::open;
use pilotlight_tests::clock::machine_millis;
use pilotlight_tests::go_program::Program;
use pilotlight_tests::locked::Locked;
use pilotlight_tests::pgo::go_calls;
use pilotlight_tests::query::{array, rpc};
use serde_json::json;

const HOSTS: usize = 3;

#[test]
fn go_builds_with_what_the_worker_answers() {
    let Some(program) = Program::new(Path::new(env!("CARGO_TARGET_TMPDIR")), "pgo-program") else {
        return;
    };
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pgo");
    let worker = Locked::start(&state, &[("FLUSH_MS", "1".to_owned())]);
    let anyone = worker.anyone();
    let [push, read] = ["push", "read"].map(|scope| worker.client("one", scope));

    let profile = program.profile();
    let now = machine_millis() / 1_000;
    for host in 0..HOSTS {
        let path = format!("/ingest?name=team/busy%7Bhost%3Dh{host}%7D&format=pprof");
        let answer = push.post(&path, "application/octet-stream", &profile);
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    // The profile says itself when it was made, by the clock of Go.
    let range = format!("from={}&until={}", now - 600, now + 600);
    let path = format!("/pgo/team%2Fbusy?{range}");
    let answer = read.get(&path).expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let disposition = "attachment; filename=\"default.pgo\"";
    assert_eq!(answer.header("content-disposition"), Some(disposition));
    assert_eq!(
        answer.header("content-type"),
        Some("application/octet-stream")
    );
    let profiles = answer.header("x-pilotlight-profiles");
    assert_eq!(profiles, Some(HOSTS.to_string().as_str()));
    program.check(&answer.body);

    for same in [&path, &format!("/any/prefix/pgo/team/busy?{range}")] {
        let again = read.get(same).expect("an answer");
        assert_eq!(again.body, answer.body, "{same}");
        assert_eq!(again.header("etag"), answer.header("etag"));
    }
    let tag = answer.header("etag").expect("a tag").to_owned();
    let known = read.with_header("if-none-match", tag).get(&path);
    let known = known.expect("an answer");
    assert_eq!((known.status, known.body.len()), (304, 0));

    // The same by RPC.
    let ask = json!({
        "profileTypeID": "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
        "labelSelector": "{service_name=\"team/busy\"}",
        "start": (now - 600) * 1_000,
        "end": (now + 600) * 1_000,
        "stackTraceSelector": {"goPgo": {"keepLocations": 5, "aggregateCallees": true}},
    });
    let called = rpc(&read, "SelectMergeProfile", &ask).expect("a profile");
    let file = open(&answer.body, 64 << 20).expect("a profile").profile;
    let stacks = array(&called["sample"]);
    assert_eq!(stacks.len(), file.len());
    let depths = stacks.iter().map(|stack| array(&stack["locationId"]).len());
    assert!(depths.max() <= Some(5), "they are cut");

    let counted = "process_cpu:samples:count:cpu:nanoseconds";
    let counts = read.get(&format!("{path}&type={counted}"));
    fs::write(program.path("counts.pgo"), counts.expect("an answer").body).expect("a file");
    let mut expect = go_calls(&program.path("cpu.pb.gz"));
    expect
        .values_mut()
        .for_each(|weight| *weight *= HOSTS as i128);
    assert_eq!(go_calls(&program.path("counts.pgo")), expect);

    for (client, path, status) in [
        (&read, format!("/pgo/other?{range}"), 404),
        (&read, format!("{path}&query=%7Bhost%3D%22h9%22%7D"), 404),
        (
            &read,
            format!("{path}&type=memory:alloc_space:bytes:space:bytes"),
            400,
        ),
        (&read, format!("/pgo/?{range}"), 400),
        (&push, path.clone(), 403),
        (&anyone, path.clone(), 401),
    ] {
        let answer = client.get(&path).expect("an answer");
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
    }
    let one = read.get(&format!("{path}&query=%7Bhost%3D%22h1%22%7D"));
    let one = one.expect("an answer");
    assert_eq!(one.header("x-pilotlight-profiles"), Some("1"));
}
