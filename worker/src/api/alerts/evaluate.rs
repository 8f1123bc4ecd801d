//! Evaluates alerts, and applies what came of it to their stored state.

use std::collections::BTreeMap;

use super::alert::{Alert, Kind};
use super::conditions;
use super::link::link;
use super::message::{Instance, Message, REFRESH, Status};
use super::receiver::Receiver;
use super::record::Alerts;
use super::series::{Matches, Minutes};
use super::state::{Notification, State, notifications};
use crate::api::query::Queries;
use crate::api::rules::points::{MINUTE, last_minute};
use crate::api::rules::rule::{Measure, Rule};
use crate::platform::Platform;
use crate::platform::errors::Problem;

/// When no further alert is evaluated: 15 seconds after the first. The others catch up.
const EVALUATING_MILLIS: i64 = 15_000;

/// The result of evaluating an alert.
pub(super) struct Outcome {
    /// The alert as it was evaluated.
    alert: Alert,
    /// The last minute that was evaluated before.
    previous: i64,
    minutes: Minutes,
    /// Whether its rule was deleted.
    is_gone: bool,
    result: Result<Evaluated, String>,
}

struct Evaluated {
    rule: Rule,
    measure: Measure,
    matches: Vec<Matches>,
}

pub(super) async fn evaluate(
    alerts: &Alerts,
    rules: &[Rule],
    runner: &impl Queries,
) -> Vec<Outcome> {
    let now = || runner.platform().now_millis();
    let (began, until) = (now(), last_minute(now()));
    let mut outcomes = Vec::new();
    // Each minute another one is the first, so that none waits for long if time runs out.
    let count = alerts.alerts.len();
    let first = (until / MINUTE).rem_euclid(count.max(1) as i64) as usize;
    let (last, begin) = alerts.alerts.split_at(first.min(count));
    for stored in begin.iter().chain(last) {
        if now() - began > EVALUATING_MILLIS {
            break;
        }
        let (alert, state) = (&stored.alert, &stored.state);
        let mut minutes = state.minutes(alert, until);
        if minutes.after >= minutes.until {
            continue;
        }
        let rule = conditions::rule_of(alert, rules);
        let is_gone = rule.is_err();
        let is_first = rule.as_ref().is_ok_and(|rule| state.is_first(rule));
        if is_first {
            minutes = State::first_minutes(alert, until);
        }
        let evaluated = async {
            let rule = rule?;
            let measure = conditions::measure_of(alert, rule)?;
            let silent = match is_first || alert.kind != Kind::Silent {
                true => BTreeMap::new(),
                false => state.last_profiles(),
            };
            let matches = loop {
                let found =
                    conditions::evaluate(alert, rule, &measure, minutes, &silent, runner).await;
                // Many minutes may have too many series, or be too much work, where few aren't.
                let fewer = match is_first {
                    true => minutes.last_quarter(),
                    false => minutes.first_quarter(),
                };
                match (found, fewer) {
                    (Err(problem), Some(fewer)) if problem.is_permanent() => minutes = fewer,
                    (found, _) => break found?,
                }
            };
            Ok::<_, Problem>(Evaluated {
                rule: rule.clone(),
                measure,
                matches,
            })
        };
        let result = evaluated.await.map_err(|problem| problem.message);
        outcomes.push(Outcome {
            alert: alert.clone(),
            previous: state.evaluated,
            minutes,
            is_gone,
            result,
        });
    }
    outcomes
}

/// Applies outcomes to the stored alerts and queues messages.
pub(super) fn apply(alerts: &mut Alerts, outcomes: &[Outcome]) {
    for Outcome {
        alert,
        previous,
        minutes,
        is_gone,
        result,
    } in outcomes
    {
        let mut stored = alerts.alerts.iter();
        let Some(at) = stored.position(|stored| stored.alert == *alert) else {
            continue;
        };
        // Another visit may have evaluated the alert in the meantime.
        if alerts.alerts[at].state.evaluated != *previous {
            continue;
        }
        let state = &alerts.alerts[at].state;
        let is_first = result
            .as_ref()
            .is_ok_and(|evaluated| state.is_first(&evaluated.rule));
        if let Ok(Evaluated { rule, .. }) = result
            && alerts.alerts[at].state.rule_generation != rule.generation
        {
            // A changed rule has other series.
            alerts.end(at, minutes.until);
            alerts.alerts[at].state.rule_generation = rule.generation;
        }
        let state = &mut alerts.alerts[at].state;
        let evaluated = match result {
            Ok(evaluated) => evaluated,
            Err(error) => {
                if *is_gone && !state.firing.is_empty() {
                    alerts.end(at, minutes.until);
                }
                alerts.alerts[at].state.error.clone_from(error);
                continue;
            }
        };
        state.error.clear();
        state.unit = conditions::unit(alert, &evaluated.measure);
        let unit = state.unit.clone();
        let changes = match is_first {
            true => state.begin(alert, *minutes, &evaluated.matches),
            false => state.advance(alert, *minutes, &evaluated.matches),
        };
        let repeated = state.refresh(minutes.until, REFRESH);
        alerts.remember(alert, &unit, &changes, false);
        for notification in notifications(changes) {
            let message = |receiver: &Receiver| evaluated.message(receiver, alert, &notification);
            alerts.queue(alert, message);
        }
        if !repeated.is_empty() {
            alerts.queue_refresh(alert, |receiver| {
                let notification = Notification {
                    status: Status::Firing,
                    at: minutes.until,
                    instances: repeated.clone(),
                };
                evaluated.message(receiver, alert, &notification).repeated()
            });
        }
    }
}

impl Evaluated {
    fn message(&self, receiver: &Receiver, alert: &Alert, of: &Notification) -> Message {
        let Notification {
            status,
            at,
            instances,
        } = of;
        let link = |first: &Instance| {
            // In an alert's first message, or after a silence, it can have begun hours ago.
            let minute = match status {
                Status::Firing => first.since,
                Status::Resolved | Status::Test => *at,
            };
            link(
                &receiver.site,
                alert,
                &self.rule,
                &self.measure,
                minute,
                &first.labels,
            )
        };
        let link = instances.first().map_or_else(String::new, link);
        let unit = conditions::unit(alert, &self.measure);
        Message::new(alert, &unit, *status, *at, instances.clone(), link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::alerts::series::Labels;
    use crate::api::alerts::state::FiringSeries;

    #[test]
    fn what_fires_is_resolved_when_the_rule_is_deleted() {
        let alert = Alert {
            id: "a".to_owned(),
            ..Alert::default()
        };
        let mut alerts = Alerts::default();
        let receiver = Receiver {
            name: "ops".to_owned(),
            ..Receiver::default()
        };
        alerts.save_receiver(receiver).unwrap();
        let alert = alerts.save(alert, 0).unwrap();
        alerts.alerts[0].state.evaluated = 5 * MINUTE;
        alerts.alerts[0].state.firing.push(FiringSeries {
            instance: Instance {
                labels: Labels::new(),
                since: MINUTE,
                value: 1.0,
                until: None,
            },
            notified: true,
            valued: 0,
        });
        let outcome = |is_gone| Outcome {
            alert: alert.clone(),
            previous: alerts.alerts[0].state.evaluated,
            minutes: alerts.alerts[0].state.minutes(&alert, 6 * MINUTE),
            is_gone,
            result: Err("no".to_owned()),
        };
        let (broken, gone) = (outcome(false), outcome(true));
        apply(&mut alerts, &[broken]);
        assert_eq!(alerts.alerts[0].state.firing.len(), 1);
        apply(&mut alerts, &[gone]);
        let state = &alerts.alerts[0].state;
        assert_eq!((state.firing.len(), state.error.as_str()), (0, "no"));
        let waiting = &alerts.receivers[0].waiting;
        assert_eq!((waiting.len(), waiting[0].status), (1, Status::Resolved));
        assert_eq!(alerts.history.len(), 1);
    }

    #[test]
    fn an_alert_goes_on_after_days_without_evaluation() {
        let mut alerts = Alerts::default();
        let alert = Alert {
            id: "a".to_owned(),
            ..Alert::default()
        };
        let alert = alerts.save(alert, 0).unwrap();
        let rule = Rule {
            query: r#"process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="a"}"#.to_owned(),
            ..Rule::default()
        };
        alerts.alerts[0].state.evaluated = 5 * MINUTE;
        let now = 3000 * MINUTE;
        for _ in 0..7 {
            let minutes = alerts.alerts[0].state.minutes(&alert, now);
            let outcome = Outcome {
                alert: alert.clone(),
                previous: alerts.alerts[0].state.evaluated,
                minutes,
                is_gone: false,
                result: Ok(Evaluated {
                    rule: rule.clone(),
                    measure: conditions::measure_of(&alert, &rule).unwrap(),
                    matches: Vec::new(),
                }),
            };
            apply(&mut alerts, &[outcome]);
            assert_eq!(alerts.alerts[0].state.evaluated, minutes.until);
        }
        assert_eq!(alerts.alerts[0].state.evaluated, now);
        assert_eq!(alerts.alerts[0].state.unit, "cores");
    }
}
