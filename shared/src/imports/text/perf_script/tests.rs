//! Texts as perf prints them, and as they come from people.

mod fields;
mod foreign;

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
