//! What happens in the hour.
//!
//! `checkout` gets a new version 25 minutes before the end, in which pricing compiles a regular
//! expression for every rule of every order.

use crate::moment::{Kind, Moment};
use crate::service::{HISTORY_SECONDS, SERVICES};

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
