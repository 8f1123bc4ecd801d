//! A recording with an event of each kind.

use super::*;

/// One of every event that is read, of one stack: `Main.work` called by `Main.main`. Names come in
/// every encoding, keys have up to 64 bits, and pools lead to one another.
pub fn every_event(integers: Integers) -> Vec<u8> {
    use Value::{Array, Byte, Int, Latin1, Long, TextOf, Utf8, Utf16};
    let mut chunk = Chunk::new(integers);
    chunk.ticks_per_second = 2_000_000_000;
    let key = u64::MAX;
    chunk.pools = vec![
        vec![
            (TEXT, vec![(1, vec![Latin1("STATE_RUNNABLE")])]),
            (
                SYMBOL,
                vec![(1, vec![Utf8("Main")]), (2, vec![Utf16("work")])],
            ),
        ],
        vec![
            (SYMBOL, vec![(3, vec![Latin1("main")])]),
            (CLASS, vec![(1, vec![Long(1)])]),
            (
                METHOD,
                vec![(1, vec![Long(1), Long(2)]), (key, vec![Long(1), Long(3)])],
            ),
        ],
        vec![
            (
                TRACE,
                vec![(
                    key,
                    vec![
                        Byte(0),
                        Array(vec![vec![Long(1), Int(7)], vec![Long(key), Int(-1)]]),
                    ],
                )],
            ),
            (
                STATE,
                vec![(1, vec![TextOf(1)]), (2, vec![Utf8("STATE_SLEEPING")])],
            ),
        ],
    ];
    let stack: Field = ("stackTrace", TRACE, POOL);
    let start: Field = ("startTime", LONG, &[]);
    let state: Field = ("state", STATE, POOL);
    let amount = |name| (name, LONG, &[][..]);
    let sampled = || {
        vec![
            start,
            stack,
            state,
            amount("contextId"),
            amount("spanId"),
            amount("spanName"),
        ]
    };
    let counted = |name| vec![start, stack, amount(name)];
    let mut event = |name, fields: Vec<Field>, values: Vec<Vec<Value>>| {
        let id = FREE + chunk.classes.len() as u64;
        chunk.classes.push((id, name, fields));
        chunk
            .events
            .extend(values.into_iter().map(|values| (id, values)));
    };
    let text = |name| (name, TEXT, &[][..]);
    event(
        "jdk.ActiveSetting",
        vec![amount("id"), text("name"), text("value")],
        vec![
            vec![Long(0), Utf8("event"), Utf8("wall")],
            vec![Long(0), Utf8("interval"), Latin1("20000000")],
        ],
    );
    let sample = |state, context, span| {
        vec![
            Long(5),
            Long(key),
            Long(state),
            Long(context),
            Long(span),
            Long(9),
        ]
    };
    event(
        "jdk.ExecutionSample",
        sampled(),
        vec![sample(1, 0, 0), sample(2, 0, 0), sample(1, 7, 0xef)],
    );
    event(
        "profiler.WallClockSample",
        vec![start, stack, state, ("samples", INT, &[])],
        vec![
            vec![Long(5), Long(key), Long(1), Int(3)],
            vec![Long(5), Long(key), Long(2), Int(4)],
            // No stack.
            vec![Long(5), Long(0), Long(2), Int(4)],
        ],
    );
    for (name, field, value) in [
        ("jdk.CPUTimeSample", "samplingPeriod", 1_000_000),
        ("jdk.ObjectAllocationInNewTLAB", "tlabSize", 1024),
        ("jdk.ObjectAllocationOutsideTLAB", "allocationSize", 2048),
        ("jdk.ObjectAllocationSample", "weight", 4096),
        ("jdk.JavaMonitorEnter", "duration", 300),
        ("profiler.NativeLock", "duration", 500),
        ("jdk.ThreadPark", "duration", 700),
        ("profiler.LiveObject", "allocationSize", 64),
        ("profiler.Malloc", "size", 32),
        ("jdk.SomethingElse", "size", 1),
    ] {
        event(
            name,
            counted(field),
            vec![vec![Long(5), Long(key), Long(value)]],
        );
    }
    chunk.write()
}
