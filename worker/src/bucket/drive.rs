//! Drives a plan of the core: reads what it wants from the bucket until it wants nothing.

use crate::bucket::{self, Bucket};
use crate::platform::errors::Problem;
use pilotlight_core::plans::{Get, Plan, PlanError};

/// Reads until the plan can be finished.
pub(crate) async fn drive<P: Plan>(plan: P, bucket: &impl Bucket) -> Result<P, Problem> {
    drive_while(plan, bucket, |_| Ok(())).await
}

/// The same; after each read the plan is checked, and a problem ends it.
pub(crate) async fn drive_while<P: Plan>(
    mut plan: P,
    bucket: &impl Bucket,
    check: impl Fn(&P) -> Result<(), Problem>,
) -> Result<P, Problem> {
    loop {
        let wants = plan.wants();
        if wants.is_empty() {
            return Ok(plan);
        }
        let provide = |get: &Get, bytes: &[u8]| {
            plan.provide(get, bytes)?;
            check(&plan)
        };
        bucket::read_all(bucket, wants, provide).await?;
    }
}

/// Stored bytes that do not read as they were written, or a plan that was driven wrongly: nothing
/// the caller can mend.
impl From<PlanError> for Problem {
    fn from(error: PlanError) -> Self {
        match &error {
            PlanError::Damaged { key, .. }
            | PlanError::Length {
                get: Get { key, .. },
                ..
            } => Self::new(500, "data_loss", &error).about(key),
            // The site asks for parts of the range then.
            PlanError::TooLarge { .. } => Self::new(413, "resource_exhausted", error),
            PlanError::TooManyReads { .. } | PlanError::TooManyServices(_) => Self::invalid(error),
            error => Self::internal(error),
        }
    }
}
