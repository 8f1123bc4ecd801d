//! Every recorded request of a published agent, pushed to the worker, and files of folded stacks
//! and of speedscope: the series, labels and totals that it holds afterwards are those of
//! `tests/golden/recorded.txt` and `tests/golden/stacks.txt`. Scripts read them out of the requests
//! and files, in another language and without our code: `tests/golden/recorded.py` and
//! `tests/golden/stacks.py`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pilotlight_tests::client::{Answer, Client};
use pilotlight_tests::corpus;
use pilotlight_tests::local::Place;
use pilotlight_tests::query::{Merged, series};

/// Around the recordings, which are of November 2026.
const RANGE: (i64, i64) = (1_790_000_000_000, 1_800_000_000_000);

const PYROSCOPE_AGENTS: [&str; 5] = ["go142", "node0413", "node064", "py0816", "py140"];

#[test]
fn recorded_requests_leave_what_an_independent_reader_found() {
    if corpus::root().is_none() {
        return;
    }
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded");
    let variables = [
        ("FLUSH_MS", "1".to_owned()),
        ("MULTITENANCY", "true".to_owned()),
    ];
    let place = Place::fresh(&state, &variables).expect("a place");
    let _running = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    let client = Client::new(&place.url());
    let golden = ["recorded", "stacks"].map(|name| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("golden/{name}.txt"));
        fs::read_to_string(path).expect("the golden file")
    });
    let golden = golden.concat();
    let expected: Vec<(&str, &str)> = golden.split("\n\n").filter_map(block).collect();
    assert!(expected.len() >= 32, "the golden files have shrunk");

    let mut wrong = Vec::new();
    for (name, expect) in expected {
        // A tenant of its own, so that equal series of two requests stay apart.
        let tenant = name.replace(['/', '.'], "-");
        let answer = push(&client, &tenant, name);
        // Twice: the second time as an agent does that got no answer.
        let again = push(&client, &tenant, name);
        for answer in [answer, again] {
            if answer.status != 200 {
                wrong.push(format!("{name}: {} {}", answer.status, answer.text()));
            }
        }
        let found = stored(&client.of_tenant(&tenant)).unwrap_or_else(|problem| problem);
        if found != expect {
            wrong.push(format!("{name}\n{found}\nshould be\n{expect}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A request's name and what must be stored of it.
fn block(text: &str) -> Option<(&str, &str)> {
    text.trim_end().split_once('\n')
}

/// Sends what was recorded; the bodies of Java's agent, and files, are without their requests.
fn push(client: &Client, tenant: &str, name: &str) -> Answer {
    let (agent, file) = name.split_once('/').expect("a folder and a file");
    let answer = if PYROSCOPE_AGENTS.contains(&agent) {
        let recorded = corpus::recordings(agent)
            .into_iter()
            .find(|recorded| recorded.name.ends_with(name))
            .unwrap_or_else(|| panic!("{name} is not in the corpus"));
        client.replay(&recorded.head_of_tenant(tenant), &recorded.body)
    } else if agent == "speedscope" {
        let body = corpus::read(name).expect("a file").bytes;
        let path = "/ingest?name=text.app%7Bregion=eu%7D&from=1795236390&until=1795236400";
        client.of_tenant(tenant).post(path, "", &body)
    } else {
        let body = corpus::read(&format!("agents/{name}"))
            .expect("a body")
            .bytes;
        let (path, content_type) = match file.rsplit_once('.') {
            Some((_, "jfr")) => (
                "/ingest?name=java.app%7Bregion=eu%7D&format=jfr&spyName=javaspy&sampleRate=100&from=1795236390&until=1795236400",
                "application/octet-stream",
            ),
            _ => ("/v1development/profiles", "application/x-protobuf"),
        };
        client.of_tenant(tenant).post(path, content_type, &body)
    };
    answer.unwrap_or_else(|problem| panic!("{name}: {problem}"))
}

/// All series of a tenant with their totals, in the layout of the golden file.
fn stored(client: &Client) -> Result<String, String> {
    let series = series(client, RANGE)?;
    let names: BTreeSet<&String> = series.iter().flat_map(|labels| labels.keys()).collect();
    let names = || names.iter().filter(|name| !name.starts_with("__"));
    let mut sets: BTreeSet<Vec<(&str, &str)>> = BTreeSet::new();
    let mut types: BTreeSet<(Vec<(&str, &str)>, &str)> = BTreeSet::new();
    for labels in &series {
        let own = names().filter_map(|&name| Some((name.as_str(), labels.get(name)?.as_str())));
        let own: Vec<(&str, &str)> = own.collect();
        types.insert((own.clone(), &labels["__profile_type__"]));
        sets.insert(own);
    }
    let mut lines = Vec::new();
    for set in sets {
        let spelt = |pairs: &[(&str, &str)]| {
            let pairs: Vec<String> = pairs
                .iter()
                .map(|(name, value)| format!("{name}={value:?}"))
                .collect();
            pairs.join(", ")
        };
        lines.push(format!("  {{{}}}", spelt(&set)));
        // Series with more labels must not match, so those that it lacks are asked to be empty.
        let value = |name: &str| set.iter().find(|(own, _)| *own == name);
        let matchers: Vec<String> = names()
            .map(|name| format!("{name:?}={:?}", value(name).map_or("", |(_, value)| value)))
            .collect();
        let selector = format!("{{{}}}", matchers.join(","));
        for (_, id) in types.iter().filter(|(of, _)| *of == set) {
            let total = Merged::ask(client, id, &selector, RANGE)?.total;
            lines.push(format!("    {id} {total}"));
        }
    }
    Ok(lines.join("\n"))
}
