//! The state of an alert: for which series it fires, as a fold over minutes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::alert::{Alert, Kind};
use super::message::{Instance, Status};
use super::new_functions;
use super::series::{Labels, Matches, Minutes};
use crate::api::rules::points::MINUTE;
use crate::api::rules::rule::Rule;

/// Most series for which an alert fires at a time; further ones don't fire until others end.
const MAX_FIRING: usize = 50;

/// How far back an evaluation begins at most: an hour. Minutes before that are skipped if
/// evaluations failed or didn't run for longer.
const CATCH_UP: i64 = 60 * MINUTE;

/// How far back the first evaluation of a condition begins: a day, as the site's preview does
/// (`previewHours` in `state/query/alert.ts`).
const LOOK_BACK: i64 = 1_440 * MINUTE;

/// The state of an alert.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// The last minute that was evaluated; 0 before the first.
    pub(super) evaluated: i64,
    /// Why the last evaluation failed; empty if it didn't.
    pub(super) error: String,
    pub(super) firing: Vec<FiringSeries>,
    /// The rule's generation at that minute: a changed rule has other series.
    pub(super) rule_generation: i64,
    /// The unit of the values at that minute.
    pub(super) unit: String,
    /// The minute at which Alertmanager was last told what fires.
    pub(super) refreshed: i64,
}

/// A series for which an alert fires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct FiringSeries {
    #[serde(flatten)]
    pub(super) instance: Instance,
    /// Whether receivers got a message: not while the alert is silenced.
    pub(super) notified: bool,
    /// The minute that the value is of; 0 if an earlier version has stored it.
    #[serde(default)]
    pub(super) valued: i64,
}

/// What happened to a series at a minute.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    pub(super) event: Event,
    pub(super) at: i64,
    pub(super) instance: Instance,
    /// Whether receivers get a message.
    pub(super) notify: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Fires,
    /// It fires already when a silence ends.
    SilenceEnds,
    Resolved,
}

/// Series of which receivers get one message.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Notification {
    pub(super) status: Status,
    pub(super) at: i64,
    pub(super) instances: Vec<Instance>,
}

impl Event {
    pub(super) fn status(self) -> Status {
        match self {
            Self::Fires | Self::SilenceEnds => Status::Firing,
            Self::Resolved => Status::Resolved,
        }
    }
}

/// The changes that receivers get messages of: those of one status and minute in one.
pub(super) fn notifications(changes: Vec<Change>) -> Vec<Notification> {
    let mut notifications: Vec<Notification> = Vec::new();
    for change in changes.into_iter().filter(|change| change.notify) {
        let (status, at) = (change.event.status(), change.at);
        let mut same = notifications.iter_mut();
        match same.find(|there| (there.status, there.at) == (status, at)) {
            Some(there) => there.instances.push(change.instance),
            None => notifications.push(Notification {
                status,
                at,
                instances: vec![change.instance],
            }),
        }
    }
    notifications
}

/// A series' minutes at which the condition holds.
type Held<'a> = BTreeMap<&'a Labels, &'a BTreeMap<i64, f64>>;

/// The minutes up to `at` for which an alert needs its condition to hold, with their values.
fn last_minutes<'a>(
    alert: &Alert,
    at: i64,
    minutes: &'a BTreeMap<i64, f64>,
) -> impl DoubleEndedIterator<Item = (i64, f64)> + use<'a> {
    minutes
        .range(at - alert.hold() + 1..=at)
        .map(|(&minute, &value)| (minute, value))
}

impl State {
    /// The minutes up to `until` that are due; none if they are evaluated already. For
    /// [`Kind::NewFunction`] only the first multiple of ten minutes among them.
    pub(super) fn minutes(&self, alert: &Alert, until: i64) -> Minutes {
        let after = match self.evaluated {
            0 => until - MINUTE,
            // The clock was ahead and is set back.
            evaluated if evaluated > until + CATCH_UP => until - MINUTE,
            evaluated => evaluated.max(until - CATCH_UP),
        };
        if alert.kind != Kind::NewFunction || after >= until {
            return Minutes { after, until };
        }
        let first = match self.evaluated {
            0 => new_functions::last(until),
            _ => new_functions::last(after) + new_functions::EVERY,
        };
        let until = first.min(new_functions::last(until));
        let after = match until == self.evaluated {
            true => until,
            false => until - MINUTE,
        };
        Minutes { after, until }
    }

    /// The minutes up to `until` for [`Self::begin`].
    pub(super) fn first_minutes(alert: &Alert, until: i64) -> Minutes {
        let (until, look_back) = match alert.kind {
            Kind::NewFunction => (new_functions::last(until), new_functions::LOOK_BACK),
            _ => (until, LOOK_BACK),
        };
        let after = until - look_back;
        Minutes { after, until }
    }

    /// Whether the condition hasn't been evaluated with this rule: a changed rule has other series.
    pub(super) fn is_first(&self, rule: &Rule) -> bool {
        self.evaluated == 0 || self.rule_generation != rule.generation
    }

    /// When each series that fires had its last profiles, for an alert of the kind `silent`, whose
    /// values are minutes since then.
    pub(super) fn last_profiles(&self) -> BTreeMap<Labels, i64> {
        let firing = self.firing.iter().map(|series| {
            let minute = match series.valued {
                0 => self.evaluated,
                valued => valued,
            };
            let silent = (series.instance.value as i64).saturating_mul(MINUTE);
            (series.instance.labels.clone(), minute - silent)
        });
        firing.collect()
    }

    /// The firing series that receivers have got messages about.
    pub(super) fn notified(&self) -> Vec<Instance> {
        let notified = self.firing.iter().filter(|firing| firing.notified);
        notified.map(|firing| firing.instance.clone()).collect()
    }

    /// The same, once in each `interval`.
    pub(super) fn refresh(&mut self, minute: i64, interval: i64) -> Vec<Instance> {
        let notified = self.notified();
        if notified.is_empty() || minute.abs_diff(self.refreshed) < interval as u64 {
            return Vec::new();
        }
        self.refreshed = minute;
        notified
    }

    /// [`Self::advance`] of a state without evaluations. What fires at the end fires since the minute
    /// that a preview says, but is a change at the last minute: receivers get one message then.
    /// What began and ended before is no change.
    pub(super) fn begin(
        &mut self,
        alert: &Alert,
        minutes: Minutes,
        matches: &[Matches],
    ) -> Vec<Change> {
        self.advance(alert, minutes, matches);
        let firing = self.firing.iter();
        let changes = firing.map(
            |FiringSeries {
                 instance, notified, ..
             }| Change {
                event: Event::Fires,
                at: minutes.until,
                instance: instance.clone(),
                notify: *notified,
            },
        );
        changes.collect()
    }

    /// Folds these minutes into the state and returns the changes. A series fires when the
    /// condition has held at each of the last [`Alert::hold`], and is resolved when it has held at
    /// none of them.
    pub(super) fn advance(
        &mut self,
        alert: &Alert,
        minutes: Minutes,
        matches: &[Matches],
    ) -> Vec<Change> {
        let held = matches
            .iter()
            .map(|series| (&series.labels, &series.minutes));
        let held: Held<'_> = held.collect();
        let mut changes = Vec::new();
        if self.firing.is_empty() {
            self.refreshed = minutes.until;
        }
        for at in minutes.all() {
            self.resolve(alert, at, &held, &mut changes);
            if at >= alert.silenced_until {
                self.end_silence(at, &mut changes);
            }
            self.fire(alert, at, &held, &mut changes);
        }
        self.evaluated = minutes.until;
        changes
    }

    fn resolve(&mut self, alert: &Alert, at: i64, held: &Held<'_>, changes: &mut Vec<Change>) {
        self.firing.retain_mut(|series| {
            let minutes = held.get(&series.instance.labels);
            let value = minutes.and_then(|minutes| last_minutes(alert, at, minutes).next_back());
            if let Some((minute, value)) = value {
                series.instance.value = value;
                series.valued = minute;
                return true;
            }
            changes.push(Change {
                event: Event::Resolved,
                at,
                instance: Instance {
                    until: Some(at),
                    ..series.instance.clone()
                },
                notify: series.notified,
            });
            false
        });
    }

    fn end_silence(&mut self, at: i64, changes: &mut Vec<Change>) {
        for series in self.firing.iter_mut().filter(|series| !series.notified) {
            series.notified = true;
            changes.push(Change {
                event: Event::SilenceEnds,
                at,
                instance: series.instance.clone(),
                notify: true,
            });
        }
    }

    fn fire(&mut self, alert: &Alert, at: i64, held: &Held<'_>, changes: &mut Vec<Change>) {
        let count = (alert.hold() / MINUTE) as usize;
        for (labels, minutes) in held {
            let mut firing = self.firing.iter();
            let fires = firing.any(|series| series.instance.labels == **labels);
            if fires || self.firing.len() >= MAX_FIRING {
                continue;
            }
            let values: Vec<(i64, f64)> = last_minutes(alert, at, minutes).collect();
            if values.len() < count {
                continue;
            }
            let (valued, value) = values[count - 1];
            let instance = Instance {
                labels: (*labels).clone(),
                since: at,
                value,
                until: None,
            };
            let notified = at >= alert.silenced_until;
            self.firing.push(FiringSeries {
                instance: instance.clone(),
                notified,
                valued,
            });
            changes.push(Change {
                event: Event::Fires,
                at,
                instance,
                notify: notified,
            });
        }
    }
}

#[cfg(test)]
mod tests;
