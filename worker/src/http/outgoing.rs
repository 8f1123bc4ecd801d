//! Requests to hosts that an operator names: for source code, to a language model, with metrics,
//! and with messages of alerts.

use std::pin::pin;
use std::str::FromStr;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{Either, select};
use worker::js_sys::Uint8Array;
use worker::{
    AbortController, ByteStream, Delay, Fetch, Headers, Method, Request, RequestInit,
    RequestRedirect, Response, ResponseBody,
};

use crate::platform::Edge;

/// Longest wait for the response to a [`Post`].
const POST_LIMIT: Duration = Duration::from_secs(10);

/// Most bytes of the text of a response to a [`Post`].
const POST_TEXT: usize = 500;

/// Bytes for another host.
pub(crate) struct Post<'a> {
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: Vec<u8>,
}

/// The response to a [`Post`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PostResponse {
    pub(crate) status: u16,
    /// The seconds of the header Retry-After.
    pub(crate) retry_after: Option<u32>,
    /// The header of a server that speaks remote write 2.0: how many samples it has written.
    pub(crate) samples_written: Option<u64>,
    /// The beginning of the body.
    pub(crate) text: String,
}

/// Sends to other hosts.
pub(crate) trait Outgoing {
    /// Sends once and doesn't follow redirects. The text of an error says why there is no response.
    async fn post(&self, post: Post<'_>) -> Result<PostResponse, String>;
}

impl Outgoing for Edge {
    async fn post(&self, post: Post<'_>) -> Result<PostResponse, String> {
        let Post { url, headers, body } = post;
        let answer = ask(url, headers, Some(body), POST_LIMIT, POST_TEXT).await?;
        Ok(PostResponse {
            status: answer.status,
            retry_after: answer.retry_after,
            samples_written: answer.samples_written,
            text: String::from_utf8_lossy(&answer.body).into_owned(),
        })
    }
}

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
    retry_after: Option<u32>,
    samples_written: Option<u64>,
    pub(crate) body: Vec<u8>,
    /// There was more than was to be read; `body` is the beginning.
    pub(crate) is_cut: bool,
}

/// Asks a host, for the whole answer within `limit`, and reads `most` bytes of it. The text of an error says why there is
/// no answer. A body makes it a POST.
pub(crate) async fn ask(
    address: &str,
    headers: &[(&str, &str)],
    body: Option<Vec<u8>>,
    limit: Duration,
    most: usize,
) -> Result<Answer, String> {
    let controller = AbortController::default();
    let signal = controller.signal();
    let answer = async {
        let mut answer = Fetch::Request(request(address, headers, body)?)
            .send_with_signal(&signal)
            .await?;
        let retry_after = number(&answer, "retry-after")?;
        let samples_written = number(&answer, "x-prometheus-remote-write-samples-written")?;
        let status = answer.status_code();
        let (body, is_cut) = match answer.body() {
            // As of a 204: it has no stream.
            ResponseBody::Empty => (Vec::new(), false),
            _ => beginning(answer.stream()?, most).await?,
        };
        Ok(Answer {
            status,
            retry_after,
            samples_written,
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

/// The number in a header, if there is one.
fn number<T: FromStr>(answer: &Response, header: &str) -> worker::Result<Option<T>> {
    let value = answer.headers().get(header)?;
    Ok(value.and_then(|value| value.parse().ok()))
}

/// The first `most` bytes of a body, and whether there was more.
async fn beginning(mut parts: ByteStream, most: usize) -> worker::Result<(Vec<u8>, bool)> {
    let mut body = Vec::new();
    while let Some(part) = parts.next().await {
        let part = part?;
        let room = most - body.len();
        body.extend_from_slice(&part[..part.len().min(room)]);
        if part.len() > room {
            return Ok((body, true));
        }
    }
    Ok((body, false))
}

fn request(
    address: &str,
    given: &[(&str, &str)],
    body: Option<Vec<u8>>,
) -> worker::Result<Request> {
    let headers = Headers::new();
    // GitHub's API answers none that says no name.
    headers.set("user-agent", "pilotlight")?;
    for (name, value) in given {
        headers.set(name, value)?;
    }
    let mut init = RequestInit::new();
    init.with_method(if body.is_some() {
        Method::Post
    } else {
        Method::Get
    })
    .with_headers(headers)
    .with_body(body.map(|body| Uint8Array::from(&body[..]).into()))
    // A token is for this host alone.
    .with_redirect(RequestRedirect::Manual);
    Request::new_with_init(address, &init)
}
