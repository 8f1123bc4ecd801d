//! What differs between Cloudflare's plans.

use crate::proc::{Failure, Result};

/// Values that hold within a plan's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preset {
    /// Workers Free; docs/deploy.md reckons what it carries.
    Free,
    /// Workers Paid: `wrangler.toml` as it is.
    Paid,
}

impl Preset {
    pub(super) fn named(name: &str) -> Result<Self> {
        match name {
            "free" => Ok(Self::Free),
            "paid" => Ok(Self::Paid),
            _ => Err(Failure::new(
                format!("--preset is {name:?}, which is not a preset"),
                "choose free or paid",
            )),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Paid => "paid",
        }
    }

    /// Lines of `wrangler.toml`, by what stands before ` = `, with other values.
    pub(super) fn values(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Paid => &[],
            Self::Free => &[
                // An invocation has 10 ms of CPU. A part of so many bytes takes 7 ms by our
                // estimate (worker/src/meter/cpu.rs).
                ("SUBQUERY_BYTES", "\"131072\""),
                // 20,000 pushes of 23 kB a day are 6.6 GB in 14 days, even if nothing is ever
                // compacted; 10 GB are free.
                ("RETENTION_RAW_DAYS", "\"14\""),
                ("RETENTION_SUMS_DAYS", "\"90\""),
                ("fee", "0.0"),
            ],
        }
    }
}
