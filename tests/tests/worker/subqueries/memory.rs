//! Large answers at once: the memory of one isolate.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pilotlight_core::pprof::encode_gzip;

use super::*;

/// Days of the month that two queries ask for at once.
const MONTH: i64 = 30;

/// Stacks of each of its days, which no other has: 24,000 in all and 3.4 MB to read, as of a month
/// of a real service.
const STACKS_A_DAY: usize = 800;

/// What the worker's WASM is linked to have at most; JavaScript has the rest of an isolate's 128
/// MB.
const WASM_BYTES: f64 = (112u64 << 20) as f64;

/// What an isolate may have.
const ISOLATE_BYTES: f64 = 128e6;

/// Pushes a profile with 2,500 stacks and a label of its own.
fn push(client: &Client, n: u64) {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    for row in 0..2_500 {
        let stack = builder.named_stack(&[
            "main",
            &format!("some function with a name of usual length {}", row + n % 7),
        ]);
        builder.sample(stack, None, &[1]);
    }
    let now = now_millis() / 1_000;
    let path = format!("/ingest?name=pushed%7Bn%3D{n}%7D&format=pprof&from={now}&until={now}");
    let answer = client
        .post(
            &path,
            "application/octet-stream",
            &encode_gzip(&builder.finish()),
        )
        .expect("an answer");
    assert_eq!(answer.status, 200, "push {n}: {}", answer.text());
}

/// Stacks of each day of a month with a large answer: 60,000 in all, 8.4 MB to read. With 75,000,
/// which comes near the cap of 32 MiB, one query alone takes nearly all of an isolate's memory.
const STACKS_OF_A_LARGE_DAY: usize = 2_000;

/// Each of them alone takes most of an isolate's memory.
#[test]
fn two_large_answers_at_once_do_not_end_the_instance() {
    let server = Server::start(0).expect("a bucket");
    let blocks: Vec<(String, Vec<u8>)> = (0..MONTH)
        .map(|day| block(day, STACKS_OF_A_LARGE_DAY))
        .collect();
    let expect = fold(MONTH, STACKS_OF_A_LARGE_DAY);
    let place = place("large", &server, &blocks, &[]);
    let running = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    let client = Client::new(&place.url());
    rebuild(&client);
    let alone = ask(&client);
    assert!(alone.body.len() > 8_000_000, "{}", alone.body.len());
    let answers = thread::scope(|scope| {
        let client = &client;
        let selectors = [
            "service_name%3D%22large%22",
            "service_name%3D%22large%22%2Cregion%3D%22eu%22",
        ];
        selectors
            .map(|selector| scope.spawn(move || ask_again(client, selector)))
            .map(|query| query.join().expect("an answer"))
    });
    let (wasm, refused) = (
        metric(&client, "isolate_wasm_bytes "),
        metric(&client, "isolate_refused_total "),
    );
    println!(
        "{:.0} MB of WASM memory, {refused} refused; workerd {} MB at most",
        wasm / 1e6,
        running.workerd().peak_kilobytes().unwrap_or(0) / 1_000
    );
    assert!(
        !place.last_words().contains("fresh instance"),
        "{}",
        place.last_words()
    );
    for answer in &answers {
        let found = read_chunk(&answer.body, |_, _| true).expect("a chunk");
        assert!(canonical(&found) == expect, "{}", place.last_words());
    }
    assert!(wasm > 0.0 && wasm <= WASM_BYTES, "{wasm}");
    assert_eq!(metric(&client, "isolate_admitted_bytes "), 0.0);
}

#[test]
fn two_months_a_job_and_pushes_at_once_share_an_isolate() {
    let server = Server::start(0).expect("a bucket");
    let blocks: Vec<(String, Vec<u8>)> = (0..MONTH).map(|day| block(day, STACKS_A_DAY)).collect();
    let place = place(
        "at-once",
        &server,
        &blocks,
        &[("FLUSH_MS", "100".to_owned())],
    );
    let mut running = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    let client = Client::new(&place.url());
    rebuild(&client);
    let (pushes, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let next = || push(&client, pushes.fetch_add(1, Ordering::Relaxed));
    // Enough segments for a job.
    (0..12).for_each(|_| next());
    let answers = thread::scope(|scope| {
        let client = &client;
        let queries = [
            "service_name%3D%22large%22",
            "service_name%3D%22large%22%2Cregion%3D%22eu%22",
        ]
        .map(|selector| scope.spawn(move || ask_again(client, selector)));
        let job = scope.spawn(|| {
            client
                .get("/cdn-cgi/handler/scheduled")
                .expect("an answer")
                .status
        });
        for _ in 0..4 {
            // Bounded, whatever becomes of the others.
            scope.spawn(|| {
                (0..500)
                    .take_while(|_| !done.load(Ordering::Relaxed))
                    .for_each(|_| next())
            });
        }
        let answers = queries.map(|query| query.join());
        done.store(true, Ordering::Relaxed);
        assert_eq!(job.join().expect("a run of the schedule"), 200);
        answers.map(|answer| answer.expect("an answer"))
    });
    let expect = fold(MONTH, STACKS_A_DAY);
    for answer in &answers {
        assert_eq!(
            canonical(&read_chunk(&answer.body, |_, _| true).expect("a chunk")),
            expect,
            "{}",
            place.last_words()
        );
        assert_eq!(count(answer, "x-pilotlight-profiles"), MONTH as u64);
    }
    // Of the pushes, or of the days that are over by now.
    let is_made = |key: &String| {
        let is_block = ["/l1/", "/l2/", "/l3/"]
            .iter()
            .any(|level| key.contains(level));
        is_block && !blocks.iter().any(|(name, _)| name == key)
    };
    assert!(
        server.store().keys().iter().any(is_made),
        "a job was done meanwhile"
    );
    let pushed = pushes.load(Ordering::Relaxed);
    let found = client.get(&format!(
        "/api/v1/profile?query={OF_PUSHES}%7Bservice_name%3D%22pushed%22%7D&from={}&until={}",
        now_millis() - 3_600_000,
        now_millis() + 60_000
    ));
    let found = found.expect("an answer");
    assert_eq!(
        (found.status, count(&found, "x-pilotlight-profiles")),
        (200, pushed),
        "{}",
        found.text()
    );
    let (wasm, refused) = (
        metric(&client, "isolate_wasm_bytes "),
        metric(&client, "isolate_refused_total "),
    );
    let (used, total) = running.heap().expect("an answer");
    println!(
        "{pushed} pushes; {:.0} MB of WASM memory, {refused} refused; {:.1} MB used of {:.1} in \
         JavaScript's heap; workerd {} MB at most",
        wasm / 1e6,
        used as f64 / 1e6,
        total as f64 / 1e6,
        running.workerd().peak_kilobytes().unwrap_or(0) / 1_000
    );
    assert!(wasm > 0.0 && wasm <= WASM_BYTES, "{wasm}");
    assert!(wasm + total as f64 <= ISOLATE_BYTES, "{wasm} and {total}");
    assert_eq!(metric(&client, "isolate_admitted_bytes "), 0.0);
    assert!(
        !place.last_words().contains("fresh instance"),
        "{}",
        place.last_words()
    );
}
