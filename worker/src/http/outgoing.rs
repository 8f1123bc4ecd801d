//! Requests to hosts that an operator names: for source code, and to a language model.

use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{Either, select};
use worker::{
    AbortController, Delay, Fetch, Headers, Method, Request, RequestInit, RequestRedirect,
};

/// Whether it is an address of the web.
pub(crate) fn is_web(address: &str) -> bool {
    host_and_path(address).is_some()
}

/// What follows the scheme of an address of the web, divided at the first slash.
pub(crate) fn host_and_path(address: &str) -> Option<(&str, &str)> {
    let rest = ["https://", "http://"]
        .into_iter()
        .find_map(|scheme| address.strip_prefix(scheme))?;
    rest.split_once('/').filter(|(host, _)| !host.is_empty())
}

/// What a host answers.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// There was more than was to be read; `body` is the beginning.
    pub(crate) is_cut: bool,
}

/// Asks a host, for the whole answer within `limit`, and reads `most` bytes of it. The text of an error says why there is
/// no answer. A token goes along as that of its bearer; a body makes it a POST.
pub(crate) async fn ask(
    address: &str,
    header: (&str, &str),
    token: Option<&str>,
    body: Option<String>,
    limit: Duration,
    most: usize,
) -> Result<Answer, String> {
    let controller = AbortController::default();
    let signal = controller.signal();
    let answer = async {
        let mut answer = Fetch::Request(request(address, header, token, body)?)
            .send_with_signal(&signal)
            .await?;
        let (status, mut parts) = (answer.status_code(), answer.stream()?);
        let mut body = Vec::new();
        while let Some(part) = parts.next().await {
            let part = part?;
            let room = most - body.len();
            body.extend_from_slice(&part[..part.len().min(room)]);
            if part.len() > room {
                let is_cut = true;
                return Ok(Answer {
                    status,
                    body,
                    is_cut,
                });
            }
        }
        let is_cut = false;
        Ok(Answer {
            status,
            body,
            is_cut,
        })
    };
    match select(pin!(answer), pin!(Delay::from(limit))).await {
        Either::Left((answer, _)) => answer.map_err(|error: worker::Error| error.to_string()),
        Either::Right(..) => {
            controller.abort();
            Err(format!("no response within {} s", limit.as_secs()))
        }
    }
}

fn request(
    address: &str,
    (name, value): (&str, &str),
    token: Option<&str>,
    body: Option<String>,
) -> worker::Result<Request> {
    let headers = Headers::new();
    // GitHub's API answers none that says no name.
    headers.set("user-agent", "pilotlight")?;
    headers.set(name, value)?;
    if let Some(token) = token {
        headers.set("authorization", &format!("Bearer {token}"))?;
    }
    let mut init = RequestInit::new();
    init.with_method(if body.is_some() {
        Method::Post
    } else {
        Method::Get
    })
    .with_headers(headers)
    .with_body(body.map(Into::into))
    // A token is for this host alone.
    .with_redirect(RequestRedirect::Manual);
    Request::new_with_init(address, &init)
}
