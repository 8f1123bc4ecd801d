//! A stack on each line, without a value: each counts once.

use super::FoldedError;
use crate::base::limits::MAX_STACK_DEPTH;
use crate::model::builder::ProfileBuilder;
use crate::model::profile::Profile;

/// Reads lines of the form `main;work`. Blank ones are left out.
pub fn decode_lines(bytes: &[u8]) -> Result<Profile, FoldedError> {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("samples", "count");
    let text = String::from_utf8_lossy(bytes);
    for (number, line) in (1..).zip(text.lines()) {
        let frames: Vec<&str> = line
            .trim_end()
            .split(';')
            .filter(|name| !name.is_empty())
            .collect();
        if frames.len() > MAX_STACK_DEPTH {
            return Err(FoldedError::TooDeep {
                line: number,
                depth: frames.len(),
                cap: MAX_STACK_DEPTH,
            });
        }
        if !frames.is_empty() {
            let stack = builder.named_stack(&frames);
            builder.sample(stack, None, &[1]);
        }
    }
    Ok(builder.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_counts_once() {
        let profile = decode_lines(b"a;b\n\na;b\r\na c;d 5\n").expect("lines");
        assert_eq!(profile.total(0), 3);
        let deep = "a;".repeat(MAX_STACK_DEPTH + 1);
        assert!(matches!(
            decode_lines(deep.as_bytes()),
            Err(FoldedError::TooDeep { line: 1, .. })
        ));
    }
}
