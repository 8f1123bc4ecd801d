//! `GET /metrics`: what every tenant used this month, and what it costs, for Prometheus.

use futures_util::{StreamExt, TryStreamExt, stream};
use pilotlight_core::store::Tenant as TenantId;
use worker::{Env, Response, ResponseBuilder};

use crate::bucket::{self, AnyBucket};
use crate::config::Config;
use crate::errors::Problem;
use crate::meter::{Meter, MonthUsage, Prices, PricesError, prometheus};
use crate::platform::CONNECTIONS;
use crate::scope::Scope;

/// The media type of Prometheus' text format.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(crate) async fn answer(env: &Env, config: Config) -> Result<Response, Problem> {
    let prices = prices(env).map_err(Problem::internal)?;
    let tenants = bucket::tenants(&AnyBucket::open(env)?).await?;
    let months = stream::iter(tenants).map(|tenant| month(env, config, tenant)).buffered(CONNECTIONS);
    let text = prometheus(&months.try_collect::<Vec<_>>().await?, &prices);
    Ok(ResponseBuilder::new().with_header("content-type", CONTENT_TYPE)?.fixed(text.into_bytes()))
}

/// The configured prices, or the defaults.
pub(crate) fn prices(env: &Env) -> Result<Prices, PricesError> {
    match env.object_var("PRICES") {
        Ok(given) => Prices::new(given),
        Err(_) => Ok(Prices::default()),
    }
}

/// What a tenant used, in all of its objects.
async fn month(env: &Env, config: Config, tenant: TenantId) -> Result<(String, MonthUsage), Problem> {
    let scope = Scope::new(env, config, tenant.clone(), Meter::default());
    let mut sum = MonthUsage::default();
    for client in scope.shards()?.each() {
        sum += client.month().await?;
    }
    Ok((tenant.to_string(), sum))
}
