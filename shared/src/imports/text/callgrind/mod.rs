//! Call graphs of callgrind, of cachegrind, of Xdebug's profiler and of what else writes their
//! format.
//!
//! Source: "Callgrind Format Specification" in the manual of Valgrind.
//!
//! - Each event is a sample type. A unit behind its name is read as Xdebug writes it:
//!   `Time_(10ns)`.
//! - A function is its name, its file and its object. Costs of its lines are added up.
//! - A graph has no stacks. [`call_graph`](crate::imports::call_graph) says how they are made.

mod graph;
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
    call_graph::stacks(graph::read(bytes)?, bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{samples, type_names};

    fn check(text: &str, stacks: &[&str], warnings: &[&str]) {
        let decoded = decode(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(samples(&decoded.profile), stacks);
        let graph = "a call graph has no stacks: the cost of a function with several callers is split between them by the cost of their calls";
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
    fn damaged_lines_are_named() {
        for (text, expect) in [
            (
                "fn=a\n1 2\n",
                "line 1: a function before the line `events:`",
            ),
            ("events: Ir\n1 2\n", "line 2: costs before the first `fn=`"),
            (
                "events: Ir\nfn=(3)\n",
                "line 2: the name (3) is not defined",
            ),
            (
                "events: Ir\nfn=a\n1 x\n",
                "line 3: a cost that isn't a whole number: \"x\"",
            ),
            (
                "events: Ir\nfn=a\n2026-11-27 1\n",
                "line 3: a position that isn't a whole number: \"2026-11-27\"",
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
