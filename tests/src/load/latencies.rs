//! How long things took.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

/// Durations of answered requests.
#[derive(Clone, Debug, Default)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    /// One more.
    pub fn add(&mut self, latency: Duration) {
        self.0.push(latency);
    }

    /// All of both.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The duration that this part of all took at most, by the nearest rank; zero when there are
    /// none.
    pub fn quantile(&self, part: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (part * sorted.len() as f64).ceil() as usize;
        sorted
            .get(rank.clamp(1, sorted.len().max(1)) - 1)
            .copied()
            .unwrap_or_default()
    }

    /// In milliseconds, for machines.
    pub fn json(&self) -> Value {
        let millis = |part| self.quantile(part).as_millis() as u64;
        json!({ "count": self.0.len(), "p50": millis(0.5), "p90": millis(0.9), "p99": millis(0.99), "max": millis(1.0) })
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |part| self.quantile(part).as_millis();
        write!(
            f,
            "{:>6} answers, p50 {:>5} ms, p90 {:>5} ms, p99 {:>5} ms, max {:>5} ms",
            self.0.len(),
            millis(0.5),
            millis(0.9),
            millis(0.99),
            millis(1.0)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_by_nearest_rank() {
        let of = |numbers: &[u64]| {
            Latencies(numbers.iter().map(|&n| Duration::from_millis(n)).collect())
        };
        let check = |numbers: &[u64], part, expect| {
            assert_eq!(of(numbers).quantile(part), Duration::from_millis(expect))
        };
        check(&[], 0.5, 0);
        check(&[7], 0.0, 7);
        check(&[7], 1.0, 7);
        check(&[4, 1, 3, 2], 0.5, 2);
        check(&[4, 1, 3, 2], 0.9, 4);
        let hundred: Vec<u64> = (1..=100).collect();
        check(&hundred, 0.99, 99);
        check(&hundred, 1.0, 100);
    }
}
