//! `GET /metrics`: what every tenant used this month, and what it costs, for Prometheus.

use futures_util::{StreamExt, TryStreamExt, stream};
use pilotlight_core::access::TokenScope;
use pilotlight_core::store::TenantId;
use worker::{Env, Response};

use crate::auth::Refusals;
use crate::auth::access::Access;
use crate::bucket::{self, AnyBucket};
use crate::http::content_type;
use crate::http::endpoint::{Endpoint, Installation};
use crate::http::scope::Scope;
use crate::meter::{DutyCounts, Meter, MonthUsage, Prices, PricesError, prometheus};
use crate::platform::CONNECTIONS;
use crate::platform::admission::{Admitted, wasm_bytes};
use crate::platform::errors::Problem;

/// The media type of Prometheus' text format.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

// Prometheus reads; it needs no right to delete.
pub(crate) const ENDPOINTS: &[Endpoint] = &[Endpoint::of_installation(
    "GET",
    "/metrics",
    Access::Installation(TokenScope::Read),
    |_, installation| Box::pin(answer(installation)),
)];

async fn answer(installation: &Installation) -> Result<Response, Problem> {
    let env = &installation.env;
    let prices = prices(env).map_err(Problem::internal)?;
    let tenants = bucket::tenants(&AnyBucket::open(env)?).await?;
    let months = stream::iter(tenants)
        .map(|tenant| month(installation, tenant))
        .buffered(CONNECTIONS);
    let mut text = prometheus(&months.try_collect::<Vec<_>>().await?, &prices);
    let isolate = &installation.isolate;
    text.push_str(&memory(wasm_bytes(), isolate.memory.admitted()));
    text.push_str(&refusals(&isolate.auth.refusals));
    text.push_str(&duties(&isolate.duties));
    Ok(content_type::response(
        200,
        CONTENT_TYPE,
        text.into_bytes(),
    )?)
}

/// The memory of the isolate that answers; others have their own.
fn memory(wasm_bytes: u64, admitted: Admitted) -> String {
    let Admitted {
        bytes,
        waiting,
        refused,
    } = admitted;
    let metrics = [
        (
            "isolate_wasm_bytes",
            "gauge",
            "WASM memory of the responding isolate; it never shrinks.",
            wasm_bytes,
        ),
        (
            "isolate_admitted_bytes",
            "gauge",
            "Estimated memory of queries and jobs that run in this isolate.",
            bytes,
        ),
        (
            "isolate_waiting",
            "gauge",
            "Queries and jobs waiting for memory in this isolate.",
            waiting,
        ),
        (
            "isolate_refused_total",
            "counter",
            "Queries and jobs rejected for lack of memory.",
            refused,
        ),
    ];
    let lines = metrics.map(|(name, kind, help, value)| {
        format!("# HELP pilotlight_{name} {help}\n# TYPE pilotlight_{name} {kind}\npilotlight_{name} {value}\n")
    });
    lines.concat()
}

/// Requests that were refused by the isolate that answers; others have their own counts.
fn refusals(refusals: &Refusals) -> String {
    let mut text =
        "# HELP pilotlight_isolate_refused_requests_total Requests rejected before their body was \
                    read, by reason.\n# TYPE pilotlight_isolate_refused_requests_total counter\n"
            .to_owned();
    for (reason, count) in refusals.counts() {
        let name = reason.name();
        text.push_str(&format!(
            "pilotlight_isolate_refused_requests_total{{reason=\"{name}\"}} {count}\n"
        ));
    }
    text
}

/// Duties of visits that ran in the isolate that answers; others have their own counts.
fn duties(counts: &DutyCounts) -> String {
    let mut text =
        "# HELP pilotlight_isolate_duties_total Scheduled maintenance tasks that were due, by outcome.\n\
                    # TYPE pilotlight_isolate_duties_total counter\n"
            .to_owned();
    for ((duty, outcome), count) in counts.all() {
        let outcome = outcome.name();
        text.push_str(&format!(
            "pilotlight_isolate_duties_total{{duty=\"{duty}\",outcome=\"{outcome}\"}} {count}\n"
        ));
    }
    text
}

/// The configured prices, or the defaults.
pub(crate) fn prices(env: &Env) -> Result<Prices, PricesError> {
    match env.object_var("PRICES") {
        Ok(given) => Prices::new(given),
        Err(_) => Ok(Prices::default()),
    }
}

/// What a tenant used, in all of its objects.
async fn month(
    installation: &Installation,
    tenant: TenantId,
) -> Result<(String, MonthUsage), Problem> {
    let Installation {
        env,
        config,
        isolate,
        ..
    } = installation;
    let scope = Scope::new(env, *config, tenant.clone(), Meter::default(), isolate);
    let mut sum = MonthUsage::default();
    for client in scope.shards()?.each() {
        sum += client.month().await?;
    }
    Ok((tenant.to_string(), sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_the_isolate() {
        let text = memory(
            1 << 20,
            Admitted {
                bytes: 5,
                waiting: 2,
                refused: 7,
            },
        );
        let samples: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let expect = [
            "pilotlight_isolate_wasm_bytes 1048576",
            "pilotlight_isolate_admitted_bytes 5",
            "pilotlight_isolate_waiting 2",
            "pilotlight_isolate_refused_total 7",
        ];
        assert_eq!(samples, expect);
        assert_eq!(
            text.lines()
                .filter(|line| line.starts_with("# TYPE "))
                .count(),
            4
        );
    }
}
