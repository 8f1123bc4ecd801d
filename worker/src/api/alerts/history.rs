//! The history of alerts: when a series fired, and what ended that.

use serde::{Deserialize, Serialize};

use super::alert::{Alert, Kind};
use super::message::Status;
use super::series::Labels;
use super::state::Change;

/// A history entry: an alert fired or was resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HistoryEntry {
    pub(super) alert: String,
    pub(super) name: String,
    pub(super) at: i64,
    /// When the series began to fire; 0 for changes before it was stored.
    #[serde(default)]
    pub(super) since: i64,
    pub(super) status: Status,
    pub(super) labels: Labels,
    pub(super) value: f64,
    /// Of the alert at that time; `None` for changes before it was stored.
    #[serde(default)]
    pub(super) kind: Option<Kind>,
    /// The unit of the value; empty for changes before it was stored.
    #[serde(default)]
    pub(super) unit: String,
    /// Whether a change or deletion of the alert or its rule ended it, not its value.
    #[serde(default)]
    pub(super) changed: bool,
}

impl HistoryEntry {
    /// Of a change of a series of an alert, whose values are in `unit`; `changed` as in the field.
    pub(super) fn new(alert: &Alert, unit: &str, change: &Change, changed: bool) -> Self {
        Self {
            alert: alert.id.clone(),
            name: alert.name.clone(),
            at: change.at,
            since: change.instance.since,
            status: change.event.status(),
            labels: change.instance.labels.clone(),
            value: change.instance.value,
            kind: Some(alert.kind),
            unit: unit.to_owned(),
            changed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_entries_of_before_have_no_unit() {
        let stored = r#"{"alert":"a","name":"n","at":1,"status":"firing","labels":{},"value":2.0}"#;
        let entry: HistoryEntry = serde_json::from_str(stored).unwrap();
        assert_eq!((entry.kind, &*entry.unit, entry.changed), (None, "", false));
    }
}
