//! A recording rule: a saved query whose points are those of a Prometheus metric.

use std::collections::{BTreeMap, BTreeSet};

use pilotlight_core::verbs::{
    Dimension, FrameFilter, FramePattern, FunctionNames, StackSelector, Unit,
};
use pilotlight_core::{Labels, ProfileType, Selector};
use serde::{Deserialize, Serialize};

use crate::api::query::typed_selector;
use crate::platform::errors::Problem;

/// What a metric's name begins with, as Pyroscope demands: such a metric can't be confused with one
/// that a program exports.
pub(crate) const NAME_PREFIX: &str = "profiles_recorded_";

/// The label with the id of a series' rule.
pub(crate) const RULE_ID: &str = "profiles_rule_id";

/// Longest metric name in bytes.
const MAX_NAME: usize = 255;

/// Most labels to group by, and most external labels.
const MAX_LABELS: usize = 16;

/// Most bytes of a rule as JSON: 16 KiB. All of a tenant's are read for each query.
const MAX_BYTES: usize = 16 << 10;

/// A rule as it is stored, and in the API's JSON. A field that isn't set is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Rule {
    /// Letters.
    pub(crate) id: String,
    pub(crate) metric_name: String,
    /// A selector that begins with a profile type.
    pub(crate) query: String,
    /// Labels to group by: each combination of their values is a series.
    pub(crate) group_by: Vec<String>,
    /// Labels that all series get.
    pub(crate) external_labels: BTreeMap<String, String>,
    /// Only stacks with the function of this name.
    pub(crate) function: String,
    /// Only stacks with a function whose name this matches anywhere.
    pub(crate) function_regex: String,
    /// Only stacks that end with such a function.
    #[serde(rename = "self")]
    pub(crate) is_self: bool,
    /// Only stacks that begin with the functions of these names.
    pub(crate) call_site: Vec<String>,
    /// The exported name ends with the unit, seconds or bytes, and the values are in it.
    pub(crate) unit_suffix: bool,
    /// The number of this rule's last change, counted over all rules of the tenant.
    pub(crate) generation: i64,
    /// It is part of the server's configuration, and the API can't change it.
    pub(crate) provisioned: bool,
}

/// What a rule measures.
pub(crate) struct Measure {
    pub(crate) selector: Selector,
    pub(crate) profile_type: ProfileType,
    pub(crate) stacks: StackSelector,
    /// Values of profiles are divided by this to be in the metric's unit.
    divisor: f64,
    /// It counts what there is at an instant: profiles are averaged, not added up.
    pub(crate) is_gauge: bool,
    /// The unit of the metric's values.
    pub(crate) unit: String,
    /// The metric's name.
    pub(crate) name: String,
}

/// What the profiles of a step count together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) sum: i128,
    pub(crate) profiles: u64,
}

impl Measure {
    /// The metric's value at a point, in its unit.
    pub(crate) fn value(&self, Point { sum, profiles }: Point) -> f64 {
        let value = sum as f64 / self.divisor;
        match self.is_gauge {
            true => value / profiles.max(1) as f64,
            false => value,
        }
    }

    /// The metric's HELP text.
    pub(crate) fn help(&self) -> String {
        let how = match self.is_gauge {
            true => "Average",
            false => "Sum",
        };
        let unit = self.unit.escape_default();
        format!("{how} of the profiles that started in the minute, in {unit}.")
    }
}

impl Rule {
    /// Checks all of the rule but its metric name, which a preview may lack, and returns what it
    /// measures.
    pub(crate) fn measure(&self) -> Result<Measure, Problem> {
        let bytes = serde_json::to_vec(self).map_or(0, |json| json.len());
        if bytes > MAX_BYTES {
            let message = format!("the rule has {bytes} bytes; at most {MAX_BYTES} are allowed");
            return Err(Problem::invalid(message));
        }
        self.check_labels()?;
        let (selector, profile_type) = typed_selector(&self.query)?;
        let (suffix, divisor) = match self.unit_suffix {
            true => base_unit(&profile_type.sample_unit)?,
            false => ("", 1.0),
        };
        let ends_with_unit = suffix.is_empty() || self.metric_name.ends_with(&format!("_{suffix}"));
        let name = match ends_with_unit {
            true => self.metric_name.clone(),
            false => format!("{}_{suffix}", self.metric_name),
        };
        let unit = match suffix {
            "" => profile_type.sample_unit.clone(),
            suffix => suffix.to_owned(),
        };
        Ok(Measure {
            selector,
            is_gauge: profile_type.is_gauge(),
            profile_type,
            stacks: self.stacks()?,
            divisor,
            unit,
            name,
        })
    }

    /// The same with its query in canonical form, which all clients can parse.
    pub(crate) fn with_plain_query(self) -> Result<Self, Problem> {
        let (mut selector, profile_type) = typed_selector(&self.query)?;
        selector.profile_type = Some(profile_type);
        let query = selector.to_string();
        Ok(Self { query, ..self })
    }

    /// The same of all stacks.
    pub(crate) fn of_entire_profiles(&self) -> Self {
        Self {
            function: String::new(),
            function_regex: String::new(),
            is_self: false,
            call_site: Vec::new(),
            ..self.clone()
        }
    }

    /// Refuses a metric name that lacks the prefix, is too long, or has other characters than
    /// Prometheus allows.
    pub(crate) fn check_name(&self) -> Result<(), Problem> {
        let name = &self.metric_name;
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        if name.starts_with(NAME_PREFIX) && name.len() <= MAX_NAME && name.chars().all(fits) {
            return Ok(());
        }
        let cut: String = name.chars().take(MAX_NAME).collect();
        Err(Problem::invalid(format!(
            "metric_name must begin with {NAME_PREFIX}, contain only letters, digits, _ and :, and have at most {MAX_NAME} bytes (got {cut:?})"
        )))
    }

    /// The stacks that count.
    fn stacks(&self) -> Result<StackSelector, Problem> {
        let targets = [
            !self.function.is_empty(),
            !self.function_regex.is_empty(),
            !self.call_site.is_empty(),
        ];
        if targets.into_iter().filter(|&given| given).count() > 1 {
            return Err(Problem::invalid(
                "function, function_regex and call_site can't be combined",
            ));
        }
        let mut functions = FunctionNames::default();
        if !self.function.is_empty() {
            functions.names.insert(self.function.clone());
        }
        if !self.function_regex.is_empty() {
            let pattern = FramePattern::new(&self.function_regex)
                .map_err(|error| Problem::invalid(format!("function_regex: {error}")))?;
            functions.patterns.push(pattern);
        }
        if self.is_self && functions.is_empty() {
            return Err(Problem::invalid("self needs function or function_regex"));
        }
        let (leaf, included) = match self.is_self {
            true => (functions, FunctionNames::default()),
            false => (FunctionNames::default(), functions),
        };
        let excluded = FunctionNames::default();
        Ok(StackSelector {
            call_site: self.call_site.clone(),
            frames: FrameFilter { included, excluded },
            leaf,
        })
    }

    /// Refuses labels that a metric can't have, or would have twice.
    fn check_labels(&self) -> Result<(), Problem> {
        let (by, external) = (self.group_by.len(), self.external_labels.len());
        for (what, count) in [("group_by", by), ("external_labels", external)] {
            if count > MAX_LABELS {
                return Err(Problem::invalid(format!(
                    "{what} has {count} labels; at most {MAX_LABELS} are allowed"
                )));
            }
        }
        for name in self.external_labels.keys() {
            let is_valid = metric_label(name) == *name && !name.is_empty();
            if !is_valid || name.starts_with("__") || name == RULE_ID {
                return Err(Problem::invalid(format!(
                    "external_labels: {name:?} can't be used; a name has only letters, digits and _, begins with neither a digit nor __, and is not {RULE_ID}"
                )));
            }
        }
        let mut names: BTreeSet<String> = self.external_labels.keys().cloned().collect();
        names.insert(RULE_ID.to_owned());
        for name in &self.group_by {
            let label = metric_label(name);
            if label.is_empty() || label.starts_with("__") || !names.insert(label) {
                return Err(Problem::invalid(format!(
                    "group_by: {name:?} is empty, reserved, or would give the metric the same label twice"
                )));
            }
        }
        Ok(())
    }

    /// The metric's labels for profiles with `labels`: those of `group_by` that are there, and
    /// those that all series get.
    pub(crate) fn metric_labels(&self, labels: &Labels) -> BTreeMap<String, String> {
        let mut metric = self.external_labels.clone();
        metric.retain(|_, value| !value.is_empty());
        metric.insert(RULE_ID.to_owned(), self.id.clone());
        for name in &self.group_by {
            if let Some(value) = labels.get(name).filter(|value| !value.is_empty()) {
                metric.insert(metric_label(name), value.to_owned());
            }
        }
        metric
    }
}

/// OpenMetrics' base unit for a unit, and the divisor that converts values to it.
fn base_unit(unit: &str) -> Result<(&'static str, f64), Problem> {
    match Unit::parse(unit) {
        Some(unit) if unit.dimension == Dimension::Time => {
            Ok(("seconds", 1e9 / unit.factor as f64))
        }
        Some(unit) if unit.dimension == Dimension::Bytes => Ok(("bytes", 1.0 / unit.factor as f64)),
        _ => Err(Problem::invalid(format!(
            "unit_suffix needs a profile type that counts time or bytes (got {unit:?})"
        ))),
    }
}

/// The label of a metric for a label of profiles: letters, digits and underscores, and no digit in
/// front.
pub(crate) fn metric_label(name: &str) -> String {
    let replaced = |(at, c): (usize, char)| match c {
        '0'..='9' if at > 0 => c,
        'a'..='z' | 'A'..='Z' | '_' => c,
        _ => '_',
    };
    name.chars().enumerate().map(replaced).collect()
}

#[cfg(test)]
mod tests;
