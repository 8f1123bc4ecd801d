//! Sums of services and types: what was acknowledged, and what queries answer.

use std::collections::BTreeMap;

use pilotlight_core::store::read_chunk;

use super::programs::Kind;
use crate::client::Client;
use crate::clock::now_millis;

/// A range around any run, milliseconds: six hours.
const RANGE: i64 = 6 * 3_600_000;

/// Sums by service and type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals(BTreeMap<(String, String), i128>);

impl Totals {
    /// Adds what a profile holds.
    pub(super) fn add(&mut self, service: &str, kind: Kind, totals: &[i64]) {
        for (id, total) in kind.types().iter().zip(totals) {
            *self
                .0
                .entry((service.to_owned(), (*id).to_owned()))
                .or_default() += i128::from(*total);
        }
    }
}

/// Asks for all totals in two ways, and says what is not as expected.
pub(super) fn check(client: &Client, expected: &Totals, when: &str) -> Vec<String> {
    let mut problems = match listed(client) {
        Ok(found) if found == *expected => Vec::new(),
        Ok(found) => vec![format!(
            "{when}: the list of services has {found:?}, and not {expected:?}"
        )],
        Err(problem) => vec![format!("{when}: the list of services: {problem}")],
    };
    for ((service, id), total) in &expected.0 {
        match merged(client, service, id) {
            Ok(found) if found == *total => {}
            Ok(found) => problems.push(format!(
                "{when}: {id} of {service} has {found}, and not {total}"
            )),
            Err(problem) => problems.push(format!("{when}: {id} of {service}: {problem}")),
        }
    }
    problems
}

fn listed(client: &Client) -> Result<Totals, String> {
    let until = now_millis() + RANGE / 2;
    let answer = client.get(&format!(
        "/api/v1/services?from={}&until={until}&points=60",
        until - RANGE
    ))?;
    if answer.status != 200 {
        return Err(format!("{}: {}", answer.status, answer.text()));
    }
    let mut totals = Totals::default();
    for service in answer.json()["services"].as_array().into_iter().flatten() {
        for kind in service["types"].as_array().into_iter().flatten() {
            let text = |value: &serde_json::Value| {
                value
                    .as_str()
                    .map(str::to_owned)
                    .ok_or_else(|| format!("{service}"))
            };
            let total = text(&kind["total"])?
                .parse()
                .map_err(|e| format!("{kind}: {e}"))?;
            totals
                .0
                .insert((text(&service["name"])?, text(&kind["id"])?), total);
        }
    }
    Ok(totals)
}

/// The sum over the merged profile.
fn merged(client: &Client, service: &str, id: &str) -> Result<i128, String> {
    let until = now_millis() + RANGE / 2;
    let answer = client.get(&profile_path(service, id, until - RANGE, until))?;
    match answer.status {
        200 => Ok(read_chunk(&answer.body, |_, _| true)
            .map_err(|e| e.to_string())?
            .total(0)),
        204 => Ok(0),
        status => Err(format!("{status}: {}", answer.text())),
    }
}

/// Asks for a merged profile.
pub(super) fn profile_path(service: &str, id: &str, from: i64, until: i64) -> String {
    format!("/api/v1/profile?{}", query(service, id, from, until))
}

/// Parameters that name a service, a type and a range.
pub(super) fn query(service: &str, id: &str, from: i64, until: i64) -> String {
    form_urlencoded::Serializer::new(String::new())
        .append_pair("query", &format!("{id}{{service_name=\"{service}\"}}"))
        .append_pair("from", &from.to_string())
        .append_pair("until", &until.to_string())
        .finish()
}
