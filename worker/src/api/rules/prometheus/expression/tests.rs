//! What is read as an expression, what is refused, and which series are selected.

use super::*;

fn expression(text: &str) -> Expression {
    match Query::parse(text).map_err(|problem| problem.message) {
        Ok(Query::Series(expression)) => *expression,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn what_is_understood() {
    assert_eq!(Query::parse(" 1 + 1e0+.5").unwrap(), Query::Number(2.5));
    let plain = expression("m");
    assert_eq!(
        (plain.over, &plain.by, plain.factor),
        (Over::Latest, &None, 1.0)
    );
    assert_eq!(
        expression("avg_over_time(m[1d])").over,
        Over::Average(86_400_000)
    );
    let over = expression("sum_over_time(m{a=\"}\"}[1h30m])");
    assert_eq!(over.over, Over::Sum(5_400_000));
    for text in [
        "sum by (a, b) (sum_over_time(m[5m])) / 300 * 1e-9",
        "sum(sum_over_time(m[5m])/300e9) by (a,b)",
        "sum by(a,b)((sum by (a, b, c) (sum_over_time(m[5m]) / 3e2))) / 1e9",
    ] {
        let found = expression(text);
        assert_eq!(
            found.by,
            Some(vec!["a".to_owned(), "b".to_owned()]),
            "{text}"
        );
        assert!((found.factor * 300e9 - 1.0).abs() < 1e-9, "{text}");
        assert_eq!(found.over, Over::Sum(300_000));
    }
    assert_eq!(expression("sum(sum by (a) (m))").by, Some(Vec::new()));
    // A metric may be called like a function.
    assert!(expression("sum").selector.is_of("sum"));
    assert!(
        expression("sum_over_time{a=\"b\"}")
            .selector
            .is_of("sum_over_time")
    );
}

#[test]
fn what_is_refused() {
    for (text, says) in [
        ("", "column 1: expected a metric"),
        ("rate(m[5m])", "column 5: expected the end"),
        ("m[5m]", "column 2: expected the end"),
        ("sum_over_time(m)", "column 16: expected \"[\""),
        ("sum_over_time(m[x])", "a duration, such as 5m"),
        ("sum_over_time(m[0s])", "a duration, such as 5m"),
        ("sum by (a b) (m)", "column 11: expected \",\" or \")\""),
        ("m{a=\"b\"", "a closing brace"),
        ("m{a=b}", "selector, column"),
        ("1+m", "column 3: expected a number"),
        ("m / n", "column 5: expected a number"),
    ] {
        let problem = Query::parse(text).unwrap_err();
        assert!(
            problem.message.contains(says),
            "{text}: {}",
            problem.message
        );
    }
    let deep = format!("{}m{}", "(".repeat(1_000), ")".repeat(1_000));
    assert!(Query::parse(&deep).is_err());
}

#[test]
fn series_are_matched_by_name_and_labels() {
    let labels = [("region".to_owned(), "eu".to_owned())];
    let labels: BTreeMap<_, _> = labels.into();
    let colon = MetricSelector::parse("{__name__=\"a:b\"}").unwrap();
    assert!(colon.is_of("a:b") && colon.matches("a:b", &labels));
    for (text, expect) in [
        ("m", true),
        ("n", false),
        ("m{region=~\"e.\"}", true),
        ("m{region!=\"eu\"}", false),
        ("{__name__=\"m\"}", true),
        ("{__name__=~\"n|o\"}", false),
        ("{region=\"eu\"}", true),
        ("m{zone=\"\"}", true),
        ("{__name__=\"a:b\"}", false),
    ] {
        let selector = MetricSelector::parse(text).unwrap();
        assert_eq!(selector.matches("m", &labels), expect, "{text}");
    }
}
