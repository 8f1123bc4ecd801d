//! What is stored for a tenant, as answers of the core's plans.

use pilotlight_core::{
    ProfileType, Selector, TimeRange,
    plans::{CatalogObject, QueryAnswer, QueryPlan, Timeline, TimelinePlan},
    store::Tenant as TenantId,
};
use worker::Env;

use crate::bucket::{AnyBucket, Bucket};
use crate::config::Config;
use crate::drive::drive;
use crate::errors::Problem;
use crate::tenant::{self, StubLine, TenantShards, Transport};

/// The profiles of a tenant, in a bucket and in the catalogs of its objects.
pub(crate) struct Store<B, T> {
    bucket: B,
    tenant: TenantShards<T>,
}

/// The same where the worker runs.
pub(crate) type EdgeStore = Store<AnyBucket, StubLine>;

impl EdgeStore {
    /// As an environment is configured.
    pub(crate) fn open(env: &Env, config: &Config, tenant: &TenantId) -> Result<Self, Problem> {
        Ok(Self::new(AnyBucket::open(env)?, tenant::shards(env, config, tenant)?))
    }
}

impl<B: Bucket, T: Transport> Store<B, T> {
    pub(crate) fn new(bucket: B, tenant: TenantShards<T>) -> Self {
        Self { bucket, tenant }
    }

    /// The objects that touch a range.
    pub(crate) async fn catalog(&self, range: TimeRange) -> Result<Vec<CatalogObject>, Problem> {
        self.tenant.catalog(range).await
    }

    /// Totals over time, of all types when none is given.
    pub(crate) async fn timeline(
        &self,
        selector: &Selector,
        profile_type: Option<&ProfileType>,
        range: TimeRange,
    ) -> Result<Timeline, Problem> {
        let plan = TimelinePlan::new(selector, profile_type, range, &self.catalog(range).await?)?;
        Ok(drive(plan, &self.bucket).await?.finish()?)
    }

    /// All profiles as one.
    pub(crate) async fn merged(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
    ) -> Result<QueryAnswer, Problem> {
        let plan = QueryPlan::new(selector, profile_type, range, &self.catalog(range).await?)?;
        Ok(drive(plan, &self.bucket).await?.finish()?)
    }
}
