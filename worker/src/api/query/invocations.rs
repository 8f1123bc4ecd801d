//! Invocations of this worker that answer parts of a query.

use worker::js_sys::Uint8Array;
use worker::{Env, Fetcher, Method, RequestInit};

use crate::meter::Meter;
use crate::platform::errors::Problem;
use crate::tenant::USAGE_HEADER;

/// The path at which an invocation answers parts.
pub(crate) const SUBQUERIES_PATH: &str = "/subqueries";

/// Answers parts somewhere else.
pub(crate) trait Invocations {
    /// Has parts answered by `answer_subqueries`.
    async fn call(&self, ask: Vec<u8>) -> Result<Vec<u8>, Problem>;
}

/// Nowhere else.
impl Invocations for () {
    async fn call(&self, _: Vec<u8>) -> Result<Vec<u8>, Problem> {
        Err(Problem::internal("no other invocation is available"))
    }
}

/// Invocations of this worker, through its binding to itself.
pub(crate) struct EdgeInvocations {
    worker: Fetcher,
    meter: Meter,
}

impl EdgeInvocations {
    /// `None` without the binding.
    pub(crate) fn new(env: &Env, meter: Meter) -> Option<Self> {
        env.service("SELF")
            .ok()
            .map(|worker| Self { worker, meter })
    }
}

impl Invocations for EdgeInvocations {
    async fn call(&self, ask: Vec<u8>) -> Result<Vec<u8>, Problem> {
        let mut init = RequestInit::new();
        init.with_method(Method::Post)
            .with_body(Some(Uint8Array::from(ask.as_slice()).into()));
        drop(ask);
        let mut response = self
            .worker
            .fetch(format!("https://self{SUBQUERIES_PATH}"), Some(init))
            .await?;
        if let Some(usage) = response.headers().get(USAGE_HEADER)? {
            self.meter
                .book(serde_json::from_str(&usage).map_err(Problem::internal)?);
        }
        let retry_after = response
            .headers()
            .get("retry-after")?
            .and_then(|seconds| seconds.parse().ok());
        let (status, body) = (response.status_code(), response.bytes().await?);
        if status == 200 {
            Ok(body)
        } else {
            Err(Problem::of_answer(status, retry_after, &body))
        }
    }
}
