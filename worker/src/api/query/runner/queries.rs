//! The queries of alerts, rules and remote write, whatever the runner's parts are.

use pilotlight_core::plans::{Outgrown, QueryAnswer, StacksOf, Values};
use pilotlight_core::verbs::StackSelector;
use pilotlight_core::{ProfileType, Selector, TimeRange};

use super::QueryRunner;
use super::counted::Coverage;
use crate::api::query::cache::AnswerCache;
use crate::api::query::invocations::Invocations;
use crate::bucket::Bucket;
use crate::platform::Platform;
use crate::platform::errors::Problem;
use crate::platform::limits::ReadRange;
use crate::tenant::Transport;

/// What answers queries about the profiles of a tenant, and the platform on which it does.
pub(crate) trait Queries {
    /// The clock and the timers.
    fn platform(&self) -> &impl Platform;

    /// As [`QueryRunner::counted`].
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
        Self::counted(self, selector, profile_type, range, stacks, of, into).await
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
