//! Dumps of Ruby's stackprof, which `StackProf.run(out: FILE)` writes: its results in Ruby's
//! Marshal.
//!
//! Source: `doc/marshal.rdoc` of Ruby, version 4.8 of the format.
//!
//! - A dump has the keys of stackprof's JSON, so it is written as JSON and read as that
//!   ([`stackprof`](crate::imports::json::stackprof)), less what that reader does not look at.
//! - A link to a text or number stands for it. Links to lists and hashes, which stackprof does not
//!   write, become null.

use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::binary::bytes::part;
use crate::imports::error::FormatError;
use crate::imports::json::stackprof;

/// What it is called in messages.
pub(crate) const NAME: &str = "stackprof dump";

const VERSION: &[u8] = b"\x04\x08";
/// Keys that all dumps have, as Marshal writes them.
const MARKS: [&[u8]; 2] = [b":\x09mode", b":\x0dinterval"];

/// Keys that are read. Those of frames are numbers.
const KEYS: [&str; 11] = [
    "mode",
    "interval",
    "samples",
    "frames",
    "raw",
    "raw_lines",
    "raw_timestamp_deltas",
    "raw_sample_timestamps",
    "name",
    "file",
    "line",
];
/// Longest piece of a key that is looked at.
const MOST_OF_A_KEY: usize = 64;
/// How deep lists and hashes may be. stackprof's are four deep; metadata may be deeper.
const MOST_DEEP: usize = 32;

/// Bytes of JSON for each byte of a dump, and what a hash counts. Real dumps need 2 at most: links
/// to long file names are short. What is beyond could not be read in memory of the file's size.
const BYTES_A_BYTE: usize = 4;
const HASH: usize = 64;
/// Bytes that any dump may take.
const FIXED: usize = 256 << 10;

/// Whether this is stackprof's and not another hash.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let has = |mark: &[u8]| start.bytes.windows(mark.len()).any(|part| part == mark);
    start.bytes.starts_with(b"\x04\x08{") && MARKS.into_iter().all(has)
}

/// Reads a dump. Memory is linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut dump = Dump {
        bytes,
        at: VERSION.len(),
        symbols: Vec::new(),
        objects: Vec::new(),
        json: String::new(),
        hashes: 0,
        unread: 0,
    };
    let result = dump.value(false, 0);
    let at = dump.at;
    result.map_err(|problem| FormatError::at(NAME, format!("byte {at}"), problem))?;
    let Dump { json, .. } = dump;
    stackprof::decode(json.as_bytes()).map_err(|mut error| {
        error.format = NAME;
        // Lines and columns are those of the JSON, which nobody sees.
        let end = error.problem.find(" at line ");
        error.problem.truncate(end.unwrap_or(error.problem.len()));
        error
    })
}

struct Dump<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the symbols begin, and all else that may be linked to. Inputs stay below 4 GiB.
    symbols: Vec<u32>,
    objects: Vec<u32>,
    json: String,
    hashes: usize,
    /// How many values around this one are not read.
    unread: usize,
}

impl<'a> Dump<'a> {
    /// Writes the next value, perhaps in quotes, as a key.
    fn value(&mut self, is_key: bool, depth: usize) -> Result<(), String> {
        if depth > MOST_DEEP {
            return Err(format!(
                "lists and hashes are nested more than {MOST_DEEP} levels deep"
            ));
        }
        let start = self.at as u32;
        let code = self.part(1)?[0];
        match code {
            b':' => self.symbols.push(start),
            b'"' | b'f' | b'l' | b'[' | b'{' | b'}' => self.objects.push(start),
            _ => {}
        }
        match code {
            b'0' => self.put("null", is_key),
            b'T' => self.put("true", is_key),
            b'F' => self.put("false", is_key),
            b'i' => {
                let number = self.number()?;
                self.put(&number.to_string(), is_key)
            }
            b'l' => {
                let number = self.big_number()?;
                self.put(number.as_deref().unwrap_or("null"), is_key)
            }
            b'f' => {
                let text = self.bytes()?;
                let text = str::from_utf8(text).unwrap_or("");
                let is_finite = text.parse().is_ok_and(f64::is_finite);
                self.put(if is_finite { text } else { "null" }, is_key)
            }
            b':' | b'"' => {
                let mut text = self.bytes()?;
                if is_key {
                    text = &text[..text.len().min(MOST_OF_A_KEY)];
                }
                let text = serde_json::to_string(&String::from_utf8_lossy(text));
                self.put(&text.unwrap_or_default(), false)
            }
            b';' => self.link(is_key, depth, |dump| &dump.symbols),
            b'@' => self.link(is_key, depth, |dump| &dump.objects),
            b'I' => {
                self.value(is_key, depth)?;
                self.unread += 1;
                self.pairs(depth)?;
                self.unread -= 1;
                Ok(())
            }
            b'[' => {
                self.put("[", false)?;
                for _ in 0..self.length()? {
                    self.separate('[')?;
                    self.value(false, depth + 1)?;
                }
                self.put("]", false)
            }
            b'{' | b'}' => {
                self.hashes += 1;
                self.put("{", false)?;
                self.pairs(depth)?;
                self.put("}", false)?;
                if code == b'}' {
                    self.unread += 1;
                    self.value(false, depth + 1)?;
                    self.unread -= 1;
                }
                Ok(())
            }
            _ => Err(format!(
                "a value of the type {:?}, which stackprof does not write",
                char::from(code)
            )),
        }
    }

    /// Writes keys with their values.
    fn pairs(&mut self, depth: usize) -> Result<(), String> {
        for _ in 0..self.length()? {
            let start = self.json.len();
            self.separate('{')?;
            let quoted = self.json.len();
            self.value(true, depth + 1)?;
            let key = self.json[quoted..].trim_matches('"');
            let is_read = key.parse::<i64>().is_ok() || KEYS.contains(&key);
            if is_read {
                self.put(":", false)?;
            } else {
                self.json.truncate(start);
            }
            self.unread += usize::from(!is_read);
            self.value(false, depth + 1)?;
            self.unread -= usize::from(!is_read);
        }
        Ok(())
    }

    /// Reads again what a link is to.
    fn link(
        &mut self,
        is_key: bool,
        depth: usize,
        table: fn(&Self) -> &[u32],
    ) -> Result<(), String> {
        let index = self.length()?;
        let target = table(self).get(index).copied();
        let target = target.ok_or("a link to a missing object")? as usize;
        if self.unread > 0 {
            return Ok(());
        }
        if !b":\"fl".contains(&self.bytes[target]) {
            return self.put("null", is_key);
        }
        let (at, symbols, objects) = (self.at, self.symbols.len(), self.objects.len());
        self.at = target;
        self.value(is_key, depth)?;
        self.at = at;
        self.symbols.truncate(symbols);
        self.objects.truncate(objects);
        Ok(())
    }

    /// A comma, but not behind a bracket.
    fn separate(&mut self, bracket: char) -> Result<(), String> {
        if self.json.ends_with(bracket) {
            return Ok(());
        }
        self.put(",", false)
    }

    fn put(&mut self, text: &str, is_quoted: bool) -> Result<(), String> {
        if self.unread > 0 {
            return Ok(());
        }
        let quote = if is_quoted { "\"" } else { "" };
        self.json.extend([quote, text, quote]);
        let most = self.bytes.len().saturating_mul(BYTES_A_BYTE);
        if self.json.len() + self.hashes * HASH > most.saturating_add(FIXED) {
            return Err(
                "the profile would need too much memory for a file of this size".to_owned(),
            );
        }
        Ok(())
    }

    fn part(&mut self, length: usize) -> Result<&'a [u8], String> {
        let found = part(self.bytes, self.at, length);
        let found = found.ok_or("the file ends in the middle of a value")?;
        self.at += length;
        Ok(found)
    }

    /// A number of at most four bytes, the least first. One byte says how many; small numbers are
    /// that byte, off by five.
    fn number(&mut self) -> Result<i64, String> {
        let head = i64::from(self.part(1)?[0] as i8);
        if head.abs() > 4 {
            return Ok(head - 5 * head.signum());
        }
        let digits = self.part(head.unsigned_abs() as usize)?;
        let number = little_endian(digits);
        // Of a negative one all bits are set that are not written.
        let wrap = if head < 0 { 1 << (8 * digits.len()) } else { 0 };
        Ok(number as i64 - wrap)
    }

    fn length(&mut self) -> Result<usize, String> {
        let length = self.number()?;
        usize::try_from(length).map_err(|_| format!("invalid length {length}"))
    }

    fn bytes(&mut self) -> Result<&'a [u8], String> {
        let length = self.length()?;
        self.part(length)
    }

    /// A sign and a number of so many times two bytes; `None` beyond 64 bits.
    fn big_number(&mut self) -> Result<Option<String>, String> {
        let sign = self.part(1)?[0];
        let length = self.length()?;
        let digits = self.part(length.saturating_mul(2))?;
        let used = digits.iter().rposition(|&digit| digit != 0);
        let digits = &digits[..used.map_or(0, |last| last + 1)];
        let sign = if sign == b'-' { "-" } else { "" };
        Ok((digits.len() <= 8).then(|| format!("{sign}{}", little_endian(digits))))
    }
}

fn little_endian(digits: &[u8]) -> u64 {
    digits
        .iter()
        .rev()
        .fold(0, |sum, &digit| sum << 8 | u64::from(digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    fn symbol(name: &str) -> Vec<u8> {
        [&[b':', name.len() as u8 + 5], name.as_bytes()].concat()
    }

    fn text(text: &str) -> Vec<u8> {
        [&[b'"', text.len() as u8 + 5], text.as_bytes()].concat()
    }

    /// A hash of pairs that are written.
    fn hash(pairs: &[&[u8]]) -> Vec<u8> {
        [&[b'{', pairs.len() as u8 + 5], &pairs.concat()[..]].concat()
    }

    /// The address of a frame, which needs more than 30 bits.
    const FRAME: &[u8] = b"l+\x08\x01\0\0\0\0\x7f";
    const ID: i64 = 0x7f_00_00_00_00_01;

    /// Of a dump, in which the file of the second frame is a link to that of the first: object 0 is
    /// the hash, 1 the version, 2 the frames, 3 the first key, 4 its hash, 5 its name, 6 its file.
    fn dump(raw: &[u8]) -> Vec<u8> {
        let encoded = |name: &str| [b"I", &text(name)[..], b"\x06:\x06ET"].concat();
        let first = hash(&[
            &[symbol("name"), encoded("Wörk#run")].concat(),
            &[symbol("file"), encoded("/a.rb")].concat(),
            &[symbol("line"), b"i\x02\xe8\x03".to_vec()].concat(),
            // Of it nothing is read, what it holds is counted all the same.
            &[symbol("edges"), hash(&[&[FRAME, b"i\x06"].concat()])].concat(),
        ]);
        // `;` and the number of the symbol, from 5: version, mode, wall, interval, samples, frames,
        // name, E, file, line, edges.
        let second = hash(&[b";\x0bI\"\x06g\x06;\x0cT", b";\x0d@\x0b"]);
        [
            b"\x04\x08".to_vec(),
            hash(&[
                &[symbol("version"), b"f\x081.2".to_vec()].concat(),
                &[symbol("mode"), symbol("wall")].concat(),
                &[symbol("interval"), b"i\x0f".to_vec()].concat(),
                &[symbol("samples"), b"i\x08".to_vec()].concat(),
                &[
                    symbol("frames"),
                    hash(&[&[FRAME, &first].concat(), &[b"i\x0c", &second[..]].concat()]),
                ]
                .concat(),
                &[symbol("metadata"), hash(&[b"0i\xfa", b"l-\x07\x05\0\0\0F"])].concat(),
                &[symbol("raw"), raw.to_vec()].concat(),
            ]),
        ]
        .concat()
    }

    #[test]
    fn a_dump_is_read_as_its_json() {
        // Two frames, their ids, two samples in a row.
        let raw = [b"[\x09i\x07", FRAME, b"i\x0ci\x07"].concat();
        let file = dump(&raw);
        assert!(sniff(Start::of(&file)));
        let decoded = decode(&file).expect("good");
        assert_eq!(
            drawn(&decoded.profile),
            "samples/count\nwall/nanoseconds\nWörk#run /a.rb:1000;g /a.rb 2 20000\n"
        );
        assert_eq!(decoded.warnings.len(), 0);
        let cut = &file[..file.len() - 2];
        let error = decode(cut).expect_err("cut off").to_string();
        let place = format!("byte {}", cut.len());
        assert_eq!(
            error,
            format!("stackprof dump, {place}: the file ends in the middle of a value")
        );
    }

    #[test]
    fn what_is_wrong() {
        for (raw, expect) in [
            (&b"[\x06i\x07"[..], "raw[0]: the stack runs past the end"),
            (b"[\x08i\x06i\x0bi\x06", "raw[1]: there is no frame 6"),
            (
                b"T",
                ": invalid type: boolean `true`, expected a list of numbers",
            ),
            (b"[\xfa", "byte 194: invalid length -1"),
            (b"@\x7f", "byte 194: a link to a missing object"),
            (
                b"o:\x06A\0",
                "byte 193: a value of the type 'o', which stackprof does not write",
            ),
        ] {
            let error = decode(&dump(raw)).expect_err("is damaged").to_string();
            let comma = if expect.starts_with(':') { "" } else { ", " };
            assert_eq!(error, format!("stackprof dump{comma}{expect}"));
        }
        let deep = dump(&b"[\x06".repeat(99));
        let error = decode(&deep).expect_err("is deep").to_string();
        assert!(
            error.ends_with("lists and hashes are nested more than 32 levels deep"),
            "{error}"
        );
        assert!(!sniff(Start::of(b"\x04\x08{\x06:\x09modei\x06")));
        assert_eq!(ID, little_endian(&FRAME[3..]) as i64);
    }
}
