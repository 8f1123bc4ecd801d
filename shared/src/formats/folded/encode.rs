//! [`Profile`] → text.

use std::fmt::Write as _;

use super::FoldedError;
use super::number::Scale;
use crate::model::address_name::location_name;
use crate::model::id::{LocationId, StackId};
use crate::model::profile::Profile;

/// Characters of a value, with the blank before it and the line's end.
const VALUE: usize = "-9223372036854775808".len() + 2;

/// Writes the stacks of one sample type. The text may have `cap` bytes: a deep stack is written
/// once for each of its prefixes that has samples, so the text can be far larger than the profile.
pub fn encode(profile: &Profile, sample_type: usize, cap: usize) -> Result<String, FoldedError> {
    let count = profile.sample_types().len();
    let samples = profile.samples();
    let values = samples.values.get(sample_type).ok_or(FoldedError::NoType {
        wanted: sample_type,
        count,
    })?;
    let mut sums = vec![0i64; profile.stacks().len() + 1];
    for (stack, &value) in samples.stacks.iter().zip(values) {
        let sum = &mut sums[StackId::number(*stack) as usize];
        *sum = sum.saturating_add(value);
    }
    let (_, unit) = profile.type_text(profile.sample_types()[sample_type]);
    let mut lines = Lines {
        profile,
        scale: Scale::of_unit(unit),
        rows: Vec::new(),
        length: 0,
        cap,
    };
    for (i, &sum) in sums.iter().enumerate().filter(|(_, sum)| **sum != 0) {
        lines.add(StackId::numbered(i as u32), sum)?;
    }
    Ok(lines.finish())
}

/// The lines to be written, each a stack and its value.
struct Lines<'a> {
    profile: &'a Profile,
    scale: Scale,
    rows: Vec<(String, i64)>,
    /// Bytes of all of them.
    length: usize,
    cap: usize,
}

impl Lines<'_> {
    fn add(&mut self, stack: Option<StackId>, value: i64) -> Result<(), FoldedError> {
        let mut frames: Vec<LocationId> = self.profile.frames(stack).collect();
        frames.reverse();
        let mut row = String::new();
        self.grow(VALUE)?;
        for location in frames {
            let lines = self.profile.lines(location).iter().rev();
            let mut functions = lines.filter_map(|line| line.function).peekable();
            if functions.peek().is_none() {
                let name = location_name(self.profile, location);
                self.frame(&mut row, &name)?;
            }
            for function in functions {
                let function = &self.profile.functions()[function.index()];
                let name = if function.name.is_empty() {
                    function.system_name
                } else {
                    function.name
                };
                self.frame(&mut row, self.profile.text(name))?;
            }
        }
        self.rows.push((row, value));
        Ok(())
    }

    /// Appends a frame, without what means something in a line.
    fn frame(&mut self, row: &mut String, name: &str) -> Result<(), FoldedError> {
        self.grow(name.len().max(1) + 1)?;
        if !row.is_empty() {
            row.push(';');
        }
        let start = row.len();
        row.extend(name.chars().map(|c| match c {
            ';' => ':',
            '\n' | '\r' | '\u{feff}' => ' ',
            c => c,
        }));
        if row.len() == start {
            row.push('?');
        }
        Ok(())
    }

    fn grow(&mut self, by: usize) -> Result<(), FoldedError> {
        self.length = self.length.saturating_add(by);
        if self.length > self.cap {
            return Err(FoldedError::TooLarge {
                length: self.length,
                cap: self.cap,
            });
        }
        Ok(())
    }

    fn finish(mut self) -> String {
        // Different stacks may have the same names.
        self.rows.sort_unstable();
        let mut out = String::with_capacity(self.length);
        for equal in self.rows.chunk_by(|a, b| a.0 == b.0) {
            let sum = equal
                .iter()
                .fold(0i64, |sum, row| sum.saturating_add(row.1));
            if sum != 0 {
                writeln!(out, "{} {}", equal[0].0, self.scale.text(sum))
                    .expect("a String takes all");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::folded::decode;
    use crate::model::profile::Mapping;
    use crate::testing::profile;
    use crate::{Profile, ProfileBuilder, StringId};

    fn check(profile: &Profile, sample_type: usize, expect: &str) {
        let text = encode(profile, sample_type, 1 << 20).expect("small");
        assert_eq!(text, expect);
        if !text.is_empty() {
            let again = decode(text.as_bytes()).expect("our own");
            assert_eq!(again.warnings, Vec::<String>::new());
            assert_eq!(encode(&again.profile, 0, 1 << 20).as_deref(), Ok(expect));
        }
    }

    #[test]
    fn sorted_and_added_up() {
        let drawn = profile("b;c 1 0\na;b 2 -5\nb;c 3 0\na!;b 4 5\nb 0 0");
        check(&drawn, 0, "a!;b 4\na;b 2\nb;c 4\n");
        check(&drawn, 1, "a!;b 5\na;b -5\n");
        assert_eq!(
            encode(&drawn, 2, 100),
            Err(FoldedError::NoType {
                wanted: 2,
                count: 2
            })
        );
        assert_eq!(
            encode(&drawn, 0, 60),
            Err(FoldedError::TooLarge {
                length: 74,
                cap: 60
            })
        );
    }

    #[test]
    fn names_that_mean_something() {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "nanoseconds");
        for (i, names) in [
            &["a;b", "\u{feff}"][..],
            &["a:b", " "],
            &[""],
            &["x\r\ny"],
            &[],
        ]
        .into_iter()
        .enumerate()
        {
            let stack = b.named_stack(names);
            b.sample(stack, None, &[1 << i]);
        }
        check(&b.finish(), 0, " 16\n? 4\na:b;  3\nx  y 8\n");
    }

    #[test]
    fn inlined_calls_and_bare_addresses() {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "nanoseconds");
        let inlined = b.named_stack(&["outer", "inner"]).expect("two frames");
        let profile = b.profile();
        let lines: Vec<_> = profile
            .frames(Some(inlined))
            .map(|location| profile.lines(location)[0])
            .collect();
        let file = b.string("/lib/odd;name.so");
        let mapping = Mapping {
            start: 0,
            limit: 9,
            offset: 0,
            file,
            build_id: StringId::EMPTY,
            symbols: Default::default(),
        };
        let mapping = b.mapping(mapping);
        let both = b.location(None, 5, false, &lines);
        let bare = b.location(Some(mapping), 5, false, &[]);
        let root = b.stack(None, both);
        let leaf = b.stack(Some(root), bare);
        b.sample(Some(leaf), None, &[3]);
        check(&b.finish(), 0, "outer;inner;0x5 [odd:name.so] 3\n");
    }
}
