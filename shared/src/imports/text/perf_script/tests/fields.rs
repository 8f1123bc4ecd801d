//! Any choice of fields (`perf script -F`).

use super::*;

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
