//! What is stored for a tenant, as answers of the core's plans.

pub(crate) mod queries;

use pilotlight_core::{
    ProfileType, SampleSelector, Selector, TimeRange, UnixNanos,
    plans::{
        CatalogObject, Grouping, MAX_SLICE_READS, Outgrown, Plan, PlanError, Points, QueryAnswer,
        SampleQueryPlan, SlicePlan, Timeline, TimelinePlan, Totals, Values, ValuesPlan,
    },
    store::{SumWindow, TenantId},
};

use super::cache::{AnswerCache, EdgeCache};
use super::invocations::{EdgeInvocations, Invocations};
use super::naming::named;
use super::subqueries::{Fanout, FanoutStats, Query};
use crate::bucket::drive::{drive, drive_while};
use crate::bucket::{self, Metered};
use crate::bucket::{AnyBucket, Bucket};
use crate::http::scope::Scope;
use crate::meter::{Item, Meter, cpu};
use crate::platform::admission::{Admission, Permit};
use crate::platform::errors::Problem;
use crate::platform::limits::{Limits, NodeLimits, ReadRange};
use crate::platform::{Edge, Platform};
use crate::tenant::{Detail, StubLine, TenantShards, Transport};

/// Most reads of a plan that looks at single profiles: as many as an export has, which is one
/// invocation, too.
const MAX_READS: u64 = MAX_SLICE_READS;

/// The profiles of a tenant, in a bucket and in the catalogs of its shards.
pub(crate) struct QueryRunner<B, T, P, C = (), I = ()> {
    bucket: B,
    tenant: TenantShards<T>,
    meter: Meter,
    fanout: Fanout<C, I, P>,
    limits: Limits,
    /// Whose symbol tables name addresses.
    tenants: Vec<TenantId>,
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
        let (bucket, tenant) = (scope.bucket()?, scope.shards_to_read()?);
        let meter = scope.meter.clone();
        let fanout = Fanout {
            admission: scope.admission(),
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
            tenants: scope.tenants().cloned().collect(),
        })
    }
}

#[cfg(test)]
impl<B: Bucket, T: Transport, P: Platform> QueryRunner<B, T, P> {
    /// With nothing beside this invocation, and parts of any size.
    pub(crate) fn new(
        bucket: B,
        tenant: TenantShards<T>,
        admission: Admission<P>,
        meter: Meter,
    ) -> Self {
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
            tenants: Vec::new(),
        }
    }

    #[cfg(test)]
    pub(crate) fn limited(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// With the symbol tables of a tenant.
    #[cfg(test)]
    pub(crate) fn of_tenant(self, tenant: TenantId) -> Self {
        let tenants = vec![tenant];
        Self { tenants, ..self }
    }

    /// The way into the memory that the query has.
    pub(crate) fn admission(&self) -> &Admission<P> {
        &self.fanout.admission
    }

    /// How many nodes a flame graph of the tenant may have.
    pub(crate) fn nodes(&self) -> NodeLimits {
        self.limits.nodes()
    }

    /// As much of a range as the tenant may ask for.
    pub(crate) fn allowed(&self, range: impl Into<ReadRange>) -> Result<TimeRange, Problem> {
        let now = self.fanout.admission.platform.now_millis();
        self.limits.of_query(range, UnixNanos::from_millis(now))
    }

    /// The objects that touch a range, for what directories answer.
    pub(crate) async fn catalog(&self, range: TimeRange) -> Result<Vec<CatalogObject>, Problem> {
        let range = self.allowed(range)?;
        self.tenant.catalog(range, Detail::Summarized).await
    }

    /// First and last millisecond that profiles touch, however long ago; `None` when there is none.
    pub(crate) async fn profile_times(&self) -> Result<Option<(i64, i64)>, Problem> {
        self.tenant.profile_times().await
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
        let mut points = Points::default();
        let into = &mut points;
        let totals = self.totals(selector, profile_type, range, resolution, grouping, into);
        let (bytes, rounded) = totals.await?;
        Ok(points.timeline(bytes, rounded))
    }

    /// The same, added up as it is read: `into` may hold far less than a point for each profile. Gives
    /// how many bytes were read, and whether windows are longer than was asked for, or cut by the range.
    async fn totals(
        &self,
        selector: &Selector,
        profile_type: Option<&ProfileType>,
        range: impl Into<ReadRange>,
        resolution: Option<SumWindow>,
        grouping: Grouping,
        into: &mut dyn Values,
    ) -> Result<(u64, bool), Problem> {
        let range = self.allowed(range)?;
        // A summary has totals of hours, and none of shorter windows.
        let detail = if resolution >= Some(SumWindow::Hour) {
            Detail::Summarized
        } else {
            Detail::Each
        };
        let objects = self.tenant.catalog(range, detail).await?;
        let plan = TimelinePlan::into_values(
            selector,
            profile_type,
            range,
            resolution,
            grouping,
            &objects,
            into,
        )?;
        let _permit = self.fanout.admission.plan(&plan).await?;
        let Totals { bytes, rounded, .. } = drive(plan, &self.bucket).await?.finish_values()?;
        self.meter
            .add(Item::WorkerCpuMicros, cpu::query_micros(bytes));
        Ok((bytes, rounded))
    }

    /// All profiles as one. What is done when the sum outgrows memory is said by `outgrown`.
    pub(crate) async fn merged_when(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
        outgrown: Outgrown,
    ) -> Result<QueryAnswer, Problem> {
        let query = Query {
            outgrown,
            ..Query::whole(selector, profile_type, range)
        };
        let (answer, _) = self.answer(query).await?;
        self.named(answer).await
    }

    /// All profiles as one, as they came: without names from symbol tables, which may change.
    pub(crate) async fn merged_as_stored(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
    ) -> Result<QueryAnswer, Problem> {
        let query = Query::whole(selector, profile_type, range);
        Ok(self.answer(query).await?.0)
    }

    /// All profiles as one, with how it came about.
    pub(crate) async fn merged_with_stats(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
    ) -> Result<(QueryAnswer, FanoutStats), Problem> {
        let query = Query::whole(selector, profile_type, range);
        let (answer, stats) = self.answer(query).await?;
        Ok((self.named(answer).await?, stats))
    }

    async fn answer(&self, query: Query<'_>) -> Result<(QueryAnswer, FanoutStats), Problem> {
        let range = self.allowed(query.range)?;
        let objects = self.tenant.catalog(range, Detail::Summarized).await?;
        let query = Query { range, ..query };
        query
            .answer(objects, &self.bucket, &self.fanout, &self.meter)
            .await
    }

    /// An answer with names for its addresses. The parts of a query, which a cache keeps, have none.
    async fn named(&self, mut answer: QueryAnswer) -> Result<QueryAnswer, Problem> {
        let (tenants, admission) = (&self.tenants, &self.fanout.admission);
        answer.profile = named(answer.profile, tenants, &self.bucket, admission).await?;
        Ok(answer)
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

    /// Samples of some spans or of single profiles as one profile. It is never split: links are read
    /// first, and symbols only where something was found.
    pub(crate) async fn of_samples(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
        samples: impl Into<SampleSelector>,
    ) -> Result<QueryAnswer, Problem> {
        let samples = samples.into();
        let mut range = self.allowed(range)?;
        if let Some(profiles) = &samples.profiles {
            // Ids say when their profiles start.
            let (first, last) = profiles.extent().unwrap_or((range.until, range.from));
            range.from = range.from.max(first);
            range.until = range.until.min(last.plus(1)).max(range.from);
        }
        // Sums have neither links nor single profiles.
        let objects = self.tenant.catalog(range, Detail::Each).await?;
        let plan = SampleQueryPlan::new(selector, profile_type, range, samples, &objects)?;
        let answer = self.drive(plan).await?.finish()?;
        self.meter
            .add(Item::WorkerCpuMicros, cpu::query_micros(answer.bytes));
        self.named(answer).await
    }

    /// All objects of a range, those that others sum up among them, and as much of the range as the
    /// tenant may ask for.
    pub(crate) async fn each_object(
        &self,
        range: impl Into<ReadRange>,
    ) -> Result<(Vec<CatalogObject>, TimeRange), Problem> {
        let range = self.allowed(range)?;
        Ok((self.tenant.catalog(range, Detail::Each).await?, range))
    }

    /// Values of single profiles.
    pub(crate) async fn values(&self, plan: ValuesPlan<&mut dyn Values>) -> Result<(), Problem> {
        let plan = self.drive(plan).await?;
        self.meter
            .add(Item::WorkerCpuMicros, cpu::query_micros(plan.bytes()));
        plan.finish()?;
        Ok(())
    }

    /// Reads what a plan wants, which may ask for more than once.
    async fn drive<Q: Plan>(&self, mut plan: Q) -> Result<Q, Problem> {
        let (mut permit, mut reads) = (None, 0);
        loop {
            let wants = plan.wants();
            if wants.is_empty() {
                return Ok(plan);
            }
            reads += wants.len() as u64;
            if reads > MAX_READS {
                return Err(PlanError::TooManyReads { most: MAX_READS }.into());
            }
            // Given back before more is asked for, so that two of these never wait for each other.
            drop(permit.take());
            permit = Some(self.fanout.admission.plan(&plan).await?);
            bucket::read_all(&self.bucket, wants, |get, bytes| {
                Ok(plan.provide(get, bytes)?)
            })
            .await?;
        }
    }
}
