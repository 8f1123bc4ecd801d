//! Once a minute, a tenant's alerts are evaluated, and then the waiting messages are sent.
//!
//! Changes are written together with their messages before any message is sent, and a message is
//! removed after the receiver has accepted it. So each message is sent at least once, even if the
//! worker dies in between. After a day a message is dropped.

use futures_util::{StreamExt, stream};

use super::attempt::Attempt;
use super::evaluate::{apply, evaluate};
use super::record::{self, Alerts};
use super::send::send_waiting;
use crate::api::query::Queries;
use crate::api::rules::rule::Rule;
use crate::bucket::{self, Bucket};
use crate::http::outgoing::Outgoing;
use crate::platform::Platform;
use crate::platform::errors::Problem;

/// Receivers that get messages at the same time: of six connections, some are left for the bucket.
const PARALLEL: usize = 4;

/// Evaluates the alerts in the object `key` on these `rules`, which are read only if there are
/// alerts, and sends the messages that are due.
pub(crate) async fn run(
    bucket: &impl Bucket,
    key: &str,
    rules: impl AsyncFn() -> Result<Vec<Rule>, Problem>,
    runner: &impl Queries,
    outgoing: &impl Outgoing,
) -> Result<(), Problem> {
    let platform = runner.platform();
    let now = || platform.now_millis();
    let mut alerts: Alerts = bucket::record::read(bucket, key).await?;
    let mut problem = None;
    if !alerts.alerts.is_empty() {
        match rules().await {
            Ok(rules) => {
                let outcomes = evaluate(&alerts, &rules, runner).await;
                // Tried on a copy first: if nothing changes, nothing is written.
                let mut applied = alerts.clone();
                apply(&mut applied, &outcomes);
                if applied != alerts {
                    let change = |stored: &mut Alerts| {
                        apply(stored, &outcomes);
                        Ok(())
                    };
                    alerts = record::change(bucket, key, &now, &change).await?;
                }
            }
            // What waits is sent all the same.
            Err(found) => problem = Some(found),
        }
    }
    let at = now();
    let due = alerts.receivers.iter();
    let due = due.filter(|receiver| receiver.is_due(at));
    let attempts = stream::iter(due.map(|receiver| send_waiting(receiver, outgoing, platform)));
    let attempts: Vec<Vec<Attempt>> = attempts.buffer_unordered(PARALLEL).collect().await;
    let attempts: Vec<Attempt> = attempts.into_iter().flatten().collect();
    if !attempts.is_empty() {
        let change = |stored: &mut Alerts| {
            for attempt in &attempts {
                stored.record_attempt(attempt, now());
            }
            Ok(())
        };
        record::change(bucket, key, &now, &change).await?;
    }
    problem.map_or(Ok(()), Err)
}
