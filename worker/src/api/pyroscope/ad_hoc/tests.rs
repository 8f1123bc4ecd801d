//! Profiles from their upload to their flame graph.

use futures_util::FutureExt;
use pilotlight_core::{ProfileBuilder, pprof};
use serde_json::{Value, json};

use super::*;
use crate::bucket::memory::MemoryBucket;
use crate::simulation::{Simulated, World};

const DAY: i64 = 86_400_000;

/// The last millisecond of a day.
const NOW: i64 = 20_000 * DAY - 1;

fn done<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing waits")
}

struct Fixture {
    bucket: MemoryBucket,
    tenant: TenantId,
    world: World,
}

impl Fixture {
    fn new() -> Self {
        Self {
            bucket: MemoryBucket::default(),
            tenant: "a".parse().unwrap(),
            world: World::new(&["a"]),
        }
    }

    fn at(&self, now: i64) -> Profiles<'_, MemoryBucket, Simulated> {
        Profiles {
            bucket: self.bucket.clone(),
            tenant: &self.tenant,
            now,
            admission: self.world.admission(),
        }
    }

    fn upload(&self, name: &str, file: &[u8]) -> Result<AdHocProfilesGetResponse, Problem> {
        let uploaded = done(self.at(NOW).upload(name, file, None));
        assert_eq!(
            self.world.memory.admitted().bytes,
            0,
            "nothing is held any more"
        );
        uploaded
    }

    fn get(&self, id: &str, kind: &str) -> Result<AdHocProfilesGetResponse, Problem> {
        let request = AdHocProfilesGetRequest {
            id: id.to_owned(),
            profile_type: Some(kind.to_owned()),
            max_nodes: None,
        };
        done(self.at(NOW).get(request))
    }

    fn diff(
        &self,
        left: &str,
        right: &str,
        kind: &str,
    ) -> Result<AdHocProfilesDiffResponse, Problem> {
        let request = AdHocProfilesDiffRequest {
            left_id: left.to_owned(),
            right_id: right.to_owned(),
            profile_type: Some(kind.to_owned()),
            max_nodes: None,
        };
        done(self.at(NOW).diff(request))
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A profile in the format of pprof: of each sample a stack from the root, and a value a type.
fn pprof(types: &[(&str, &str)], samples: &[(&[&str], &[i64])]) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    for (kind, unit) in types {
        builder.sample_type(kind, unit);
    }
    for (stack, values) in samples {
        let stack = builder.named_stack(stack);
        builder.sample(stack, None, values);
    }
    pprof::encode_gzip(&builder.finish())
}

const CPU: &[(&str, &str)] = &[("samples", "count"), ("cpu", "nanoseconds")];

#[test]
fn names_are_bounded() {
    let fixture = Fixture::new();
    // Six bytes each in JSON.
    let file = pprof(CPU, &[(&[&"\u{1}".repeat(4 << 20)], &[1, 1])]);
    assert_eq!(fixture.upload("a", &file).unwrap_err().status, 429);
    assert_eq!(fixture.bucket.keys(), [""; 0], "nothing is stored");
}

#[test]
fn what_is_uploaded_is_drawn_at_once_and_later() {
    let fixture = Fixture::new();
    let file = pprof(
        CPU,
        &[(&["main", "a"], &[3, 30]), (&["main", "b"], &[5, 50])],
    );
    let uploaded = fixture.upload("night.pb.gz", &file).unwrap();
    assert_eq!(
        (uploaded.name.as_str(), uploaded.profile_type.as_str()),
        ("night.pb.gz", "cpu")
    );
    assert_eq!(uploaded.profile_types, ["samples", "cpu"]);
    assert_eq!(uploaded.uploaded_at, 0, "by the clock of the bucket");
    let cpu = json!({
        "version": 1,
        "flamebearer": {
            "names": ["total", "main", "b", "a"],
            "levels": [[0, 80, 0, 0], [0, 80, 0, 1], [0, 30, 30, 3, 0, 50, 50, 2]],
            "numTicks": 80,
            "maxSelf": 50,
        },
        "metadata": {"format": "single", "spyName": "", "sampleRate": 1_000_000_000, "units": "samples", "name": "cpu"},
    });
    assert_eq!(json(&uploaded.flamebearer_profile), cpu);
    let again = fixture.get(&uploaded.id, "").unwrap();
    assert_eq!(json(&again.flamebearer_profile), cpu);
    assert_eq!((again.id, again.name), (uploaded.id.clone(), uploaded.name));
    let samples = fixture.get(&uploaded.id, "samples").unwrap();
    assert_eq!(samples.profile_type, "samples");
    assert_eq!(
        json(&samples.flamebearer_profile)["flamebearer"]["numTicks"],
        8
    );
    let wrong = fixture.get(&uploaded.id, "wall").unwrap_err();
    assert_eq!(
        (wrong.status, wrong.message.as_str()),
        (400, "the profile has no type \"wall\"; it has samples, cpu")
    );
}

#[test]
fn formats_of_files() {
    let fixture = Fixture::new();
    let drawn = |file: &[u8]| {
        let uploaded = fixture.upload("file", file).unwrap();
        let graph = json(&uploaded.flamebearer_profile);
        let names: Vec<String> =
            serde_json::from_value(graph["flamebearer"]["names"].clone()).unwrap();
        (
            names[1..].join(" "),
            graph["flamebearer"]["numTicks"].as_i64().unwrap(),
        )
    };
    assert_eq!(drawn(b"main;a 3\nmain;b 5\n"), ("main b a".to_owned(), 8));
    let graph = json!({
        "version": 1,
        "flamebearer": {"names": ["total", "main"], "levels": [[0, 7, 0, 0], [0, 7, 7, 1]], "numTicks": 7, "maxSelf": 7},
        "metadata": {"format": "single", "units": "bytes", "name": "inuse_space"},
    });
    assert_eq!(drawn(graph.to_string().as_bytes()), ("main".to_owned(), 7));
    let script =
        "app 7/7 1.5: 250 cycles:\n\t55d0 work+0x1 (/bin/app)\n\t55c0 main+0x2 (/bin/app)\n\n";
    assert_eq!(drawn(script.as_bytes()), ("main work".to_owned(), 250));
    let speedscope = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "main"}]},
        "profiles": [{"type": "sampled", "name": "p", "unit": "none", "startValue": 0, "endValue": 4, "samples": [[0]], "weights": [4]}],
    });
    assert_eq!(
        drawn(speedscope.to_string().as_bytes()),
        ("main".to_owned(), 4)
    );
}

#[test]
fn what_cannot_be_drawn_is_not_stored() {
    let fixture = Fixture::new();
    let refusal = |file: &[u8]| {
        let problem = fixture.upload("n", file).unwrap_err();
        (problem.status, problem.message)
    };
    let (status, message) = refusal(b"PERFILE2 and more");
    assert_eq!(status, 400);
    assert!(
        message.starts_with(
            "this is a perf recording (perf.data), which the viewer can open; the supported formats are pprof"
        ),
        "{message}"
    );
    assert_eq!(refusal(b"\x0a\x05\x08").0, 400);
    let deep = ";a".repeat(16_000);
    let many: String = (0..33).map(|n| format!("{n}{deep} 1\n")).collect();
    let (status, message) = refusal(many.as_bytes());
    assert_eq!(status, 413);
    assert!(
        message.starts_with("the profile has 528033 different calls; at most 524288 can be drawn"),
        "{message}"
    );
    let empty = column(&Profile::default(), &[], None).unwrap_err();
    assert_eq!(empty.message, "the profile has no sample types");
    let named = fixture.upload("a\nb", b"main 1").unwrap_err();
    assert_eq!(named.status, 400);
    let most = done(
        fixture
            .at(NOW)
            .upload("n", b"main 1", Some(NODES.most as i64 + 1)),
    );
    assert_eq!(most.unwrap_err().status, 400);
    assert_eq!(fixture.bucket.keys(), [""; 0]);
}

#[test]
fn a_file_may_inflate_to_more_than_it_says() {
    let fixture = Fixture::new();
    let line = format!("{} 1\n", "x".repeat(1 << 10));
    let member = |megabytes: usize| {
        let text = line.repeat(megabytes << 10);
        pilotlight_core::gzip::compress(text.as_bytes())
    };
    // The last part says how large it is, and it alone.
    let file = [member(5), pilotlight_core::gzip::compress(line.as_bytes())].concat();
    let uploaded = fixture.upload("n", &file).unwrap();
    let graph = json(&uploaded.flamebearer_profile);
    assert_eq!(graph["flamebearer"]["numTicks"], (5 << 10) + 1);
    assert_eq!(fixture.upload("n", &member(17)).unwrap_err().status, 413);
}

#[test]
fn lists_have_the_newest_first() {
    let fixture = Fixture::new();
    let first = fixture.upload("", b"main 1").unwrap();
    let second = fixture.upload("b", b"main 2").unwrap();
    assert_eq!(fixture.upload("", b"main 1").unwrap().id, first.id, "again");
    let listed = |now| {
        let list = done(fixture.at(now).list()).unwrap().profiles;
        list.into_iter().map(|p| (p.id, p.name)).collect::<Vec<_>>()
    };
    let mut expect = [(first.id, UNNAMED.to_owned()), (second.id, "b".to_owned())];
    let mut found = listed(NOW);
    // The bucket of tests has one time for all.
    found.sort();
    expect.sort();
    assert_eq!(found, expect);
    assert_eq!(listed(NOW + 1 + 90 * DAY), [], "they have expired");
    let b = "b".parse().unwrap();
    let other = Profiles {
        tenant: &b,
        ..fixture.at(NOW)
    };
    assert_eq!(done(other.list()).unwrap().profiles, []);
}

#[test]
fn ids() {
    let fixture = Fixture::new();
    let problem = fixture.get("x", "").unwrap_err();
    assert_eq!(problem.status, 400);
    assert!(
        problem.message.starts_with("id: not a share ID"),
        "{}",
        problem.message
    );
    let nobody = "29999-00112233445566778899aabbccddeeff";
    assert_eq!(fixture.get(nobody, "").unwrap_err().status, 404);
    let there = fixture.upload("n", b"main 1").unwrap().id;
    let sides = fixture.diff(&there, "", "").unwrap_err();
    assert!(sides.message.starts_with("right_id: "), "{}", sides.message);
    assert_eq!(fixture.diff(nobody, &there, "").unwrap_err().status, 404);
}

#[test]
fn comparisons() {
    let fixture = Fixture::new();
    let stored = |types, values: &[i64]| {
        fixture
            .upload("n", &pprof(types, &[(&["main"], values)]))
            .unwrap()
            .id
    };
    let (left, right) = (stored(CPU, &[1, 10]), stored(CPU, &[2, 25]));
    let answer = fixture.diff(&left, &right, "").unwrap();
    assert_eq!(answer.profile_types, ["samples", "cpu"]);
    let graph = json(&answer.flamebearer_profile);
    assert_eq!(graph["metadata"]["format"], "double");
    assert_eq!(
        (&graph["leftTicks"], &graph["rightTicks"]),
        (&json!(10), &json!(25))
    );
    assert_eq!(
        graph["flamebearer"]["levels"],
        json!([[0, 10, 0, 0, 25, 0, 0], [0, 10, 10, 0, 25, 25, 1]])
    );
    let of_samples = fixture.diff(&left, &right, "samples").unwrap();
    assert_eq!(json(&of_samples.flamebearer_profile)["leftTicks"], 1);
    let milli = stored(&[("samples", "count"), ("cpu", "milliseconds")], &[1, 1]);
    let problem = fixture.diff(&left, &milli, "").unwrap_err();
    assert_eq!(
        problem.message,
        "the left profile has the type \"cpu\" in \"nanoseconds\", but the right one doesn't; both have samples"
    );
    let other = stored(&[("space", "bytes")], &[1]);
    let problem = fixture.diff(&left, &other, "").unwrap_err();
    assert!(
        problem.message.ends_with("no type in common"),
        "{}",
        problem.message
    );
}

#[test]
fn comparisons_of_values_with_and_without_decimals() {
    let fixture = Fixture::new();
    let stored = |file: &str| fixture.upload("n", file.as_bytes()).unwrap().id;
    let (whole, parts) = (stored("main;a 50\n"), stored("main;a 50.5\n"));
    for (left, right, ticks) in [
        (&whole, &parts, (50_000, 50_500)),
        (&parts, &whole, (50_500, 50_000)),
        (&whole, &whole, (50, 50)),
    ] {
        let answer = fixture.diff(left, right, "").unwrap();
        assert_eq!(answer.profile_types, ["samples"]);
        let graph = json(&answer.flamebearer_profile);
        let found = (&graph["leftTicks"], &graph["rightTicks"]);
        assert_eq!(found, (&json!(ticks.0), &json!(ticks.1)));
    }
    let large = stored("main;a 9000000000000000\nmain;b 9000000000000000\n");
    let problem = fixture.diff(&large, &parts, "").unwrap_err();
    assert!(
        problem.message.contains("exceed 64 bits"),
        "{}",
        problem.message
    );
}

#[test]
fn names_of_types() {
    let fixture = Fixture::new();
    let types = [
        ("wall", "count"),
        ("wall", "seconds"),
        ("", "count"),
        ("cpu", "count"),
    ];
    let file = pprof(&types, &[(&["main"], &[1, 2, 3, 4])]);
    let uploaded = fixture.upload("n", &file).unwrap();
    assert_eq!(
        uploaded.profile_types,
        ["wall:count", "wall:seconds", ":count", "cpu"]
    );
    let total = |kind| {
        let graph = fixture.get(&uploaded.id, kind).unwrap().flamebearer_profile;
        json(&graph)["flamebearer"]["numTicks"].as_i64().unwrap()
    };
    assert_eq!(["wall:seconds", ":count", "cpu"].map(total), [2, 3, 4]);
}

#[test]
fn base64_in_every_form() {
    for text in ["bWFpbiAx", "bWFpbiAxMg", "bWFpbiAxMg=="] {
        assert!(file(text).unwrap().starts_with(b"main 1"), "{text}");
    }
    assert_eq!(file("").unwrap_err().message, "the profile is missing");
    let wrong = file("bWFp*").unwrap_err();
    assert!(
        wrong
            .message
            .starts_with("the profile is not valid base64: "),
        "{}",
        wrong.message
    );
}
