//! A stack on each line, without a value: each counts once.

use super::FoldedError;
use super::decode::add;
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::stack_sums::NamedStacks;

/// Reads lines of the form `main;work`. Blank ones are left out.
pub fn decode_lines(bytes: &[u8]) -> Result<Decoded, FoldedError> {
    let mut stacks = NamedStacks::new();
    let text = String::from_utf8_lossy(bytes);
    let mut left = text.len();
    for (number, line) in (1..).zip(text.lines()) {
        left = left.saturating_sub(line.len() + 1);
        stacks.sums.progress(text.len() - left, left);
        let stack = line.trim_end();
        if stack.bytes().any(|byte| byte != b';') {
            add(&mut stacks, number, stack, 1)?;
        }
    }
    let mut warnings = Warnings::default();
    Ok(Decoded {
        profile: stacks.sums.finish(&mut warnings),
        warnings: warnings.finish(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::limits::MAX_STACK_DEPTH;

    #[test]
    fn each_line_counts_once() {
        let decoded = decode_lines(b"a;b\n\na;b\r\na c;d 5\n").expect("lines");
        assert_eq!(decoded.profile.total(0), 3);
        let deep = "a;".repeat(MAX_STACK_DEPTH + 1);
        assert!(matches!(
            decode_lines(deep.as_bytes()),
            Err(FoldedError::TooDeep { line: 1, .. })
        ));
    }
}
