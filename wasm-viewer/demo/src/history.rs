//! What happens in the hour.
//!
//! `checkout` gets a new version 25 minutes before the end, in which pricing compiles a regular
//! expression for every rule of every order.

use crate::profile::Kind;
use crate::service::{SERVICES, Service};

/// Length of the history, seconds.
pub const HISTORY_SECONDS: i64 = 3600;
/// How long before the end `checkout` is deployed, seconds.
pub const DEPLOY_SECONDS: i64 = 25 * 60;

/// One profile of one instance at one time.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Which service.
    pub service: &'static Service,
    /// Where it runs.
    pub region: &'static str,
    /// What is measured.
    pub kind: Kind,
    /// Start, seconds before the end of the history.
    pub before_end: i64,
}

/// Everything that happens in the hour, the oldest first.
pub fn history() -> Vec<Moment> {
    let mut moments = Vec::new();
    for service in &SERVICES {
        for (kind, seconds) in [(Kind::Cpu, service.cpu_seconds), (Kind::Memory, 60)] {
            for region in ["eu", "us"] {
                let starts = (seconds..=HISTORY_SECONDS).step_by(seconds as usize);
                moments.extend(starts.map(|before_end| Moment {
                    service,
                    region,
                    kind,
                    before_end,
                }));
            }
        }
    }
    moments.sort_by_key(|moment| std::cmp::Reverse(moment.before_end));
    moments
}

impl Moment {
    /// How long it lasts, seconds.
    pub fn seconds(&self) -> i64 {
        match self.kind {
            Kind::Cpu => self.service.cpu_seconds,
            Kind::Memory => 60,
        }
    }

    /// The version that runs then.
    pub fn version(&self) -> &'static str {
        if self.before_end > DEPLOY_SECONDS {
            self.service.version
        } else {
            self.service.next_version
        }
    }
}
