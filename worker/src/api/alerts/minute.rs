//! Once a minute, a tenant's alerts are evaluated, and then the waiting messages are sent.
//!
//! Changes are written together with their messages before any message is sent, and a message is
//! removed after the receiver has accepted it. So each message is sent at least once, even if the
//! worker dies in between. After a day a message is dropped.

use futures_util::future::join_all;

use super::alert::Alert;
use super::body::Body;
use super::conditions::{self, Held, Minutes};
use super::link::link;
use super::message::{Instance, Message, Status};
use super::receiver::{Form, Receiver};
use super::record::{Alerts, told};
use crate::api::query::{AnswerCache, Invocations, QueryRunner};
use crate::api::rules::points::MINUTE;
use crate::api::rules::rule::{Measure, Rule};
use crate::bucket::Bucket;
use crate::bucket::record;
use crate::http::outgoing::{Outgoing, Post};
use crate::platform::Platform;
use crate::platform::errors::Problem;
use crate::tenant::Transport;

/// How long after its end a minute is evaluated; `/exported-metrics` has the same delay.
pub(crate) const DELAY: i64 = 2 * MINUTE;

/// How often the state is written if nothing changes, and how often Alertmanager gets the alerts
/// that still fire.
const REFRESH: i64 = 10 * MINUTE;

/// Most messages that are sent to a receiver at each evaluation.
const MAX_SENT: usize = 20;

/// Most characters of a receiver's response in an error.
const MAX_ANSWER: usize = 200;

/// The result of evaluating an alert.
struct Outcome {
    /// The alert as it was evaluated.
    alert: Alert,
    minutes: Minutes,
    result: Result<Evaluated, String>,
}

struct Evaluated {
    rule: Rule,
    measure: Measure,
    held: Vec<Held>,
}

/// An attempt to send a message to a receiver.
struct Attempt {
    receiver: String,
    message: String,
    outcome: Result<(), String>,
}

/// Evaluates the alerts in the object `key` on these `rules`, which are read only if there are
/// alerts, and sends the messages that are due.
pub(crate) async fn run<B, T, P, C, I>(
    bucket: &impl Bucket,
    key: &str,
    rules: impl AsyncFn() -> Result<Vec<Rule>, Problem>,
    runner: &QueryRunner<B, T, P, C, I>,
    outgoing: &impl Outgoing,
) -> Result<(), Problem>
where
    B: Bucket,
    T: Transport,
    P: Platform,
    C: AnswerCache,
    I: Invocations,
{
    let platform = &runner.admission().platform;
    let now = || platform.now_millis();
    let mut alerts: Alerts = record::read(bucket, key).await?;
    if !alerts.alerts.is_empty() {
        let outcomes = evaluate(&alerts, &rules().await?, now(), runner).await;
        // Tried on a copy first: if nothing changes, nothing is written.
        if apply(&mut alerts.clone(), &outcomes, now()) {
            let changed = record::change(bucket, key, now, |stored: &mut Alerts| {
                Ok(apply(stored, &outcomes, now()))
            });
            alerts = changed.await?.value;
        }
    }
    let at = now();
    let due = alerts
        .receivers
        .iter()
        .filter(|receiver| receiver.is_due(at));
    let attempts = join_all(due.map(|receiver| send_waiting(receiver, outgoing))).await;
    let attempts: Vec<Attempt> = attempts.into_iter().flatten().collect();
    if attempts.is_empty() {
        return Ok(());
    }
    let noted = record::change(bucket, key, now, |stored: &mut Alerts| {
        for attempt in &attempts {
            let mut receivers = stored.receivers.iter_mut();
            if let Some(receiver) = receivers.find(|there| there.name == attempt.receiver) {
                receiver.tried(&attempt.message, attempt.outcome.clone(), now());
            }
        }
        Ok(())
    });
    noted.await?;
    Ok(())
}

async fn evaluate<B, T, P, C, I>(
    alerts: &Alerts,
    rules: &[Rule],
    now: i64,
    runner: &QueryRunner<B, T, P, C, I>,
) -> Vec<Outcome>
where
    B: Bucket,
    T: Transport,
    P: Platform,
    C: AnswerCache,
    I: Invocations,
{
    let until = (now - DELAY).div_euclid(MINUTE) * MINUTE;
    let mut outcomes = Vec::new();
    for stored in &alerts.alerts {
        let (alert, state) = (&stored.alert, &stored.state);
        let minutes = state.minutes(alert, until);
        if minutes.after >= minutes.until {
            continue;
        }
        let evaluated = async {
            let rule = rules.iter().find(|rule| rule.id == alert.rule);
            let rule = rule.ok_or_else(|| gone(&alert.rule))?;
            let measure = conditions::measured(rule)?;
            let firing = state.labels();
            let held = conditions::evaluate(alert, rule, minutes, &firing, runner).await?;
            Ok::<_, Problem>(Evaluated {
                rule: rule.clone(),
                measure,
                held,
            })
        };
        outcomes.push(Outcome {
            alert: alert.clone(),
            minutes,
            result: evaluated.await.map_err(|problem| problem.message),
        });
    }
    outcomes
}

pub(super) fn gone(rule: &str) -> Problem {
    Problem::invalid(format!(
        "the rule {rule} was deleted; delete this alert or choose another rule"
    ))
}

/// Applies outcomes to the stored alerts and queues messages. Returns whether to write the result.
fn apply(alerts: &mut Alerts, outcomes: &[Outcome], now: i64) -> bool {
    let mut changed = false;
    // Alertmanager resolves an alert that isn't sent again in time.
    let needs_refresh = |receiver: &Receiver| {
        receiver.kind == Form::Alertmanager && now - receiver.refreshed >= REFRESH
    };
    for Outcome {
        alert,
        minutes,
        result,
    } in outcomes
    {
        let mut stored = alerts.alerts.iter_mut();
        let Some(stored) = stored.find(|stored| stored.alert == *alert) else {
            continue;
        };
        // Another visit may have evaluated the alert in the meantime.
        if stored.state.minutes(alert, minutes.until) != *minutes {
            continue;
        }
        let evaluated = match result {
            Ok(evaluated) => evaluated,
            Err(error) => {
                changed |= stored.state.error != *error;
                stored.state.error.clone_from(error);
                continue;
            }
        };
        let is_old = minutes.until - stored.state.evaluated >= REFRESH;
        let changes = stored.state.advance(alert, *minutes, &evaluated.held);
        changed |= is_old || !changes.is_empty() || !stored.state.error.is_empty();
        stored.state.error.clear();
        alerts.remember(alert, &changes);
        for (status, at, instances) in told(changes) {
            alerts.queue(alert, |receiver| {
                message(receiver, alert, evaluated, status, at, instances.clone())
            });
        }
        let firing = all_firing(alerts, alert);
        let receivers = alerts.receivers.iter_mut();
        for receiver in receivers.filter(|receiver| !firing.is_empty() && needs_refresh(receiver)) {
            if alert.notifies(&receiver.name) {
                let (status, at) = (Status::Firing, minutes.until);
                receiver.queue(message(
                    receiver,
                    alert,
                    evaluated,
                    status,
                    at,
                    firing.clone(),
                ));
                changed = true;
            }
        }
    }
    for receiver in alerts
        .receivers
        .iter_mut()
        .filter(|receiver| needs_refresh(receiver))
    {
        receiver.refreshed = now;
    }
    changed
}

/// The firing series of an alert that receivers have got messages about.
fn all_firing(alerts: &Alerts, alert: &Alert) -> Vec<Instance> {
    let stored = alerts.alerts.iter().find(|stored| stored.alert == *alert);
    let firing = stored.into_iter().flat_map(|stored| &stored.state.firing);
    let told = firing.filter(|firing| firing.told);
    told.map(|firing| firing.instance.clone()).collect()
}

fn message(
    receiver: &Receiver,
    alert: &Alert,
    evaluated: &Evaluated,
    status: Status,
    at: i64,
    instances: Vec<Instance>,
) -> Message {
    let Evaluated { rule, measure, .. } = evaluated;
    let link = match instances.first() {
        Some(first) => link(&receiver.site, alert, rule, measure, at, &first.labels),
        None => String::new(),
    };
    let unit = conditions::unit(alert, measure);
    Message::new(alert, &unit, status, at, instances, link)
}

/// Sends the waiting messages in order, and stops at the first that isn't accepted.
async fn send_waiting(receiver: &Receiver, outgoing: &impl Outgoing) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    for message in receiver.waiting.iter().take(MAX_SENT) {
        let outcome = send(receiver, message, outgoing).await;
        let is_over = outcome.is_err();
        attempts.push(Attempt {
            receiver: receiver.name.clone(),
            message: message.id.clone(),
            outcome,
        });
        if is_over {
            break;
        }
    }
    attempts
}

/// Sends a message. The error is a text that says why it wasn't accepted.
pub(super) async fn send(
    receiver: &Receiver,
    message: &Message,
    outgoing: &impl Outgoing,
) -> Result<(), String> {
    let body = Body::new(receiver.kind, &receiver.url, message);
    let Body { url, json } = body.map_err(|problem| problem.message)?;
    let bearer = format!("Bearer {}", receiver.token);
    let mut headers = vec![("content-type", "application/json")];
    if !receiver.token.is_empty() {
        headers.push(("authorization", &bearer));
    }
    let response = outgoing
        .post(Post {
            url: &url,
            headers: &headers,
            body: json.into_bytes(),
        })
        .await?;
    if (200..300).contains(&response.status) {
        return Ok(());
    }
    let text: String = response.text.trim().chars().take(MAX_ANSWER).collect();
    Err(match text.is_empty() {
        true => format!("the receiver returned {}", response.status),
        false => format!("the receiver returned {}: {text}", response.status),
    })
}
