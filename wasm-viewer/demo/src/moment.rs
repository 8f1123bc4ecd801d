//! When and where something is measured.

use crate::service::{DEPLOY_SECONDS, Service};

/// What a profile measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Time on a processor.
    Cpu,
    /// Memory allocated since the profile before, and memory in use.
    Memory,
}

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
