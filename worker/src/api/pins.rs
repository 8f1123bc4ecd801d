//! Pins: profiles that are kept beyond their retention.
//!
//! | call | answer |
//! |---|---|
//! | `GET …/api/v1/pins` | `{"pins":[{"from","until","text"}]}`, in order |
//! | `POST …/api/v1/pins?from&until&text` | the same |
//! | `DELETE …/api/v1/pins?from&until` | the same |

use serde::Serialize;
use worker::{Request, Response};

use crate::http::parameters::{Parameters, check_millis};
use crate::http::route::PinsCall;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
use crate::tenant::{AdminCommand, Pin, TenantShards, Transport};

#[derive(Serialize)]
struct Answer {
    pins: Vec<Pin>,
}

/// Answers a call.
pub(crate) async fn call(
    call: PinsCall,
    request: &Request,
    scope: &Scope,
) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let order = match call {
        PinsCall::List => AdminCommand::Pins,
        PinsCall::Create => {
            let (from, until) = range(&parameters)?;
            let text = parameters.get("text").unwrap_or("").trim().to_owned();
            AdminCommand::Pin(Pin { from, until, text })
        }
        PinsCall::Delete => {
            let (from, until) = range(&parameters)?;
            AdminCommand::Unpin { from, until }
        }
    };
    let pins = pins(&scope.shards()?, &order).await?;
    Ok(Response::from_json(&Answer { pins })?)
}

/// `from` and `until` in milliseconds: a range that moves on cannot be kept.
fn range(parameters: &Parameters) -> Result<(i64, i64), Problem> {
    let time = |name| {
        let text = parameters.required(name)?;
        check_millis(name, text)?;
        let millis = text.parse();
        millis.map_err(|_| Problem::invalid(format!("{name} is {text:?}, not milliseconds")))
    };
    Ok((time("from")?, time("until")?))
}

/// Every shard has the same ones, unless a call failed halfway or a shard is new: what is told is
/// kept by all.
async fn pins<T: Transport>(
    shards: &TenantShards<T>,
    order: &AdminCommand,
) -> Result<Vec<Pin>, Problem> {
    let mut lists: Vec<Vec<Pin>> = Vec::new();
    for client in shards.each() {
        lists.push(client.order(order).await?);
    }
    let mut held = lists.pop().unwrap_or_default();
    held.retain(|pin| lists.iter().all(|pins| pins.contains(pin)));
    held.sort_by(|a, b| (a.from, a.until, &a.text).cmp(&(b.from, b.until, &b.text)));
    Ok(held)
}
