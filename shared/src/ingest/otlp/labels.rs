//! Attributes as labels of series.

use std::borrow::Cow;

use crate::formats::otlp::{Attribute, AttributeValue};
use crate::model::labels::{LabelError, Labels, SERVICE_NAME, UNKNOWN_SERVICE};

/// The attribute that names a service.
pub(super) const SERVICE: &str = "service.name";

/// The attribute that names a program, for services without a name.
const EXECUTABLE: &str = "process.executable.name";

/// Attributes of resources that make no labels: command lines are long, new with each start of a
/// process, and may hold secrets.
const NO_LABELS: [&str; 3] = [
    "process.command",
    "process.command_args",
    "process.command_line",
];

/// Attributes of samples that make no series. There are as many threads as a program likes to
/// start, and as many processors as the machine has; each would be a series of its own. Numbers
/// make none either.
const NO_SERIES: [&str; 4] = [
    "cpu.logical_number",
    "process.pid",
    "thread.id",
    "thread.managed.id",
];

/// What the attributes of a resource and of a scope say of all their profiles.
#[derive(Clone, Default)]
pub(super) struct OwnerLabels {
    /// Those of the resource come first, and of one name the first counts.
    pairs: Vec<(String, String)>,
    /// As the resource names it.
    service: Option<String>,
    executable: Option<String>,
}

impl OwnerLabels {
    /// These, and those of `attributes` whose names are not taken.
    pub(super) fn with(mut self, attributes: Vec<Attribute<'_>>) -> Self {
        for attribute in attributes {
            let Some(value) = text(attribute.value).filter(|value| !value.is_empty()) else {
                continue;
            };
            match attribute.key.as_ref() {
                SERVICE | SERVICE_NAME => {
                    self.service.get_or_insert(value.into_owned());
                }
                key if key.is_empty() || key.starts_with("__") || NO_LABELS.contains(&key) => {}
                key => {
                    if key == EXECUTABLE {
                        self.executable.get_or_insert(value.to_string());
                    }
                    if !self.pairs.iter().any(|(taken, _)| taken == key) {
                        self.pairs.push((key.to_owned(), value.into_owned()));
                    }
                }
            }
        }
        self
    }

    /// The service of samples that do not name one.
    pub(super) fn service(&self) -> String {
        match (&self.service, &self.executable) {
            (Some(service), _) => service.clone(),
            (None, Some(executable)) => format!("{UNKNOWN_SERVICE}:{executable}"),
            (None, None) => UNKNOWN_SERVICE.to_owned(),
        }
    }

    /// As labels of a service's series.
    pub(super) fn labels(&self, service: &str) -> Result<Labels, LabelError> {
        let mut pairs = self.pairs.clone();
        pairs.push((SERVICE_NAME.to_owned(), service.to_owned()));
        Labels::new(pairs)
    }

    /// How much text they are.
    pub(super) fn bytes(&self) -> usize {
        let pairs = self.pairs.iter();
        pairs.map(|(name, value)| name.len() + value.len()).sum()
    }
}

/// What an attribute of a sample says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SampleLabel {
    /// The sample is of this service.
    Service(String),
    /// A text label, which makes a series.
    Label(String, String),
    /// Nothing that a series has.
    Nothing,
}

impl SampleLabel {
    pub(super) fn of(attribute: Attribute<'_>) -> Self {
        let value = match attribute.value {
            AttributeValue::Text(text) if !text.is_empty() => text.into_owned(),
            AttributeValue::Bool(value) => value.to_string(),
            _ => return Self::Nothing,
        };
        match attribute.key.as_ref() {
            SERVICE | SERVICE_NAME => Self::Service(value),
            key if NO_SERIES.contains(&key) => Self::Nothing,
            key => Self::Label(key.to_owned(), value),
        }
    }
}

/// A value as a label's text.
fn text(value: AttributeValue<'_>) -> Option<Cow<'_, str>> {
    match value {
        AttributeValue::Text(text) => Some(text),
        AttributeValue::Bool(value) => Some(value.to_string().into()),
        AttributeValue::Integer(value) => Some(value.to_string().into()),
        AttributeValue::Double(value) => Some(value.to_string().into()),
        AttributeValue::Other => None,
    }
}
