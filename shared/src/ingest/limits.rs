//! What a tenant's pushes may hold, within the caps that hold for everybody.

use crate::base::limits::{MAX_LABELS, MAX_PUSH_BYTES};
use crate::base::units::UnixNanos;
use crate::ingest::error::IngestError;
use crate::store::SeriesRows;

/// Limits of one push. The default is the caps alone.
#[derive(Clone, Copy, Debug)]
pub struct IngestLimits {
    /// Most bytes that compression may undo to, in each layer: what the caller has memory for.
    pub max_inflated: usize,
    /// Largest profile with its compression undone. In OTLP it is the whole request.
    pub max_profile_bytes: usize,
    /// Most labels of a series.
    pub max_labels: usize,
    /// First and last instant at which a profile may start.
    pub window: (UnixNanos, UnixNanos),
}

impl Default for IngestLimits {
    fn default() -> Self {
        Self {
            max_inflated: MAX_PUSH_BYTES,
            max_profile_bytes: MAX_PUSH_BYTES,
            max_labels: MAX_LABELS,
            window: (UnixNanos(i64::MIN), UnixNanos(i64::MAX)),
        }
    }
}

impl IngestLimits {
    pub(super) fn check_size(&self, actual: usize) -> Result<(), IngestError> {
        let limit = self.max_profile_bytes;
        if actual > limit {
            return Err(IngestError::ProfileSize { actual, limit });
        }
        Ok(())
    }

    pub(super) fn check_series(&self, series: &[SeriesRows]) -> Result<(), IngestError> {
        let limit = self.max_labels;
        let (from, until) = self.window;
        for SeriesRows { series, .. } in series {
            let actual = series.labels.len();
            if actual > limit {
                return Err(IngestError::LabelNames { actual, limit });
            }
            if !(from..=until).contains(&series.time) {
                return Err(IngestError::OutsideWindow {
                    time: series.time,
                    from,
                    until,
                });
            }
        }
        Ok(())
    }
}
