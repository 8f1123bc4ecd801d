//! A call of one message, as it came.

use prost::Message;
use serde::Serialize;
use serde::de::DeserializeOwned;
use worker::{Request, Response};

use super::notes::Notes;
use crate::api::query::EdgeQueryRunner;
use crate::http::body::{self, Body};
use crate::http::connect::{Answer, Codec};
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

/// Largest request of most calls: 1 MB. They are a few hundred bytes, or as many selectors as someone
/// has patience to write.
pub(super) const MAX_REQUEST: usize = 1 << 20;

/// What was sent, and how the answer is to be written.
pub(super) struct Call {
    pub(super) codec: Codec,
    pub(super) body: Body,
    /// Most bytes of the message.
    cap: usize,
    pub(super) accept: String,
    pub(super) accept_encoding: String,
}

impl Call {
    /// Reads a message of at most `cap` bytes, compressed or not.
    pub(super) async fn read(
        request: &mut Request,
        scope: &Scope,
        cap: usize,
    ) -> Result<Self, Problem> {
        let header = |name| Ok::<_, Problem>(request.headers().get(name)?.unwrap_or_default());
        // Older clients send JSON without a word about it.
        let codec = match header("content-type")?.as_str() {
            "" => Codec::Json,
            content_type => Codec::of(content_type)?,
        };
        body::check_encoding(request, &["gzip"])?;
        let (accept, accept_encoding) = (header("accept")?, header("accept-encoding")?);
        let body = body::read(request, &scope.isolate().bodies, cap).await?;
        Ok(Self {
            codec,
            body,
            cap,
            accept,
            accept_encoding,
        })
    }

    /// The message.
    pub(super) fn request<M: Message + Default + DeserializeOwned>(&self) -> Result<M, Problem> {
        self.codec.request(&self.body, self.cap)
    }

    /// A message as the answer.
    pub(super) fn answer(&self, message: &(impl Message + Serialize)) -> Result<Response, Problem> {
        self.codec.answer(message)?.response(&self.accept_encoding)
    }
}

/// Answers a call about stored profiles.
pub(super) async fn query(
    request: &mut Request,
    scope: &Scope,
    answer: impl AsyncFnOnce(&Call, &EdgeQueryRunner) -> Result<(Answer, Notes), Problem>,
) -> Result<Response, Problem> {
    let call = Call::read(request, scope, MAX_REQUEST).await?;
    let runner = EdgeQueryRunner::open(scope)?;
    let (answer, notes) = answer(&call, &runner).await?;
    let response = answer.response(&call.accept_encoding)?;
    notes.write(&response)?;
    Ok(response)
}
