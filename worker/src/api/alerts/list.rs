//! `GET /api/v1/alerts`: alerts with their state, the history and the receivers.

use std::cmp::Reverse;

use serde::Serialize;
use worker::Response;

use super::alert::Alert;
use super::conditions;
use super::history::HistoryEntry;
use super::message::Instance;
use super::receiver::{ListedReceiver, Receiver};
use super::record::{Alerts, StoredAlert};
use super::store::stored;
use crate::api::rules;
use crate::api::rules::rule::Rule;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

/// Most history entries in a response.
const SHOWN_HISTORY: usize = 50;

#[derive(Serialize)]
struct Listing {
    alerts: Vec<ListedAlert>,
    /// Newest first.
    history: Vec<HistoryEntry>,
    receivers: Vec<ListedReceiver>,
}

#[derive(Serialize)]
struct ListedAlert {
    #[serde(flatten)]
    alert: Alert,
    /// The unit of the threshold and values; empty if the rule was deleted.
    unit: String,
    firing: Vec<Instance>,
    error: String,
    /// Milliseconds since the epoch; 0 before the first evaluation.
    evaluated: i64,
}

pub(super) async fn answer(scope: &Scope) -> Result<Response, Problem> {
    let Alerts {
        alerts,
        receivers,
        mut history,
        ..
    } = stored(scope).await?;
    let rules = match alerts.is_empty() {
        true => Vec::new(),
        false => rules::record::of_tenant(scope).await?,
    };
    let shown = |StoredAlert { alert, state }| ListedAlert {
        unit: unit(&alert, &rules),
        firing: state
            .firing
            .into_iter()
            .map(|firing| firing.instance)
            .collect(),
        error: state.error,
        evaluated: state.evaluated,
        alert,
    };
    // Of the same minute, the later change first.
    history.reverse();
    history.sort_by_key(|entry| Reverse(entry.at));
    history.truncate(SHOWN_HISTORY);
    Ok(Response::from_json(&Listing {
        alerts: alerts.into_iter().map(shown).collect(),
        history,
        receivers: receivers.iter().map(Receiver::shown).collect(),
    })?)
}

fn unit(alert: &Alert, rules: &[Rule]) -> String {
    let rule = conditions::rule_of(alert, rules);
    let measure = rule.and_then(|rule| conditions::measure_of(alert, rule));
    measure.map_or_else(
        |_| String::new(),
        |measure| conditions::unit(alert, &measure),
    )
}
