//! Sums in 64 bits.

/// The nearest number of 64 bits.
pub(crate) fn clamped(sum: i128) -> i64 {
    sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}
