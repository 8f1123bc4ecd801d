//! The platform's line to a shard.

use worker::{
    Env, Headers, Method, Request, RequestInit, Response, ResponseBuilder, Stub, js_sys::Uint8Array,
};

use crate::meter::Meter;
use crate::platform::errors::Problem;
use crate::tenant::rpc::reply::{Reply, TenantRpc, Transport};
use crate::tenant::rpc::shard::Shard;

/// Carries the shard's name: the shard needs it for names in the bucket.
pub(in crate::tenant) const SHARD_HEADER: &str = "x-pilotlight-shard";

/// Carries what the caller used since its last call, as JSON.
pub(crate) const USAGE_HEADER: &str = "x-pilotlight-usage";

/// A line to a Durable Object. Each call takes along what its meter counted.
pub(crate) struct StubLine {
    stub: Stub,
    name: String,
    meter: Meter,
}

impl StubLine {
    pub(crate) fn new(env: &Env, shard: &Shard, meter: Meter) -> Result<Self, Problem> {
        let name = shard.to_string();
        Ok(Self {
            stub: env.durable_object("TENANT")?.get_by_name(&name)?,
            name,
            meter,
        })
    }
}

impl Transport for StubLine {
    async fn call(&self, call: TenantRpc, body: &[u8]) -> Result<Reply, Problem> {
        let headers = Headers::new();
        headers.set(SHARD_HEADER, &self.name)?;
        if let Some(usage) = self.meter.take_header()? {
            headers.set(USAGE_HEADER, &usage)?;
        }
        let mut init = RequestInit::new();
        init.with_method(Method::Post)
            .with_headers(headers)
            .with_body(Some(Uint8Array::from(body).into()));
        // The host is never resolved: a stub is a line to one shard.
        let request = Request::new_with_init(&format!("https://tenant{}", call.path()), &init)?;
        let mut response = self.stub.fetch_with_request(request).await?;
        let retry_after = response
            .headers()
            .get("retry-after")
            .ok()
            .flatten()
            .and_then(|s| s.parse().ok());
        Ok(Reply {
            status: response.status_code(),
            retry_after,
            body: response.bytes().await?,
        })
    }
}

/// The shard's end of the line.
pub(in crate::tenant) fn response(reply: Reply) -> worker::Result<Response> {
    let mut builder = ResponseBuilder::new().with_status(reply.status);
    if let Some(seconds) = reply.retry_after {
        builder = builder.with_header("retry-after", &seconds.to_string())?;
    }
    Ok(builder.fixed(reply.body))
}
