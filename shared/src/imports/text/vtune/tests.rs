//! Tables of VTune, of its command line and its window.

use super::*;
use crate::imports::testing::drawn;

fn check(text: &str, samples: &str) -> Vec<String> {
    assert!(sniff(Start::of(text.as_bytes())));
    let decoded = decode(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}"));
    assert_eq!(drawn(&decoded.profile), samples);
    decoded.warnings
}

#[test]
fn a_tree_of_own_values() {
    let text = "Function Stack,CPU Time:Self,Module\nTotal,0.0,[Unknown]\n main,0.5,a.exe\n  \
        \"std::f<a, b>::operator \"\"_x\",0.016612,a.exe\n   g,0.0,\"b, c.so\"\n main2,1,a.exe\n";
    let samples = "cpu/nanoseconds\nmain 500000000\n\
        main;std::f<a, b>::operator \"_x 16612000\nmain2 1000000000\n";
    assert_eq!(check(text, samples), [""; 0]);
    // As the window copies it.
    let text = "Function Stack\tCPU Time: Total\tCPU Time: Self\tWait Time: Self\tModule\tSource File\n\
        main\t98.6%\t0s\t0s\tt\t[Unknown]\n  f\t96.8%\t12.5ms\t1s\tt\tf.cpp\n    g\t1%\t1.5s\t0s\tt\tg.h\n";
    let samples = "cpu/nanoseconds\nwait/nanoseconds\nmain;f f.cpp 12500000 1000000000\n\
        main;f f.cpp;g g.h 1500000000 0\n";
    assert_eq!(check(text, samples), [""; 0]);
}

#[test]
fn a_tree_of_values_with_those_below() {
    let text = "Function Stack;CPU Time:Total\nTotal;3.5\n main;3.5\n  f;2\n  g;0.5\n";
    let samples = "cpu/nanoseconds\nmain;f 2000000000\nmain;g 500000000\nmain 1000000000\n";
    assert_eq!(check(text, samples), [""; 0]);
    let text = "Function / Call Stack\tCPU Time\tModule\nf\t0.5s\tt\n  ↖ a ← main\t0.3s\tt\n  ↖ b\t0.2s\tt\n\
        g\t0.1s\tt\n";
    let samples = "cpu/nanoseconds\nmain;a;f 300000000\nb;f 200000000\ng 100000000\n";
    assert_eq!(check(text, samples), [""; 0]);
}

/// Which time is meant is seen in the values.
#[test]
fn a_tree_of_times_without_a_kind() {
    let own = "Function Stack,CPU Time,Module\nTotal,0,\n main,0.5,a\n  f,2,a\n";
    let samples = "cpu/nanoseconds\nmain 500000000\nmain;f 2000000000\n";
    assert_eq!(check(own, samples), [""; 0]);
    let total = "Function Stack\tCPU Time\tWait Time\nTotal\t3.5s\t1s\n  main\t3.5s\t1s\n    f\t2s\t0s\n    g\t500ms\t1s\n";
    let samples = "cpu/nanoseconds\nmain;f 2000000000\nmain;g 500000000\nmain 1000000000\n";
    let note = "CPU Time is read as including callees, because no function has less than any of its callees; export CPU Time:Self to be sure";
    assert_eq!(check(total, samples), [note]);
    let flat = "Function Stack,CPU Time\nf,2\ng,1\n";
    let samples = "cpu/nanoseconds\nf 2000000000\ng 1000000000\n";
    assert_eq!(check(flat, samples), [""; 0]);
    let both = "Function Stack,CPU Time,CPU Time:Total\nmain,1,3\n f,1,2\n  g,1,1\n";
    let samples = "cpu/nanoseconds\nmain 1000000000\nmain;f 1000000000\nmain;f;g 1000000000\n";
    assert_eq!(check(both, samples), [""; 0]);
}

#[test]
fn functions_and_their_stacks() {
    let text = "Process,Thread,Function,CPU Time,CPU Time:Effective Time,Clockticks,Source File\n\
        a.out,main (7),f,1.5,1.2,900,f.c\na.out,,g,0.25,,,[Unknown]\n";
    let samples = "cpu/nanoseconds\ncycles/count\nf f.c process=a.out thread=main (7) 1500000000 900\n\
        g process=a.out 250000000 0\n";
    assert_eq!(check(text, samples), [""; 0]);
    let text = "Function,Function Stack,CPU Time,Module\nf,,3,t\n,a,1,t\n,main,0,t\n,,,\n,b,1.5,t\n,,,\ng,,1,t\n\
        ,f,1,t\n";
    let samples =
        "cpu/nanoseconds\nmain;a;f 1000000000\nb;f 1500000000\nf 500000000\nf;g 1000000000\n";
    assert_eq!(check(text, samples), [""; 0]);
    let (text, is_tabbed) = (text.replace(',', "\t"), text.contains("\n,,,\n"));
    assert!(is_tabbed && check(&text, samples).is_empty());
}

#[test]
fn what_is_wrong() {
    let text = "Top Hotspots\n    Function\tModule\tCPU Time\n    f\tt\t1s\n\n\
        Function Stack\tCPU Time:Self\nmain\t1s\nFunction Stack\tCPU Time:Self\nmain\t1s\n";
    let notes = check(text, "cpu/nanoseconds\nmain 1000000000\n");
    assert_eq!(notes.len(), 4, "{notes:?}");
    assert_eq!(notes[3], "line 7 begins another table, which is left out");
    for (text, expect) in [
        (
            "Function Stack,CPU Time:Total\nmain,98.6%\n",
            ", line 2: CPU Time:Total is in percent; export it with -show-as=values",
        ),
        (
            "Function,CPU Time:Total\nmain,3\nf,2\n",
            ", line 1: CPU Time:Total includes callees, which these rows don't show; export CPU Time:Self, or the top-down report",
        ),
        (
            "Module,Function,CPU Time\nt,f,x\n",
            ", line 2: not a number: \"x\"",
        ),
        (
            "Module,CPU Time,Function\nt,5\n",
            ", line 2: fewer columns than column names: \"t,5\"",
        ),
        (
            "Function;CPU Time\nf;0,016612\n",
            ", line 2: expected a decimal point, got a decimal comma: \"0,016612\"",
        ),
        ("Function,CPU Time\n", ": there are no samples"),
        ("a,b\n", ": no header line with column names"),
    ] {
        let error = decode(text.as_bytes()).expect_err(text).to_string();
        assert_eq!(error, format!("VTune report{expect}"));
    }
}
