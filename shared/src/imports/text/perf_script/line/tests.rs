//! Heads, frames and lines of sources.

use super::*;

#[test]
fn heads_of_samples() {
    let read = |line: &str| {
        let Header {
            comm,
            process,
            thread,
            time,
            period,
            rest,
            ..
        } = header(line)
            .or_else(|| timeless_header(line))
            .unwrap_or_else(|| panic!("{line}"));
        let time = time.map_or(String::new(), |time| time.to_string());
        format!("{comm}|{process:?}|{thread}|{time}|{period:?}|{rest}")
    };
    assert_eq!(
        read("a 1 b 2 [000] 3.25: 4 x:"),
        "a 1 b|None|2|3250000000|Some(4)|"
    );
    assert_eq!(
        read("Gecko\t25 [007] 1.9366012349:\t\t9 task-clock:u:"),
        "Gecko|None|25|1936601234|Some(9)|"
    );
    assert_eq!(
        read("12/34 5.0: raw_syscalls:sys_enter: NR 1 (x)"),
        "|Some(\"12\")|34|5000000000|None| NR 1 (x)"
    );
    for (line, expect) in [
        ("comm 1.5: cycles:", "comm|None||1500000000|None|"),
        ("a b [001] 1.5: 3 x:", "a b|None||1500000000|Some(3)|"),
        ("1.5: cycles:", "|None||1500000000|None|"),
        ("a 7 2 cycles:", "a|None|7||Some(2)|"),
        ("a b 12/34 cpu-clock: ", "a b|Some(\"12\")|34||None| "),
        ("12/34 [000] cpu-clock:", "|Some(\"12\")|34||None|"),
        ("a 7 c: 4a f (/x)", "a|None|7||None| 4a f (/x)"),
        ("a 7 sched:sched_switch: x=1", "a|None|7||None| x=1"),
        ("cycles:u: ", "|None|||None| "),
        (
            "a 7 1.5:  401115 f (/x)",
            "a|None|7|1500000000|None|  401115 f (/x)",
        ),
        (
            "a 7 1.5: 4 401115 f",
            "a|None|7|1500000000|Some(4)| 401115 f",
        ),
    ] {
        assert_eq!(read(line), expect, "{line}");
    }
    for line in [
        "",
        "bash-12 [000] 1.5: sched_switch: x",
        "Processed 7 samples: all good",
        "error type 1 time 4525.7 cpu 0 pid 2 tid 2 ip 0 code 8: Lost trace data",
        "  4a std::f: g (/x)",
        "a 1 1.x: y:",
        "a 1 99999999999999999999.5: y:",
        "bash-12 [000] d..1 1.5: sched_switch: x",
    ] {
        let found = header(line).or_else(|| timeless_header(line));
        assert!(found.is_none(), "{line}");
    }
}

#[test]
fn lines_of_sources() {
    assert_eq!(source_line("  main.c:12"), Some(("main.c", 12)));
    assert_eq!(
        source_line("  a b.c:3 (discriminator 4)"),
        Some(("a b.c", 3))
    );
    assert_eq!(source_line("  [kernel.kallsyms][ffff81]"), Some(("", 0)));
    assert_eq!(source_line("  libc.so.6[8c]"), Some(("", 0)));
    assert_eq!(source_line("  :0"), Some(("", 0)));
    for line in [
        "main.c:12",
        "  :3",
        "  a: 3",
        "  a.c:",
        "  a::3",
        "  [main]",
        "a.so[12]",
        " 4 f (/x)",
    ] {
        assert_eq!(source_line(line), None, "{line}");
    }
}

#[test]
fn frames() {
    for (line, expect) in [
        ("\t  7f f+0x1 (/a)", "127|f|/a"),
        (" 0x7f a b(c) (d) (/e f)", "127|a b(c) (d)|/e f"),
        (" 7f f (/a (deleted))", "127|f|/a (deleted)"),
        (" 7f [unknown] (/a)", "127||/a"),
        (" 7f [unknown] ([unknown])", "127||"),
        (" 7f (/a)", "127||/a"),
        (" 7f f", "127|f|"),
        (" 7f", "127||"),
        (" 7f f+0xzz (/a)", "127|f+0xzz|/a"),
    ] {
        let Frame {
            address,
            name,
            module,
        } = frame(line).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(format!("{address}|{name}|{module}"), expect, "{line}");
    }
    for line in ["", "xyz f (/a)", " 12345678901234567 f (/a)"] {
        assert!(frame(line).is_none(), "{line}");
    }
}
