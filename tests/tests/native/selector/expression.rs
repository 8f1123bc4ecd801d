//! Regular expressions and what they match, step by step.

use std::collections::BTreeSet;

use super::*;
use Expression::{All, Any, Either, In, Letter, Repeated};

/// A regular expression as a tree.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Letter(char),
    Any,
    In(Vec<char>, bool),
    All(Vec<Expression>),
    Either(Vec<Expression>),
    Repeated(Box<Expression>, char),
}

impl Expression {
    pub(super) fn text(&self) -> String {
        let letter = |c: &char| {
            if c.is_alphanumeric() || *c == '\n' {
                c.to_string()
            } else {
                format!("\\{c}")
            }
        };
        let texts = |parts: &[Self], between: &str| {
            parts
                .iter()
                .map(Self::text)
                .collect::<Vec<_>>()
                .join(between)
        };
        match self {
            Letter(c) => letter(c),
            Any => ".".to_owned(),
            In(letters, true) => format!("[{}]", letters.iter().map(letter).collect::<String>()),
            In(letters, false) => format!("[^{}]", letters.iter().map(letter).collect::<String>()),
            All(parts) => texts(parts, ""),
            Either(parts) => format!("({})", texts(parts, "|")),
            Repeated(part, sign) => format!("(?:{}){sign}", part.text()),
        }
    }

    /// Where a match from `start` may end.
    fn ends(&self, text: &[char], start: usize) -> BTreeSet<usize> {
        let one = |is: &dyn Fn(&char) -> bool| {
            text.get(start)
                .filter(|c| is(c))
                .map(|_| start + 1)
                .into_iter()
                .collect()
        };
        match self {
            Letter(letter) => one(&|c| c == letter),
            Any => one(&|_| true),
            In(letters, inside) => one(&|c| letters.contains(c) == *inside),
            All(parts) => parts.iter().fold(BTreeSet::from([start]), |starts, part| {
                starts
                    .into_iter()
                    .flat_map(|start| part.ends(text, start))
                    .collect()
            }),
            Either(parts) => parts
                .iter()
                .flat_map(|part| part.ends(text, start))
                .collect(),
            Repeated(part, sign) => {
                let mut found = part.ends(text, start);
                if *sign != '?' {
                    let mut new = found.clone();
                    while let Some(at) = new.pop_first() {
                        new.extend(
                            part.ends(text, at)
                                .into_iter()
                                .filter(|&end| found.insert(end)),
                        );
                    }
                }
                if *sign != '+' {
                    found.insert(start);
                }
                found
            }
        }
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.ends(&text, 0).contains(&text.len())
    }
}

fn letter() -> impl Strategy<Value = char> {
    prop::sample::select(vec![
        'a', 'b', 'é', '.', '|', '\\', '"', '\n', '-', ']', '^',
    ])
}

pub(super) fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        4 => letter().prop_map(Letter),
        1 => Just(Any),
        1 => (prop::collection::vec(letter(), 1..3), any::<bool>()).prop_map(|(letters, inside)| In(letters, inside)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(All),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Either),
            (inner, prop::sample::select(vec!['*', '+', '?']))
                .prop_map(|(part, sign)| Repeated(Box::new(part), sign)),
        ]
    })
}
