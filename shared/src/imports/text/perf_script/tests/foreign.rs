//! Lines of other programs, and texts that are cut off.

use super::*;

#[test]
fn records_are_no_samples() {
    let text = "a 1 1.5: 3 c:\n 40052d f (/x)\n\na 1 1.6: PERF_RECORD_SWITCH OUT\n\
        :-1 -1 1.6: PERF_RECORD_COMM: a:1/1\na 1 1.7: PERF_RECORD_LOST lost 12\n\
        a 1 1.7: PERF_RECORD_LOST_SAMPLES lost 5\na 1 1.8: 4 c:\n 40066b g (/x)\n";
    let decoded = decode(text.as_bytes()).expect("good");
    assert_eq!(type_names(&decoded.profile), ["c/count"]);
    assert_eq!(
        samples(&decoded.profile),
        [
            "0 f [3] thread=a thread_id=1",
            "300000000 g [4] thread=a thread_id=1"
        ]
    );
    assert_eq!(decoded.warnings, ["17 events were lost during recording"]);
}

/// With any choice of fields, also where the line looks like a head or begins like an address.
#[test]
fn a_foreign_line_anywhere_changes_no_sample() {
    let stack = "\t 40052d f (/x)\n\t 40066b g (/x)\n";
    for (first, second) in [
        ("a 1 1.5: 3 c:", "a 2 1.6: 4 c:"),
        ("1.5: c:", "1.6: c:"),
        ("a 1 1.5:", "a 2 1.6:"),
        ("a 1/1 [000] c:", "a 1/2 [001] c:"),
        ("a 1 1.5: 3 c:", "a 1 [000] 1.6: sched:sched_switch: x=1"),
    ] {
        let text = format!("{first}\n{stack}\n{second}\n\t 40066b g (/x)\n\n");
        let whole = decode(text.as_bytes()).expect("good").profile;
        let lines: Vec<&str> = text.lines().collect();
        for foreign in [
            " instruction trace error type 1 time 4525.744123981 cpu 0 pid 2 tid 2 ip 0 code 8: Lost trace data",
            "[ perf record: Woken up 1 times to write data ]",
            "Warning:",
            "[main] 12.700000: GC pause 5 ms:",
            "at 12.5: done",
            "bad address in module",
            "12 events lost",
            "add",
        ] {
            for at in 0..=lines.len() {
                let mut text = lines.clone();
                text.insert(at, foreign);
                let text = text.join("\n");
                assert!(sniff(Start::of(text.as_bytes())), "{text}");
                let decoded = decode(text.as_bytes()).expect("good");
                assert_eq!(samples(&decoded.profile), samples(&whole), "{text}");
                assert_eq!(type_names(&decoded.profile), type_names(&whole), "{text}");
                assert_eq!(decoded.warnings.len(), 1, "{text}");
            }
        }
    }
}

/// Wherever a text is cut off, types and samples are those that it had: at most the last sample goes,
/// or callers of it.
#[test]
fn texts_that_are_cut_off() {
    let stacks = "java 1 [000] 1.0:     250000 cycles:u: \n\t401000 f (/x)\n\n\
        java 1 [000] 1.1:     250000 cycles:u: \n\t401000 f (/x)\n\t401002 g (/x)\n\n";
    let second = stacks.rfind("java").expect("two heads");
    for end in second..stacks.len() {
        let text = &stacks[..end];
        let decoded = decode(text.as_bytes()).expect("good");
        let rows = samples(&decoded.profile);
        let labels = "[250000] thread=java thread_id=1";
        assert_eq!(type_names(&decoded.profile), ["cycles/count"], "{text}");
        assert_eq!(rows[0], format!("0 f {labels}"));
        let second = ["", "f ", "g;f "].map(|frames| format!("100000000 {frames} {labels}"));
        let second = second.map(|row| row.replace("f  ", "f "));
        assert!(rows[1..].iter().all(|row| second.contains(row)), "{rows:?}");
        let is_whole = text.ends_with([')', '\n', '\t']);
        assert_eq!(decoded.warnings.is_empty(), is_whole, "{text}");
    }
    let cut = &stacks[..second + 26];
    let decoded = decode(cut.as_bytes()).expect("good");
    assert_eq!(
        decoded.warnings,
        ["line 4 is neither a sample nor a frame and was skipped: \"java 1 [000] 1.1:     2500\""]
    );
    let head = "a 1 1.5: c:\n\t401000 f (/x)\n\na 1 1.6: c:";
    assert_eq!(
        decode(head.as_bytes()).expect("good").warnings,
        ["line 4 is cut off and was skipped: \"a 1 1.6: c:\""]
    );
    // Without stacks, a last head that is whole needs no line feed.
    let text = "a 1 1.5: sched:x: y=1\na 1 1.6: sched:x: y=2";
    assert_eq!(decode(text.as_bytes()).expect("good").profile.len(), 2);
    let text = "a 1 1.5: sched:x: y=1\na 1 1.6: sched:";
    assert_eq!(
        type_names(&decode(text.as_bytes()).expect("good").profile),
        ["sched:x/count"]
    );
}

/// Such a line has the shape of a head without a time, and is none among frames, before another
/// head, or at the end.
#[test]
fn a_foreign_line_like_a_head_is_no_event() {
    let stack = "\t 40052d f (/x)\n\t 40066b g (/x)\n";
    for (first, second) in [
        ("java 12 cycles:u:", "java 12 cycles:u:"),
        (
            "java 12/34 [000] 7 cycles:u:",
            "java 12/35 [001] 8 cycles:u:",
        ),
    ] {
        let text = format!("{first}\n{stack}\n{second}\n{stack}\n{second}\n\n");
        let whole = decode(text.as_bytes()).expect("good").profile;
        assert_eq!(whole.len(), 3);
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..=lines.len() {
            // There both lines are heads before a stack, and the nearer one has it.
            if at == 1 && first == "java 12 cycles:u:" {
                continue;
            }
            let mut text = lines.clone();
            text.insert(at, "java 12 foo:");
            let text = format!("{}\n", text.join("\n"));
            let decoded = decode(text.as_bytes()).expect("good");
            assert_eq!(samples(&decoded.profile), samples(&whole), "{text}");
            assert_eq!(type_names(&decoded.profile), ["cycles/count"], "{text}");
            assert_eq!(decoded.warnings.len(), 1, "{text}");
        }
    }
    // Without stacks, each head is a sample.
    let text = "java 12 cycles:u:\njava 12 foo:\njava 13 cycles:u:\n";
    let profile = decode(text.as_bytes()).expect("good").profile;
    assert_eq!(type_names(&profile), ["cycles/count", "foo/count"]);
    assert_eq!(profile.len(), 3);
}
