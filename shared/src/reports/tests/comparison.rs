//! Comparisons.

use super::*;

fn changes(functions: &[ChangedFunction]) -> Vec<String> {
    let change = |f: &ChangedFunction| format!("{} {}>{}", f.name, f.baseline_self, f.own);
    functions.iter().map(change).collect()
}

#[test]
fn what_grew_and_what_shrank() {
    let (before, after) = ("a 50\nb 50", "a 40\nb 120\nc 40");
    let report = compared(ComparisonScale::Share, before, after);
    assert_eq!(changes(&report.grew), ["c 0>40", "b 50>120"]);
    assert_eq!(changes(&report.shrank), ["a 50>40"]);
    let ChangedFunction {
        self_share_change, ..
    } = report.grew[0];
    assert_eq!(self_share_change, 0.2);
    let report = compared(ComparisonScale::Absolute, before, after);
    assert_eq!(changes(&report.grew), ["b 50>120", "c 0>40"]);
    assert_eq!(changes(&report.shrank), ["a 50>40"]);
    assert_eq!(
        json_of(&report.coverage),
        json!({"functions": 3, "grew": 2, "shrank": 1})
    );
}

#[test]
fn equal_shares_are_no_change() {
    let report = compared(ComparisonScale::Share, "a 1\nb 2", "a 1000000\nb 2000000");
    assert_eq!((report.grew, report.shrank), (vec![], vec![]));
}

#[test]
fn a_side_without_profiles() {
    for scale in [ComparisonScale::Share, ComparisonScale::Absolute] {
        let (source, after) = sourced("a 1");
        let none = answer(Profile::default());
        let empty = Source::new("cpu{}", RANGE, &none);
        let report = Comparison::new(
            ComparisonSide::new(empty.clone(), &none).unwrap(),
            ComparisonSide::new(source, &after).unwrap(),
            FunctionOrder::Total,
            scale,
            3,
        )
        .unwrap();
        assert_eq!(changes(&report.grew), ["a 0>1"]);
        let text = report.markdown(4_000);
        assert!(text.contains("| `a` | 0"), "{text}");
        let report = Comparison::new(
            ComparisonSide::new(empty.clone(), &none).unwrap(),
            ComparisonSide::new(empty, &none).unwrap(),
            FunctionOrder::Total,
            scale,
            3,
        )
        .unwrap();
        assert_eq!(report.coverage.functions, 0);
    }
}

#[test]
fn values_at_the_ends_of_64_bits() {
    let most = format!("a {}\nb {}", i64::MAX, i64::MAX);
    let report = compared(ComparisonScale::Share, &most, &format!("c {}", i64::MAX));
    assert_eq!(changes(&report.grew), [format!("c 0>{}", i64::MAX)]);
    let max = i64::MAX;
    assert_eq!(
        changes(&report.shrank),
        [format!("a {max}>0"), format!("b {max}>0")]
    );
    assert_eq!(report.baseline.total, i64::MAX);
    assert!(report.baseline.saturated);
    assert!(report.markdown(4_000).contains("cut at 2^63"));
}
