//! What is stored for a tenant, as answers of the core's plans.

use std::collections::BTreeSet;

use pilotlight_core::{
    ProfileType, Selector, SpanSelector, TimeRange, UnixNanos,
    plans::{
        CatalogObject, Grouping, Plan, QueryAnswer, QueryPlan, SlicePlan, SpanQueryPlan, Timeline,
        TimelinePlan,
    },
    store::SumWindow,
};

use super::cache::{AnswerCache, EdgeCache};
use super::invocations::{EdgeInvocations, Invocations};
use super::subqueries::{Fanout, FanoutStats, Query};
use crate::bucket::drive::{drive, drive_while};
use crate::bucket::{self, Metered};
use crate::bucket::{AnyBucket, Bucket};
use crate::http::scope::Scope;
use crate::meter::{Item, Meter, cpu};
use crate::platform::admission::{Admission, Permit};
use crate::platform::errors::Problem;
use crate::platform::limits::Limits;
use crate::platform::{Edge, Platform};
use crate::tenant::{Detail, StubLine, TenantShards, Transport};

/// The profiles of a tenant, in a bucket and in the catalogs of its shards.
pub(crate) struct QueryRunner<B, T, P, C = (), I = ()> {
    bucket: B,
    tenant: TenantShards<T>,
    meter: Meter,
    fanout: Fanout<C, I, P>,
    limits: Limits,
}

/// The same where the worker runs.
pub(crate) type EdgeQueryRunner =
    QueryRunner<Metered<AnyBucket>, StubLine, Edge, EdgeCache, EdgeInvocations>;

/// What a selector and a range choose, all of it read.
pub(crate) struct Slice {
    pub(crate) plan: SlicePlan,
    /// The part of the range that the tenant may ask for.
    pub(crate) range: TimeRange,
    /// Holds the memory of the plan, and of the zip that is made of it.
    pub(crate) permit: Permit,
}

impl EdgeQueryRunner {
    /// What a request is about.
    pub(crate) fn open(scope: &Scope) -> Result<Self, Problem> {
        let (bucket, tenant, meter) = (scope.bucket()?, scope.shards()?, scope.meter.clone());
        let fanout = Fanout {
            admission: Admission(Edge),
            cache: EdgeCache::new(scope.context()),
            invocations: EdgeInvocations::new(scope.env(), meter.clone()),
            subquery_bytes: scope.config().subquery_bytes.into(),
        };
        Ok(Self {
            bucket,
            tenant,
            meter,
            fanout,
            limits: scope.limits,
        })
    }
}

#[cfg(test)]
impl<B: Bucket, T: Transport, P: Platform> QueryRunner<B, T, P> {
    /// With nothing beside this invocation, and parts of any size.
    pub(crate) fn new(bucket: B, tenant: TenantShards<T>, platform: P, meter: Meter) -> Self {
        let admission = Admission(platform);
        Self::with(
            bucket,
            tenant,
            meter,
            Fanout {
                admission,
                cache: (),
                invocations: None,
                subquery_bytes: u64::MAX,
            },
        )
    }
}

impl<B: Bucket, T: Transport, P: Platform, C: AnswerCache, I: Invocations>
    QueryRunner<B, T, P, C, I>
{
    #[cfg(test)]
    pub(crate) fn with(
        bucket: B,
        tenant: TenantShards<T>,
        meter: Meter,
        fanout: Fanout<C, I, P>,
    ) -> Self {
        Self {
            bucket,
            tenant,
            meter,
            fanout,
            limits: Limits::default(),
        }
    }

    #[cfg(test)]
    pub(crate) fn limited(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// As much of a range as the tenant may ask for.
    fn allowed(&self, range: TimeRange) -> Result<TimeRange, Problem> {
        let now = self.fanout.admission.0.now_millis();
        self.limits.of_query(range, UnixNanos::from_millis(now))
    }

    /// The objects that touch a range, for what directories answer.
    pub(crate) async fn catalog(&self, range: TimeRange) -> Result<Vec<CatalogObject>, Problem> {
        let range = self.allowed(range)?;
        self.tenant.catalog(range, Detail::Summarized).await
    }

    /// All objects that there are, however long ago.
    pub(crate) async fn everything(&self) -> Result<Vec<CatalogObject>, Problem> {
        self.tenant
            .catalog(TimeRange::ALL, Detail::Summarized)
            .await
    }

    /// Totals over time, of all types when none is given: of sum windows as long as `resolution`, or of
    /// each profile.
    pub(crate) async fn timeline(
        &self,
        selector: &Selector,
        profile_type: Option<&ProfileType>,
        range: TimeRange,
        resolution: Option<SumWindow>,
        grouping: Grouping,
    ) -> Result<Timeline, Problem> {
        let range = self.allowed(range)?;
        // A summary has totals of hours, and none of shorter windows.
        let detail = if resolution >= Some(SumWindow::Hour) {
            Detail::Summarized
        } else {
            Detail::Each
        };
        let objects = self.tenant.catalog(range, detail).await?;
        let plan = TimelinePlan::new(
            selector,
            profile_type,
            range,
            resolution,
            grouping,
            &objects,
        )?;
        let _permit = self.fanout.admission.plan(&plan).await?;
        let timeline = drive(plan, &self.bucket).await?.finish()?;
        self.meter
            .add(Item::WorkerCpuMicros, cpu::query_micros(timeline.bytes));
        Ok(timeline)
    }

    /// All profiles as one.
    pub(crate) async fn merged(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
    ) -> Result<QueryAnswer, Problem> {
        Ok(self
            .merged_with_stats(selector, profile_type, range)
            .await?
            .0)
    }

    /// The same, with how it came about.
    pub(crate) async fn merged_with_stats(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
    ) -> Result<(QueryAnswer, FanoutStats), Problem> {
        let range = self.allowed(range)?;
        let query = Query {
            selector,
            profile_type,
            range,
        };
        let objects = self.tenant.catalog(range, Detail::Summarized).await?;
        query
            .answer(objects, &self.bucket, &self.fanout, &self.meter)
            .await
    }

    /// What is selected, of any type unless the selector names one.
    pub(crate) async fn slice(
        &self,
        selector: Selector,
        range: TimeRange,
    ) -> Result<Slice, Problem> {
        let range = self.allowed(range)?;
        let objects = self.tenant.catalog(range, Detail::Each).await?;
        let plan = SlicePlan::new(selector, range, &objects)?;
        // As much as a job of compaction, then its blocks with their zip: it is let in alone.
        let admission = &self.fanout.admission;
        let permit = admission.enter(u64::MAX).await?;
        let goes_on = |_: &SlicePlan| {
            admission.renew(&permit);
            Ok(())
        };
        let plan = drive_while(plan, &self.bucket, goes_on).await?;
        self.meter
            .add(Item::WorkerCpuMicros, cpu::query_micros(plan.bytes()));
        Ok(Slice {
            plan,
            range,
            permit,
        })
    }

    /// The samples of some spans as one profile. It is never split: links are read first, and
    /// symbols only where a span was found.
    pub(crate) async fn of_spans(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
        spans: SpanSelector,
    ) -> Result<QueryAnswer, Problem> {
        let range = self.allowed(range)?;
        // Sums have no links.
        let objects = self.tenant.catalog(range, Detail::Each).await?;
        let mut plan = SpanQueryPlan::new(selector, profile_type, range, spans, &objects)?;
        let mut permit = None;
        loop {
            let wants = plan.wants();
            if wants.is_empty() {
                break;
            }
            // Given back before more is asked for, so that two of these never wait for each other.
            drop(permit.take());
            permit = Some(self.fanout.admission.plan(&plan).await?);
            bucket::read_all(&self.bucket, wants, |get, bytes| {
                Ok(plan.provide(get, bytes)?)
            })
            .await?;
        }
        let answer = plan.finish()?;
        drop(permit);
        self.meter
            .add(Item::WorkerCpuMicros, cpu::query_micros(answer.bytes));
        Ok(answer)
    }
}

/// What a query reads of the bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) objects: u64,
    pub(crate) bytes: u64,
}

/// What a query for profiles reads of objects that touch its range.
pub(crate) fn cost(
    selector: &Selector,
    profile_type: &ProfileType,
    range: TimeRange,
    objects: &[CatalogObject],
) -> Result<Cost, Problem> {
    let wants = QueryPlan::new(selector, profile_type, range, objects)?.wants();
    let keys: BTreeSet<&str> = wants.iter().map(|get| get.key.as_str()).collect();
    Ok(Cost {
        objects: keys.len() as u64,
        bytes: wants.iter().map(|get| get.length).sum(),
    })
}
