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
    /// None if the rule was deleted.
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
    // Of the same minute, the later change first.
    history.reverse();
    history.sort_by_key(|entry| Reverse(entry.at));
    history.truncate(SHOWN_HISTORY);
    Ok(Response::from_json(&Listing {
        alerts: alerts
            .into_iter()
            .map(|alert| listed(alert, &rules))
            .collect(),
        history,
        receivers: receivers.iter().map(Receiver::shown).collect(),
    })?)
}

fn listed(StoredAlert { alert, state }: StoredAlert, rules: &[Rule]) -> ListedAlert {
    let rule = conditions::rule_of(&alert, rules).ok();
    let measure = rule.and_then(|rule| conditions::measure_of(&alert, rule).ok());
    // Without its rule an alert ends, but the state says it only once it is evaluated.
    let firing = rule.map_or_else(Vec::new, |_| state.firing);
    ListedAlert {
        unit: measure.map_or_else(String::new, |measure| conditions::unit(&alert, &measure)),
        firing: firing.into_iter().map(|firing| firing.instance).collect(),
        error: state.error,
        evaluated: state.evaluated,
        alert,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::alerts::series::Labels;
    use crate::api::alerts::state::{FiringSeries, State};

    #[test]
    fn an_alert_without_its_rule_does_not_fire() {
        let instance = Instance {
            labels: Labels::new(),
            since: 0,
            value: 1.0,
            until: None,
        };
        let state = State {
            firing: vec![FiringSeries {
                instance,
                notified: true,
                valued: 0,
            }],
            ..State::default()
        };
        let alert = Alert {
            rule: "r".to_owned(),
            ..Alert::default()
        };
        let stored = StoredAlert { alert, state };
        let rule = Rule {
            id: "r".to_owned(),
            ..Rule::default()
        };
        assert_eq!(listed(stored.clone(), &[rule]).firing.len(), 1);
        assert_eq!(listed(stored, &[]).firing.len(), 0);
    }
}
