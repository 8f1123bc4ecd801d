//! An alert: a condition on the points of a recording rule.

use serde::{Deserialize, Serialize};

use crate::api::rules::points::MINUTE;
use crate::platform::errors::Problem;

/// Longest name in bytes.
const MAX_NAME: usize = 200;

/// Longest window in minutes: six hours.
const MAX_MINUTES: i64 = 360;

/// Most minutes for which a condition must hold.
const MAX_FOR: i64 = 120;

/// Shortest window of [`Kind::Grew`]: three parts of a minute, as fewer say nothing about variation.
const MIN_GREW: i64 = 3;

/// What must be true for an alert to fire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The value in the window is larger than the threshold.
    #[default]
    Above,
    /// The value in the window is smaller than the threshold.
    Below,
    /// What is measured grew by more than the threshold, in percent, and by more than it varies.
    Grew,
    /// A function that wasn't there a day before has at least this share of the total, in percent.
    NewFunction,
    /// A series has no profiles in the window, and had some before.
    Silent,
}

/// An alert as it is stored, and in the API's JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Alert {
    /// Letters.
    pub(crate) id: String,
    /// What messages call it.
    pub(crate) name: String,
    /// The id of the rule.
    pub(crate) rule: String,
    pub(crate) kind: Kind,
    pub(crate) threshold: f64,
    /// Length of the window.
    pub(crate) minutes: i64,
    /// For how many minutes in a row the condition must hold; 0 is 1.
    pub(crate) for_minutes: i64,
    /// Of [`Kind::Grew`]: compares the newest value of this label with the one before it, and not
    /// the window with the time before it.
    pub(crate) version_label: String,
    /// Names of receivers; empty is all.
    pub(crate) receivers: Vec<String>,
    /// No messages are sent until then, in milliseconds since the epoch.
    pub(crate) silenced_until: i64,
    /// The number of the last change, counted over all alerts of the tenant.
    pub(crate) generation: i64,
}

impl Alert {
    /// Length of the window in milliseconds.
    pub(super) fn window(&self) -> i64 {
        self.minutes * MINUTE
    }

    /// For how long the condition must hold, in milliseconds: at least a minute.
    pub(super) fn hold(&self) -> i64 {
        self.for_minutes.max(1) * MINUTE
    }

    /// Whether messages are sent to a receiver.
    pub(super) fn notifies(&self, receiver: &str) -> bool {
        self.receivers.is_empty() || self.receivers.iter().any(|name| name == receiver)
    }

    /// Whether another one fires at the same minutes.
    pub(super) fn watches_the_same(&self, other: &Self) -> bool {
        let watched = |alert: &Self| Self {
            name: String::new(),
            receivers: Vec::new(),
            silenced_until: 0,
            generation: 0,
            ..alert.clone()
        };
        watched(self) == watched(other)
    }

    /// Refuses what can't be evaluated.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let refuse = |message: String| Err(Problem::invalid(message));
        let name = self.name.trim();
        if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
            return refuse(format!(
                "name must have 1 to {MAX_NAME} bytes and no control characters"
            ));
        }
        let (window, hold) = (self.minutes, self.for_minutes);
        if !(1..=MAX_MINUTES).contains(&window) {
            return refuse(format!(
                "minutes must be from 1 to {MAX_MINUTES} (got {window})"
            ));
        }
        if !(0..=MAX_FOR).contains(&hold) {
            return refuse(format!(
                "for_minutes must be from 0 to {MAX_FOR} (got {hold})"
            ));
        }
        let threshold = self.threshold;
        if !threshold.is_finite() || threshold < 0.0 {
            return refuse(format!(
                "threshold must be 0 or a positive number (got {threshold})"
            ));
        }
        match self.kind {
            Kind::Grew if window < MIN_GREW => refuse(format!(
                "minutes must be at least {MIN_GREW} for the kind grew (got {window})"
            )),
            Kind::NewFunction if threshold <= 0.0 || threshold > 100.0 => refuse(format!(
                "threshold of the kind new_function is a percentage above 0, at most 100 (got {threshold})"
            )),
            Kind::NewFunction if hold > 1 => {
                refuse("for_minutes must be 0 or 1 for the kind new_function".to_owned())
            }
            Kind::Grew => Ok(()),
            _ if !self.version_label.is_empty() => {
                refuse("version_label is only for the kind grew".to_owned())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change, and how the error about it begins.
    type Refused = (fn(&mut Alert), &'static str);

    #[test]
    fn what_can_be_evaluated() {
        let alert = Alert {
            name: "a".to_owned(),
            minutes: 5,
            ..Alert::default()
        };
        assert_eq!((alert.window(), alert.hold()), (5 * MINUTE, MINUTE));
        assert!(alert.check().is_ok());
        let named = |change: fn(&mut Alert)| {
            let mut alert = alert.clone();
            change(&mut alert);
            alert.check().unwrap_err().message
        };
        let refused: [Refused; 8] = [
            (|alert| alert.name = " ".to_owned(), "name must have"),
            (|alert| alert.minutes = 0, "minutes must be from 1 to 360"),
            (|alert| alert.minutes = 361, "minutes must be from 1 to 360"),
            (|alert| alert.for_minutes = -1, "for_minutes must be"),
            (|alert| alert.threshold = f64::NAN, "threshold must be"),
            (
                |alert| alert.version_label = "v".to_owned(),
                "version_label is",
            ),
            (|alert| alert.kind = Kind::NewFunction, "threshold of the"),
            (
                |alert| (alert.kind, alert.minutes) = (Kind::Grew, 2),
                "minutes must be at least 3",
            ),
        ];
        for (change, expect) in refused {
            assert!(named(change).starts_with(expect), "{expect}");
        }
    }

    #[test]
    fn whom_it_notifies() {
        let mut alert = Alert::default();
        assert!(alert.notifies("ops"));
        alert.receivers = vec!["chat".to_owned()];
        assert!(alert.notifies("chat") && !alert.notifies("ops"));
    }
}
