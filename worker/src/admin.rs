//! Calls for an operator.

use serde_json::json;
use worker::{Env, Request, Response};

use crate::body;
use crate::bucket::AnyBucket;
use crate::bucket::contract::{self, Part};
use crate::clock;
use crate::errors::Problem;
use crate::parameters::Parameters;
use crate::route::Admin;
use crate::scope::Scope;
use crate::tenant::{Kept, Order, Parked, Retention, TenantShards, Transport};

/// Most bytes of a body: one kilobyte, many times what two numbers take.
const MAX_REQUEST: usize = 1 << 10;

/// What is checked when nothing is named: all but the part that writes a thousand objects.
const USUAL: [Part; 3] = [Part::Objects, Part::Conditions, Part::Lists];

/// `POST …/api/v1/admin/bucket-check?part=NAME`: whether the bucket keeps what Pilotlight needs of one. The status is 200
/// whatever is found.
pub(crate) async fn bucket_check(request: &Request, env: &Env) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let parts = match parameters.get("part") {
        None => USUAL.to_vec(),
        Some(name) => vec![part(name)?],
    };
    let report = contract::check(&AnyBucket::open(env)?, clock::random(), &parts).await;
    Ok(Response::from_json(&report)?)
}

/// Calls about a tenant.
///
/// | call | answer |
/// |---|---|
/// | `GET …/admin/retention` | `{"raw_days","sums_days","own"}` |
/// | `PUT …/admin/retention` with `{"raw_days","sums_days"}` or `null` | the same |
/// | `GET …/admin/parked` | `{"parked":[{"key","size","level","failures","error"}]}` |
/// | `POST …/admin/parked/retry` | `{"retried":n}` |
pub(crate) async fn call(call: Admin, request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let shards = scope.shards()?;
    let answer = match call {
        Admin::Retention => json!(retention(&shards, Order::Retention).await?),
        Admin::SetRetention => {
            let body = body::read(request, MAX_REQUEST).await?;
            let own: Option<Retention> = serde_json::from_slice(&body).map_err(Problem::invalid)?;
            json!(retention(&shards, Order::SetRetention(own)).await?)
        }
        Admin::Parked => json!({"parked": parked(&shards).await?}),
        Admin::RetryParked => json!({"retried": retry_parked(&shards).await?}),
    };
    Ok(Response::from_json(&answer)?)
}

async fn retention<T: Transport>(shards: &TenantShards<T>, order: Order) -> Result<Option<Kept>, Problem> {
    let mut kept = None;
    for client in shards.each() {
        kept = Some(client.order::<Kept>(&order).await?);
    }
    Ok(kept)
}

pub(crate) async fn parked<T: Transport>(shards: &TenantShards<T>) -> Result<Vec<Parked>, Problem> {
    let mut all = Vec::new();
    for client in shards.each() {
        all.extend(client.order::<Vec<Parked>>(&Order::Parked).await?);
    }
    Ok(all)
}

pub(crate) async fn retry_parked<T: Transport>(shards: &TenantShards<T>) -> Result<u64, Problem> {
    let mut sum = 0;
    for client in shards.each() {
        sum += client.order::<u64>(&Order::RetryParked).await?;
    }
    Ok(sum)
}

fn part(name: &str) -> Result<Part, Problem> {
    let found = Part::ALL.into_iter().find(|part| part.name() == name);
    found.ok_or_else(|| {
        let names = Part::ALL.map(Part::name).join(", ");
        Problem::invalid(format!("part {name:?} is none of {names}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_by_name() {
        assert_eq!(part("conditions"), Ok(Part::Conditions));
        let problem = part("all").unwrap_err();
        assert_eq!(problem.message, "part \"all\" is none of objects, conditions, lists, pages");
    }
}
