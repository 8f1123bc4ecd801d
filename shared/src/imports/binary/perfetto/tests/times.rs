//! Clocks, and times without one.

use super::*;

/// The monotonic clock is 600 µs behind the boot clock.
fn behind() -> Vec<u8> {
    clocks(1, &[&[(1, 6), (2, 1_000_000)], &[(1, 3), (2, 400_000)]])
}

/// A thread whose events begin at 500 µs.
fn thread(reference: u64) -> Vec<u8> {
    let thread = numbers(&[(1, 5), (2, 6), (6, reference)]);
    packet(&[(10, 1), (13, 1)], &[(44, &thread), (12, &interned())])
}

/// A sample at a time of the boot clock.
fn at(time: u64) -> Vec<u8> {
    packet(&[(8, time), (10, 1)], &[(66, &perf_sample(1))])
}

fn check(trace: &[Vec<u8>], expect: &[&str]) {
    let profile = decode(&trace.concat()).expect("good").profile;
    let shown: Vec<String> = samples(&profile)
        .iter()
        .map(|row| row.split(" process").next().unwrap_or("").to_owned())
        .collect();
    assert_eq!(shown, expect);
}

#[test]
fn times_in_microseconds_are_of_the_monotonic_clock() {
    let names = inner(&[(2, &named(1, b"Task"))]);
    let event =
        |head: &[(u32, u64)], fields: &[(u32, u64)]| packet(head, &[(11, &numbers(fields))]);
    check(
        &[
            behind(),
            thread(500),
            at(1_000_000),
            packet(&[(10, 1)], &[(12, &names)]),
            // The time of the packet is not that of the event.
            event(&[(8, 7), (10, 1)], &[(9, 1), (10, 1), (1, 10)]),
            event(&[(10, 1)], &[(9, 2), (1, 5)]),
            event(&[(8, 7), (10, 1)], &[(9, 1), (10, 1), (16, 600)]),
            event(&[(10, 1)], &[(9, 2), (16, 602)]),
        ],
        &[
            "0 main [1, 0]",
            "110000 Task [0, 5000]",
            "200000 Task [0, 2000]",
        ],
    );
}

#[test]
fn samples_of_chrome_follow_the_thread() {
    let streaming = [numbers(&[(1, 1), (1, 1)]), inner(&[(2, &[10, 2])])].concat();
    let streaming = packet(&[(8, 7), (10, 1)], &[(54, &streaming)]);
    check(
        &[
            behind(),
            thread(500),
            at(1_000_000),
            streaming.clone(),
            streaming.clone(),
        ],
        &[
            "0 main [1]",
            "110000 main [1]",
            "112000 main [1]",
            "122000 main [1]",
            "124000 main [1]",
        ],
    );
    // Before the clock began.
    let before = (-5_i64).cast_unsigned();
    check(
        &[behind(), thread(before), at(600_000), streaming],
        &["0 main [1]", "10000 main [1]", "12000 main [1]"],
    );
}

#[test]
fn defaults_without_a_track_leave_the_thread() {
    let defaults = inner(&[(11, b"")]);
    let sample = numbers(&[(6, 1)]);
    let trace = [
        thread(500),
        packet(&[(8, 1), (10, 1)], &[(59, &defaults), (135, &sample)]),
    ];
    let profile = decode(&trace.concat()).expect("good").profile;
    assert_eq!(
        samples(&profile),
        ["0 main [1] process=5 thread=6 thread_id=6"]
    );
}

#[test]
fn clocks_stay_in_proportion_to_the_file() {
    let trace = packet(&[(10, 1)], &[(6, &[0x0a, 0].repeat(100_000))]);
    let error = decode(&trace).expect_err("too many").to_string();
    let expect = "the profile would need too much memory for a file of this size";
    assert!(error.ends_with(expect), "{error}");
    // The same clocks again take nothing.
    let again = vec![behind(); 10_000];
    check(&[again.concat(), thread(500), at(1)], &["0 main [1]"]);
}
