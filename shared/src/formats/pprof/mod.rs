//! pprof's `profile.proto`, the format that most profilers speak.
//!
//! Source of the format: `proto/profile.proto` of google/pprof. Fields may come in any order (Go
//! writes the string table last), repeated numbers packed or not, zeros left out.

mod decode;
mod encode;
mod error;
mod ids;
mod outline;
mod samples;
mod symbols;

pub use crate::formats::decoded::Decoded;
pub use decode::decode;
use decode::decode_samples;
pub use encode::{encode, encode_gzip};
pub use error::PprofError;
use ids::Dangling;
pub(crate) use samples::LeftOut;

use crate::formats::gzip::inflate;
use crate::formats::legacy;

/// Decodes a profile that may be gzip; after inflation it may have `cap` bytes. Like `go tool
/// pprof` it takes the formats from before `profile.proto` too ([`crate::legacy`]).
pub fn open(bytes: &[u8], cap: usize) -> Result<Decoded, PprofError> {
    open_samples(bytes, cap, Dangling::Refused).map(|(decoded, _)| decoded)
}

/// [`open`] without the samples whose stacks refer to rows that do not exist. Functions without ids
/// get those of locations, as old agents of .NET mean it.
pub(crate) fn open_lenient(bytes: &[u8], cap: usize) -> Result<(Decoded, LeftOut), PprofError> {
    open_samples(bytes, cap, Dangling::LeftOut)
}

fn open_samples(
    bytes: &[u8],
    cap: usize,
    dangling: Dangling,
) -> Result<(Decoded, LeftOut), PprofError> {
    let inflated = inflate(bytes, cap)?;
    let raw = inflated.as_deref().unwrap_or(bytes);
    if raw.len() > cap {
        return Err(PprofError::TooLarge {
            length: raw.len(),
            cap,
        });
    }
    decode_samples(raw, dangling).or_else(|error| match legacy::sniff(raw) {
        Some(_) => Ok((legacy::decode(raw)?, LeftOut::default())),
        None => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::protobuf::Writer;
    use crate::model::builder::ProfileBuilder;
    use crate::model::profile::Profile;

    /// Rows of a table, each with its numbers by field.
    type Rows<'a> = &'a [(u32, &'a [(u32, u64)])];

    fn rows(rows: Rows<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (table, fields) in rows {
            let mut row = Vec::new();
            fields
                .iter()
                .for_each(|&(field, value)| Writer(&mut row).number(field, value));
            Writer(&mut bytes).bytes(*table, &row);
        }
        bytes
    }

    /// A profile of `main;work 5` whose location ids are 1 and 2, and then these rows.
    fn profile_and(more: &[u8]) -> Vec<u8> {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let stack = builder.named_stack(&["main", "work"]);
        builder.sample(stack, None, &[5]);
        [&encode(&builder.finish()), more].concat()
    }

    /// Each sample as its stack, root first, and its value.
    fn shown(profile: &Profile) -> Vec<String> {
        let samples = profile.samples();
        let stacks = samples.stacks.iter().zip(&samples.values[0]);
        let text = stacks.map(|(&stack, value)| {
            let mut names: Vec<_> = profile
                .frames(stack)
                .map(|location| {
                    let function = profile.lines(location)[0].function;
                    function.map_or("-", |f| profile.text(profile.functions()[f.index()].name))
                })
                .collect();
            names.reverse();
            format!("{} {value}", names.join(";"))
        });
        text.collect()
    }

    fn check(bytes: &[u8], refused: &str, samples: &[&str], left_out: u64, reason: &str) {
        let error = decode(bytes).expect_err(refused).to_string();
        assert_eq!(error, format!("pprof: {refused}"));
        let (decoded, out) = open_lenient(bytes, 1 << 20).expect("a profile");
        assert_eq!(shown(&decoded.profile), samples);
        let why = out.reason.map(|reason| reason.to_string());
        assert_eq!(
            (out.samples, why.unwrap_or_default()),
            (left_out, reason.to_owned())
        );
    }

    #[test]
    fn samples_that_dangle_are_left_out() {
        let sample = |location, value| rows(&[(2, &[(1, location), (2, value)])]);
        let problem = "sample 1 refers to location 9, which does not exist";
        let bytes = profile_and(&[sample(9, 7), sample(1, 8), sample(8, 1)].concat());
        let kept = ["main;work 5", "main 8"];
        check(&bytes, problem, &kept, 2, &format!("pprof: {problem}"));
        // After one with a packed stack, of which the next shares the root.
        let packed = |ids: &[u8]| {
            let mut row = Vec::new();
            Writer(&mut row).bytes(1, ids);
            Writer(&mut row).number(2, 3);
            let mut bytes = Vec::new();
            Writer(&mut bytes).bytes(2, &row);
            bytes
        };
        let bytes = profile_and(&[packed(&[9, 1]), packed(&[2, 1]), packed(&[2, 9])].concat());
        let kept = ["main;work 5", "main;work 3"];
        check(&bytes, problem, &kept, 2, &format!("pprof: {problem}"));
        // A location whose function is missing does not exist either.
        let line = rows(&[(4, &[(1, 70)])]);
        let mut location = vec![0x08, 3];
        location.extend(line);
        let mut more = Vec::new();
        Writer(&mut more).bytes(4, &location);
        more.extend(sample(3, 6));
        more.extend(sample(2, 4));
        let problem = "a line refers to function 70, which does not exist";
        let kept = ["main;work 5", "work 4"];
        check(
            &profile_and(&more),
            problem,
            &kept,
            1,
            &format!("pprof: {problem}"),
        );
    }

    #[test]
    fn ids_are_given_once() {
        for (more, problem) in [
            (
                rows(&[(4, &[(3, 16)])]),
                "location 2 (counted from 0) has id 0; ids start at 1",
            ),
            (
                rows(&[(5, &[(2, 1)])]),
                "function 2 (counted from 0) has id 0; ids start at 1",
            ),
            (rows(&[(4, &[(1, 2)])]), "location id 2 appears twice"),
            (rows(&[(5, &[(1, 1)])]), "function id 1 appears twice"),
        ] {
            let bytes = profile_and(&more);
            let problem = format!("pprof: {problem}");
            assert_eq!(decode(&bytes).unwrap_err().to_string(), problem);
            assert_eq!(
                open_lenient(&bytes, 1 << 20).unwrap_err().to_string(),
                problem
            );
        }
    }

    #[test]
    fn functions_without_ids_have_those_of_locations() {
        let texts = ["", "cpu", "ns", "main", "work"];
        let profile = |functions: Rows<'_>| {
            let mut bytes = rows(&[(1, &[(1, 1), (2, 2)])]);
            for id in [7u64, 5] {
                let mut location = vec![0x08, id as u8];
                location.extend(rows(&[(4, &[(1, id)])]));
                Writer(&mut bytes).bytes(4, &location);
            }
            bytes.extend(rows(functions));
            bytes.extend(rows(&[(2, &[(1, 5), (1, 7), (2, 3)])]));
            texts
                .iter()
                .for_each(|text| Writer(&mut bytes).bytes(6, text.as_bytes()));
            bytes
        };
        let both = profile(&[(5, &[(2, 3)]), (5, &[(2, 4)])]);
        let problem = "function 0 (counted from 0) has id 0; ids start at 1";
        check(&both, problem, &["main;work 3"], 0, "");
        for functions in [
            &[(5, &[(2, 3)][..])][..],
            &[(5, &[(2, 3)]), (5, &[(1, 5), (2, 4)])],
        ] {
            let error = open_lenient(&profile(functions), 1 << 20).unwrap_err();
            assert_eq!(error.to_string(), format!("pprof: {problem}"));
        }
    }

    #[test]
    fn an_empty_text_is_row_0() {
        let texts = ["", "cpu", "ns", "", "main.work"];
        let mut bytes = rows(&[(1, &[(1, 1), (2, 2)]), (5, &[(1, 1), (2, 3), (3, 4)])]);
        texts
            .iter()
            .for_each(|text| Writer(&mut bytes).bytes(6, text.as_bytes()));
        let profile = decode(&bytes).expect("a profile").profile;
        assert!(profile.functions()[0].name.is_empty());
    }
}
