//! What a chunk says of how it was recorded.

use super::DEFAULT_PERIOD_NANOS;
use super::samples::{Mode, Sampling};

/// Settings that matter here.
#[derive(Default)]
pub(super) struct Settings {
    /// The event that async-profiler sampled: `cpu`, `itimer`, `wall`; empty for JDK's recordings.
    event: String,
    /// Nanoseconds between two samples.
    period_nanos: Option<i64>,
}

impl Settings {
    /// Takes a setting; `of_samples` when it is one of `jdk.ExecutionSample`.
    pub(super) fn add(&mut self, of_samples: bool, name: &str, value: &str) {
        match name {
            "event" => value.clone_into(&mut self.event),
            // async-profiler's, in nanoseconds.
            "interval" => self.set_period(value, 1),
            // JDK's, such as `20 ms`.
            "period" if of_samples => {
                if let Some(millis) = value.strip_suffix(" ms") {
                    self.set_period(millis, 1_000_000);
                }
            }
            _ => {}
        }
    }

    fn set_period(&mut self, number: &str, nanos: i64) {
        // Other events count other things than time, in other magnitudes.
        const PLAUSIBLE: std::ops::RangeInclusive<i64> = 10_000..=10_000_000_000;
        let period = number.parse().ok().and_then(|n: i64| n.checked_mul(nanos));
        if let Some(period) = period.filter(|period| PLAUSIBLE.contains(period)) {
            self.period_nanos = Some(period);
        }
    }

    /// How threads are sampled; `period` is what the caller knows better.
    pub(super) fn sampling(&self, period: Option<i64>) -> Sampling {
        let mode = match self.event.as_str() {
            "wall" => Mode::Wall,
            _ => Mode::Cpu,
        };
        let period = period.or(self.period_nanos).unwrap_or(DEFAULT_PERIOD_NANOS);
        Sampling {
            event: self.event.clone(),
            mode,
            period,
        }
    }
}
