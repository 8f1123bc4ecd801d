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

/// Shortest window of [`Kind::Grew`] and [`Kind::NewFunction`]: ten minutes. Fewer say little about
/// how a value varies, and would miss functions between two evaluations.
const MIN_COMPARED: i64 = 10;

/// What must be true for an alert to fire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The value in the window is larger than the threshold.
    #[default]
    Above,
    /// The value in the window is smaller than the threshold; never without profiles.
    Below,
    /// The value grew by more than the threshold, in percent, and by more than it varies by chance.
    Grew,
    /// A function that wasn't there in the day before has at least the threshold, in percent of the
    /// total.
    NewFunction,
    /// A series has no profiles in the window, and had some in the hour before.
    Silent,
}

/// An alert as it is stored, and in the API's JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Alert {
    /// Only letters.
    pub(crate) id: String,
    /// The name in messages.
    pub(crate) name: String,
    /// The ID of the recording rule.
    pub(crate) rule: String,
    pub(crate) kind: Kind,
    pub(crate) threshold: f64,
    /// Length of the window.
    pub(crate) minutes: i64,
    /// For how many consecutive minutes the condition must hold; 0 means 1.
    pub(crate) for_minutes: i64,
    /// For [`Kind::Grew`]: the label whose newest value is compared with the one before it. Empty
    /// to compare the window with the time before it.
    pub(crate) version_label: String,
    /// Names of the receivers that get messages; all receivers if empty.
    pub(crate) receivers: Vec<String>,
    /// Until this time, in milliseconds since the epoch, receivers get no messages about series
    /// that begin to fire.
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

    /// Whether this receiver gets the alert's messages.
    pub(super) fn notifies(&self, receiver: &str) -> bool {
        self.receivers.is_empty() || self.receivers.iter().any(|name| name == receiver)
    }

    /// Whether both alerts fire at the same minutes: their conditions are equal.
    pub(super) fn has_same_condition(&self, other: &Self) -> bool {
        let watched = |alert: &Self| Self {
            name: String::new(),
            receivers: Vec::new(),
            silenced_until: 0,
            generation: 0,
            ..alert.clone()
        };
        watched(self) == watched(other)
    }

    /// Refuses a name that messages can't have.
    pub(super) fn check_name(&self) -> Result<(), Problem> {
        check_name(&self.name, MAX_NAME)
    }

    /// Refuses a condition that can't be evaluated.
    pub(super) fn check_condition(&self) -> Result<(), Problem> {
        let refuse = |message: String| Err(Problem::invalid(message));
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
            Kind::Grew | Kind::NewFunction if window < MIN_COMPARED => refuse(format!(
                "minutes must be at least {MIN_COMPARED} for the kinds grew and new_function (got {window})"
            )),
            Kind::NewFunction if threshold <= 0.0 || threshold > 100.0 => refuse(format!(
                "threshold must be above 0 and at most 100 (percent) for the kind new_function (got {threshold})"
            )),
            Kind::NewFunction if hold > 1 => refuse(format!(
                "for_minutes must be 0 or 1 for the kind new_function (got {hold})"
            )),
            Kind::Grew => Ok(()),
            _ if !self.version_label.is_empty() => {
                refuse("version_label can only be used with the kind grew".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Refuses a name that is blank, longer than `most` bytes, or has control characters.
pub(super) fn check_name(name: &str, most: usize) -> Result<(), Problem> {
    if !name.trim().is_empty() && name.len() <= most && !name.chars().any(char::is_control) {
        return Ok(());
    }
    Err(Problem::invalid(format!(
        "name must have 1 to {most} bytes and no control characters"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change to an alert, and how the error for it begins.
    type Refused = (fn(&mut Alert), &'static str);

    #[test]
    fn invalid_alerts_are_refused() {
        let alert = Alert {
            name: "a".to_owned(),
            minutes: 5,
            ..Alert::default()
        };
        assert_eq!((alert.window(), alert.hold()), (5 * MINUTE, MINUTE));
        assert!(alert.check_name().is_ok() && alert.check_condition().is_ok());
        let named = |change: fn(&mut Alert)| {
            let mut alert = alert.clone();
            change(&mut alert);
            let found = alert.check_name().and_then(|()| alert.check_condition());
            found.unwrap_err().message
        };
        let refused: [Refused; 8] = [
            (|alert| alert.name = " ".to_owned(), "name must have"),
            (|alert| alert.minutes = 0, "minutes must be from 1 to 360"),
            (|alert| alert.minutes = 361, "minutes must be from 1 to 360"),
            (|alert| alert.for_minutes = -1, "for_minutes must be"),
            (|alert| alert.threshold = f64::NAN, "threshold must be"),
            (
                |alert| alert.version_label = "v".to_owned(),
                "version_label can",
            ),
            (
                |alert| (alert.kind, alert.minutes) = (Kind::NewFunction, 10),
                "threshold must be above 0",
            ),
            (
                |alert| (alert.kind, alert.minutes) = (Kind::Grew, 9),
                "minutes must be at least 10",
            ),
        ];
        for (change, expect) in refused {
            assert!(named(change).starts_with(expect), "{expect}");
        }
    }

    #[test]
    fn notifies_all_receivers_or_the_named_ones() {
        let mut alert = Alert::default();
        assert!(alert.notifies("ops"));
        alert.receivers = vec!["chat".to_owned()];
        assert!(alert.notifies("chat") && !alert.notifies("ops"));
    }
}
