//! The catalog in the bucket under workerd: the schedule writes the day, and who deletes a tenant
//! deletes it.

use std::path::Path;

use pilotlight_core::pprof::encode_gzip;
use pilotlight_core::store::{TenantId, arrival_day, catalog_key};
use pilotlight_tests::client::Client;
use pilotlight_tests::clock::now_millis;
use pilotlight_tests::drawn;
use pilotlight_tests::local::{Local, Place};

fn today() -> i64 {
    arrival_day(now_millis())
}

fn days(running: &mut Local) -> Vec<String> {
    let objects = running.objects().expect("a list").into_iter();
    objects
        .map(|object| object.key)
        .filter(|key| key.contains("/catalog/"))
        .collect()
}

#[test]
fn the_day_comes_with_the_schedule_and_goes_with_the_tenant() {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("published");
    let place = Place::fresh(&state, &[("FLUSH_MS", "1".to_owned())]).expect("a place");
    let mut running = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    let client = Client::new(&place.url());
    let before = today();
    let profile = encode_gzip(&drawn::profile("cpu/nanoseconds\nmain;work 3"));
    let answer = client
        .post(
            "/ingest?name=app&format=pprof",
            "application/octet-stream",
            &profile,
        )
        .expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(days(&mut running), [""; 0]);
    let answer = client.get("/cdn-cgi/handler/scheduled").expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let key = |day| vec![catalog_key(&TenantId::anonymous(), 0, day)];
    let found = days(&mut running);
    // The day may have ended meanwhile.
    assert!(
        found == key(before) || found == key(today()),
        "{found:?}: {}",
        place.last_words()
    );

    let answer = client.delete("/api/v1/admin/tenant").expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(days(&mut running), [""; 0], "{}", answer.text());
}
