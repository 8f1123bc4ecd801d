//! Selectors against an evaluation by hand: matchers and series are generated, and what a regular
//! expression matches is followed step by step on its tree, by other code than the engine's.

mod expression;
mod quoted;

use std::collections::BTreeMap;
use std::time::Duration;

use pilotlight_core::{Labels, Pattern, ProfileType, SERVICE_NAME, Selector};
use pilotlight_tests::clock::assert_cpu_time;
use proptest::prelude::*;

use expression::{Expression, expression};
use quoted::{any_text, quoted, ways};

const TYPES: [&str; 5] = [
    "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
    "process_cpu:samples:count:cpu:nanoseconds",
    "memory:alloc_space:bytes:space:bytes",
    "mutex:delay:nanoseconds:contentions:count",
    "wall:wall:nanoseconds:cpu:nanoseconds",
];

/// Last segments of applications, and which of [`TYPES`] each stands for.
const SEGMENTS: [(&str, &[usize]); 6] = [
    ("cpu", &[0, 1]),
    ("alloc_space", &[2]),
    ("mutex_duration", &[3]),
    ("wall", &[4]),
    ("live", &[]),
    ("web", &[]),
];

/// One matcher: a name, an operator, and a value or an expression for it.
#[derive(Clone, Debug)]
struct Matcher {
    name: &'static str,
    negated: bool,
    operand: Result<String, Expression>,
    quote: char,
}

impl Matcher {
    fn text(&self) -> String {
        let (operator, value) = match &self.operand {
            Ok(value) => (if self.negated { "!=" } else { "=" }, value.clone()),
            Err(expression) => (if self.negated { "!~" } else { "=~" }, expression.text()),
        };
        let value = match self.quote {
            '`' if !value.contains('`') => format!("`{value}`"),
            quote => {
                let quote = if quote == '`' { '"' } else { quote };
                let escaped = value
                    .replace('\\', "\\\\")
                    .replace('\n', "\\n")
                    .replace(quote, &format!("\\{quote}"));
                format!("{quote}{escaped}{quote}")
            }
        };
        let name = if self.name.contains(' ') {
            format!("\"{}\"", self.name)
        } else {
            self.name.to_owned()
        };
        format!("{name}{operator}{value}")
    }

    fn passes(&self, profile_type: &str, labels: &BTreeMap<String, String>) -> bool {
        let part = |at: usize| profile_type.split(':').nth(at).unwrap_or("");
        let value = match self.name {
            "__profile_type__" => profile_type,
            "__name__" => part(0),
            "__type__" => part(1),
            "__unit__" => part(2),
            "__period_type__" => part(3),
            "__period_unit__" => part(4),
            "__service_name__" => labels.get(SERVICE_NAME).map_or("", String::as_str),
            name => labels.get(name).map_or("", String::as_str),
        };
        let holds = match &self.operand {
            Ok(text) => text == value,
            Err(expression) => expression.matches(value),
        };
        holds != self.negated
    }
}

/// What stands before the braces.
#[derive(Clone, Debug)]
enum Head {
    Nothing,
    Type(usize),
    Application(String),
    Typed(String, usize),
}

impl Head {
    fn text(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Type(i) => TYPES[*i].to_owned(),
            Self::Application(name) => name.clone(),
            Self::Typed(name, segment) => format!("{name}.{}", SEGMENTS[*segment].0),
        }
    }

    fn passes(&self, type_index: usize, labels: &BTreeMap<String, String>) -> bool {
        let service = labels.get(SERVICE_NAME).map_or("", String::as_str);
        match self {
            Self::Nothing => true,
            Self::Type(i) => *i == type_index,
            Self::Application(name) => service == name,
            Self::Typed(name, segment) => {
                service == self.text()
                    || service == name && SEGMENTS[*segment].1.contains(&type_index)
            }
        }
    }
}

fn word() -> impl Strategy<Value = String> {
    prop::string::string_regex("[ab.é\"'`\\\\|\n]{0,4}").expect("a pattern")
}

fn matcher() -> impl Strategy<Value = Matcher> {
    let mut names = vec!["a", "region.name", "odd name", SERVICE_NAME, "__none__"];
    names.extend(pilotlight_core::TYPE_LABELS);
    let operand = prop_oneof![word().prop_map(Ok), expression().prop_map(Err)];
    let quote = prop::sample::select(vec!['"', '\'', '`']);
    (prop::sample::select(names), any::<bool>(), operand, quote).prop_map(
        |(name, negated, operand, quote)| Matcher {
            name,
            negated,
            operand,
            quote,
        },
    )
}

fn service() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "ab", "b.cpu", "b"]).prop_map(str::to_owned)
}

fn head() -> impl Strategy<Value = Head> {
    prop_oneof![
        2 => Just(Head::Nothing),
        1 => (0..TYPES.len()).prop_map(Head::Type),
        1 => prop::sample::select(vec!["a", "ab", "b", "shop"]).prop_map(|name| Head::Application(name.to_owned())),
        2 => (service(), 0..SEGMENTS.len()).prop_map(|(name, segment)| Head::Typed(name, segment)),
    ]
}

fn labels() -> impl Strategy<Value = BTreeMap<String, String>> {
    let service = prop_oneof![3 => service(), 1 => (service(), 0..SEGMENTS.len()).prop_map(|(n, i)| Head::Typed(n, i).text())];
    (service, word(), word(), word()).prop_map(|(service, a, region, odd)| {
        let pairs = [
            (SERVICE_NAME, service),
            ("a", a),
            ("region.name", region),
            ("odd name", odd),
        ];
        // An empty value is no label at all.
        pairs
            .into_iter()
            .filter(|(_, v)| !v.is_empty())
            .map(|(n, v)| (n.to_owned(), v))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn selectors_select_what_an_evaluation_by_hand_selects(
        head in head(),
        matchers in prop::collection::vec(matcher(), 0..3),
        series in prop::collection::vec((0..TYPES.len(), labels()), 1..12),
    ) {
        let list = matchers.iter().map(Matcher::text).collect::<Vec<_>>().join(" , ");
        let text = format!("{} {{{list}}}", head.text());
        let selector = Selector::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let printed = selector.to_string();
        prop_assert_eq!(&Selector::parse(&printed).unwrap_or_else(|e| panic!("{printed}: {e}")), &selector, "{}", printed);
        for (type_index, labels) in &series {
            let expect = head.passes(*type_index, labels) && matchers.iter().all(|m| m.passes(TYPES[*type_index], labels));
            let profile_type: ProfileType = TYPES[*type_index].parse().unwrap();
            let series = Labels::new(labels.clone().into_iter().collect()).unwrap();
            prop_assert_eq!(selector.matches(&profile_type, &series), expect, "{} of {:?}", text, labels);
        }
    }

    #[test]
    fn a_quoted_value_selects_itself_and_nothing_else(value in any_text(), other in any_text(), ways in ways()) {
        let profile_type: ProfileType = TYPES[0].parse().unwrap();
        let mut forms = vec![quoted(&value, '"', &ways), quoted(&value, '\'', &ways)];
        if !value.contains('`') {
            forms.push(format!("`{value}`"));
        }
        for form in forms {
            for (operator, negated) in [("=", false), ("!=", true)] {
                let text = format!("{{k{operator}{form}}}");
                let selector = Selector::parse(&text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
                prop_assert_eq!(&Selector::parse(&selector.to_string()).unwrap(), &selector);
                for candidate in [&value, &other] {
                    let labels = Labels::new(vec![("k".to_owned(), candidate.clone())]).unwrap();
                    prop_assert_eq!(selector.matches(&profile_type, &labels), (*candidate == value) != negated, "{:?}", text);
                }
            }
        }
    }

    #[test]
    fn whatever_parses_prints_as_what_parses_alike(text in "[ab:.{}=~!,\"'`\\\\ ()*|é\n]{0,24}", name in "\\PC{1,6}", value in "\\PC{0,12}") {
        let quote = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        for text in [text, format!("{{{}={}}}", quote(&name), quote(&value))] {
            if let Ok(selector) = Selector::parse(&text) {
                prop_assert_eq!(Selector::parse(&selector.to_string()), Ok(selector), "{}", text);
            }
        }
    }
}

#[test]
fn hostile_expressions_cost_little() {
    // The longest value, and expressions that backtracking engines never finish.
    let value = "a".repeat(2_047) + "!";
    let labels = Labels::new(vec![("v".to_owned(), value)]).unwrap();
    let cpu: ProfileType = TYPES[0].parse().unwrap();
    // Milliseconds where it is linear, and for ever where it is not.
    assert_cpu_time(Duration::from_secs(5), || {
        for expression in [
            "(a*)*b",
            "(a|a)*b",
            "(a|aa)+$b",
            "(.*)(.*)(.*)(.*)(.*)(.*)(.*)b",
            "(?:a?){60}a{60}b",
            "(((((a*)*)*)*)*)*b",
        ] {
            let selector = Selector::parse(&format!("{{v=~\"{expression}\"}}"))
                .unwrap_or_else(|e| panic!("{expression}: {e}"));
            assert!(!selector.matches(&cpu, &labels), "{expression}");
        }
        for expression in [
            "(((a{100}){100}){100})",
            "((((((((a{99}){99}){99}){99}){99}){99}){99}){99})",
            "(?:(?:){9999}){9999}",
        ] {
            assert!(
                Selector::parse(&format!("{{v=~\"{expression}\"}}")).is_err(),
                "{expression}"
            );
            assert!(
                Pattern::parse(&format!("/{expression}/")).is_err(),
                "{expression}"
            );
        }
    });
}
