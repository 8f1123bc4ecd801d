//! Requests by a blocking client, each on a thread of its own, so that tests run natively and yet
//! many at once.
#![allow(
    clippy::disallowed_methods,
    reason = "this is the native side, which has threads and a clock"
)]

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_channel::oneshot;
use ureq::http;

use super::http::{Http, Request, Response};

/// A client that reaches any host at one address.
#[derive(Clone)]
pub(super) struct Native {
    agent: ureq::Agent,
    address: SocketAddr,
}

impl Native {
    pub(super) fn new(address: SocketAddr) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0);
        let config = config
            .max_idle_connections_per_host(32)
            .timeout_global(Some(Duration::from_secs(20)));
        Self {
            agent: config.build().into(),
            address,
        }
    }
}

impl Http for Native {
    async fn send(&self, request: Request<'_>) -> Result<Response, String> {
        let url: url::Url = request.url.parse().map_err(|e| format!("{e}"))?;
        let host = url
            .as_str()
            .split('/')
            .nth(2)
            .unwrap_or_default()
            .to_owned();
        let path = &url[url::Position::BeforePath..];
        let mut built = http::Request::builder()
            .method(request.method)
            .uri(format!("http://{}{path}", self.address));
        built = built.header("host", host);
        for (name, value) in request.headers {
            built = built.header(*name, value);
        }
        let (agent, body) = (self.agent.clone(), request.body.to_vec());
        let (done, answer) = oneshot::channel();
        thread::spawn(move || {
            let answer =
                match body.is_empty() && !matches!(built.method_ref(), Some(&http::Method::PUT)) {
                    true => agent.run(built.body(()).expect("a request")),
                    false => agent.run(built.body(body).expect("a request")),
                };
            done.send(answer.map_err(|e| e.to_string()).and_then(read))
        });
        answer.await.map_err(|e| e.to_string())?
    }

    fn now_millis(&self) -> i64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("after 1970")
            .as_millis() as i64
    }

    async fn pause(&self, millis: u32) {
        thread::sleep(Duration::from_millis(millis.into()));
    }
}

fn read(answer: http::Response<ureq::Body>) -> Result<Response, String> {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = answer
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), text(value)))
        .collect();
    let status = answer.status().as_u16();
    let body = answer
        .into_body()
        .with_config()
        .limit(64 << 20)
        .read_to_vec()
        .map_err(|e| e.to_string())?;
    Ok(Response {
        status,
        headers,
        body,
    })
}
