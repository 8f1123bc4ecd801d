//! Many wrong tokens at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pilotlight_tests::local::client::Client;

use super::locked::{FROM, Locked, profile, push, token};

#[test]
fn ten_thousand_wrong_tokens_while_honest_pushes_are_served() {
    const WRONG: u64 = 10_000;
    let locked = Locked::start("attacker-flood");
    let honest = locked.client(&locked.tokens["t1-push"]);
    assert_eq!(push(&honest, FROM, &profile("work", 1)).status, 200);
    let before = locked.counted();
    let (left, over) = (AtomicU64::new(WRONG), AtomicBool::new(false));
    let began = Instant::now();
    let (pushes, slowest) = thread::scope(|scope| {
        let attackers: Vec<_> = (0..4_u8)
            .map(|n| {
                let (left, url) = (&left, locked.place.url());
                scope.spawn(move || {
                    let client = Client::new(&url).with_token(token(100 + n).expose());
                    let more = |left: u64| left.checked_sub(1);
                    while left
                        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
                        .is_ok()
                    {
                        let answer = client.get("/api/v1/services").expect("an answer");
                        assert_eq!(answer.status, 401);
                    }
                })
            })
            .collect();
        let pusher = scope.spawn(|| {
            let (mut pushes, mut slowest) = (0, Duration::ZERO);
            while !over.load(Ordering::Relaxed) {
                let asked = Instant::now();
                let answer = push(&honest, FROM + 20 + pushes, &profile("work", 2 + pushes));
                assert_eq!(answer.status, 200, "{}", answer.text());
                (pushes, slowest) = (pushes + 1, slowest.max(asked.elapsed()));
            }
            (pushes, slowest)
        });
        for attacker in attackers {
            attacker.join().expect("an attacker");
        }
        over.store(true, Ordering::Relaxed);
        pusher.join().expect("the honest one")
    });
    println!(
        "{WRONG} wrong tokens in {:.1?}; {pushes} honest pushes meanwhile, the slowest in {slowest:.1?}",
        began.elapsed()
    );
    assert_eq!(locked.counted()["unknown"] - before["unknown"], WRONG);
    let sum: i64 = 1 + (2..2 + pushes).sum::<i64>();
    assert!(pushes > 0);
    assert_eq!(
        locked.total("t1-read"),
        Some(sum),
        "every honest push is there"
    );
}
