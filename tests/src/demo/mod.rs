//! An hour in the life of four services, made up: so that every screen has something to show.
//!
//! All of it follows from a seed; only the times differ from run to run. `checkout` gets a new
//! version 25 minutes before the end, in which pricing compiles a regular expression for every rule
//! of every order.

mod code;
mod profile;
pub mod random;
mod service;

pub use profile::{Kind, profile};
pub use service::{SERVICES, Service};

use pilotlight_core::pprof::encode_gzip;

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

    /// Query string and body of the push, for a history that ends then (seconds since the epoch).
    pub fn push(&self, end: i64) -> (String, Vec<u8>) {
        let from = end - self.before_end;
        let Service { name, spy, .. } = self.service;
        let name = format!(
            "{name}{{region={},version={}}}",
            self.region,
            self.version()
        );
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("name", &name)
            .append_pair("from", &from.to_string())
            .append_pair("until", &(from + self.seconds()).to_string())
            .append_pair("format", "pprof")
            .append_pair("spyName", spy)
            .finish();
        (query, encode_gzip(&profile(self, from * 1_000_000_000)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Oracle;

    fn share(before_end: i64, function: &str) -> (f64, i128) {
        let moments = history();
        let found = moments.iter().find(|m| {
            m.service.name == "checkout" && m.kind == Kind::Cpu && m.before_end == before_end
        });
        let (_, body) = found
            .expect("a profile every quarter minute")
            .push(1_700_000_000);
        let oracle = Oracle::read(&body);
        let total = oracle.total(1);
        let own = oracle.functions(1).get(function).map_or(0, |f| f.1);
        (own as f64 / total as f64, total)
    }

    #[test]
    fn the_deploy_shows() {
        let pricing = "github.com/acme/shop/orders.(*Service).priceWithDiscounts";
        let (before, total_before) = share(DEPLOY_SECONDS + 60, pricing);
        let (after, total_after) = share(DEPLOY_SECONDS - 60, pricing);
        assert!(before < 0.15 && after > 2.0 * before, "{before} → {after}");
        assert!(total_after > total_before, "{total_before} → {total_after}");
        assert_eq!(share(DEPLOY_SECONDS + 60, "regexp.compile").0, 0.0);
    }

    #[test]
    fn equal_seeds_give_equal_bytes() {
        let moments = history();
        assert_eq!(moments.len(), 2 * (240 + 3 * 120 + 4 * 60));
        for moment in moments.iter().step_by(97) {
            assert_eq!(moment.push(1_700_000_000), moment.push(1_700_000_000));
        }
    }

    #[test]
    fn stacks_are_deep() {
        for service in &SERVICES {
            let moment = Moment {
                service,
                region: "eu",
                kind: Kind::Cpu,
                before_end: 600,
            };
            let oracle = Oracle::read(&moment.push(1_700_000_000).1);
            let deepest = oracle.samples.iter().map(|s| s.stack.len()).max();
            assert!(
                (14..40).contains(&deepest.unwrap_or(0)),
                "{}: {deepest:?}",
                service.name
            );
            assert!(
                oracle.samples.len() > 25,
                "{}: {} stacks",
                service.name,
                oracle.samples.len()
            );
        }
    }
}
