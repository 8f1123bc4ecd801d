//! Folded stacks with two counts, `main;work 12 15`, as FlameGraph's `difffolded.pl` and inferno
//! write them to draw a difference: two sample types, before and after.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::{Warnings, cut};
use crate::formats::decoded::Decoded;
use crate::formats::folded::variants::{Variant, counts, variant};
use crate::formats::folded::{Scale, rounded};
use crate::formats::stack_sums::NamedStacks;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::rows::lines;

/// What it is called in messages.
pub(crate) const NAME: &str = "folded stacks with two counts";

/// Whether the first lines have two counts.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    variant(start.bytes) == Some(Variant::Difference)
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut warnings = Warnings::default();
    let pairs = lines(bytes).filter_map(|(_, line)| counts(&line).map(|(_, counts)| counts));
    let scale = Scale::for_all(pairs.flatten());
    let mut stacks = NamedStacks::of(&["before", "after"], scale.unit());
    let (mut read, mut inexact) = (0, 0);
    for (number, line) in lines(bytes) {
        read = bytes.len().min(read + line.len() + 1);
        stacks.sums.progress(read, bytes.len() - read);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((stack, counts)) = counts(&line) else {
            warnings.add(|| {
                format!(
                    "line {number} does not end in two numbers and is left out: {:?}",
                    cut(&line)
                )
            });
            continue;
        };
        let mut parent = None;
        for (depth, name) in stack.split(';').filter(|name| !name.is_empty()).enumerate() {
            if depth == MAX_STACK_DEPTH {
                let problem = too_deep();
                return Err(FormatError::at_line(NAME, number, problem));
            }
            parent = Some(stacks.call(parent, name));
        }
        for (sample_type, count) in counts.into_iter().enumerate() {
            let (value, is_rounded) = scale.of(count);
            inexact += u64::from(is_rounded);
            stacks.sums.add(parent, sample_type, value);
        }
    }
    if inexact > 0 {
        warnings.add(|| rounded(inexact, scale));
    }
    let profile = stacks.sums.finish(&mut warnings);
    if profile.is_empty() {
        return Err(FormatError::new(NAME, "there are no samples"));
    }
    Ok(Decoded {
        profile,
        warnings: warnings.finish(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{samples, type_names};

    #[test]
    fn both_counts_are_kept() {
        let decoded = decode(b"# x\na;b 1 2\r\na;c 0 7\na;b 3 0\na;d 5\n").expect("good");
        assert_eq!(
            type_names(&decoded.profile),
            ["before/count", "after/count"]
        );
        assert_eq!(samples(&decoded.profile), ["a;b [4, 2]", "a;c [0, 7]"]);
        assert_eq!(
            decoded.warnings,
            ["line 5 does not end in two numbers and is left out: \"a;d 5\""]
        );
        let deep = format!("{}a 1 2", "a;".repeat(MAX_STACK_DEPTH));
        let error = decode(deep.as_bytes()).expect_err("deep").to_string();
        assert!(error.starts_with("folded stacks with two counts, line 1: a stack has more"));
    }
}
