//! `POST /api/v1/alerts/preview`: when an alert would have fired.

use serde::Serialize;
use worker::{Request, Response};

use super::alert::Alert;
use super::conditions::{self, Labels, Minutes};
use super::message::Status;
use super::minute::{DELAY, gone};
use super::state::State;
use crate::api::query::EdgeQueryRunner;
use crate::api::rules;
use crate::api::rules::points::MINUTE;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

/// Most firings in a response: the latest ones.
const MAX_FIRINGS: usize = 200;

#[derive(Serialize)]
struct Answer {
    unit: String,
    /// In the order in which they began.
    firings: Vec<Fired>,
    /// The number of all firings, including those that are cut off.
    count: usize,
}

#[derive(Serialize)]
struct Fired {
    labels: Labels,
    from: i64,
    /// `None` if it still fires at the end.
    until: Option<i64>,
    /// The last value while it fired.
    value: f64,
}

pub(super) async fn answer(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let mut alert: Alert = super::posted(request, scope).await?;
    if alert.name.is_empty() {
        alert.name = "preview".to_owned();
    }
    alert.check()?;
    let range = Parameters::of(request).range_millis()?;
    let latest = clock::now_millis() - DELAY;
    let minutes = Minutes {
        after: range.from.millis().div_euclid(MINUTE) * MINUTE,
        until: range.until.millis().min(latest).div_euclid(MINUTE) * MINUTE,
    };
    let rules = rules::record::of_tenant(scope).await?;
    let rule = rules.iter().find(|rule| rule.id == alert.rule);
    let rule = rule.ok_or_else(|| gone(&alert.rule))?;
    let unit = conditions::unit(&alert, &conditions::measured(rule)?);
    let mut state = State::default();
    let mut firings: Vec<Fired> = Vec::new();
    if minutes.after < minutes.until {
        let runner = EdgeQueryRunner::open(scope)?;
        let held = conditions::evaluate(&alert, rule, minutes, &[], &runner).await?;
        for change in state.advance(&alert, minutes, &held) {
            if change.status == Status::Resolved {
                let instance = change.instance;
                firings.push(Fired {
                    labels: instance.labels,
                    from: instance.since,
                    until: instance.until,
                    value: instance.value,
                });
            }
        }
    }
    firings.extend(state.firing.into_iter().map(|firing| Fired {
        labels: firing.instance.labels,
        from: firing.instance.since,
        until: None,
        value: firing.instance.value,
    }));
    firings.sort_by_key(|fired| fired.from);
    let count = firings.len();
    firings.drain(..count.saturating_sub(MAX_FIRINGS));
    Ok(Response::from_json(&Answer {
        unit,
        firings,
        count,
    })?)
}
