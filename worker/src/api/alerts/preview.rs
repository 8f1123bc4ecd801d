//! `POST /api/v1/alerts/preview`: when an alert would have fired.

use std::collections::BTreeMap;

use serde::Serialize;
use worker::{Request, Response};

use super::alert::Alert;
use super::conditions;
use super::series::{Labels, Minutes};
use super::state::{Event, State};
use crate::api::query::EdgeQueryRunner;
use crate::api::rules;
use crate::api::rules::points::{MINUTE, last_minute};
use crate::http::body::{self, MAX_JSON};
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
    firings: Vec<Firing>,
    /// The number of all firings, including those that are cut off.
    count: usize,
}

#[derive(Serialize)]
struct Firing {
    labels: Labels,
    from: i64,
    /// `None` if it still fires at the end.
    until: Option<i64>,
    /// The last value while it fired.
    value: f64,
}

pub(super) async fn answer(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let alert: Alert = body::json(request, &scope.isolate().bodies, MAX_JSON, "alert").await?;
    alert.check_condition()?;
    let range = Parameters::of(request).range_millis()?;
    let whole = |millis: i64| millis.div_euclid(MINUTE) * MINUTE;
    let minutes = Minutes {
        after: whole(range.from.millis()),
        until: whole(range.until.millis()).min(last_minute(clock::now_millis())),
    };
    let rules = rules::record::of_tenant(scope).await?;
    let rule = conditions::rule_of(&alert, &rules)?;
    let measure = conditions::measure_of(&alert, rule)?;
    let unit = conditions::unit(&alert, &measure);
    let mut state = State::default();
    let mut firings: Vec<Firing> = Vec::new();
    if minutes.after < minutes.until {
        let runner = EdgeQueryRunner::open(scope)?;
        let found =
            conditions::evaluate(&alert, rule, &measure, minutes, &BTreeMap::new(), &runner)
                .await?;
        for change in state.advance(&alert, minutes, &found) {
            if change.event == Event::Resolved {
                let instance = change.instance;
                firings.push(Firing {
                    labels: instance.labels,
                    from: instance.since,
                    until: instance.until,
                    value: instance.value,
                });
            }
        }
    }
    firings.extend(state.firing.into_iter().map(|firing| Firing {
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
