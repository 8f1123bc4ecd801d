//! Texts as perf prints them, and as they come from people.

use super::*;
use crate::imports::testing::{samples, type_names};

#[test]
fn samples_have_threads_times_and_types() {
    let text = "# ========\n# cmdline : /usr/bin/perf record -g\n#\n\
        Web Content 7/9 [001] 1.000000500:  25 cycles:u: \n\
        \t  10 leaf+0x1 (/bin/a b)\n\t  20 main (/bin/a b)\n\n\
        \x20         dd   11 0.5: 3000 task-clock:ppp:\n\
        \t 30 [unknown] ([unknown])\n\t ffff40 [unknown] ([kernel.kallsyms])\n\n\
        dd 11 2.5: sched:sched_switch: prev_comm=dd\n";
    let decoded = decode(text.as_bytes()).expect("good");
    let profile = &decoded.profile;
    assert_eq!(
        type_names(profile),
        [
            "cycles/count",
            "task-clock/nanoseconds",
            "sched:sched_switch/count"
        ]
    );
    assert_eq!(
        samples(profile),
        [
            "500000500 main;leaf [25, 0, 0] process=7 thread=Web Content thread_id=9",
            "0 0xffff40 [[kernel.kallsyms]];0x30 [0, 3000, 0] thread=dd thread_id=11",
            "2000000000  [0, 0, 1] thread=dd thread_id=11",
        ]
    );
    assert_eq!(
        profile.text(profile.header().comments[0]),
        "/usr/bin/perf record -g"
    );
    assert_eq!(decoded.warnings, Vec::<String>::new());
}

#[test]
fn a_frame_may_stand_beside_its_sample() {
    let text = "a 1 1.5: 7 cycles:  40 f(int, char) (/x (deleted))\n\
        a 1 1.6: 8 cycles: 50 g (inlined)\nlost\n";
    let decoded = decode(text.as_bytes()).expect("good");
    assert_eq!(
        samples(&decoded.profile),
        [
            "0 f(int, char) [7] thread=a thread_id=1",
            "100000000 g [8] thread=a thread_id=1"
        ]
    );
    assert_eq!(
        decoded.warnings,
        ["line 3 is neither a sample nor a frame and was skipped: \"lost\""]
    );
    let mappings = decoded.profile.mappings();
    assert_eq!(decoded.profile.text(mappings[0].file), "/x (deleted)");
}

/// The address is no period, and a frame needs no module.
#[test]
fn a_frame_beside_its_sample_without_period_or_module() {
    for (fields, expect) in [
        ("401115 leaf (/a)", "[1]"),
        ("401115 leaf", "[1]"),
        ("2000000   401115 leaf", "[2000000]"),
        ("cycles:  401115 leaf", "[1]"),
    ] {
        let text = format!("a 1 1.5:   {fields}\na 1 1.5:   {fields}\n");
        let decoded = decode(text.as_bytes()).expect("good");
        let expect = format!("0 leaf {expect} thread=a thread_id=1");
        assert_eq!(
            samples(&decoded.profile),
            [expect.clone(), expect],
            "{text}"
        );
    }
    let fields = "a 1 1.5: syscalls:sys_exit_read: 0xffffffea\n";
    let decoded = decode(fields.as_bytes()).expect("good");
    assert_eq!(samples(&decoded.profile), ["0  [1] thread=a thread_id=1"]);
}

#[test]
fn any_field_may_be_missing() {
    for (text, expect) in [
        (
            "java \n\t 40052d f (/x)\n\t 40066b g (/x)\n\njava\n\t 40052d f (/x)\n",
            vec!["g;f [1] thread=java", "f [1] thread=java"],
        ),
        (
            "a 1/2 cycles: \n\t 40052d f (/x)\n\na 1/3 7 cycles: \n\t 40052d f (/x)\n",
            vec![
                "f [1] process=1 thread=a thread_id=2",
                "f [7] process=1 thread=a thread_id=3",
            ],
        ),
        (
            " 40052d f (/x)\n 40066b g (/x)\n\n 40066b g (/x)\n",
            vec!["g;f [1]", "g [1]"],
        ),
        (
            "a 1 1.5: c:\n 40052d f+0x1 (/x)\n  a.c:3\n 40066b g (/x)\n  b.c:4\n",
            vec!["0 g;f [1] thread=a thread_id=1"],
        ),
        (
            "a 1 1.5: c:\n 40052d f+0x1 (/x)\n  x[40052d]\n ffff81 g ([k])\n  [k][ffff81]\n",
            vec!["0 g;f [1] thread=a thread_id=1"],
        ),
    ] {
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(samples(&decoded.profile), expect, "{text}");
        assert_eq!(decoded.warnings, Vec::<String>::new(), "{text}");
    }
}

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

#[test]
fn a_name_that_ends_in_a_line_is_a_frame() {
    let text = "a 1 1.5: c:\n 40052d f:3\n 40066b g /x.js:12\n";
    let profile = decode(text.as_bytes()).expect("good").profile;
    assert_eq!(
        samples(&profile),
        ["0 g /x.js:12;f:3 [1] thread=a thread_id=1"]
    );
    // macOS's `sample` begins its lines with a count.
    let other = "Call graph:\n    2798 Thread_7   DispatchQueue_1: main  (serial)\n";
    assert!(!sniff(Start::of(other.as_bytes())));
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

/// Recordings with several choices of fields joined, and events with different ones.
#[test]
fn heads_with_other_fields_keep_their_samples() {
    for text in [
        "a 1 1.5: 3 c:\n 40052d f (/x)\n\na 1 1.6: 3 c:\n 40052d f (/x)\n\n1.7: d:\n 40052d f (/x)\n\n",
        "a 1 1.5: 3 c:\n 40052d f (/x)\n\na 1 1.6: 3 c:\n 40052d f (/x)\n\na\n 40052d f (/x)\n\n",
        "a 1 1.5: 3 c: 40052d f (/x)\na 1 1.6: sched:x: y=1\na 1 [000] 1.7: 4 c: 0 [unknown] ([unknown])\n",
        "a 1 1.5: 40052d f\na 1 1.6: 0 [unknown]\na 1 1.7: 40052d f\n",
    ] {
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(decoded.profile.len(), 3, "{text}");
        assert_eq!(decoded.warnings, Vec::<String>::new(), "{text}");
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

/// As perf 6.1 prints samples without stacks, with `-F comm,ip,sym` and other fields. The names of the
/// threads read as addresses, too.
#[test]
fn samples_without_stacks_are_a_line_each() {
    for (fields, second, expect) in [
        ("", "", "[1] thread=dd"),
        ("  8966", "  8967", "[1] thread=dd thread_id=8966"),
        (
            "  8966     250000",
            "  8967     300000",
            "[250000] thread=dd thread_id=8966",
        ),
        ("     250000", "     300000", "[250000] thread=dd"),
        (
            " 12345/8966  [001]",
            "  8966/8967  [000]",
            "[1] process=12345 thread=dd thread_id=8966",
        ),
        (" cpu-clock:", " cpu-clock:", "[1] thread=dd"),
        (
            "     250000 cpu-clock:u:",
            "     300000 cpu-clock:u:",
            "[250000] thread=dd",
        ),
        (
            "  8966 cpu-clock:",
            "  8967 cpu-clock:",
            "[1] thread=dd thread_id=8966",
        ),
    ] {
        for dso in ["", " (/tmp/b)"] {
            let text = format!(
                "              dd{fields}      5614458ad135 spin{dso}\n\
                 \x20     my program{second}  ffffffff8158c221 next_page{dso}\n\
                 \x20           cafe{second}            401136 operator new(int){dso}\n"
            );
            assert!(sniff(Start::of(text.as_bytes())), "{text}");
            let decoded = decode(text.as_bytes()).expect("good");
            let rows = samples(&decoded.profile);
            assert_eq!(rows.len(), 3, "{text}");
            assert_eq!(rows[0], format!("spin {expect}"), "{text}");
            assert!(rows[1].starts_with("next_page ["), "{}", rows[1]);
            assert!(rows[1].contains("thread=my program"), "{}", rows[1]);
            assert!(rows[2].starts_with("operator new(int) ["), "{}", rows[2]);
            assert_eq!(type_names(&decoded.profile).len(), 1, "{text}");
            assert_eq!(decoded.warnings, Vec::<String>::new(), "{text}");
            let foreign = format!("{text}lost\n{text}");
            let decoded = decode(foreign.as_bytes()).expect("good");
            assert_eq!(decoded.profile.len(), 6);
            assert_eq!(decoded.warnings.len(), 1);
        }
    }
    for other in [
        "            name            12345 a\n           other            23456 b\n",
        "a                 12345 f\nb                 12346 g\n",
    ] {
        assert!(!sniff(Start::of(other.as_bytes())), "{other}");
    }
}

/// `perf script -F comm,ip,sym`, `-F time,event,ip,sym`, `-F ip,sym` and `-F ip`.
#[test]
fn stacks_without_modules() {
    let stack = "\t           15c2a init\n\t               0 [unknown]\n\n";
    for (head, expect) in [
        ("m \n", "?;init [1] thread=m"),
        ("m 17595 \n", "?;init [1] thread=m 17595"),
        ("1.5: cpu-clock: \n", "0 ?;init [1]"),
        ("m cpu-clock: \n", "?;init [1] thread=m"),
        ("", "?;init [1]"),
    ] {
        let text = [head, stack, head, stack].concat();
        for text in [text.clone(), text.replace('\t', "        ")] {
            assert!(sniff(Start::of(text.as_bytes())), "{text}");
            let decoded = decode(text.as_bytes()).expect("good");
            assert_eq!(samples(&decoded.profile), [expect, expect], "{text}");
            assert_eq!(decoded.warnings, Vec::<String>::new(), "{text}");
        }
    }
    let bare = "\t           15c2a\n\t               0\n\n\t    7f511d03e8a8\n\n";
    assert!(sniff(Start::of(bare.as_bytes())));
    assert_eq!(decode(bare.as_bytes()).expect("good").profile.len(), 2);
    // As `sort folded.txt | uniq -c` and other columns of numbers.
    for other in [
        "   1234 main;f\n   1235 main;g\n",
        "\t12345 f\n\t12346 g\n",
        "         1234 f\n         1235 g\n",
    ] {
        assert!(!sniff(Start::of(other.as_bytes())), "{other}");
    }
}

/// As perf 6.1 prints them.
#[test]
fn branches_and_instructions_are_left_out() {
    let branches = " 0x401111(/b c)/0x4010ed(/x)/P/-/-/0/  0x401112/0x4010ec/MN/X/A/12/CALL/- ";
    let names = "leaf+0xb/f(int, char (*)[3])+0x1d/P/-/-/0/ leaf+0xc/__do+0x1c/M/-/-/0/ ";
    let frames = "\t 1115 leaf (/b c)\n\t 1157 main (/b c)\n";
    let first = "1976000 main;leaf [1] thread=a thread_id=7";
    let below = |extra: &str| {
        format!(
            "a 7 1.5: cpu-clock: \n{frames}{extra}\na 7 1.501976: cpu-clock: \n{frames}{extra}\n"
        )
    };
    let beside = |extra: &str| {
        let line = format!("a 7 1.5: cpu-clock:  401115 leaf (/b c){extra}\n");
        [line.clone(), line.replace("1.5:", "1.501976:")].concat()
    };
    for text in [
        below(branches),
        below(names),
        below(" insn: 01 c2"),
        beside(branches),
        beside(" insn: 01 c2"),
    ] {
        let decoded = decode(text.as_bytes()).unwrap_or_else(|e| panic!("{text}{e}"));
        let samples = samples(&decoded.profile);
        let expect = if text.contains("main") {
            first.to_owned()
        } else {
            first.replace("main;", "")
        };
        assert_eq!(samples, [expect.replace("1976000", "0"), expect], "{text}");
        assert_eq!(
            decoded.warnings,
            ["2 samples have branches or instructions, which are left out"],
            "{text}"
        );
        assert!(sniff(Start::of(text.as_bytes())), "{text}");
    }
    let listing = "\tleaf+13:\n\t0000000000401113\tinsn: 00 00   \t# PRED";
    for (text, expect) in [
        (
            beside(names),
            "perf script, line 1: the branch name runs into the frame name; run perf script with +brstack instead of +brstacksym",
        ),
        (
            below(listing),
            "perf script, line 5: branch listings (brstackinsn) are not supported; run perf script with +brstack instead",
        ),
    ] {
        let error = decode(text.as_bytes()).expect_err("is refused").to_string();
        assert_eq!(error, expect);
    }
    // Of Intel's Processor Trace.
    let traced = "a 7 [001] 1.5: 1 branches:u:   40052d f (/x) =>     7f01 g+0x2 (/lib/y)\n";
    let profile = decode(traced.as_bytes()).expect("good").profile;
    assert_eq!(samples(&profile), ["0 f [1] thread=a thread_id=7"]);
}

#[test]
fn inlined_calls_of_java() {
    let text = "a 1 1.5: c:\n 5 run->add->grow (/tmp/perf-1.map)\n 6 p->q (/bin/x)\n\
        \x20 7 T::operator->() const (/tmp/perf-1.map)\n";
    let profile = decode(text.as_bytes()).expect("good").profile;
    assert_eq!(profile.locations().len(), 3);
    assert_eq!(
        samples(&profile),
        ["0 T::operator->() const;p->q;run;add;grow [1] thread=a thread_id=1"]
    );
}

#[test]
fn inlined_calls_share_a_location() {
    let text = "a 1 1.5: c:\n 5 in (inlined)\n 5 mid (inlined)\n 5 out (/x)\n 9 main (/x)\n";
    let profile = decode(text.as_bytes()).expect("good").profile;
    assert_eq!(profile.locations().len(), 2);
    assert_eq!(
        samples(&profile),
        ["0 main;out;mid;in [1] thread=a thread_id=1"]
    );
}

#[test]
fn deep_stacks_are_refused() {
    let text = format!("a 1 1.5: c:\n{}", " 5 f (/x)\n".repeat(MAX_STACK_DEPTH + 1));
    let error = decode(text.as_bytes()).expect_err("too deep").to_string();
    assert_eq!(
        error,
        "perf script, line 16386: a stack has more than 16384 frames (the maximum)"
    );
    assert_eq!(
        decode(b"\n").expect_err("nothing").to_string(),
        "perf script: there are no samples"
    );
}

/// As `sed '/^$/d'` leaves a text.
#[test]
fn stacks_need_no_blank_lines_between_them() {
    let text =
        "java 12 cycles:u:\n\t40052d f (/x)\njava 12 cycles:u:\n\t40066b g (/x)\n\t40052d f (/x)\n";
    let profile = decode(text.as_bytes()).expect("good").profile;
    let of = |stack: &str| format!("{stack} [1] thread=java thread_id=12");
    assert_eq!(samples(&profile), [of("f"), of("f;g")]);
}
