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
use crate::platform::clock::now_millis;
use crate::platform::errors::Problem;
use crate::tenant::{OwnRetention, Pin, change_retention, own_retention};

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
    let (parameters, bucket, tenant) = (Parameters::of(request), scope.bucket()?, scope.tenant());
    let own = match call {
        PinsCall::List => own_retention(&bucket, tenant).await?,
        PinsCall::Create => {
            let (from, until) = range(&parameters)?;
            let text = parameters.get("text").unwrap_or("").trim().to_owned();
            let pin = Pin { from, until, text };
            change_retention(&bucket, tenant, now_millis, |own| own.pin(pin.clone())).await?
        }
        PinsCall::Delete => {
            let (from, until) = range(&parameters)?;
            let unpin = |own: &mut OwnRetention| {
                own.unpin(from, until);
                Ok(())
            };
            change_retention(&bucket, tenant, now_millis, unpin).await?
        }
    };
    Ok(Response::from_json(&Answer { pins: own.pins })?)
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
