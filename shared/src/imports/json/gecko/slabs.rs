//! Firefox profiles in a container of JSON and arrays of numbers (JsonSlabs, `.jslb`).
//!
//! Source: the format's description, version 1. The arrays are written into the JSON that refers
//! to them, which then is read as any other.

use std::fmt::Display;

use json_slabs::{MAGIC, ParsedFile, SlabBytes, SlabPlaceholder, SlabType};

use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::FormatError;

pub(crate) const NAME: &str = "Firefox profile (JsonSlabs)";

/// JSON in JSON in JSON, and so on. Writers nest once.
const MAX_DEPTH: usize = 8;

/// How many times as long as the file the JSON may be. A number takes up to seven times its bytes,
/// so it is longer only where arrays are used again and again.
const MAX_GROWTH: usize = 7;

/// Whether this is such a container. Nothing else is kept in one.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.bytes.starts_with(&MAGIC)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    super::decode(&json(bytes)?).map_err(|error| FormatError {
        format: NAME,
        ..error
    })
}

/// A file as JSON.
fn json(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    // The number of arrays, which have 12 bytes each in a table. On 32 bits the library takes any.
    let count = bytes.get(12..16).and_then(<[u8]>::first_chunk);
    if count.is_some_and(|&count| u32::from_le_bytes(count) as usize > bytes.len() / 12) {
        return Err(problem("the file is cut off within its table of arrays"));
    }
    let file = ParsedFile::parse(bytes).map_err(problem)?;
    let mut writer = Writer {
        file: &file,
        json: Vec::new(),
        read: 0,
        most: bytes.len().saturating_mul(MAX_GROWTH),
    };
    writer.object(file.root_json_bytes(), MAX_DEPTH)?;
    Ok(writer.json)
}

fn problem(error: impl Display) -> FormatError {
    FormatError::new(NAME, error.to_string())
}

struct Writer<'a> {
    file: &'a ParsedFile<'a>,
    json: Vec<u8>,
    /// How many bytes of JSON were read, those that are used again counted again.
    read: usize,
    /// The most bytes that may be read or written.
    most: usize,
}

impl Writer<'_> {
    /// Appends JSON with what it refers to.
    fn object(&mut self, json: &[u8], depth: usize) -> Result<(), FormatError> {
        self.read += json.len();
        self.check()?;
        let mut at = 0;
        while let Some(&byte) = json.get(at) {
            let length = match byte {
                b'"' => text_length(&json[at..]),
                b'{' => match reference(&json[at..]) {
                    Some((slab, length)) => {
                        self.slab(slab, depth)?;
                        at += length;
                        continue;
                    }
                    None => 1,
                },
                _ => 1,
            };
            self.json.extend_from_slice(&json[at..at + length]);
            at += length;
        }
        self.check()
    }

    fn slab(&mut self, slab: usize, depth: usize) -> Result<(), FormatError> {
        let &slab = self.file.slab_at(SlabPlaceholder(slab)).map_err(problem)?;
        match slab.slab_type {
            SlabType::Json if depth == 0 => Err(problem("the file's JSON is nested too deeply")),
            SlabType::Json => self.object(slab.bytes, depth - 1),
            SlabType::Int8 => self.numbers(slab, i8::from_le_bytes),
            SlabType::Uint8 => self.numbers(slab, u8::from_le_bytes),
            SlabType::Int16 => self.numbers(slab, i16::from_le_bytes),
            SlabType::Uint16 => self.numbers(slab, u16::from_le_bytes),
            SlabType::Int32 => self.numbers(slab, i32::from_le_bytes),
            SlabType::Uint32 => self.numbers(slab, u32::from_le_bytes),
            SlabType::Float32 => self.numbers(slab, |bytes| f64::from(f32::from_le_bytes(bytes))),
            SlabType::Float64 => self.numbers(slab, f64::from_le_bytes),
            SlabType::Int64 => self.numbers(slab, i64::from_le_bytes),
            SlabType::Uint64 => self.numbers(slab, u64::from_le_bytes),
        }
    }

    /// Appends a list. JSON has no infinite numbers; they become `null`.
    fn numbers<const N: usize, T: serde::Serialize>(
        &mut self,
        slab: SlabBytes<'_>,
        read: impl Fn([u8; N]) -> T,
    ) -> Result<(), FormatError> {
        let (numbers, _) = slab.bytes.as_chunks::<N>();
        self.json.push(b'[');
        for (i, number) in numbers.iter().enumerate() {
            if i > 0 {
                self.json.push(b',');
            }
            serde_json::to_writer(&mut self.json, &read(*number)).map_err(problem)?;
        }
        self.json.push(b']');
        self.check()
    }

    fn check(&self) -> Result<(), FormatError> {
        if self.json.len().max(self.read) > self.most {
            let most = self.most;
            return Err(problem(format_args!(
                "the file has more than {most} bytes with its arrays written out"
            )));
        }
        Ok(())
    }
}

/// How many bytes the text has with which this begins.
fn text_length(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = json.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    json.len()
}

/// The slab that an object stands for, `{"$s": 5}`, and how many bytes the object has.
fn reference(json: &[u8]) -> Option<(usize, usize)> {
    let rest = json.strip_prefix(b"{")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"$s\"")?.trim_ascii_start();
    let rest = rest.strip_prefix(b":")?.trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = rest.split_at(digits);
    let rest = rest.trim_ascii_start().strip_prefix(b"}")?;
    let slab = str::from_utf8(digits).ok()?.parse().ok()?;
    Some((slab, json.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use json_slabs::Builder;

    use super::*;
    use crate::imports::testing::drawn;

    #[test]
    fn columns_stand_apart() {
        let mut builder = Builder::new();
        let prefix = builder.add_slab(&[-1i32, 0]);
        let func = builder.add_slab(&[0u8, 1]);
        let time = builder.add_slab(&[1.5f64, 2.25]);
        let weight = builder.add_slab(&[3i64, 4]);
        let texts = builder.add_json_slab(br#"["main","{\"$s\":0}"]"#.to_vec());
        let tables = builder.add_json_slab(
            format!(
                r#"{{"stackTable":{{"prefix":{prefix:#},"frame":[0,1]}},"frameTable":{{"func":{{ "$s" : {func} }}}},
                "funcTable":{{"name":[0,1]}},"stringArray":{texts:#}}}"#
            )
            .into_bytes(),
        );
        let root = format!(
            r#"{{"meta":{{"interval":1,"preprocessedProfileVersion":70}},"shared":{tables:#},
            "threads":[{{"name":"T","samples":{{"stack":[0,1],"time":{time:#},"weight":{weight:#}}}}}]}}"#
        );
        let file = builder.finish(root.as_bytes());
        let decoded = decode(&file).expect("opens");
        assert_eq!(decoded.warnings, Vec::<String>::new());
        assert_eq!(
            drawn(&decoded.profile),
            "samples/count\nmain thread=T 3 @1500000\nmain;{\"$s\":0} thread=T 4 @2250000\n"
        );
    }

    #[test]
    fn numbers_are_those_of_the_arrays() {
        let mut builder = Builder::new();
        builder.add_slab(&[i8::MIN, 127]);
        builder.add_slab(&[255u8]);
        builder.add_slab(&[i16::MIN]);
        builder.add_slab(&[u16::MAX]);
        builder.add_slab(&[i32::MIN]);
        builder.add_slab(&[u32::MAX]);
        builder.add_slab(&[0.5f32, f32::NAN]);
        builder.add_slab(&[1e300, f64::INFINITY]);
        builder.add_slab(&[i64::MIN]);
        builder.add_slab(&[u64::MAX]);
        builder.add_slab::<u8>(&[]);
        let all = (1..12).map(|slab| format!("{{\"$s\":{slab}}}"));
        let file = builder.finish(all.collect::<Vec<_>>().join(" ").as_bytes());
        assert_eq!(
            String::from_utf8(json(&file).expect("is JSON")).expect("text"),
            "[-128,127] [255] [-32768] [65535] [-2147483648] [4294967295] [0.5,null] [1e+300,null] \
             [-9223372036854775808] [18446744073709551615] []"
        );
    }

    #[test]
    fn what_cannot_be_written_out() {
        let message = |root: &str, slabs: &[&str]| {
            let mut builder = Builder::new();
            for slab in slabs {
                builder.add_json_slab(slab.as_bytes().to_vec());
            }
            decode(&builder.finish(root.as_bytes()))
                .expect_err("is damaged")
                .to_string()
        };
        let nothing = message(r#"{"meta":{"$s":7}}"#, &[]);
        assert!(nothing.contains("7"), "{nothing}");
        let itself = r#"[{"$s":0}]"#;
        assert_eq!(
            message(itself, &[itself]),
            "Firefox profile (JsonSlabs): the file's JSON is nested too deeply"
        );
        let more = r#"[{"$s":2},{"$s":2},{"$s":2},{"$s":2}]"#.repeat(9);
        // Nothing is written, and much is read.
        let hundred = |slab: usize| format!("{{\"$s\":{slab}}}").repeat(100);
        let slabs: Vec<String> = (2..9).map(hundred).chain([String::new()]).collect();
        let slabs: Vec<&str> = slabs.iter().map(String::as_str).collect();
        let deep = message(&hundred(1), &slabs);
        assert!(deep.contains("with its arrays written out"), "{deep}");
        let mut long = [&MAGIC[..], &[1, 0, 0, 0], &0x1555_5556u32.to_le_bytes()].concat();
        long.resize(28, 0);
        assert!(
            decode(&long)
                .expect_err("is damaged")
                .problem
                .contains("table")
        );
        let many = message(&r#"{"$s":1}"#.repeat(99), &[&more, &"9".repeat(99)]);
        assert!(many.contains("with its arrays written out"), "{many}");
        for open in [r#"{"$s":1"#, r#"{"$s":}"#, r#""\"#] {
            assert!(message(open, &[]).contains("line 1"), "{open}");
        }
    }
}
