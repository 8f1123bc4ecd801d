//! The state of an alert: for which series it fires, as a fold over minutes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::alert::{Alert, Kind};
use super::conditions::{Held, Labels, Minutes};
use super::message::{Instance, Status};
use super::new_functions;
use crate::api::rules::points::MINUTE;

/// Most series for which an alert fires at a time; further ones don't fire until others end.
const MAX_FIRING: usize = 50;

/// How far back an evaluation begins at most: an hour. Minutes before that are skipped if
/// evaluations failed or didn't run for longer.
const CATCH_UP: i64 = 60 * MINUTE;

/// The state of an alert.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// The last minute that was evaluated; 0 before the first.
    pub(super) evaluated: i64,
    /// Why the last evaluation failed; empty if it didn't.
    pub(super) error: String,
    pub(super) firing: Vec<Firing>,
}

/// A series for which an alert fires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Firing {
    #[serde(flatten)]
    pub(super) instance: Instance,
    /// Whether receivers got a message: not while the alert is silenced.
    pub(super) told: bool,
}

/// A series began to fire or was resolved.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    pub(super) status: Status,
    /// The minute at which it happened.
    pub(super) at: i64,
    pub(super) instance: Instance,
    /// Whether receivers get a message.
    pub(super) is_told: bool,
    /// Whether it goes into the history: not at the end of a silence, as the series fired before.
    pub(super) is_new: bool,
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
        Minutes { after, until }
    }

    pub(super) fn labels(&self) -> Vec<Labels> {
        let firing = self.firing.iter();
        firing
            .map(|firing| firing.instance.labels.clone())
            .collect()
    }

    /// Folds these minutes into the state and returns the changes. A series fires when the
    /// condition has held at each of the last [`Alert::hold`], and is resolved when it has held at
    /// none of them.
    pub(super) fn advance(
        &mut self,
        alert: &Alert,
        minutes: Minutes,
        held: &[Held],
    ) -> Vec<Change> {
        let count = (alert.hold() / MINUTE) as usize;
        let held: BTreeMap<&Labels, &BTreeMap<i64, f64>> = held
            .iter()
            .map(|held| (&held.labels, &held.minutes))
            .collect();
        let mut changes = Vec::new();
        for at in minutes.all() {
            let last = |minutes: &BTreeMap<i64, f64>| {
                let mut last = minutes.range(at - alert.hold() + 1..=at);
                let value = last.next_back().map(|(_, value)| *value);
                (last.count() + usize::from(value.is_some()), value)
            };
            self.firing.retain_mut(|Firing { instance, told }| {
                let (_, value) = held
                    .get(&instance.labels)
                    .map_or((0, None), |held| last(held));
                if let Some(value) = value {
                    instance.value = value;
                    return true;
                }
                let instance = Instance {
                    until: Some(at),
                    ..instance.clone()
                };
                changes.push(Change {
                    status: Status::Resolved,
                    at,
                    instance,
                    is_told: *told,
                    is_new: true,
                });
                false
            });
            let is_silenced = at < alert.silenced_until;
            for Firing { instance, told } in &mut self.firing {
                if !*told && !is_silenced {
                    *told = true;
                    changes.push(Change {
                        status: Status::Firing,
                        at,
                        instance: instance.clone(),
                        is_told: true,
                        is_new: false,
                    });
                }
            }
            for (labels, minutes) in &held {
                let fires = self
                    .firing
                    .iter()
                    .any(|there| there.instance.labels == **labels);
                if let (false, true, (held_for, Some(value))) =
                    (fires, self.firing.len() < MAX_FIRING, last(minutes))
                    && held_for == count
                {
                    let instance = Instance {
                        labels: (*labels).clone(),
                        since: at,
                        value,
                        until: None,
                    };
                    self.firing.push(Firing {
                        instance: instance.clone(),
                        told: !is_silenced,
                    });
                    changes.push(Change {
                        status: Status::Firing,
                        at,
                        instance,
                        is_told: !is_silenced,
                        is_new: true,
                    });
                }
            }
        }
        self.evaluated = minutes.until;
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(minutes: &[i64]) -> Vec<Held> {
        vec![Held {
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
            .map(|change| (change.status, change.at / MINUTE))
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
        let told = |held: &[i64]| -> Vec<_> {
            let changes = State::default().advance(&alert, minutes, &self::held(held));
            let told = changes
                .iter()
                .map(|c| (c.status, c.at / MINUTE, c.is_told, c.is_new));
            told.collect()
        };
        use Status::{Firing, Resolved};
        assert_eq!(
            told(&[2, 3]),
            [(Firing, 2, false, true), (Resolved, 4, false, true)]
        );
        assert_eq!(
            told(&[4, 5, 6]),
            [
                (Firing, 4, false, true),
                (Firing, 5, true, false),
                (Resolved, 7, true, true)
            ]
        );
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
        let held: Vec<Held> = (0..80)
            .map(|i| Held {
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
