//! What selectors are read, and what they select.

use super::parse::MAX_SELECTOR;
use super::*;

const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

fn selects_of(profile_type: &str, selector: &str, name: &str) -> bool {
    let labels = crate::model::labels::parse_name(name).unwrap();
    Selector::parse(selector)
        .unwrap()
        .matches(&profile_type.parse().unwrap(), &labels)
}

fn selects(selector: &str, name: &str) -> bool {
    selects_of(CPU, selector, name)
}

#[test]
fn matchers() {
    assert!(selects("", "app"));
    assert!(selects("{}", "app"));
    assert!(selects(r#"{service_name="app"}"#, "app"));
    assert!(!selects(r#"{service_name="ap"}"#, "app"));
    assert!(selects(r#"{service_name=~"a.."}"#, "app"));
    assert!(
        !selects(r#"{service_name=~"a."}"#, "app"),
        "regular expressions are anchored"
    );
    assert!(
        !selects(r#"{service_name=~"x|ap"}"#, "app"),
        "an alternative is anchored as a whole"
    );
    assert!(selects(
        r#"{service_name!~"b.*", region != "us",}"#,
        "app{region=eu}"
    ));
    assert!(
        selects(r#"{missing=""}"#, "app"),
        "a label that is not there is empty"
    );
    assert!(selects(
        "{'otel.scope.name'=`go`, otel.scope.name=\"go\"}",
        "app{otel.scope.name=go}"
    ));
    assert!(selects(
        &format!(r#"{CPU}{{region="eu"}}"#),
        "app{region=eu}"
    ));
    assert!(!selects("memory:alloc_space:bytes:space:bytes{}", "app"));
    assert!(selects(
        r#"{__profile_type__=~"process_cpu:.*", __name__="process_cpu"}"#,
        "app"
    ));
    assert!(selects(r#"{v="a\"b"}"#, "app{v=a\"b}"));
}

#[test]
fn the_parts_of_the_type_are_labels() {
    let check = |selector: &str, profile_type: &str, expect: bool| {
        assert_eq!(
            selects_of(profile_type, selector, "app"),
            expect,
            "{selector} of {profile_type}"
        );
    };
    let memory = "memory:alloc_space:bytes::";
    let both = |selector: &str, of_cpu: bool, of_memory: bool| {
        check(selector, CPU, of_cpu);
        check(selector, memory, of_memory);
    };
    both(r#"{__type__="cpu"}"#, true, false);
    both(r#"{__type__!="cpu"}"#, false, true);
    both(r#"{__unit__=~"nano.*"}"#, true, false);
    both(r#"{__unit__!~"nano.*"}"#, false, true);
    both(r#"{__period_type__="cpu"}"#, true, false);
    both(r#"{__period_type__=""}"#, false, true);
    both(r#"{__period_unit__!="nanoseconds"}"#, false, true);
    both(r#"{__name__="memory"}"#, false, true);
    both(r#"{__service_name__!="app"}"#, false, false);
    both(
        r#"{__profile_type__="memory:alloc_space:bytes::"}"#,
        false,
        true,
    );
    both(r#"{__name__="memory:alloc_space:bytes::"}"#, false, true);
    both(r#"{__name__!="memory:alloc_space:bytes::"}"#, true, false);
    // Nobody has it, so it is empty.
    both(r#"{__session_id__="1"}"#, false, false);
    both(r#"{__session_id__!="1"}"#, true, true);
    let unknown = |text: &str| {
        Selector::parse(text)
            .unwrap()
            .unknown_label()
            .map(str::to_owned)
    };
    assert_eq!(
        unknown(r#"{a="b", __session_id__!="1"}"#).as_deref(),
        Some("__session_id__")
    );
    assert_eq!(unknown(r#"{_="", __type__="x"}"#), None);
    TYPE_LABELS
        .iter()
        .for_each(|name| assert_eq!(unknown(&format!("{{{name}=''}}")), None));
}

#[test]
fn escapes_are_those_of_promql() {
    let check = |selector: &str, value: &str| {
        let labels = Labels::new(vec![("k".to_owned(), value.to_owned())]).unwrap();
        for (operator, expect) in [("=", true), ("!=", false)] {
            let selector = Selector::parse(&format!("{{k{operator}{selector}}}")).unwrap();
            assert_eq!(
                selector.matches(&CPU.parse().unwrap(), &labels),
                expect,
                "{selector}"
            );
        }
    };
    check(r#""a\x62c""#, "abc");
    check(r#""\a\b\f\n\r\t\v\\\'\"""#, "\x07\x08\x0C\n\r\t\x0B\\'\"");
    check(r#"'\a\b\f\n\r\t\v\\\'\"'"#, "\x07\x08\x0C\n\r\t\x0B\\'\"");
    check(r#""\101\000\x7F""#, "A\0\x7F");
    check(r#""\u00e9\U0001F600é""#, "é😀é");
    check(r#""\xc3\xa9\303\251\xF0\x9f\230\x80""#, "éé😀");
    check(r"`a\x62\n\`", r"a\x62\n\");
}

#[test]
fn regular_expressions_keep_what_is_no_escape_of_promql() {
    let check = |expression: &str, matching: &[&str], others: &[&str]| {
        for (values, expect) in [(matching, true), (others, false)] {
            for &value in values {
                let labels = Labels::new(vec![("k".to_owned(), value.to_owned())]).unwrap();
                let passes = |operator: &str| {
                    let text = format!("{{k{operator}{expression}}}");
                    Selector::parse(&text)
                        .unwrap()
                        .matches(&CPU.parse().unwrap(), &labels)
                };
                assert_eq!(
                    (passes("=~"), passes("!~")),
                    (expect, !expect),
                    "{expression} on {value:?}"
                );
            }
        }
    };
    check(r#""a\.b\d+""#, &["a.b17"], &["axb1", "a.b"]);
    check(r#"'a\.b\d+'"#, &["a.b17"], &["axb1", "a.b"]);
    check(r#""a\\.b""#, &["a.b"], &["axb"]);
    // PromQL: a backspace.
    check(r#"".*\bgo\b.*""#, &["go", "to go home"], &["ago", "gone"]);
    check(r#""a\x08""#, &["a\x08"], &["a"]);
    // The value is unquoted first, as in PromQL: this dot is any character, the other one a
    // dot.
    check(r#""a\x2eb""#, &["a.b", "axb"], &["ab"]);
    check(r"`a\x2eb`", &["a.b"], &["axb"]);
    check(r#""\u00e9\U000000e9\xc3\xa9\303\251""#, &["éééé"], &["e"]);
    check(r"`\xe9\x{e9}\u00e9`", &["ééé"], &[]);
    check(r#""\x{e9}""#, &["é"], &[]);
    check(r#""\Qa.b\E+""#, &["a.b", "a.bb"], &["axb"]);
    check(r#""\101""#, &["A"], &["101"]);
}

#[test]
fn an_application_is_a_service() {
    assert!(selects("shop", "shop"));
    assert!(selects("shop{}", "shop"));
    assert!(selects(" shop.front-end/v2_1 { } ", "shop.front-end/v2_1"));
    assert!(!selects("shop", "shop.cpu"));
    assert!(!selects("shop", "shopping"));
    assert!(selects(
        r#"shop{region="eu",pod=~"a.*"}"#,
        "shop{region=eu,pod=a1}"
    ));
    assert!(!selects(r#"shop{region="eu"}"#, "shop{region=us}"));
    assert!(
        !selects(r#"shop{service_name="other"}"#, "shop"),
        "both must hold"
    );
    assert!(
        selects("shop", "x{service_name=shop}"),
        "a label wins over the name of the push"
    );
}

#[test]
fn an_application_may_end_in_what_is_measured() {
    let check = |selector: &str, profile_type: &str, name: &str, expect: bool| {
        assert_eq!(
            selects_of(profile_type, selector, name),
            expect,
            "{selector} of {name}, {profile_type}"
        );
    };
    check("shop.cpu{}", CPU, "shop", true);
    check(
        "shop.cpu{}",
        "process_cpu:samples:count:cpu:nanoseconds",
        "shop",
        true,
    );
    check(
        "shop.cpu{}",
        "wall:wall:nanoseconds:cpu:nanoseconds",
        "shop",
        false,
    );
    check(
        "shop.cpu{}",
        "wall:wall:nanoseconds:cpu:nanoseconds",
        "shop.cpu",
        true,
    );
    check("shop.cpu{}", CPU, "shop.cpu", true);
    check("shop.cpu{}", CPU, "cpu", false);
    check("shop.cpu.cpu{}", CPU, "shop.cpu", true);
    check("shop.frontend.cpu", CPU, "shop.frontend", true);
    check("shop.frontend.cpu", CPU, "shop", false);
    check("shop.itimer", CPU, "shop", true);
    check(
        "shop.wall",
        "wall:wall:nanoseconds:cpu:nanoseconds",
        "shop",
        true,
    );
    check(
        "shop.alloc_space",
        "memory:alloc_space:bytes:space:bytes",
        "shop",
        true,
    );
    check(
        "shop.alloc_space",
        "memory:alloc_objects:count:space:bytes",
        "shop",
        false,
    );
    check(
        "shop.inuse_objects",
        "memory:inuse_objects:count::",
        "shop",
        true,
    );
    check(
        "shop.goroutines",
        "goroutines:goroutine:count:goroutine:count",
        "shop",
        true,
    );
    check(
        "shop.goroutines",
        "goroutine:goroutines:count::",
        "shop",
        true,
    );
    check(
        "shop.mutex_duration",
        "mutex:delay:nanoseconds:contentions:count",
        "shop",
        true,
    );
    check(
        "shop.mutex_duration",
        "block:delay:nanoseconds:contentions:count",
        "shop",
        false,
    );
    check("shop.lock_count", "block:contentions:count::", "shop", true);
    check("cpu", CPU, "cpu", true);
    check(".cpu", CPU, "app", false);
    check("shop.pears", CPU, "shop", false);
}

#[test]
fn text_form() {
    let check = |text: &str, expect: &str| {
        let selector = Selector::parse(text).unwrap();
        assert_eq!(selector.to_string(), expect);
        assert_eq!(Selector::parse(expect).unwrap(), selector);
    };
    check("", "{}");
    check(" shop.cpu ", "shop.cpu{}");
    check(&format!("{CPU} {{ }}"), &format!("{CPU}{{}}"));
    check(
        "{a='x',b!=\"y\" , c =~ `\\d` ,d!~'',}",
        r#"{a="x", b!="y", c=~"\\d", d!~""}"#,
    );
    check("{\"a b\"='\"'}", r#"{"a b"="\""}"#);
    check(r#"{a=~"it's\n\t\\ \.é"}"#, r#"{a=~"it's\n\t\\ \\.é"}"#);
    check(r#"{"\x61\142"="\a\\\u00e9"}"#, "{ab=\"\x07\\\\é\"}");
    check(
        &format!("{{__name__='{CPU}',__name__!=`a:b`}}"),
        &format!("{{__profile_type__=\"{CPU}\", __profile_type__!=\"a:b\"}}"),
    );
    check(
        "{__name__='a',__name__=~'(?:a)'}",
        r#"{__name__="a", __name__=~"(?:a)"}"#,
    );
    let longest = Selector::parse(&format!("{{a=`{}`}}", "\\".repeat(MAX_SELECTOR - 6))).unwrap();
    assert_eq!(Selector::parse_printed(&longest.to_string()), Ok(longest));
    assert_ne!(Selector::parse("{a=\"x\"}"), Selector::parse("{a=~\"x\"}"));
}

/// Matchers of several selectors hold together, and one type stands apart.
#[test]
fn selectors_of_one_type() {
    let joined = |texts: &[&str]| {
        let parsed = texts.iter().map(|text| Selector::parse(text).unwrap());
        Selector::of_one_type(parsed.collect())
            .map(|(selector, profile_type)| (selector.to_string(), profile_type.to_string()))
            .map_err(|error| error.to_string())
    };
    let of_type = format!("{{__profile_type__=\"{CPU}\", region!=\"us\"}}");
    let expect = (
        r#"{region!="us", service_name="a"}"#.to_owned(),
        CPU.to_owned(),
    );
    let found = joined(&[&of_type, r#"{service_name="a"}"#]);
    assert_eq!(found, Ok(expect.clone()));
    let before = format!("{CPU}{{region!=\"us\"}}");
    assert_eq!(joined(&[&before, r#"{service_name="a"}"#]), Ok(expect));
    assert_eq!(
        joined(&[&of_type, &before]),
        Ok((r#"{region!="us", region!="us"}"#.to_owned(), CPU.to_owned()))
    );
    let count = |n| {
        Err(format!(
            "exactly one profile type must be given as __profile_type__=\"…\"; found {n}"
        ))
    };
    assert_eq!(joined(&[]), count(0));
    assert_eq!(joined(&[r#"{service_name="a"}"#]), count(0));
    assert_eq!(joined(&["a:b:c:d:e{}", &of_type]), count(2));
    assert_eq!(
        joined(&[&of_type, "shop{}"]),
        Err(r#""shop" must be a matcher in braces, like {service_name="shop"}"#.to_owned())
    );
    assert!(joined(&[r#"{__profile_type__="cpu"}"#]).is_err());
}
