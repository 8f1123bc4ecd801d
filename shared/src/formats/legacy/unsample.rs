//! From sampled allocations to an estimate of all.
//!
//! The allocator takes a sample every `rate` bytes on average, as a Poisson process, so an
//! allocation of `size` bytes is seen with the probability 1 - e^(-size / rate). Counts are divided
//! by that.

/// Estimates how many objects and bytes there were. A rate of 1 saw everything; one below says
/// nothing.
pub(super) fn unsample(count: i64, bytes: i64, rate: i64) -> (i64, i64) {
    if count == 0 || bytes == 0 {
        return (0, 0);
    }
    if rate <= 1 {
        return (count, bytes);
    }
    let mean = bytes as f64 / count as f64;
    // Not `f64::exp`, which is the platform's own and may differ in the last bit: the browser and
    // the edge must agree.
    let scale = 1.0 / (1.0 - libm::exp(-mean / rate as f64));
    // Towards zero; what is beyond 64 bits becomes their limit.
    ((count as f64 * scale) as i64, (bytes as f64 * scale) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_objects_stand_for_many() {
        // Values that `go tool pprof` prints for the first samples of gperftools' own test profile.
        assert_eq!(unsample(1, 9216, 524_288), (57, 528_909));
        assert_eq!(unsample(1, 144, 524_288), (3641, 524_360));
        assert_eq!(unsample(3, 4096, 1), (3, 4096));
        assert_eq!(unsample(3, 4096, 0), (3, 4096));
        assert_eq!(unsample(3, 0, 512), (0, 0));
        assert_eq!(unsample(i64::MAX, 1, 512), (i64::MAX, i64::MAX));
    }
}
