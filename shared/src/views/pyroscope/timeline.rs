//! The timeline of `/pyroscope/render`.

/// Step of the timeline in `/pyroscope/render`, in seconds, for a range of so many seconds: a
/// 1,500th of it, at least 15 s, rounded to what reads well.
pub fn timeline_step(range_seconds: i64) -> i64 {
    /// Up to this many seconds (times two, to stay whole) → this step.
    const STEPS: [(i64, i64); 18] = [
        (35, 15),
        (50, 20),
        (90, 30),
        (180, 60),
        (420, 120),
        (900, 300),
        (1_500, 600),
        (2_100, 900),
        (3_000, 1_200),
        (5_400, 1_800),
        (10_800, 3_600),
        (18_000, 7_200),
        (32_400, 10_800),
        (64_800, 21_600),
        (172_800, 43_200),
        (1_209_600, 86_400),
        (3_628_800, 604_800),
        (7_257_600, 2_592_000),
    ];
    let twice = (range_seconds.max(0) * 2 / 1_500).max(30);
    STEPS
        .iter()
        .find(|(limit, _)| twice <= *limit)
        .map_or(31_536_000, |(_, step)| *step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps() {
        assert_eq!(timeline_step(3_600), 15);
        assert_eq!(timeline_step(7 * 86_400), 300);
        assert_eq!(timeline_step(30 * 86_400), 1_800);
    }
}
