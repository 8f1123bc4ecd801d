//! What the stacks of profiles count, or their totals, added up as it is read.

use pilotlight_core::plans::{Grouping, StacksOf, StacksPlan, Values};
use pilotlight_core::verbs::StackSelector;
use pilotlight_core::{ProfileType, Selector};

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

impl<B: Bucket, T: Transport, P: Platform, C: AnswerCache, I: Invocations>
    QueryRunner<B, T, P, C, I>
{
    /// Adds up what the selected stacks count. If all stacks are selected, only totals are read.
    pub(crate) async fn counted(
        &self,
        selector: &Selector,
        profile_type: &ProfileType,
        range: impl Into<ReadRange>,
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
}
