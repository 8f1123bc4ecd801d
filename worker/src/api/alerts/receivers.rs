//! Calls about receivers.

use serde::Serialize;
use worker::{Request, Response};

use super::message::Message;
use super::receiver::NewReceiver;
use super::send;
use super::store::{change, stored};
use crate::http::body::{self, MAX_JSON};
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
use crate::platform::{Edge, clock};

/// The response to a test.
#[derive(Serialize)]
struct Tested {
    /// That of the receiver's response.
    status: u16,
}

pub(super) async fn save(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let receiver: NewReceiver =
        body::json(request, &scope.isolate().bodies, MAX_JSON, "receiver").await?;
    // Links in messages use the address under which the receiver was saved.
    let site = request.url()?.origin().ascii_serialization();
    let receiver = receiver.checked(site)?;
    change(scope, &|alerts| alerts.save_receiver(receiver.clone())).await?;
    Ok(Response::empty()?.with_status(204))
}

pub(super) async fn delete(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let name = parameters.required("name")?;
    change(scope, &|alerts| alerts.delete_receiver(name)).await?;
    Ok(Response::empty()?.with_status(204))
}

pub(super) async fn test(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let name = parameters.required("name")?;
    let alerts = stored(scope).await?;
    let receiver = alerts.receiver(name)?;
    let message = Message::test(&receiver.site, clock::now_millis());
    let sent = send::send(receiver, &message, &Edge).await;
    let sent = sent.map_err(|error| Problem::new(502, "unavailable", error.details()));
    Ok(Response::from_json(&Tested { status: sent? })?)
}
