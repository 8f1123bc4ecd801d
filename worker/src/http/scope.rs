//! What a request is answered with: the environment, whose data it is about, and a meter of what
//! that costs.

use std::rc::Rc;

use pilotlight_core::store::TenantId;
use worker::{Context, Env};

use crate::bucket::{AnyBucket, Metered};
use crate::isolate::State;
use crate::meter::{Discards, Meter};
use crate::platform::Edge;
use crate::platform::admission::Admission;
use crate::platform::clock;
use crate::platform::config::Config;
use crate::platform::errors::Problem;
use crate::platform::limits::Limits;
use crate::tenant::{AdminCommand, Shard, StubLine, TenantClient, TenantShards};

/// A tenant's part of an environment, for the length of a request.
pub(crate) struct Scope {
    env: Env,
    config: Config,
    tenant: TenantId,
    /// Tenants that are read beside it.
    others: Vec<TenantId>,
    /// What the tenant may push and ask for.
    pub(crate) limits: Limits,
    /// What goes on when a request is answered, if this is about one.
    context: Option<Rc<Context>>,
    /// What the request has used since its last call to the shard.
    pub(crate) meter: Meter,
    /// What was discarded of the request.
    pub(crate) discards: Discards,
    isolate: Rc<State>,
}

impl Scope {
    /// `meter` is for what the request uses.
    pub(crate) fn new(
        env: &Env,
        config: Config,
        tenant: TenantId,
        meter: Meter,
        isolate: &Rc<State>,
    ) -> Self {
        Self {
            env: env.clone(),
            config,
            tenant,
            others: Vec::new(),
            limits: config.limits,
            context: None,
            meter,
            discards: Discards::default(),
            isolate: isolate.clone(),
        }
    }

    /// The same for a request from outside.
    pub(crate) fn within(self, context: &Rc<Context>) -> Self {
        Self {
            context: Some(context.clone()),
            ..self
        }
    }

    /// The same for one who reads other tenants, too.
    pub(crate) fn beside(self, others: Vec<TenantId>) -> Self {
        Self { others, ..self }
    }

    pub(crate) fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// All tenants that are read.
    pub(crate) fn tenants(&self) -> impl Iterator<Item = &TenantId> {
        [&self.tenant].into_iter().chain(&self.others)
    }

    /// The bucket, metered.
    pub(crate) fn bucket(&self) -> Result<Metered<AnyBucket>, Problem> {
        Ok(Metered::new(
            AnyBucket::open(&self.env)?,
            self.meter.clone(),
        ))
    }

    /// The tenant's shards.
    pub(crate) fn shards(&self) -> Result<TenantShards<StubLine>, Problem> {
        self.lines(self.names())
    }

    /// The shards of all tenants that are read, as those of one.
    pub(crate) fn shards_to_read(&self) -> Result<TenantShards<StubLine>, Problem> {
        let count = self.config.tenant_shards;
        self.lines(self.tenants().flat_map(|tenant| Shard::all(tenant, count)))
    }

    fn lines(
        &self,
        shards: impl Iterator<Item = Shard>,
    ) -> Result<TenantShards<StubLine>, Problem> {
        let lines: Result<Vec<_>, _> = shards
            .map(|shard| StubLine::new(&self.env, &shard, self.meter.clone()))
            .collect();
        Ok(TenantShards::new(lines?))
    }

    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = Shard> {
        Shard::all(&self.tenant, self.config.tenant_shards)
    }

    /// What outlives the request.
    pub(crate) fn isolate(&self) -> &State {
        &self.isolate
    }

    /// The way into the memory of the isolate.
    pub(crate) fn admission(&self) -> Admission<Edge> {
        Admission::new(Edge, &self.isolate.memory)
    }

    /// The environment.
    pub(crate) fn env(&self) -> &Env {
        &self.env
    }

    /// The configuration.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// What goes on when the request is answered.
    pub(crate) fn context(&self) -> Option<Rc<Context>> {
        self.context.clone()
    }

    /// One of the tenant's shards.
    pub(crate) fn shard(&self, shard: &Shard) -> Result<TenantClient<StubLine>, Problem> {
        Ok(TenantClient::new(StubLine::new(
            &self.env,
            shard,
            self.meter.clone(),
        )?))
    }

    /// Books what was discarded, after the answer has gone: that of some seconds together.
    pub(crate) fn book_discards(&self, context: &Context) {
        let (tenant, now) = (self.tenant.as_str(), clock::now_millis());
        let discarded = self.isolate.discards.gather(tenant, &self.discards, now);
        if discarded.is_empty() {
            return;
        }
        let first = Shard {
            tenant: self.tenant.clone(),
            number: 0,
        };
        let client = self.shard(&first);
        context.wait_until(async move {
            let booked = match client {
                Ok(client) => client.order::<()>(&AdminCommand::Discard(discarded)).await,
                Err(problem) => Err(problem),
            };
            if let Err(problem) = booked {
                worker::console_error!("discarded pushes were not recorded: {}", problem.message);
            }
        });
    }

    /// Books what was used and is not booked yet, after the answer has gone.
    pub(crate) fn book_usage(self, context: &Context) {
        if self.meter.is_empty() {
            return;
        }
        context.wait_until(async move {
            let first = Shard {
                tenant: self.tenant.clone(),
                number: 0,
            };
            let booked = match self.shard(&first) {
                // The call itself takes the usage along.
                Ok(client) => client.book().await,
                Err(problem) => Err(problem),
            };
            if let Err(problem) = booked {
                worker::console_error!(
                    "tenant {}: usage was not recorded: {}",
                    self.tenant,
                    problem.message
                );
            }
        });
    }
}
