//! Texts that look like folded stacks and mean more. [`crate::imports`] reads them.

use super::decode::{LINES_LOOKED_AT, beginning, is_comment, value};
use super::number::Number;

/// A kind of such a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Two counts on each line, as `difffolded.pl` writes them.
    Difference,
    /// Samples of Austin.
    Austin,
}

/// Which one a text is, by its first lines.
pub(crate) fn variant(bytes: &[u8]) -> Option<Variant> {
    let text = beginning(bytes);
    let is_austin = |line: &str| line.starts_with("# austin:") || of_austin(line);
    if text.lines().take(LINES_LOOKED_AT).any(is_austin) {
        return Some(Variant::Austin);
    }
    let lines = text
        .lines()
        .filter(|line| !is_comment(line))
        .take(LINES_LOOKED_AT);
    let (mut seen, mut stacks, mut two_counts, mut deep) = (0, 0, 0, false);
    for line in lines {
        seen += 1;
        stacks += usize::from(value(line).is_some());
        two_counts += usize::from(counts(line).is_some());
        deep |= line.contains(';');
    }
    // Lines of other programs have no counts.
    let is_difference = stacks * 2 > seen && two_counts == stacks && deep;
    is_difference.then_some(Variant::Difference)
}

/// Stack and both counts of a line of a difference.
pub(crate) fn counts(line: &str) -> Option<(&str, [Number; 2])> {
    let (rest, after) = value(line)?;
    let (stack, before) = value(rest)?;
    let is_difference = !stack.trim().is_empty() && !before.is_negative() && !after.is_negative();
    is_difference.then_some((stack, [before, after]))
}

/// `P42;T0:43;` begins a sample of Austin.
fn of_austin(line: &str) -> bool {
    let numbered = line
        .strip_prefix('P')
        .and_then(|rest| rest.split_once(";T"));
    numbered.is_some_and(|(process, _)| {
        !process.is_empty() && process.bytes().all(|b| b.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::{Variant, variant};

    #[test]
    fn only_what_is_sure() {
        for (text, expect) in [
            ("a;b 1 2\na 3 0\n", Some(Variant::Difference)),
            ("# x\n\na;b 1 2\n", Some(Variant::Difference)),
            ("a;b 1 2\na 3\n", None),
            ("Killed\na;b 1 2\na 3 0\n", Some(Variant::Difference)),
            ("Killed\na;b 1 2\nwhat\n", None),
            ("Killed\nP1;T2;m:f:3 4\n", Some(Variant::Austin)),
            ("a 1 2\n", None),
            ("a;b 1 -2\n", None),
            (" 1 2;3\n", None),
            ("", None),
            ("P1;T2;m:f:3 4\n", Some(Variant::Austin)),
            ("# austin: 3.7.0\n# mode: wall\n\n", Some(Variant::Austin)),
            ("P;T2;m 4\n", None),
            ("Px;Thread 4\n", None),
        ] {
            assert_eq!(variant(text.as_bytes()), expect, "{text}");
        }
    }
}
