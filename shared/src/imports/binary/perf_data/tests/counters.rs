//! Groups of events.

use super::*;

#[test]
fn a_group_counts_all_its_events_between_samples() {
    const HOLDS_COUNTERS: u64 = HOLDS & !(1 << 8) | 1 << 4;
    let with_counters = |config: u64, inherits: u64| {
        let read_format = 1 | 1 << 2 | 1 << 3 | 1 << 4;
        let flags = 1 << 10 | 1 << 18 | inherits << 1;
        words(&[
            1 | 48 << 32,
            config,
            4000,
            HOLDS_COUNTERS,
            read_format,
            flags,
        ])
    };
    let counted = |thread: u64, time: u64, cpu_clock: u64, faults: u64| {
        let head = [7, 0x7005, ids((6, thread)), time];
        // How many, the time they were on, and of each its value, its id and what it lost.
        let counters = [2, 99, cpu_clock, 7, 0, faults, 8, 0];
        record(
            kind::SAMPLE,
            2,
            &[words(&head), words(&counters), words(&[0])],
        )
    };
    let described = |inherits: u64| {
        let describe = |config: u64, id: u64| {
            let parts = [with_counters(config, inherits), words(&[id])];
            record(kind::ATTRIBUTE, 0, &parts)
        };
        [describe(0, 7), describe(2, 8)].concat()
    };
    let totals = |inherits: u64| {
        let records = [
            counted(6, 10, 100, 3),
            counted(6, 11, 250, 3),
            counted(7, 12, 300, 4),
            // It began anew.
            counted(6, 13, 50, 9),
        ];
        let file = pipe(&[described(inherits), records.concat()]);
        let profile = decode(&file).expect("good").profile;
        assert_eq!(
            type_names(&profile),
            ["cpu-clock/nanoseconds", "page-faults/count"]
        );
        (profile.total(0), profile.total(1))
    };
    // 100 + 150 + 50 + 50 and 3 + 0 + 1 + 5.
    assert_eq!(totals(0), (350, 9));
    // Thread 7 has counters of its own: 100 + 150 + 50 and 300; 3 + 6 and 4.
    assert_eq!(totals(1), (600, 13));
}
