//! Where a visit runs.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use pilotlight_core::plans::MAX_PARTITION_BYTES;
use worker::{Env, Fetcher, Headers, Method, RequestInit};

use crate::http::scope::Scope;
use crate::isolate::State;
use crate::maintenance::duty::VisitReport;
use crate::maintenance::visit;
use crate::meter::Meter;
use crate::platform::config::Config;
use crate::platform::errors::Problem;
use crate::tenant::{Shard, USAGE_HEADER};

/// Whether a shard is visited for the first time in a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    First,
    Again,
}

impl Pass {
    /// The path of a visit in an invocation of its own.
    fn path(self) -> &'static str {
        match self {
            Self::First => "/first-visit",
            Self::Again => "/visit",
        }
    }

    /// The inverse of [`Self::path`].
    pub(super) fn of_path(path: &str) -> Self {
        match path == Self::First.path() {
            true => Self::First,
            false => Self::Again,
        }
    }
}

/// What a tenant needs once a minute besides the duties of its shards. It notes its own failures.
pub(crate) type TenantMinute = fn(Scope) -> LocalBoxFuture<'static, ()>;

/// Makes visits.
pub(crate) trait Visitor {
    /// Visits an object and reports what was done.
    async fn visit(&self, shard: &Shard, pass: Pass) -> Result<VisitReport, Problem>;
}

/// Visits in invocations of their own, one after the other: several at once would share the memory
/// of one isolate.
pub(super) struct Invocations {
    pub(super) worker: Fetcher,
    /// What this invocation used; the first visit takes it along.
    pub(super) meter: Meter,
}

impl Visitor for Invocations {
    async fn visit(&self, shard: &Shard, pass: Pass) -> Result<VisitReport, Problem> {
        let mut init = RequestInit::new();
        init.with_method(Method::Post)
            .with_body(Some(shard.to_string().into()));
        if let Some(usage) = self.meter.take_header()? {
            let headers = Headers::new();
            headers.set(USAGE_HEADER, &usage)?;
            init.with_headers(headers);
        }
        let url = format!("https://self{}", pass.path());
        let mut response = self.worker.fetch(url, Some(init)).await?;
        if response.status_code() == 200 {
            return Ok(response.json().await?);
        }
        let text = response.text().await.unwrap_or_default();
        Err(Problem::unavailable(format!(
            "the visit returned {}: {text}",
            response.status_code()
        )))
    }
}

/// Visits in this invocation.
pub(super) struct InThisInvocation<'a> {
    pub(super) env: &'a Env,
    pub(super) config: Config,
    pub(super) meter: Meter,
    pub(super) isolate: &'a Rc<State>,
    /// Runs with the first visit of a minute to a tenant's first shard.
    pub(super) tenant_minute: TenantMinute,
}

impl Visitor for InThisInvocation<'_> {
    async fn visit(&self, shard: &Shard, pass: Pass) -> Result<VisitReport, Problem> {
        let scope = Scope::new(
            self.env,
            self.config,
            shard.tenant.clone(),
            self.meter.clone(),
            self.isolate,
        );
        let (bucket, client) = (scope.bucket()?, scope.shard(shard)?);
        let report = visit::visit(
            &bucket,
            &client,
            shard,
            MAX_PARTITION_BYTES,
            &scope.admission(),
            &self.meter,
            &self.isolate.duties,
        )
        .await;
        // After the duties, whose requests are reserved: a minute that doesn't fit into the
        // invocation is made up for by the next, a job is not.
        if (pass, shard.number) == (Pass::First, 0) {
            (self.tenant_minute)(scope).await;
        }
        let report = report?;
        if report.did_something() {
            worker::console_log!("visit of {shard}: {report}");
        }
        Ok(report)
    }
}
