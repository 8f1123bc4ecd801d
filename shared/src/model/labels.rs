//! Series labels and the `app{key=value}` grammar of the `/ingest` parameter `name`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::limits::{MAX_LABEL_NAME, MAX_LABEL_VALUE, MAX_LABELS};
use crate::base::sort::sort_by;

/// The label that names a service.
pub const SERVICE_NAME: &str = "service_name";

/// The service of a profile whose sender names none, as Pyroscope and OpenTelemetry call it.
pub(crate) const UNKNOWN_SERVICE: &str = "unknown_service";

/// A set of series labels, ordered by name, each name once. Copies share their texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Labels(Vec<(Arc<str>, Arc<str>)>);

/// Why labels were refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LabelError {
    /// The application part of `name` is missing.
    #[error("name {0:?} does not begin with an application name")]
    NoApplication(String),
    /// A character that the grammar does not allow.
    #[error(
        "name {name:?} contains {character:?} at column {column}; only letters, digits and {allowed} are allowed"
    )]
    Character {
        /// The whole parameter.
        name: String,
        /// What was found.
        character: char,
        /// Where, counted in characters from 1.
        column: usize,
        /// What may stand there besides letters and digits.
        allowed: &'static str,
    },
    /// A part between commas is not `key=value`.
    #[error("label {0:?} is not of the form key=value")]
    NotAPair(String),
    /// The closing brace is missing.
    #[error("name {0:?} has an unclosed brace")]
    Unclosed(String),
    /// The name is the server's own.
    #[error("label name {0:?} is reserved")]
    Reserved(String),
    /// The same name twice.
    #[error("label {0:?} is given twice")]
    Twice(String),
    /// Too many labels.
    #[error("got {0} labels; at most {MAX_LABELS} are allowed")]
    TooMany(usize),
    /// A name or value that is too long.
    #[error(
        "label {name:?} has a name or value of {length} bytes; at most {MAX_LABEL_NAME} are allowed for names, {MAX_LABEL_VALUE} for values"
    )]
    TooLong {
        /// The label (cut to 64 characters).
        name: String,
        /// Its longer part's length in bytes.
        length: usize,
    },
}

impl Labels {
    /// Orders `pairs` and checks the limits; a name that comes twice is an error.
    pub fn new(pairs: Vec<(String, String)>) -> Result<Self, LabelError> {
        let pairs = pairs.into_iter();
        Self::of_shared(
            pairs
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }

    /// The same of texts that other sets have, too.
    pub(crate) fn of_shared(mut pairs: Vec<(Arc<str>, Arc<str>)>) -> Result<Self, LabelError> {
        sort_by(&mut pairs, Ord::cmp);
        if pairs.len() > MAX_LABELS {
            return Err(LabelError::TooMany(pairs.len()));
        }
        if let Some(two) = pairs.windows(2).find(|two| two[0].0 == two[1].0) {
            return Err(LabelError::Twice(two[0].0.to_string()));
        }
        for (name, value) in &pairs {
            if name.len() > MAX_LABEL_NAME || value.len() > MAX_LABEL_VALUE {
                let name_cut = name.chars().take(64).collect();
                return Err(LabelError::TooLong {
                    name: name_cut,
                    length: name.len().max(value.len()),
                });
            }
        }
        Ok(Self(pairs))
    }

    /// The value of a label.
    pub fn get(&self, name: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(n, _)| (**n).cmp(name)).ok()?;
        Some(&self.0[at].1)
    }

    /// The service, without the other labels.
    pub fn service_alone(&self) -> Self {
        Self(
            self.0
                .iter()
                .filter(|(name, _)| **name == *SERVICE_NAME)
                .cloned()
                .collect(),
        )
    }

    /// All pairs, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(n, v)| (&**n, &**v))
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These labels and those of `more` whose names are not taken.
    pub fn with_defaults(
        &self,
        more: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, LabelError> {
        let mut pairs = self.0.clone();
        for (name, value) in more {
            if !pairs.iter().any(|(n, _)| **n == *name) {
                pairs.push((name.into(), value.into()));
            }
        }
        Self::of_shared(pairs)
    }
}

/// Parses `app{key=value,key2=value2}`: an application name and optional labels, without quoting.
///
/// The application becomes `service_name`, unless a label of that name is given, which then wins
/// and the application becomes `app_name`. `__name__` is refused; other private labels (`__…`) say
/// how the sender works and are dropped, as is `__session_id__`, which is new with every start of a
/// process.
pub fn parse_name(name: &str) -> Result<Labels, LabelError> {
    let (app, rest) = match name.find('{') {
        Some(brace) => (&name[..brace], Some(&name[brace + 1..])),
        None => (name, None),
    };
    let app = app.trim();
    if app.is_empty() {
        return Err(LabelError::NoApplication(name.to_owned()));
    }
    check_characters(name, app, "_.-/")?;
    let mut pairs = Vec::new();
    if let Some(rest) = rest {
        let body = rest
            .trim_end()
            .strip_suffix('}')
            .ok_or_else(|| LabelError::Unclosed(name.to_owned()))?;
        for part in body.split(',').filter(|part| !part.trim().is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| LabelError::NotAPair(part.to_owned()))?;
            let (key, value) = (key.trim(), value.trim());
            if key.is_empty() {
                return Err(LabelError::NotAPair(part.to_owned()));
            }
            check_characters(name, key, "_.")?;
            match key {
                "__name__" => return Err(LabelError::Reserved(key.to_owned())),
                private if private.starts_with("__") => {}
                // An empty value is the same as no label, as everywhere in the Prometheus label
                // model.
                _ if value.is_empty() => {}
                _ => pairs.push((key.to_owned(), value.to_owned())),
            }
        }
    }
    let app_label = if pairs.iter().any(|(k, _)| k == SERVICE_NAME) {
        "app_name"
    } else {
        SERVICE_NAME
    };
    if !pairs.iter().any(|(k, _)| k == app_label) {
        pairs.push((app_label.to_owned(), app.to_owned()));
    }
    Labels::new(pairs)
}

fn check_characters(whole: &str, part: &str, allowed: &'static str) -> Result<(), LabelError> {
    let bad = part
        .chars()
        .position(|c| !(c.is_alphanumeric() || allowed.contains(c)));
    let Some(at) = bad else { return Ok(()) };
    let offset = part.as_ptr() as usize - whole.as_ptr() as usize;
    Err(LabelError::Character {
        name: whole.to_owned(),
        character: part.chars().nth(at).unwrap_or_default(),
        column: whole[..offset].chars().count() + at + 1,
        allowed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expect: &str) {
        let shown = match parse_name(name) {
            Ok(labels) => labels
                .iter()
                .map(|(n, v)| format!("{n}={v}"))
                .collect::<Vec<_>>()
                .join(" "),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expect, "for {name:?}");
    }

    #[test]
    fn names() {
        check("my.app", "service_name=my.app");
        check("my.app{}", "service_name=my.app");
        check(
            " app { env = dev , region=eu } ",
            "env=dev region=eu service_name=app",
        );
        check("app{service_name=x}", "app_name=app service_name=x");
        check(
            "app{__session_id__=12,otel.scope.name=com.grafana/go}",
            "otel.scope.name=com.grafana/go service_name=app",
        );
        check("app{__delta__=false,a=b}", "a=b service_name=app");
        check("app{v=a=b (c)+d}", "service_name=app v=a=b (c)+d");
        check("app{empty=}", "service_name=app");
    }

    #[test]
    fn refused_names() {
        check("", "name \"\" does not begin with an application name");
        check(
            "{a=b}",
            "name \"{a=b}\" does not begin with an application name",
        );
        check("app{a=b", "name \"app{a=b\" has an unclosed brace");
        check("app{a}", "label \"a\" is not of the form key=value");
        check("app{__name__=x}", "label name \"__name__\" is reserved");
        check("app{a=1,a=2}", "label \"a\" is given twice");
        check(
            "a pp",
            "name \"a pp\" contains ' ' at column 2; only letters, digits and _.-/ are allowed",
        );
    }
}
