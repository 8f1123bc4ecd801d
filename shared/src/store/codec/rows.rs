//! Columns of (stack number, value): what a profile counts.
//!
//! Values are divided by their greatest common divisor first: CPU nanoseconds are multiples of the
//! sampling period, and a count of ten takes one byte where 100,000,000 takes five. Columns that
//! are multiples of each other become equal.

use super::bytes::{Reader, put_signed, put_varint};
use crate::store::error::StoreError;

/// A stack number (0: no frames, else row + 1) and a value.
pub(crate) type Row = (u32, i64);

/// Orders rows by stack, adds up equal stacks and drops zeros. Gives the total, too.
pub(crate) fn tidy(rows: &mut Vec<Row>) -> Result<i64, StoreError> {
    let fit = |what, sum: i128| i64::try_from(sum).map_err(|_| StoreError::Overflow { what, sum });
    let total = rows.iter().map(|r| i128::from(r.1)).sum();
    rows.sort_unstable_by_key(|r| r.0);
    let mut kept = 0;
    let mut at = 0;
    while at < rows.len() {
        let stack = rows[at].0;
        let mut sum = 0i128;
        while at < rows.len() && rows[at].0 == stack {
            sum += i128::from(rows[at].1);
            at += 1;
        }
        if sum != 0 {
            rows[kept] = (stack, fit("the value of a stack", sum)?);
            kept += 1;
        }
    }
    rows.truncate(kept);
    fit("the total of a series", total)
}

/// The stacks of one profile's tidy rows, each as its step up from the one before.
pub(crate) fn put_stacks(out: &mut Vec<u8>, stacks: impl Iterator<Item = u32>) {
    let mut before = 0;
    for stack in stacks {
        put_varint(out, u64::from(stack - before));
        before = stack;
    }
}

/// The value column: the common divisor, then every value divided by it.
pub(crate) fn put_values(out: &mut Vec<u8>, values: impl Iterator<Item = i64> + Clone) {
    let divisor = divisor(values.clone());
    put_varint(out, divisor);
    put_quotients(out, values, divisor);
}

/// Every value divided by `divisor`, which stands elsewhere.
pub(crate) fn put_quotients(out: &mut Vec<u8>, values: impl Iterator<Item = i64>, divisor: u64) {
    // In 128 bits, because the divisor of i64::MIN alone is 2^63.
    values.for_each(|v| put_signed(out, (i128::from(v) / i128::from(divisor)) as i64));
}

/// The greatest common divisor of all values, 1 when there is none.
pub(crate) fn divisor(values: impl Iterator<Item = i64>) -> u64 {
    let mut divisor = 0;
    for value in values {
        divisor = common_divisor(divisor, value.unsigned_abs());
        if divisor == 1 {
            break;
        }
    }
    divisor.max(1)
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Reads the stacks of one profile; `highest` is the highest number allowed.
pub(crate) fn stacks(
    r: &mut Reader,
    count: usize,
    highest: u64,
    out: &mut Vec<u32>,
) -> Result<(), StoreError> {
    let mut stack = 0u64;
    for i in 0..count {
        let step = r.next()?;
        if step == 0 && i > 0 {
            return Err(r.corrupt("a stack appears twice in one profile"));
        }
        stack = stack.saturating_add(step);
        if stack > highest {
            return Err(r.corrupt("a row points outside the stack table"));
        }
        out.push(stack as u32);
    }
    Ok(())
}

/// Reads a value column.
pub(crate) fn values(r: &mut Reader, count: usize) -> Result<Vec<i64>, StoreError> {
    let divisor = r.varint()?;
    quotients(r, count, divisor)
}

/// Reads what [`put_quotients`] wrote: the values.
pub(crate) fn quotients(
    r: &mut Reader,
    count: usize,
    divisor: u64,
) -> Result<Vec<i64>, StoreError> {
    let mut values = Vec::with_capacity(count.min(r.remaining()));
    for _ in 0..count {
        let quotient = r.next_signed()?;
        let value = match (i32::try_from(quotient), u32::try_from(divisor)) {
            // Quick, and true of nearly all: the product of 128 bits is a call in WASM.
            (Ok(quotient), Ok(divisor)) => Ok(i64::from(quotient) * i64::from(divisor)),
            _ => i64::try_from(i128::from(quotient) * i128::from(divisor)),
        };
        values.push(value.map_err(|_| r.corrupt("a value does not fit in 64 bits"))?);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let check = |all: &[i64], expect: u64| {
            let mut out = Vec::new();
            put_values(&mut out, all.iter().copied());
            assert_eq!(divisor(all.iter().copied()), expect);
            let mut r = Reader::new(&out, "test");
            assert_eq!(values(&mut r, all.len()).unwrap(), all);
            r.end().unwrap();
        };
        check(&[], 1);
        check(&[0, 0], 1);
        check(&[-10, 0, 25], 5);
        check(&[i64::MIN], 1 << 63);
        check(&[i64::MIN, i64::MAX], 1);
        check(&[i64::MIN, 12], 4);
    }

    #[test]
    fn proportional_columns_are_equal() {
        let column = |all: &[i64]| {
            let mut out = Vec::new();
            put_quotients(&mut out, all.iter().copied(), divisor(all.iter().copied()));
            out
        };
        assert_eq!(
            column(&[2, -4, 10]),
            column(&[10_000_000, -20_000_000, 50_000_000])
        );
        assert_ne!(
            column(&[2, -4, 10]),
            column(&[10_000_000, -20_000_000, 50_000_001])
        );
    }

    #[test]
    fn products_beyond_64_bits_are_refused() {
        let product = |quotient, divisor| {
            let mut out = Vec::new();
            put_signed(&mut out, quotient);
            quotients(&mut Reader::new(&out, "test"), 1, divisor).map(|all| all[0])
        };
        assert_eq!(product(-1, 1 << 63), Ok(i64::MIN));
        assert_eq!(product(0, u64::MAX), Ok(0));
        for (quotient, divisor) in [
            (1, 1 << 63),
            (i64::MIN, u64::MAX),
            (i64::MAX, 2),
            (-1, u64::MAX),
        ] {
            assert!(
                product(quotient, divisor).is_err(),
                "{quotient} x {divisor}"
            );
        }
    }
}
