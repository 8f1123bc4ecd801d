//! The state of an alert: for which series it fires, as a fold over minutes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::alert::{Alert, Kind};
use super::conditions::{Labels, Matches, Minutes};
use super::message::{Instance, Status};
use super::new_functions;
use crate::api::rules::points::MINUTE;

/// Most series for which an alert fires at a time; further ones don't fire until others end.
const MAX_FIRING: usize = 50;

/// How far back an evaluation begins at most: an hour. Minutes before that are skipped if
/// evaluations failed or didn't run for longer.
const CATCH_UP: i64 = 60 * MINUTE;

/// Most minutes of an evaluation, so that one that catches up isn't refused as too much work.
const MAX_MINUTES: i64 = 10 * MINUTE;

/// The state of an alert.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// The last minute that was evaluated; 0 before the first.
    pub(super) evaluated: i64,
    /// Why the last evaluation failed; empty if it didn't.
    pub(super) error: String,
    pub(super) firing: Vec<FiringSeries>,
    /// The rule's generation then: another rule has other series.
    pub(super) rule_generation: i64,
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

/// The minutes up to `at` for which an alert needs its condition to hold.
fn last_minutes<'a>(
    alert: &Alert,
    at: i64,
    minutes: &'a BTreeMap<i64, f64>,
) -> impl DoubleEndedIterator<Item = f64> + use<'a> {
    minutes
        .range(at - alert.hold() + 1..=at)
        .map(|(_, value)| *value)
}

impl State {
    /// The minutes up to `until` that are due; none if they are evaluated already. For
    /// [`Kind::NewFunction`] only the last multiple of ten minutes.
    pub(super) fn minutes(&self, alert: &Alert, until: i64) -> Minutes {
        if alert.kind == Kind::NewFunction {
            let until = until.div_euclid(new_functions::EVERY) * new_functions::EVERY;
            let after = match until > self.evaluated {
                true => until - MINUTE,
                false => until,
            };
            return Minutes { after, until };
        }
        let after = match self.evaluated {
            0 => until - MINUTE,
            evaluated => evaluated.max(until - CATCH_UP),
        };
        let until = until.min(after + MAX_MINUTES);
        Minutes { after, until }
    }

    pub(super) fn labels(&self) -> Vec<Labels> {
        let firing = self.firing.iter();
        firing
            .map(|firing| firing.instance.labels.clone())
            .collect()
    }

    /// The firing series that receivers have got messages about.
    pub(super) fn notified(&self) -> Vec<Instance> {
        let notified = self.firing.iter().filter(|firing| firing.notified);
        notified.map(|firing| firing.instance.clone()).collect()
    }

    /// The same, once in each `interval`.
    pub(super) fn refresh(&mut self, minute: i64, interval: i64) -> Vec<Instance> {
        let notified = self.notified();
        if notified.is_empty() || minute - self.refreshed < interval {
            return Vec::new();
        }
        self.refreshed = minute;
        notified
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
            if let Some(value) = value {
                series.instance.value = value;
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
            let values: Vec<f64> = last_minutes(alert, at, minutes).collect();
            if values.len() < count {
                continue;
            }
            let instance = Instance {
                labels: (*labels).clone(),
                since: at,
                value: values[count - 1],
                until: None,
            };
            let notified = at >= alert.silenced_until;
            self.firing.push(FiringSeries {
                instance: instance.clone(),
                notified,
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
mod tests {
    use super::*;

    fn held(minutes: &[i64]) -> Vec<Matches> {
        vec![Matches {
            labels: Labels::new(),
            minutes: minutes.iter().map(|m| (m * MINUTE, *m as f64)).collect(),
        }]
    }

    fn advance(
        state: &mut State,
        for_minutes: i64,
        after: i64,
        until: i64,
        minutes: &[i64],
    ) -> Vec<(Status, i64)> {
        let alert = Alert {
            for_minutes,
            ..Alert::default()
        };
        let of = Minutes {
            after: after * MINUTE,
            until: until * MINUTE,
        };
        let changes = state.advance(&alert, of, &held(minutes));
        changes
            .iter()
            .map(|change| (change.event.status(), change.at / MINUTE))
            .collect()
    }

    #[test]
    fn it_fires_and_is_resolved() {
        let state = &mut State::default();
        let found = advance(state, 1, 0, 10, &[3, 4, 5, 8]);
        use Status::{Firing, Resolved};
        assert_eq!(
            found,
            [(Firing, 3), (Resolved, 6), (Firing, 8), (Resolved, 9)]
        );
        assert_eq!((state.evaluated, state.firing.len()), (10 * MINUTE, 0));
    }

    #[test]
    fn firing_and_resolving_need_as_many_minutes() {
        let state = &mut State::default();
        let found = advance(state, 3, 0, 20, &[2, 3, 5, 6, 7, 9, 12]);
        // The three minutes up to 10 and up to 11 include 9; those up to 12, 13 and 14 include 12.
        assert_eq!(found, [(Status::Firing, 7), (Status::Resolved, 15)]);
    }

    #[test]
    fn receivers_get_what_still_fires_after_a_silence() {
        let alert = Alert {
            silenced_until: 5 * MINUTE,
            ..Alert::default()
        };
        let minutes = Minutes {
            after: 0,
            until: 8 * MINUTE,
        };
        let found = |held: &[i64]| -> Vec<_> {
            let changes = State::default().advance(&alert, minutes, &self::held(held));
            let of = |change: &Change| (change.event, change.at / MINUTE, change.notify);
            changes.iter().map(of).collect()
        };
        use Event::{Fires, Resolved, SilenceEnds};
        assert_eq!(found(&[2, 3]), [(Fires, 2, false), (Resolved, 4, false)]);
        assert_eq!(
            found(&[4, 5, 6]),
            [
                (Fires, 4, false),
                (SilenceEnds, 5, true),
                (Resolved, 7, true)
            ]
        );
    }

    #[test]
    fn changes_of_a_minute_are_one_message() {
        let change = |event, at, notify| Change {
            event,
            at,
            instance: Instance {
                labels: Labels::new(),
                since: 0,
                value: 0.0,
                until: None,
            },
            notify,
        };
        use Event::{Fires, Resolved, SilenceEnds};
        let found = notifications(vec![
            change(Fires, 1, true),
            change(SilenceEnds, 1, true),
            change(Resolved, 1, true),
            change(Fires, 2, false),
            change(Fires, 3, true),
        ]);
        let found: Vec<_> = found
            .iter()
            .map(|n| (n.status, n.at, n.instances.len()))
            .collect();
        use Status::{Firing, Resolved as Ended};
        assert_eq!(found, [(Firing, 1, 2), (Ended, 1, 1), (Firing, 3, 1)]);
    }

    /// The changes don't depend on how the minutes are split into evaluations.
    #[test]
    fn it_does_not_matter_when_it_is_evaluated() {
        let minutes: Vec<i64> = (0..100).filter(|m| m % 23 < 11 || m % 7 == 0).collect();
        for hold in [1, 2, 5] {
            let whole = advance(&mut State::default(), hold, 0, 100, &minutes);
            assert!(whole.len() > 2);
            let (mut parts, mut state, mut after) = (Vec::new(), State::default(), 0);
            for length in [1, 7, 2, 30, 1, 1, 58] {
                parts.extend(advance(&mut state, hold, after, after + length, &minutes));
                after += length;
            }
            assert_eq!(parts, whole, "{hold}");
        }
    }

    #[test]
    fn it_begins_now_and_catches_up_for_an_hour() {
        let begins = |evaluated: i64, until: i64| {
            let state = State {
                evaluated: evaluated * MINUTE,
                ..State::default()
            };
            state.minutes(&Alert::default(), until * MINUTE).after / MINUTE
        };
        assert_eq!(
            (begins(0, 100), begins(90, 100), begins(5, 100)),
            (99, 90, 40)
        );
        // Another visit has evaluated it in the meantime.
        assert_eq!(begins(100, 100), 100);
        let new_function = Alert {
            kind: Kind::NewFunction,
            ..Alert::default()
        };
        let of = |evaluated: i64| {
            let state = State {
                evaluated: evaluated * MINUTE,
                ..State::default()
            };
            let Minutes { after, until } = state.minutes(&new_function, 107 * MINUTE);
            (after / MINUTE, until / MINUTE)
        };
        assert_eq!((of(0), of(90), of(100)), ((99, 100), (99, 100), (100, 100)));
    }

    #[test]
    fn at_most_fifty_series_fire() {
        let held: Vec<Matches> = (0..80)
            .map(|i| Matches {
                labels: [("i".to_owned(), i.to_string())].into(),
                minutes: [(MINUTE, 1.0)].into(),
            })
            .collect();
        let mut state = State::default();
        let minutes = Minutes {
            after: 0,
            until: MINUTE,
        };
        let changes = state.advance(&Alert::default(), minutes, &held);
        assert_eq!(
            (changes.len(), state.firing.len()),
            (MAX_FIRING, MAX_FIRING)
        );
    }
}
