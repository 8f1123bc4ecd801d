//! What reports take: one table each for query strings, their description, and tools of models.

use serde_json::Value;

/// Something that a report takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    /// It has no effect on text, which is all that tools answer.
    pub(crate) json_only: bool,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number {
        least: usize,
        most: usize,
        /// `None` when it is unbounded by default.
        default: Option<usize>,
    },
    /// One of these, the first by default.
    Choice(&'static [&'static str]),
}

impl Kind {
    /// Its JSON schema.
    pub(crate) fn schema(self) -> Value {
        match self {
            Self::Text => object([("type", "string".into())]),
            Self::Number {
                least,
                most,
                default,
            } => {
                let mut schema = object([
                    ("type", "integer".into()),
                    ("minimum", least.into()),
                    ("maximum", most.into()),
                ]);
                if let Some(default) = default {
                    schema["default"] = default.into();
                }
                schema
            }
            Self::Choice(values) => object([
                ("type", "string".into()),
                ("enum", values.into()),
                ("default", values.first().copied().into()),
            ]),
        }
    }
}

/// A JSON object of these fields.
pub(crate) fn object<const FIELDS: usize>(fields: [(&str, Value); FIELDS]) -> Value {
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    Value::Object(fields.into_iter().collect())
}

pub(super) const FROM: Parameter = text(
    "from",
    "Start of the time range: milliseconds since 1970, relative to now like now-1h or now-7d, or like 2026-11-24T10:00:00Z. An hour ago by default.",
);

pub(super) const UNTIL: Parameter = text(
    "until",
    "End of the time range, exclusive: adjacent ranges don't count a profile twice. Same format as `from`. Now by default.",
);

pub(super) const QUERY: Parameter = Parameter {
    required: true,
    ..text(
        "query",
        "Profile type and label selector, such as process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name=\"checkout\", region=~\"eu.*\"}. The list of services has all types and services.",
    )
};

pub(super) const fn text(name: &'static str, about: &'static str) -> Parameter {
    Parameter {
        name,
        about,
        kind: Kind::Text,
        required: false,
        json_only: false,
    }
}

pub(super) const fn number(
    name: &'static str,
    about: &'static str,
    most: usize,
    default: usize,
) -> Parameter {
    Parameter {
        kind: Kind::Number {
            least: 1,
            most,
            default: Some(default),
        },
        ..text(name, about)
    }
}

pub(super) const fn unbounded(name: &'static str, about: &'static str) -> Parameter {
    Parameter {
        kind: Kind::Number {
            least: 1,
            most: 1_000_000,
            default: None,
        },
        ..text(name, about)
    }
}

pub(super) const fn choice(
    name: &'static str,
    about: &'static str,
    values: &'static [&'static str],
) -> Parameter {
    Parameter {
        kind: Kind::Choice(values),
        ..text(name, about)
    }
}
