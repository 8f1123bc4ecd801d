//! What rules measure, what is refused, and the labels of metrics.

use super::*;

fn rule(change: impl Fn(&mut Rule)) -> Rule {
    let mut rule = Rule {
        id: "abc".to_owned(),
        metric_name: "profiles_recorded_cpu".to_owned(),
        query: r#"process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="a"}"#.to_owned(),
        ..Rule::default()
    };
    change(&mut rule);
    rule
}

fn refused(change: impl Fn(&mut Rule)) -> String {
    let rule = rule(change);
    let measured = rule.measure().and_then(|_| rule.check_name());
    measured.unwrap_err().message
}

#[test]
fn what_it_measures() {
    let total = rule(|_| {}).measure().unwrap();
    assert!(total.stacks.is_all());
    assert_eq!(
        (&*total.name, &*total.unit),
        ("profiles_recorded_cpu", "nanoseconds")
    );
    assert_eq!(total.selector.to_string(), r#"{service_name="a"}"#);
    let seconds = |rule: &mut Rule| rule.unit_suffix = true;
    let in_seconds = rule(seconds).measure().unwrap();
    assert_eq!(in_seconds.name, "profiles_recorded_cpu_seconds");
    let second = Point {
        sum: 2_000_000_000,
        profiles: 4,
    };
    assert_eq!(
        (in_seconds.value(second), &*in_seconds.unit),
        (2.0, "seconds")
    );
    let in_use = rule(|rule| rule.query = "memory:inuse_space:kb:space:bytes{}".to_owned());
    let in_bytes = Rule {
        unit_suffix: true,
        ..in_use
    }
    .measure()
    .unwrap();
    assert_eq!(in_bytes.value(second), 512e9);
    assert!(in_bytes.help().starts_with("Average") && in_bytes.name.ends_with("_bytes"));
    let named = rule(|rule| {
        seconds(rule);
        rule.metric_name.push_str("_seconds");
    });
    assert_eq!(
        named.measure().unwrap().name,
        "profiles_recorded_cpu_seconds"
    );
    let own = rule(|rule| {
        rule.function_regex = "^a".to_owned();
        rule.is_self = true;
    });
    let stacks = own.measure().unwrap().stacks;
    assert!(stacks.leaf.patterns[0].matches("ab") && stacks.frames.is_all());
}

#[test]
fn what_is_refused() {
    for (change, says) in [
        (
            (|rule| rule.metric_name = "cpu".to_owned()) as fn(&mut Rule),
            "must begin with",
        ),
        (|rule| rule.metric_name.push('-'), "only letters, digits"),
        (
            |rule| rule.query = "{}".to_owned(),
            "must start with a profile type",
        ),
        (
            |rule| {
                rule.query = "a:b:count::{}".to_owned();
                rule.unit_suffix = true;
            },
            "(got \"count\")",
        ),
        (|rule| rule.is_self = true, "self needs function"),
        (
            |rule| rule.function_regex = "(".to_owned(),
            "function_regex: ",
        ),
        (|rule| rule.function = "x".repeat(20_000), "the rule has 20"),
        (
            |rule| {
                rule.function = "a".to_owned();
                rule.call_site = vec!["b".to_owned()];
            },
            "can't be combined",
        ),
        (
            |rule| rule.group_by = vec!["a".to_owned(), "a".to_owned()],
            "\"a\" is empty, reserved",
        ),
        (
            |rule| rule.group_by = vec!["a.b".to_owned(), "a_b".to_owned()],
            "\"a_b\"",
        ),
        (
            |rule| rule.group_by = vec![RULE_ID.to_owned()],
            "is empty, reserved",
        ),
        (
            |rule| rule.group_by = vec!["..name..".to_owned()],
            "is empty, reserved",
        ),
        (
            |rule| rule.external_labels = [("__a".to_owned(), String::new())].into(),
            "external_labels: \"__a\"",
        ),
        (
            |rule| rule.external_labels = [(RULE_ID.to_owned(), String::new())].into(),
            "external_labels",
        ),
    ] {
        let message = refused(change);
        assert!(message.contains(says), "{message}");
    }
    let counts = rule(|rule| rule.query = "a:b:count::{}".to_owned());
    assert!(counts.measure().is_ok(), "without unit_suffix");
}

#[test]
fn labels_of_a_metric() {
    let labels = Labels::new(
        [("k8s.pod", "p"), ("region", "eu"), ("zone", "")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
    );
    let grouped = rule(|rule| {
        rule.group_by = ["k8s.pod", "zone", "none"].map(str::to_owned).into();
        rule.external_labels = [("team", "x"), ("empty", "")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
    });
    let found = grouped.metric_labels(&labels.unwrap());
    let found: Vec<_> = found
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    assert_eq!(found, [("k8s_pod", "p"), (RULE_ID, "abc"), ("team", "x")]);
}
