//! Requests by the platform's `fetch`.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use worker::js_sys::Uint8Array;
use worker::{
    AbortController, CacheMode, Delay, Fetch as PlatformFetch, Headers, Method, RequestInit,
    RequestRedirect,
};

use super::http::{Http, Request, Response};
use crate::platform::clock;

/// Longest wait for a whole answer. 12 MB over 10 Mbit/s take 10 seconds; what takes longer than
/// this has stopped.
const LIMIT: Duration = Duration::from_secs(30);

/// The platform's `fetch`.
#[derive(Clone, Copy)]
pub(crate) struct Fetch;

impl Http for Fetch {
    async fn send(&self, request: Request<'_>) -> Result<Response, String> {
        let controller = AbortController::default();
        let signal = controller.signal();
        let answer = async {
            let request = platform_request(request)?;
            let mut answer = PlatformFetch::Request(request)
                .send_with_signal(&signal)
                .await?;
            let body = answer.bytes().await?;
            Ok(Response {
                status: answer.status_code(),
                headers: answer.headers().entries().collect(),
                body,
            })
        };
        match select(pin!(answer), pin!(Delay::from(LIMIT))).await {
            Either::Left((answer, _)) => answer.map_err(|error: worker::Error| error.to_string()),
            Either::Right(..) => {
                controller.abort();
                Err(format!("no response within {} s", LIMIT.as_secs()))
            }
        }
    }

    fn now_millis(&self) -> i64 {
        clock::now_millis()
    }

    async fn pause(&self, millis: u32) {
        Delay::from(Duration::from_millis(millis.into())).await;
    }
}

fn platform_request(request: Request<'_>) -> worker::Result<worker::Request> {
    let headers = Headers::new();
    for (name, value) in request.headers {
        headers.set(name, value)?;
    }
    let mut init = RequestInit::new();
    init.with_method(Method::from(request.method.to_owned()))
        .with_headers(headers)
        // A signature is for one place.
        .with_redirect(RequestRedirect::Manual)
        // Else the platform's cache may answer, and fetches the whole of an object for a range.
        .with_cache(CacheMode::NoStore);
    // An empty body is still one: without it, a PUT would have no length.
    if matches!(request.method, "PUT" | "POST") {
        init.with_body(Some(Uint8Array::from(request.body).into()));
    }
    worker::Request::new_with_init(request.url, &init)
}
