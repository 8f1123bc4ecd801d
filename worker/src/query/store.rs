//! What is stored for a tenant, as answers of the core's plans.

use pilotlight_core::{
    ProfileType, Selector, TimeRange,
    plans::{CatalogObject, QueryAnswer, QueryPlan, Timeline, TimelinePlan},
    store::Tenant as TenantId,
};
use worker::{Bucket, Env};

use crate::drive::drive;
use crate::errors::Problem;
use crate::tenant::TenantClient;

/// The profiles of a tenant.
pub(crate) struct Store {
    bucket: Bucket,
    tenant: TenantClient,
}

impl Store {
    pub(crate) fn new(env: &Env, tenant: TenantId) -> Result<Self, Problem> {
        Ok(Self { bucket: env.bucket("BUCKET")?, tenant: TenantClient::new(env, tenant)? })
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
        let plan = TimelinePlan::new(selector, profile_type, range, None, &self.catalog(range).await?)?;
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
