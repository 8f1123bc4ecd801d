//! The schedule under workerd: what it makes of the hour that is not over, alone and each half of a
//! minute as where it is deployed, and that a query for this hour is of every push, once.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use pilotlight_core::plans::MIN_JOB_OBJECTS;
use pilotlight_core::pprof::{encode, encode_gzip};
use pilotlight_core::store::read_chunk;
use pilotlight_tests::client::Client;
use pilotlight_tests::drawn;
use pilotlight_tests::local::Place;
use pilotlight_tests::oracle::Oracle;

/// When it begins, in the middle of an hour, seconds since the epoch: that must not end meanwhile.
const BEGIN: u64 = 1_795_170_600;
/// How long there are pushes while the schedule runs: until shortly before its second round.
const PUSHING: Duration = Duration::from_secs(10);

/// Pushes one after the other, each of which is a segment.
struct Pushes {
    client: Client,
    count: u64,
    began: Instant,
}

impl Pushes {
    /// What the worker's clock shows, seconds since the epoch.
    fn now(&self) -> u64 {
        BEGIN + self.began.elapsed().as_secs()
    }

    fn push(&mut self, more: usize) {
        for _ in 0..more {
            self.count += 1;
            let path = format!(
                "/ingest?name=this.hour&format=pprof&from={0}&until={0}",
                self.now()
            );
            let profile = drawn::profile(&format!(
                "cpu/nanoseconds\nmain;work {}\nmain;rest 3",
                self.count
            ));
            let answer = self
                .client
                .post(&path, "application/octet-stream", &encode_gzip(&profile))
                .expect("an answer");
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
    }

    /// All of them are found, once; gives how many objects they were read from.
    fn check(&self) -> u64 {
        let query = "query=process_cpu:cpu:nanoseconds::%7Bservice_name%3D%22this.hour%22%7D";
        let path = format!(
            "/api/v1/profile?{query}&from={}&until={}",
            (self.now() - 3600) * 1000,
            (self.now() + 1) * 1000
        );
        let answer = self.client.get(&path).expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
        let found = Oracle::read(&encode(
            &read_chunk(&answer.body, |_, _| true).expect("a chunk"),
        ));
        assert_eq!(
            found.total(0),
            (1..=i128::from(self.count)).map(|n| n + 3).sum()
        );
        let number = |name: &str| {
            answer
                .header(name)
                .and_then(|value| value.parse::<u64>().ok())
        };
        assert_eq!(number("x-pilotlight-profiles"), Some(self.count));
        number("x-pilotlight-objects").expect("a number of objects")
    }
}

/// What the shard says of its compaction, after a run that found a job.
fn check_maintenance(client: &Client) {
    let answer = client.get("/api/v1/admin/maintenance").expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let shard = answer.json()["shards"][0].clone();
    let compact = &shard["duties"][3];
    assert_eq!(compact["duty"], "compact", "{shard}");
    assert_eq!(compact["last"]["items"], 1, "{shard}");
    assert_eq!(compact["is_due"], true, "{shard}");
    let metrics = client.get("/metrics").expect("an answer").text();
    assert!(
        metrics.contains(r#"pilotlight_isolate_duties_total{duty="compact",outcome="done"}"#),
        "{metrics}"
    );
}

fn run_schedule(client: &Client) {
    let answer = client.get("/cdn-cgi/handler/scheduled").expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[test]
fn the_hour_that_is_not_over() {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schedule");
    let place = Place::fresh(&state, &[("FLUSH_MS", "1".to_owned())]).expect("a place");
    let (began, place) = (Instant::now(), place.at(BEGIN as i64 * 1000));
    let running = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    let mut pushes = Pushes {
        client: Client::new(&place.url()),
        count: 0,
        began,
    };
    // By itself a run is one job.
    for _ in 0..MIN_JOB_OBJECTS {
        pushes.push(MIN_JOB_OBJECTS);
        run_schedule(&pushes.client);
    }
    assert_eq!(pushes.check(), MIN_JOB_OBJECTS as u64);
    check_maintenance(&pushes.client);
    run_schedule(&pushes.client);
    assert_eq!(
        pushes.check(),
        1,
        "the blocks of a tier are one: {}",
        place.last_words()
    );
    pushes.push(1);
    assert_eq!(pushes.check(), 2);
    drop(running);

    let place = Place {
        bound_to_itself: true,
        ..place
    };
    let _running = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    pushes.push(2 * MIN_JOB_OBJECTS);
    let began = Instant::now();
    let took = thread::scope(|scope| {
        let client = Client::new(&place.url());
        let schedule = scope.spawn(move || run_schedule(&client));
        while began.elapsed() < PUSHING {
            pushes.push(MIN_JOB_OBJECTS);
            pushes.check();
            thread::sleep(Duration::from_secs(1));
        }
        schedule.join().expect("a run without trouble");
        began.elapsed()
    });
    let objects = pushes.check();
    println!(
        "{} pushes in {objects} objects, a run of the schedule of {took:.0?}",
        pushes.count
    );
    assert!(
        took > Duration::from_secs(29),
        "the second round is half a minute after the first: {took:?}"
    );
    // Of three tiers.
    assert!(
        objects < 3 * MIN_JOB_OBJECTS as u64,
        "{objects} objects: {}",
        place.last_words()
    );
}
