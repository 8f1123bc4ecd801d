//! The queries of alerts, rules, remote write and series, whatever the runner's parts are.

use pilotlight_core::plans::{Grouping, Outgrown, QueryAnswer, StacksOf, StacksPlan, Values};
use pilotlight_core::verbs::StackSelector;
use pilotlight_core::{ProfileType, Selector, TimeRange};

use super::QueryRunner;
use crate::api::query::cache::AnswerCache;
use crate::api::query::invocations::Invocations;
use crate::bucket::Bucket;
use crate::meter::{Item, cpu};
use crate::platform::Platform;
use crate::platform::errors::Problem;
use crate::platform::limits::ReadRange;
use crate::tenant::Transport;

/// How exact the values are that were read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coverage {
    /// Whether windows are longer than was asked for, or cut by the range.
    pub(crate) rounded: bool,
    /// Whether only sums are left of some, which have no single values.
    pub(crate) sums_only: bool,
}

/// What answers queries about the profiles of a tenant, and the platform on which it does.
pub(crate) trait Queries {
    /// The clock and the timers.
    fn platform(&self) -> &impl Platform;

    /// Adds up what the selected stacks count. If all stacks are selected, only totals are read.
    async fn counted(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: ReadRange,
        stacks: &StackSelector,
        of: StacksOf,
        into: &mut dyn Values,
    ) -> Result<Coverage, Problem>;

    /// All profiles as one. A sum that outgrows memory is refused.
    async fn merged(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
    ) -> Result<QueryAnswer, Problem>;
}

impl<B: Bucket, T: Transport, P: Platform, C: AnswerCache, I: Invocations> Queries
    for QueryRunner<B, T, P, C, I>
{
    fn platform(&self) -> &impl Platform {
        &self.admission().platform
    }

    async fn counted(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: ReadRange,
        stacks: &StackSelector,
        of: StacksOf,
        into: &mut dyn Values,
    ) -> Result<Coverage, Problem> {
        if let (true, StacksOf::Windows(window)) = (stacks.is_all(), of) {
            let each = Grouping::Series;
            let totals = self.totals(selector, Some(profile_type), range, window, each, into);
            let (_, rounded) = totals.await?;
            return Ok(Coverage {
                rounded,
                sums_only: false,
            });
        }
        let (objects, range) = self.each_object(range).await?;
        let stacks = stacks.clone();
        let plan = StacksPlan::new(selector, profile_type, range, stacks, of, &objects, into)?;
        let coverage = Coverage {
            rounded: plan.rounded(),
            sums_only: plan.sums_only(),
        };
        let plan = self.drive(plan).await?;
        self.meter
            .add(Item::WorkerCpuMicros, cpu::query_micros(plan.bytes()));
        plan.finish()?;
        Ok(coverage)
    }

    async fn merged(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
    ) -> Result<QueryAnswer, Problem> {
        self.merged_when(selector, profile_type, range, Outgrown::Refuse)
            .await
    }
}
