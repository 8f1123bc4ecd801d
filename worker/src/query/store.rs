//! What is stored for a tenant, as answers of the core's plans.

use pilotlight_core::{
    ProfileType, Selector, TimeRange,
    plans::{CatalogObject, Grouping, QueryAnswer, QueryPlan, Timeline, TimelinePlan},
    store::Window,
};

use crate::bucket::{AnyBucket, Bucket};
use crate::drive::drive;
use crate::errors::Problem;
use crate::meter::{Item, Meter, Metered, cpu};
use crate::scope::Scope;
use crate::tenant::{Detail, StubLine, TenantShards, Transport};

/// The profiles of a tenant, in a bucket and in the catalogs of its objects.
pub(crate) struct Store<B, T> {
    bucket: B,
    tenant: TenantShards<T>,
    meter: Meter,
}

/// The same where the worker runs.
pub(crate) type EdgeStore = Store<Metered<AnyBucket>, StubLine>;

impl EdgeStore {
    /// What a request is about.
    pub(crate) fn open(scope: &Scope) -> Result<Self, Problem> {
        Ok(Self::new(scope.bucket()?, scope.shards()?, scope.meter.clone()))
    }
}

impl<B: Bucket, T: Transport> Store<B, T> {
    pub(crate) fn new(bucket: B, tenant: TenantShards<T>, meter: Meter) -> Self {
        Self { bucket, tenant, meter }
    }

    /// The objects that touch a range, for what directories answer.
    pub(crate) async fn catalog(&self, range: TimeRange) -> Result<Vec<CatalogObject>, Problem> {
        self.tenant.catalog(range, Detail::Summed).await
    }

    /// Totals over time, of all types when none is given: of windows as long as `resolution`, or of each profile.
    pub(crate) async fn timeline(
        &self,
        selector: &Selector,
        profile_type: Option<&ProfileType>,
        range: TimeRange,
        resolution: Option<Window>,
        grouping: Grouping,
    ) -> Result<Timeline, Problem> {
        // A summary has totals of hours, and none of shorter windows.
        let detail = if resolution >= Some(Window::Hour) { Detail::Summed } else { Detail::Each };
        let objects = self.tenant.catalog(range, detail).await?;
        let plan = TimelinePlan::new(selector, profile_type, range, resolution, grouping, &objects)?;
        let timeline = drive(plan, &self.bucket).await?.finish()?;
        self.meter.add(Item::WorkerCpuMicros, cpu::query_micros(timeline.bytes));
        Ok(timeline)
    }

    /// All profiles as one.
    pub(crate) async fn merged(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
    ) -> Result<QueryAnswer, Problem> {
        let plan = QueryPlan::new(selector, profile_type, range, &self.catalog(range).await?)?;
        let answer = drive(plan, &self.bucket).await?.finish()?;
        self.meter.add(Item::WorkerCpuMicros, cpu::query_micros(answer.bytes));
        Ok(answer)
    }
}
