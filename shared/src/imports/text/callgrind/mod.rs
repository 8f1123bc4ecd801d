//! Call graphs of callgrind, of cachegrind, of Xdebug's profiler and of what else writes their
//! format.
//!
//! Source: "Callgrind Format Specification" in the manual of Valgrind.
//!
//! - Each event is a sample type. A unit behind its name is read as Xdebug writes it:
//!   `Time_(10ns)`.
//! - A function is its name, its file and its object. Costs of its lines are added up.
//! - The first event that has costs is shown first.
//! - If the costs of a file from valgrind don't add up to the totals that it states, a note says so.
//! - A graph has no stacks. [`call_graph`](crate::imports::call_graph) says how they are made.

mod graph;
mod stated;
mod unit;

use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::call_graph;
use crate::imports::error::FormatError;

/// What it is called in messages.
pub(crate) const NAME: &str = graph::NAME;

/// Whether a text says so, or names events and functions.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let has = |word: &[u8]| start.lines().any(|line| line.starts_with(word));
    start.text.starts_with(b"# callgrind format") || (has(b"events:") && has(b"fn="))
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let decoded = call_graph::stacks(graph::read(bytes)?, bytes.len())?;
    Ok(decoded.with_first_type())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{samples, type_names};

    fn check(text: &str, stacks: &[&str], warnings: &[&str]) {
        let decoded = decode(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(samples(&decoded.profile), stacks);
        let graph = "a call graph has no stacks: the cost of a function with several callers is split among the callers by the cost of their calls";
        assert_eq!(decoded.warnings[0], graph);
        assert_eq!(decoded.warnings[1..], *warnings);
    }

    #[test]
    fn costs_are_divided_by_what_calls_cost() {
        check(
            "events: Ir\nfl=(1) x.c\nfn=(1) main\n0xffffffff81000010 20\ncfn=(2) f\ncalls=1 50\n16 300\n\
             cfn=(3) g\ncalls=3 20\n* 100\n\nfn=(2)\n+3 200\ncfn=(3)\ncalls=1 20\n-1 100\n\n\
             fn=(3)\n20 150\n21 50\n",
            &[
                "main [20]",
                "main;f [200]",
                "main;g [100]",
                "main;f;g [100]",
            ],
            &[],
        );
    }

    #[test]
    fn events_have_units() {
        let decoded = decode(
            b"version: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes) Ir\n\
              fn=a\n1 2 -3\n2 1 1 7\n",
        )
        .expect("good");
        assert_eq!(
            type_names(&decoded.profile),
            ["Time/nanoseconds", "Memory/bytes", "Ir/count"]
        );
        assert_eq!(samples(&decoded.profile), ["a [30, -2, 7]"]);
    }

    #[test]
    fn calls_that_close_a_cycle_are_left_out() {
        check(
            "events: Ir\nfn=a\n1 1\ncfn=b\ncalls=1 1\n1 9\ncfn=a\ncalls=2 1\n1 5\n\
             fn=b\n1 4\ncfn=a\ncalls=1 1\n1 5\n",
            &["a [1]", "a;b [4]"],
            &["1 calls close a cycle and are left out of the stacks"],
        );
    }

    #[test]
    fn nothing_is_lost_where_there_are_too_many_paths() {
        use std::fmt::Write as _;
        let mut text = "events: Ir\n".to_owned();
        for i in 0..60 {
            write!(text, "fn=f{i}\n1 7\n").expect("a String takes all");
            for callee in [2 * (i / 2) + 2, 2 * (i / 2) + 3] {
                write!(text, "cfn=f{callee}\ncalls=1 1\n1 100\n").expect("a String takes all");
            }
        }
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(decoded.profile.total(0), 60 * 7);
        assert!(decoded.profile.stacks().len() < 10_000);
        assert!(decoded.warnings[1].ends_with("are added up in `(other calls)`"));
    }

    #[test]
    fn positions_and_jumps_have_no_costs() {
        check(
            "positions: instr line\nevents: Ir Bc\nob=/bin/x\nfl=a.c\nfn=a\n0x1 1 5 2\n\
             jump=3 0x5 2\n0x2 1\njcnd=1/2 0x6 2\n+1 *\nfi=b.h\n0x8 3 0x10\nfe=a.c\n\
             cob=/lib/y\ncfi=c.c\ncfn=b\ncalls=1 0x9 1\n+1 +1 4\nfl=c.c\nob=/lib/y\nfn=b\n\
             0x9 1 4\ntotals: 25 2\n",
            &["a [21, 2]", "a;b [4, 0]"],
            &[],
        );
    }

    #[test]
    fn jumps_give_names_numbers() {
        check(
            "events: Ir\nfl=(1) a.c\nfn=(1) f\n1 5\njfi=(2) b.h\njfn=(3) g\njump=3 7\n2\n\
             fi=(2)\n3 1\nfn=(3)\n4 2\n",
            &["f [6]", "g [2]"],
            &[],
        );
    }

    #[test]
    fn the_first_event_with_costs_is_shown_first() {
        for (costs, expect) in [
            ("1 0 3 0", "b"),
            ("1 2 0 0", "a"),
            ("1 0 0 0", "c"),
            ("1 0 0 4", "c"),
        ] {
            let text = format!("events: a b c\nfn=f\n{costs}\n");
            let profile = decode(text.as_bytes()).map(|decoded| decoded.profile);
            // Without costs there is no sample.
            let Ok(profile) = profile else { continue };
            let kind = profile.sample_types()[profile.default_type()];
            assert_eq!(profile.type_text(kind).0, expect, "{text}");
        }
    }

    /// As valgrind writes them, in two parts; cut off anywhere behind the first costs.
    #[test]
    fn files_that_are_cut_off_are_noted() {
        let part = |ir: &str| {
            format!(
                "part: 1\n\nevents: Ir Dr\nsummary: 32 1\n\nfn=(1) main\n16 20 1\n{ir}\n\ntotals: 31 1\n\n"
            )
        };
        let head = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n";
        let whole = [head, &part("17 11"), &part("18 11")].concat();
        check(&whole, &["main [62, 2]"], &[]);
        let second = whole.rfind("part: 1").expect("two parts");
        for end in second + 40..whole.rfind("totals").expect("totals") {
            let decoded = decode(&whole.as_bytes()[..end]).expect("good");
            assert!(
                decoded.warnings[0].ends_with(": it is cut off or damaged"),
                "{end}"
            );
        }
        let cut = &whole[..whole.rfind("18 11").expect("costs")];
        assert_eq!(
            decode(cut.as_bytes()).expect("good").warnings[0],
            "the costs add up to 51 Ir, but the file says 63: it is cut off or damaged"
        );
        let cachegrind = "desc: I1 cache: 32768 B\ncmd: ./m\nevents: Ir Dr\nfn=main\n1 2 3\n";
        let decoded = decode(cachegrind.as_bytes()).expect("good");
        assert_eq!(
            decoded.warnings[0],
            "the file has no summary: it is cut off, and some of its costs are missing"
        );
        check(
            &format!("{cachegrind}summary: 2 3\n"),
            &["main [2, 3]"],
            &[],
        );
        // The summary of Xdebug is another sum.
        let xdebug = "creator: xdebug 3.2.0\nevents: Time_(10ns)\nfn=main\n1 2\nsummary: 9\n";
        check(xdebug, &["main [20]"], &[]);
    }

    #[test]
    fn lines_of_words_are_foreign() {
        for line in [
            "1 x",
            "2026-11-28 12:00:00 INFO hello",
            "12:00 5",
            "+ x",
            "- 3 done",
        ] {
            let text = format!("events: Ir\nfn=a\n1 2\n{line}\n2 3\n");
            let note = format!("line 4 is not in callgrind format and was skipped: {line:?}");
            let decoded = decode(text.as_bytes()).expect("good");
            assert_eq!(samples(&decoded.profile), ["a [5]"], "{line}");
            assert_eq!(decoded.warnings[0], note);
        }
    }

    #[test]
    fn damaged_lines_are_named() {
        for (text, expect) in [
            (
                "fn=a\n1 2\n",
                "line 1: a function comes before the `events:` line",
            ),
            ("events: Ir\n1 2\n", "line 2: costs before the first `fn=`"),
            (
                "events: Ir\nfn=(3)\n",
                "line 2: the name (3) is not defined",
            ),
            (
                "events: Ir\nfn=a\n1 9223372036854775808\n",
                "line 3: the cost \"9223372036854775808\" exceeds 64 bits",
            ),
            (
                "events: Ir\nfn=a\ncalls=1 2\n",
                "line 3: `calls=` before `cfn=`",
            ),
            (
                "events: Ir\nfn=a\ncfn=b\ncalls=x 2\n",
                "line 4: a count that isn't a whole number: \"x\"",
            ),
        ] {
            let error = decode(text.as_bytes()).expect_err(text).to_string();
            assert_eq!(error, format!("callgrind, {expect}"));
        }
        for text in ["", "events: Ir\nfn=a\n"] {
            let error = decode(text.as_bytes()).expect_err(text).to_string();
            assert_eq!(error, "callgrind: there are no samples");
        }
    }
}
