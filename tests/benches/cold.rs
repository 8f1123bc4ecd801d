//! What the first request of a fresh worker costs: compilation, instantiation, and a push or a
//! query, in workerd, whose engine is V8, with the worker that `cargo xtask build` made.
//!
//! `cargo bench --profile dev -p pilotlight-tests --bench cold`: what is measured is the worker, so
//! this program need not be optimised. Each figure is of processes of their own, in which workerd
//! has answered a request without the worker before. It includes what a client waits for: the
//! emulated bucket and database. Budgets: push 150 ms, query 250 ms.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use pilotlight_fixtures::fleet;
use pilotlight_tests::client::{Answer, Client};
use pilotlight_tests::local::{Levels, Place};
use serde_json::json;

/// Processes for each figure.
const ROUNDS: usize = 11;
/// Requests to each process after the first; the last one counts as warm.
const WARM: usize = 10;
/// Profiles that the query is about: a quarter of an hour of one process, no two alike.
const STORED: usize = 60;
/// Runs of the schedule, each with a job at most: from segments to a block, and to a block of the
/// hour.
const JOBS: usize = 4;

/// When all of them were made, as they say themselves, milliseconds.
const TIME: u64 = 1_790_000_000_000;
const TYPE: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

/// A request whose time is measured.
struct Figure {
    name: &'static str,
    budget: Option<f64>,
    send: fn(&Client, &Stored) -> Answer,
}

/// What the processes find.
struct Stored {
    place: Place,
    profiles: Vec<Vec<u8>>,
}

fn main() {
    let stored = Stored::make();
    println!("{ROUNDS} processes for each figure, milliseconds\n");
    println!(
        "{:34} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "", "median", "worst", "CPU", "warm", "budget"
    );
    for figure in [
        Figure {
            name: "compile, instantiate, /healthz",
            budget: None,
            send: |client, _| client.get("/healthz").expect("an answer"),
        },
        Figure {
            name: "the same and a query",
            budget: Some(250.0),
            send: |client, stored| stored.query(client),
        },
        // Last, because it adds to what a query reads.
        Figure {
            name: "the same and a push",
            budget: Some(150.0),
            send: |client, stored| stored.push(client, 0),
        },
    ] {
        figure.measure(&stored);
    }
}

impl Figure {
    fn measure(&self, stored: &Stored) {
        let (mut first, mut warm, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let worker = stored.place.start().expect("the worker starts");
            let client = Client::new(&stored.place.url());
            assert_eq!(client.get("/nothing").expect("an answer").status, 200);
            let before = worker.workerd().cpu_millis().expect("it runs");
            first.push(self.timed(&client, stored));
            cpu.push((worker.workerd().cpu_millis().expect("it runs") - before) as f64);
            for _ in 1..WARM {
                self.timed(&client, stored);
            }
            warm.push(self.timed(&client, stored));
        }
        let ([median, worst], [cpu, _], [warm, _]) = (spread(first), spread(cpu), spread(warm));
        let budget = self
            .budget
            .map_or(String::new(), |budget| budget.to_string());
        println!(
            "{:34} {median:8.1} {worst:8.1} {cpu:8.0} {warm:8.1} {budget:>8}",
            self.name
        );
    }

    fn timed(&self, client: &Client, stored: &Stored) -> f64 {
        let started = Instant::now();
        let answer = (self.send)(client, stored);
        let time = started.elapsed().as_secs_f64() * 1e3;
        assert_eq!(answer.status, 200, "{}: {}", self.name, answer.text());
        time
    }
}

impl Stored {
    /// A store with [`STORED`] profiles of an hour that is over, as compaction leaves them.
    fn make() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cold");
        // The profiles say that they are of a year that may be long ago.
        let days = |name| (name, "3660".to_owned());
        let variables = [
            ("FLUSH_MS", "0".to_owned()),
            days("RETENTION_RAW_DAYS"),
            days("RETENTION_SUMS_DAYS"),
        ];
        let entry: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("local/lazy.js");
        let place = Place {
            entry: Some(entry),
            ..Place::fresh(&folder, &variables).expect("a place")
        };
        let stored = Self {
            place,
            profiles: fleet::profiles(STORED),
        };
        let mut worker = stored.place.start().expect("the worker starts");
        let client = Client::new(&stored.place.url());
        for index in 0..STORED {
            let answer = stored.push(&client, index);
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        for _ in 0..JOBS {
            let answer = client.get("/cdn-cgi/handler/scheduled").expect("an answer");
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        println!(
            "{STORED} profiles in {}\n",
            Levels::from(worker.objects().expect("their names"))
        );
        stored
    }

    /// Another instance each time, so that no push repeats another.
    fn push(&self, client: &Client, index: usize) -> Answer {
        let unique = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("a time after 1970")
            .as_nanos();
        let name = format!("name=checkout%7Binstance%3D{unique}%7D");
        let path = format!("/ingest?{name}&spyName=gospy&format=pprof");
        client
            .post(&path, "application/octet-stream", &self.profiles[index])
            .expect("an answer")
    }

    fn query(&self, client: &Client) -> Answer {
        let ask = json!({
            "profileTypeID": TYPE,
            "labelSelector": r#"{service_name="checkout"}"#,
            "start": TIME - 1_800_000,
            "end": TIME + 1_800_000,
        });
        let path = "/querier.v1.QuerierService/SelectMergeStacktraces";
        let answer = client
            .post(path, "application/json", ask.to_string().as_bytes())
            .expect("an answer");
        assert!(
            answer.text().len() > 10_000,
            "an answer without stacks: {}",
            answer.text()
        );
        answer
    }
}

/// Median and worst.
fn spread(mut times: Vec<f64>) -> [f64; 2] {
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[times.len() - 1]]
}
