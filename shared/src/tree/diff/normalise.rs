//! Scaling values so that their total becomes a given one, without a unit lost to rounding.

use crate::tree::self_values::SelfValues;

const BASE: usize = 0;
const COMPARISON: usize = 1;

/// Scales the self values of the comparison to the total of its base.
pub(super) fn normalise(own: &mut [SelfValues; 2]) {
    let [base, comparison] = [BASE, COMPARISON].map(|side| exact_sum(own[side].values()));
    let Some(mut ratio) = Ratio::new(base, comparison) else {
        return;
    };
    for own in own[COMPARISON].values_mut() {
        *own = ratio.next(*own);
    }
}

/// Sum of values. Exact: an `i128` holds 2^63 values of 2^63.
fn exact_sum(values: &[i64]) -> i128 {
    values.iter().map(|&value| i128::from(value)).sum()
}

/// Values scaled one after the other, each to what the running sum of all so far grows by.
struct Ratio {
    /// Target and source, both made positive: total after and before.
    to: u128,
    from: u128,
    state: State,
}

/// What is known of the running sum.
enum State {
    /// Both totals have 64 bits: what `sum * to` leaves, divided by `from`, does for the next step.
    Rest(u64),
    /// The sum itself, and scaled.
    Sum { running: i128, scaled: i128 },
}

impl Ratio {
    /// From one total to another; `None` where no factor of zero or more does that.
    fn new(to: i128, from: i128) -> Option<Self> {
        let possible = from != 0 && (to == 0 || (to < 0) == (from < 0));
        let (to, from) = (to.unsigned_abs(), from.unsigned_abs());
        // A value times `to` and a rest then fit an `i128`.
        let is_small = to.max(from) <= u128::from(u64::MAX >> 1);
        let state = if is_small {
            State::Rest(0)
        } else {
            State::Sum {
                running: 0,
                scaled: 0,
            }
        };
        possible.then_some(Self { to, from, state })
    }

    /// The next value, scaled; at the limits of `i64` when it lies beyond.
    fn next(&mut self, value: i64) -> i64 {
        let step = match &mut self.state {
            State::Rest(rest) => {
                let sum = i128::from(value) * self.to as i128 + i128::from(*rest);
                match u64::try_from(sum) {
                    // A third of the time of a division of 128 bits, and enough for counts.
                    Ok(sum) => {
                        *rest = sum % self.from as u64;
                        i128::from(sum / self.from as u64)
                    }
                    Err(_) => {
                        *rest = sum.rem_euclid(self.from as i128) as u64;
                        sum.div_euclid(self.from as i128)
                    }
                }
            }
            State::Sum { running, scaled } => {
                *running += i128::from(value);
                let next = scale(*running, self.to, self.from);
                next.saturating_sub(std::mem::replace(scaled, next))
            }
        };
        i64::try_from(step).unwrap_or(if step < 0 { i64::MIN } else { i64::MAX })
    }
}

/// `floor(running * to / from)`.
fn scale(running: i128, to: u128, from: u128) -> i128 {
    // Totals are sums of at most 2^32 values of 2^63: below 2^96, which leaves room for signs.
    let (signed_to, signed_from) = (to as i128, from as i128);
    if let Some(product) = running.checked_mul(signed_to) {
        return product.div_euclid(signed_from);
    }
    let whole = running.div_euclid(signed_from).saturating_mul(signed_to);
    let rest = running.rem_euclid(signed_from).unsigned_abs();
    whole.saturating_add(mul_div(rest, to, from) as i128)
}

/// `floor(a * b / c)` for `a < c < 2^96` and `b < 2^96`, bit by bit: the product may have 192.
fn mul_div(a: u128, b: u128, c: u128) -> u128 {
    let (mut quotient, mut rest) = (0, 0);
    for bit in (0..u128::BITS - b.leading_zeros()).rev() {
        // `rest` is below c, so this is below 3 c.
        rest = 2 * rest + if b >> bit & 1 == 1 { a } else { 0 };
        quotient = 2 * quotient + rest / c;
        rest %= c;
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_beyond_128_bits() {
        for (a, b, c) in [
            (0, 7, 3),
            (2, 7, 3),
            (5, 0, 6),
            (41, 99, 42),
            (1 << 40, 1 << 60, (1 << 40) + 1),
        ] {
            assert_eq!(mul_div(a, b, c), a * b / c, "{a} * {b} / {c}");
        }
        // (c - 1) * b / c = b - b / c, rounded down.
        let (b, c) = ((1 << 95) + 12_345, (1 << 95) - 1);
        assert_eq!(mul_div(c - 1, b, c), b - 2);
    }
}
