//! Reports of perf with trees, lists and none.

use super::*;
use crate::imports::testing::drawn;

const HEAD: &str = "# To display the perf.data header info, please use --header/--header-only options.\n#\n\
    #\n# Total Lost Samples: 0\n#\n# Samples: 644  of event 'cpu-clock'\n# Event count (approx.): 161000000\n#\n";
const OVERHEAD: &str = "# Overhead  Command  Shared Object  Symbol    \n# ........  .......  .............  ..........\n#\n";
const CHILDREN: &str = "# Children      Self  Command  Shared Object  Symbol  \n# ........  ........  .......  .............  ......\n#\n";
const TAIL: &str = "\n\n#\n# (Tip: Show individual samples with: perf script)\n#\n";
const NOTE: &str =
    "cpu-clock: values are shares of 161000000, rounded by perf to 0.01%; together they make up ";

/// Samples and notes of a report with this table.
fn open(head: &str, table: &str) -> (String, Vec<String>) {
    let text = format!("{HEAD}{head}{table}{TAIL}");
    assert!(sniff(Start::of(text.as_bytes())));
    let decoded = decode(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}"));
    (drawn(&decoded.profile), decoded.warnings)
}

fn check(head: &str, table: &str, percent: &str, samples: &str) {
    let (drawn, notes) = open(head, table);
    assert_eq!(drawn, format!("cpu-clock/nanoseconds\n{samples}"));
    assert_eq!(notes, [format!("{NOTE}{percent}%")]);
}

#[test]
fn a_tree_of_callers() {
    check(
        OVERHEAD,
        "    98.45%  w        w              [.] leaf\n            |\n            ---leaf\n\
         \x20              |          \n               |--65.84%--main\n               |          start\n\
         \x20              |          \n               |--21.27%--b\n               |          |          \n\
         \x20              |           --20.01%--b\n               |                     main\n\
         \x20              |                     start\n               |          \n\
         \x20               --11.34%--start\n\n     0.62%  w        [kernel]       [k] switch\n\
         \x20           |\n            ---switch\n               schedule\n               leaf\n\n\
         \x20    0.16%  w        [kernel]       [k] 0xffffffff81000000\n",
        "99.23",
        "start;main;leaf thread=w 106002400\n\
         b;leaf thread=w 2028600\nstart;main;b;b;leaf thread=w 32216100\n\
         start;leaf thread=w 18257400\nleaf;schedule;switch thread=w 998200\n\
         0xffffffff81000000 [[kernel]] thread=w 257600\n",
    );
}

#[test]
fn a_tree_from_the_roots() {
    check(
        OVERHEAD,
        "    98.45%  w        w              [.] leaf\n            |\n            ---start\n\
         \x20              |          \n               |--87.11%--main\n               |          |          \n\
         \x20              |          |--65.84%--leaf\n               |          |          \n\
         \x20              |           --21.27%--b\n               |                     b\n\
         \x20              |                     leaf\n               |          \n\
         \x20               --11.34%--leaf\n\n     0.62%  w        [kernel]       [k] switch\n\
         \x20           |\n            ---start\n               main\n\n",
        "99.07",
        "start;main;leaf thread=w 106002400\nstart;main;b;b;leaf thread=w 34244700\n\
         start;leaf thread=w 18257400\nstart;main;switch thread=w 998200\n",
    );
}

#[test]
fn what_a_function_calls_is_not_its_own() {
    check(
        CHILDREN,
        "    99.38%     0.00%  w        libc.so.6      [.] start\n            |\n            ---start\n\
         \x20              |          \n               |--88.04%--main\n               |          leaf\n\
         \x20              |          \n                --11.34%--leaf\n\n\
         \x20   99.38%    98.45%  w        w              [.] leaf\n            |          \n\
         \x20           |--98.45%--start\n            |          |          \n\
         \x20           |          |--87.11%--main\n            |          |          leaf\n\
         \x20           |          |          \n            |           --11.34%--leaf\n\
         \x20           |          \n             --0.93%--leaf\n                       irq\n\n\
         \x20   88.04%     2.00%  w        w              [.] main\n            |          \n\
         \x20           |--86.04%--main\n            |          leaf\n            |          \n\
         \x20            --2.00%--start\n                       main\n\n",
        "100.45",
        "start;main;leaf thread=w 140247100\nstart;leaf thread=w 18257400\n\
         start;main thread=w 3220000\n",
    );
}

#[test]
fn what_a_function_has_itself_is_divided_between_its_callers() {
    let (drawn, notes) = open(
        CHILDREN,
        "   100.00%    10.00%  w        w              [.] f\n            |\n            ---f\n\
         \x20              |          \n               |--75.00%--a\n               |          \n\
         \x20               --25.00%--b\n\n\
         \x20   90.00%    90.00%  w        w              [.] g\n            |\n            ---g\n\
         \x20              f\n\n",
    );
    assert_eq!(
        drawn,
        "cpu-clock/nanoseconds\na;f thread=w 12075000\nb;f thread=w 4025000\nf;g thread=w 144900000\n"
    );
    assert!(notes[0].ends_with("use perf report --no-children for exact values"));
    assert_eq!(notes[1..], [format!("{NOTE}100.00%")]);
}

/// Names have their source lines behind them (`-g address`), or no column names functions.
#[test]
fn trees_that_do_not_have_the_name_of_the_row() {
    let callers = "            |\n            ---leaf a.c:3\n               |          \n\
        \x20              |--60.00%--f a.c:5\n               |          main a.c:9\n\
        \x20              |          \n                --40.00%--main a.c:8\n\n";
    let row = "   100.00%  w        w              [.] leaf\n";
    check(
        OVERHEAD,
        &format!("{row}{callers}"),
        "100.00",
        "main a.c:9;f a.c:5;leaf a.c:3 thread=w 96600000\n\
         main a.c:8;leaf a.c:3 thread=w 64400000\n",
    );
    let roots = "            |\n            ---main a.c:9\n               f a.c:5\n               leaf a.c:3\n\n";
    check(
        OVERHEAD,
        &format!("{row}{roots}"),
        "100.00",
        "main a.c:9;f a.c:5;leaf a.c:3 thread=w 161000000\n",
    );
    for (head, row, tree, samples, expect) in [
        (
            "# Overhead  Command\n# ........  .......\n#\n",
            "   100.00%  w\n",
            callers,
            "main a.c:9;f a.c:5;leaf a.c:3 thread=w 96600000\n\
             main a.c:8;leaf a.c:3 thread=w 64400000\n",
            "callees first (-g callee)",
        ),
        (
            "# Children      Self  Command\n# ........  ........  .......\n#\n",
            "   100.00%   100.00%  w\n",
            roots,
            "main a.c:9;f a.c:5;leaf a.c:3 thread=w 161000000\n",
            "callers first (-g caller)",
        ),
    ] {
        let (drawn, notes) = open(head, &format!("{row}{tree}"));
        assert_eq!(drawn, format!("cpu-clock/nanoseconds\n{samples}"));
        assert_eq!(
            notes[0],
            format!("the order of the trees is unknown; they are read as {expect}, perf's default")
        );
    }
}

/// Each branch of a long trunk has all of its functions.
#[test]
fn stacks_are_not_longer_than_what_a_report_has() {
    let mut table =
        "   100.00%  w        w              [.] leaf\n            |\n            ---leaf\n"
            .to_owned();
    for number in 0..2_200 {
        table += &format!("               f{number}\n");
    }
    table += &"               |--0.01%--x\n".repeat(2_200);
    let error = decode(format!("{HEAD}{OVERHEAD}{table}").as_bytes()).expect_err("is refused");
    assert_eq!(
        error.to_string(),
        "perf report: stacks have on average more than 1024 frames per line of a tree (the maximum)"
    );
}

#[test]
fn shares_of_branches_may_be_those_of_the_branch_above() {
    // Half of a third, and the rest of it by nobody in particular.
    check(
        OVERHEAD,
        "    30.00%  w        w              [.] leaf\n            |\n            --- leaf\n\
         \x20              |          \n               |--90.00%-- a\n               |          |          \n\
         \x20              |          |--50.00%-- b\n               |          |          \n\
         \x20              |           --50.00%-- [...]\n               |          \n\
         \x20               --10.00%-- c\n\n",
        "30.00",
        "a;leaf thread=w 21735000\nb;a;leaf thread=w 21735000\nc;leaf thread=w 4830000\n",
    );
}

#[test]
fn flat_and_folded_lists() {
    let samples = "b;a;leaf thread=w 80500000\nc;leaf thread=w 40250000\nleaf thread=w 16100000\n\
         idle thread=w 24150000\n";
    let entry = "    85.00%  w        w              [.] leaf\n";
    let idle = "    15.00%  w        w              [.] idle\n";
    check(
        OVERHEAD,
        &format!(
            "{entry}           50.00%\n                leaf\n                a\n                b\n\n\
             \x20          25.00%\n                leaf\n                c\n\n{idle}"
        ),
        "100.00",
        samples,
    );
    check(
        OVERHEAD,
        &format!("{entry}50.00% leaf;a;b\n25.00% leaf;c\n{idle}"),
        "100.00",
        samples,
    );
    // Counts say only how the function's share is divided.
    check(
        OVERHEAD,
        &format!("{entry}20 leaf;a;b\n14 leaf;c\n{idle}"),
        "100.00",
        "b;a;leaf thread=w 80500000\nc;leaf thread=w 56350000\nidle thread=w 24150000\n",
    );
}

#[test]
fn values_of_other_columns() {
    let head = "#   Overhead       Period  Symbol\n# ..........  ...........  ......\n#\n";
    for period in ["    158500001", "9007199254740993"] {
        let head = head
            .replace(" Period", "      Period")
            .replace("  ...........", "  ................");
        let (samples, notes) = open(&head, &format!("      98.45%  {period:>16}  [.] a b\n"));
        let period = period.trim_start();
        assert_eq!(samples, format!("cpu-clock/nanoseconds\na b {period}\n"));
        assert_eq!(notes.len(), 0);
    }
    let head = HEAD.replace("# Event count (approx.): 161000000\n", "");
    let text = format!("{head}{OVERHEAD}    98.45%  w        w              [.] leaf\n");
    let decoded = decode(text.as_bytes()).expect("good");
    assert_eq!(
        drawn(&decoded.profile),
        "cpu-clock/basis points\nleaf thread=w 9845\n"
    );
    for key in ["Source:Line", "CPU", "  Pid:Command"] {
        let head = format!("# Overhead  {key:<14}\n# ........  ..............\n#\n");
        let (samples, _) = open(&head, "    60.00%  a.c:7\n    40.00%  b\n");
        assert_eq!(
            samples,
            "cpu-clock/nanoseconds\na.c:7 96600000\nb 64400000\n"
        );
    }
    let more = "# Samples: 1K of event 'cycles:u'\n# Event count (approx.): 1000\n#\n# Overhead  Command\n# ........  .......\n#\n";
    let (samples, notes) = open(
        OVERHEAD,
        &format!("    98.45%  w        w              [.] f\n\n{more}     50.00%  sh\n"),
    );
    assert_eq!(
        samples,
        "cpu-clock/nanoseconds\ncycles/count\nf thread=w 158504500 0\nsh thread=sh 0 500\n"
    );
    assert_eq!(notes.len(), 2);
}

#[test]
fn what_is_wrong() {
    for heading in ["# Overhead of f", "# Overheads"] {
        assert!(!sniff(Start::of(heading.as_bytes())));
    }
    let refused = |text: String| decode(text.as_bytes()).expect_err("is refused").to_string();
    assert_eq!(
        refused(format!("{HEAD}{OVERHEAD}    9x.4%  w\n")),
        "perf report, line 12: not a percentage: \"9x.4%\""
    );
    let text = format!("{HEAD}{OVERHEAD}").replace("Command  Shared", "Command / Shared");
    assert_eq!(
        refused(text),
        "perf report, line 10: reports made with --hierarchy are not supported; run perf report without it"
    );
    for group in ["'anon group { cycles, x }'", "'cycles, x'"] {
        let text = format!("{HEAD}{OVERHEAD}").replace("'cpu-clock'", group);
        assert_eq!(
            refused(text),
            "perf report, line 10: event group reports are not supported; run perf report with --no-group"
        );
    }
    for columns in [
        "Command  Source Shared Object  Source Symbol  Target Symbol  Basic Block Cycles",
        "Source:Line  Symbol  Shared Object  IPC   [IPC Coverage]",
        "Branch Mispredicted",
    ] {
        let dots = columns.replace(|c: char| c != ' ', ".");
        let text = format!("{HEAD}# Overhead  {columns}\n# ........  {dots}\n#\n");
        assert_eq!(
            refused(text),
            "perf report, line 10: branch reports are not supported; run perf report with --no-branch-stack and without --branch-history"
        );
    }
    assert_eq!(
        refused(format!(
            "{HEAD}# Overhead,Command,Symbol\n 98.45%,w,[.] f\n"
        )),
        "perf report: the line of dots below the column names is missing; run perf report without --field-separator"
    );
    assert_eq!(
        refused(format!("{HEAD}{OVERHEAD}{TAIL}")),
        "perf report: there are no samples"
    );
}
