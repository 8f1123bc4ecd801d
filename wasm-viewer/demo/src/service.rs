//! The four services.

use std::f64::consts::TAU;

use crate::code::Code;

/// Length of the history, seconds.
pub const HISTORY_SECONDS: i64 = 3600;
/// How long before the end `checkout` is deployed, seconds.
pub const DEPLOY_SECONDS: i64 = 25 * 60;

/// A service of the demo.
#[derive(Debug)]
pub struct Service {
    /// Its name.
    pub name: &'static str,
    /// Which agent it seems to be profiled by.
    pub spy: &'static str,
    /// The version at the beginning of the hour.
    pub version: &'static str,
    /// The version at its end.
    pub next_version: &'static str,
    /// How long a CPU profile lasts, seconds.
    pub cpu_seconds: i64,
    /// Cores in use on average.
    pub(super) cores: f64,
    /// The binary, where the language has one.
    pub(super) binary: &'static str,
    /// What it does all day.
    pub(super) code: &'static str,
}

impl Service {
    pub(super) fn code(&self) -> Code {
        Code::parse(self.code)
    }

    /// How busy it is, 1 on average: waves of traffic, and the catalogue's crawler between minutes
    /// 12 and 15.
    pub(super) fn load(&self, region: &str, before_end: i64) -> f64 {
        let minute = (HISTORY_SECONDS - before_end) as f64 / 60.0;
        let phase = self.name.len() as f64 + if region == "us" { 2.0 } else { 0.0 };
        let waves = 1.0
            + 0.18 * libm::sin(minute / 17.0 * TAU + phase)
            + 0.07 * libm::sin(minute / 3.1 * TAU + 2.0 * phase);
        let crawler = if self.name == "catalog" && (12.0..15.0).contains(&minute) {
            1.7
        } else {
            1.0
        };
        waves * crawler * if region == "us" { 1.35 } else { 1.0 }
    }
}

/// All of them.
pub static SERVICES: [Service; 4] = [
    Service {
        name: "checkout",
        spy: "gospy",
        version: "1.8.2",
        next_version: "1.9.0",
        cpu_seconds: 15,
        cores: 0.9,
        binary: "/app/checkout",
        code: include_str!("checkout.txt"),
    },
    Service {
        name: "catalog",
        spy: "javaspy",
        version: "24.11.0",
        next_version: "24.11.0",
        cpu_seconds: 30,
        cores: 1.6,
        binary: "",
        code: include_str!("catalog.txt"),
    },
    Service {
        name: "payments",
        spy: "pyroscope-rs",
        version: "0.31.4",
        next_version: "0.31.4",
        cpu_seconds: 30,
        cores: 0.5,
        binary: "/usr/local/bin/payments",
        code: include_str!("payments.txt"),
    },
    Service {
        name: "email-worker",
        spy: "pyspy",
        version: "2.0.7",
        next_version: "2.0.7",
        cpu_seconds: 30,
        cores: 0.35,
        binary: "",
        code: include_str!("email-worker.txt"),
    },
];
