//! Profiles of Python's `cProfile`, `profile` and `profiling`, as `-o` and `dump_stats` write them
//! and the module `pstats` reads them.
//!
//! Source: CPython's `Lib/pstats.py`, `Lib/cProfile.py` and `Lib/profiling/sampling`.
//!
//! - A file is a dictionary in Python's marshal: a function (file, line, name) → how often it was
//!   called, its own time, its time with all below it, and the same for each of its callers.
//! - A graph has no stacks. [`call_graph`](crate::imports::call_graph) says how they are made.
//! - Files of the sampling profiler have a mark and count samples in place of calls.

mod marshal;

use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::call_graph::{self, CallGraph};
use crate::imports::error::FormatError;
use crate::imports::frames::{Frame, whole};
use crate::model::id::StringId;
use marshal::{Marshal, Value};

/// What it is called in messages.
pub(crate) const NAME: &str = "Python profile (pstats)";

/// The file of functions that are built in.
const BUILT_IN: &str = "~";
/// The key of a file that was sampled.
const SAMPLED: &str = "__sampled__";

/// Columns of the graph.
const TIME: usize = 0;
const COUNT: usize = 1;

const NANOSECONDS: f64 = 1e9;

/// Whether this is a dictionary of which the first key has three parts, the first of them a text.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let begins = |head: &[u8]| {
        let codes = start.bytes.iter().map(|byte| byte & 0x7f);
        codes.clone().take(head.len()).eq(head.iter().copied())
            && codes
                .skip(head.len())
                .take(1)
                .any(|code| b"zZaAust".contains(&code))
    };
    begins(b"{)\x03") || begins(b"{(\x03\0\0\0")
}

/// Reads a file. Memory is linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader {
        graph: CallGraph::new(NAME, bytes.len()),
        marshal: Marshal::new(bytes),
        is_sampled: is_sampled(bytes),
    };
    let kind = if reader.is_sampled {
        "samples"
    } else {
        "calls"
    };
    let rows = &mut reader.graph.rows;
    rows.sample_type("wall", "nanoseconds")?;
    rows.sample_type(kind, "count")?;
    let default = rows.builder.string("wall");
    rows.builder.header().default_sample_type = default;
    let result = reader.read();
    let at = reader.marshal.at;
    result.map_err(|problem| FormatError::at(NAME, format!("byte {at}"), problem))?;
    call_graph::stacks(reader.graph, bytes.len())
}

/// A tuple with this text and nothing else.
fn is_sampled(bytes: &[u8]) -> bool {
    let mark = SAMPLED.as_bytes();
    bytes
        .windows(4 + mark.len())
        .any(|part| part.ends_with(mark) && part[0] & 0x7f == b')' && (part[1], part[3]) == (1, 11))
}

struct Reader<'a> {
    graph: CallGraph,
    marshal: Marshal<'a>,
    is_sampled: bool,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), String> {
        if self.next()? != Value::Dict {
            return Err("expected a dictionary".to_owned());
        }
        loop {
            match self.next()? {
                Value::End => return Ok(()),
                Value::Tuple(1, _) => {
                    // The mark, and that it is so.
                    self.next()?;
                    self.next()?;
                }
                key => {
                    let function = self.function(key)?;
                    self.costs(function)?;
                }
            }
            self.check()?;
        }
    }

    fn next(&mut self) -> Result<Value, String> {
        self.marshal.next(&mut self.graph.rows.builder)
    }

    /// The number of a function, of which `key` is read.
    fn function(&mut self, key: Value) -> Result<u32, String> {
        let slot = match key {
            Value::Known(function) => return Ok(function),
            Value::Tuple(3, slot) => slot,
            _ => return Err("expected a key of file, line and name".to_owned()),
        };
        let (Value::Text(mut file), line, Value::Text(name)) =
            (self.next()?, self.next()?, self.next()?)
        else {
            return Err("expected a key of file, line and name".to_owned());
        };
        let line = match line {
            Value::Whole(line) => line,
            _ => 0,
        };
        let builder = &mut self.graph.rows.builder;
        if builder.profile().text(file) == BUILT_IN {
            file = StringId::EMPTY;
        }
        let frame = Frame {
            file,
            start_line: line,
            line,
            ..Frame::named(name)
        };
        let location = frame.location(builder);
        let function = self.graph.function(location);
        if let Some(slot) = slot {
            self.marshal.slots[slot] = Value::Known(function);
        }
        Ok(function)
    }

    /// What a function takes and who calls it.
    fn costs(&mut self, function: u32) -> Result<(), String> {
        let Value::Tuple(5, _) = self.next()? else {
            return Err("expected a function's five values".to_owned());
        };
        // Calls but those of the function by itself, or samples in it; then all.
        let (some, all) = (self.count()?, self.count()?);
        let own = self.seconds()?;
        self.seconds()?;
        let count = if self.is_sampled { some } else { all };
        self.add(function, count, own);
        if self.next()? != Value::Dict {
            return Err("expected a dictionary of callers".to_owned());
        }
        loop {
            let key = self.next()?;
            if key == Value::End {
                return Ok(());
            }
            let caller = self.function(key)?;
            let (count, time) = match self.next()? {
                Value::Whole(count) => (count, count),
                Value::Tuple(4, _) => {
                    let count = self.count()?;
                    self.count()?;
                    self.seconds()?;
                    (count, self.seconds()?)
                }
                _ => return Err("expected a caller's values".to_owned()),
            };
            let row = self.graph.call(caller, function, count.unsigned_abs()) as usize;
            for (column, value) in [(COUNT, count), (TIME, time)] {
                let sum = &mut self.graph.inclusive[2 * row + column];
                *sum = sum.saturating_add(value);
            }
            self.check()?;
        }
    }

    fn add(&mut self, function: u32, count: i64, own: i64) {
        for (column, value) in [(COUNT, count), (TIME, own)] {
            let sum = &mut self.graph.own[2 * function as usize + column];
            *sum = sum.saturating_add(value);
        }
    }

    fn count(&mut self) -> Result<i64, String> {
        match self.next()? {
            Value::Whole(count) => Ok(count),
            _ => Err("expected a count".to_owned()),
        }
    }

    fn seconds(&mut self) -> Result<i64, String> {
        match self.next()? {
            Value::Real(seconds) => Ok(whole(seconds, NANOSECONDS)),
            Value::Whole(seconds) => Ok(whole(seconds as f64, NANOSECONDS)),
            _ => Err("expected a time".to_owned()),
        }
    }

    fn check(&mut self) -> Result<(), String> {
        let tables = self.marshal.table_bytes();
        let rows = &mut self.graph.rows;
        rows.beside += tables;
        let result = rows.check().map_err(|error| error.problem);
        rows.beside -= tables;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{drawn, type_names};

    /// A value in marshal.
    fn text(text: &str) -> Vec<u8> {
        [&[b'z', text.len() as u8], text.as_bytes()].concat()
    }

    fn number(number: i32) -> Vec<u8> {
        [&b"i"[..], &number.to_le_bytes()[..]].concat()
    }

    fn real(number: f64) -> Vec<u8> {
        [&b"g"[..], &number.to_le_bytes()[..]].concat()
    }

    fn key(file: &str, line: i32, name: &str) -> Vec<u8> {
        [vec![0xa9, 3], text(file), number(line), text(name)].concat()
    }

    /// The values of a function or, with four, of a caller.
    fn costs(width: u8, counts: [i32; 2], times: [f64; 2]) -> Vec<u8> {
        let [a, b] = counts.map(number);
        let [c, d] = times.map(real);
        [vec![b')', width], a, b, c, d].concat()
    }

    fn file() -> Vec<u8> {
        // `main` calls `f` twice and `len` once, `f` calls `len` three times. The key of `main` is
        // slot 0 and that of `f` slot 1.
        let refer = |slot: u8| vec![b'r', slot, 0, 0, 0];
        [
            b"{".to_vec(),
            key("a.py", 1, "main"),
            costs(5, [1, 1], [0.5, 4.0]),
            b"{0".to_vec(),
            key("a.py", 7, "f"),
            costs(5, [2, 2], [1.5, 3.0]),
            b"{".to_vec(),
            refer(0),
            costs(4, [2, 2], [1.5, 3.0]),
            b"0".to_vec(),
            key("~", 0, "<built-in method len>"),
            costs(5, [4, 4], [2.0, 2.0]),
            b"{".to_vec(),
            refer(0),
            costs(4, [1, 1], [0.5, 0.5]),
            refer(1),
            costs(4, [3, 3], [1.5, 1.5]),
            b"00".to_vec(),
        ]
        .concat()
    }

    #[test]
    fn calls_and_times_of_a_graph() {
        assert!(sniff(Start::of(&file())));
        let decoded = decode(&file()).expect("good");
        assert_eq!(
            drawn(&decoded.profile),
            "wall/nanoseconds\ncalls/count\n\
             main a.py:1 500000000 1\n\
             main a.py:1;f a.py:7 1500000000 2\n\
             main a.py:1;f a.py:7;<built-in method len> 1500000000 3\n\
             main a.py:1;<built-in method len> 500000000 1\n"
        );
        assert_eq!(decoded.profile.default_type(), 0);
    }

    #[test]
    fn counts_without_times_and_samples() {
        let callers = [
            b"{".to_vec(),
            key("a.py", 1, "main"),
            costs(5, [2, 9], [0.25, 1.0]),
            b"{0".to_vec(),
            key("a.py", 7, "f"),
            costs(5, [7, 7], [0.75, 0.75]),
            b"{".to_vec(),
            key("a.py", 1, "main"),
            number(7),
            b"0".to_vec(),
        ]
        .concat();
        let plain = [callers.clone(), b"0".to_vec()].concat();
        let profile = decode(&plain).expect("good").profile;
        assert_eq!(type_names(&profile)[1], "calls/count");
        assert_eq!((profile.total(0), profile.total(1)), (1_000_000_000, 16));
        let mark = [b")\x01".to_vec(), text(SAMPLED), b"T0".to_vec()].concat();
        let profile = decode(&[callers, mark].concat()).expect("good").profile;
        assert_eq!(
            drawn(&profile),
            "wall/nanoseconds\nsamples/count\n\
             main a.py:1 250000000 2\nmain a.py:1;f a.py:7 750000000 7\n"
        );
    }

    #[test]
    fn values_of_python_2() {
        // A long count, an interned text and a reference to it.
        let file = [
            b"{(\x03\0\0\0s\x01\0\0\0ai\x01\0\0\0t\x01\0\0\0f(\x05\0\0\0".to_vec(),
            b"l\x02\0\0\0\x01\0\x02\0i\x01\0\0\0".to_vec(),
            b"l\xfe\xff\xff\xff\x01\0\x02\0f\x031.5{".to_vec(),
            b"(\x03\0\0\0s\x01\0\0\0ai\x01\0\0\0R\0\0\0\0i\x01\0\0\x0000".to_vec(),
        ]
        .concat();
        assert!(sniff(Start::of(&file)));
        let profile = decode(&file).expect("good").profile;
        assert_eq!((profile.total(1), profile.locations().len()), (1, 1));
        assert_eq!(profile.total(0), -65_537_000_000_000);
    }

    #[test]
    fn marks_take_no_more_memory_than_others() {
        // A tuple of one value and what it stands for, each of which may be referred to.
        let mark = [0xa9, 1, b'N' | 0x80, b'T' | 0x80];
        let file = [&b"{"[..], &mark.repeat(20_000), b"0"].concat();
        let error = decode(&file).expect_err("is out of proportion").to_string();
        assert!(error.contains("too much memory"), "{error}");
    }

    #[test]
    fn damage_is_named() {
        for (file, expect) in [
            (
                &b"{)\x03z\x01ai"[..],
                "byte 7: the file ends in the middle of a value",
            ),
            (b"{)\x02", "byte 3: expected a key of file, line and name"),
            (b"{r\x07\0\0\0", "byte 6: a reference to a missing object"),
            (b"{x", "byte 2: a value of unknown type 0x78"),
            (b"{l\x05\0\0\0", "byte 6: a number of more than 60 bits"),
        ] {
            let error = decode(file).expect_err("is damaged").to_string();
            assert_eq!(error, format!("{NAME}, {expect}"));
        }
        for other in [&b"{(1)}"[..], b"{\"a\": 1}", b"{)\x03", b"{)\x03i", b"{("] {
            assert!(!sniff(Start::of(other)));
        }
    }
}
