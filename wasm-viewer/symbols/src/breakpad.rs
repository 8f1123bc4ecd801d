//! Symbols of Breakpad: a text, a record a line.
//!
//! Source: Breakpad's own description of its symbol files.

use std::collections::HashMap;
use std::ops::Range;

use pilotlight_core::limits::MAX_INLINED;
use pilotlight_core::verbs::programs::{Identity, Symbols};
use pilotlight_core::verbs::{MAX_NAME_BYTES, SymbolFrame};

use crate::error::SymbolsError;

/// A file of symbols. Rows are small: the shortest records have 4 to 12 bytes.
#[derive(Default)]
pub(crate) struct Breakpad<'a> {
    files: HashMap<u32, &'a [u8]>,
    /// Names of functions that were inlined.
    origins: HashMap<u32, &'a [u8]>,
    functions: Vec<Function<'a>>,
    lines: Vec<Line>,
    calls: Vec<Call>,
    inlined: Vec<Inlined>,
    /// Addresses and names of what is exported.
    publics: Vec<(u64, &'a [u8])>,
}

struct Function<'a> {
    code: Range<u64>,
    name: &'a [u8],
    lines: Range<u32>,
    inlined: Range<u32>,
}

struct Line {
    start: u64,
    size: u32,
    place: Place,
}

#[derive(Clone, Copy)]
struct Place {
    file: u32,
    line: u32,
}

/// A call that was inlined, and the place that calls.
struct Call {
    depth: u32,
    place: Place,
    origin: u32,
}

/// Code that a call became.
struct Inlined {
    start: u64,
    size: u32,
    /// Its row in `calls`.
    call: u32,
}

impl<'a> Breakpad<'a> {
    /// Reads a file, and says which program it is of.
    pub(crate) fn read(name: &str, bytes: &'a [u8]) -> Result<(Identity, Self), SymbolsError> {
        let mut symbols = Self::default();
        let mut identity = Identity {
            ids: Vec::new(),
            names: vec![name.to_owned()],
        };
        for (number, line) in (1..).zip(bytes.split(|&b| b == b'\n')) {
            symbols
                .record(Words(line.trim_ascii()), &mut identity)
                .ok_or_else(|| {
                    let start = String::from_utf8_lossy(&line[..line.len().min(80)]);
                    let problem = format!("line {number} is incomplete: {start:?}");
                    SymbolsError::damaged("Breakpad", problem)
                })?;
        }
        symbols
            .functions
            .sort_by_key(|function| function.code.start);
        symbols.publics.sort_by_key(|&(address, _)| address);
        Ok((identity, symbols))
    }

    /// One line; `None` when something is missing. Records of other kinds are left out.
    fn record(&mut self, line: Words<'a>, identity: &mut Identity) -> Option<()> {
        let mut words = line;
        match words.next()? {
            b"MODULE" if identity.ids.is_empty() => {
                let (_, _, id) = (words.next()?, words.next()?, words.next()?);
                identity.ids.push(build_id(id)?);
                identity.names.push(text(words.rest()));
            }
            b"INFO" if identity.ids.len() < 2 && words.next() == Some(b"CODE_ID") => {
                identity.ids.push(build_id(words.next()?)?);
            }
            b"FILE" => {
                self.files.insert(words.decimal()?, words.rest());
            }
            b"INLINE_ORIGIN" => {
                self.origins.insert(words.decimal()?, words.rest());
            }
            b"FUNC" => {
                words.skip_multiple();
                let (start, size) = (words.hexadecimal()?, words.hexadecimal()?);
                words.next()?;
                let (line, inlined) = (row(self.lines.len())?, row(self.inlined.len())?);
                self.functions.push(Function {
                    code: start..start.checked_add(size)?,
                    name: words.rest(),
                    lines: line..line,
                    inlined: inlined..inlined,
                });
            }
            b"PUBLIC" => {
                words.skip_multiple();
                let address = words.hexadecimal()?;
                words.next()?;
                self.publics.push((address, words.rest()));
            }
            b"INLINE" => self.inline(words)?,
            b"" | b"STACK" => {}
            first if first.iter().all(u8::is_ascii_hexdigit) => {
                let mut words = line;
                let (start, size) = words.code()?;
                let (line, file) = (words.decimal()?, words.decimal()?);
                let place = Place { file, line };
                self.lines.push(Line { start, size, place });
                self.functions.last_mut()?.lines.end = row(self.lines.len())?;
            }
            _ => {}
        }
        Some(())
    }

    fn inline(&mut self, mut words: Words<'a>) -> Option<()> {
        let (depth, line) = (words.decimal()?, words.decimal()?);
        let (file, origin) = (words.decimal()?, words.decimal()?);
        let call = row(self.calls.len())?;
        self.calls.push(Call {
            depth,
            place: Place { file, line },
            origin,
        });
        while !words.rest().is_empty() {
            let (start, size) = words.code()?;
            self.inlined.push(Inlined { start, size, call });
        }
        self.functions.last_mut()?.inlined.end = row(self.inlined.len())?;
        Some(())
    }

    /// A frame; without a name when that is too long to be kept.
    fn frame(&self, name: &[u8], place: Option<Place>) -> SymbolFrame {
        let kept = |name: &[u8]| match name.len() <= MAX_NAME_BYTES {
            true => text(name),
            false => String::new(),
        };
        let name = kept(name);
        let file = place.and_then(|place| self.files.get(&place.file));
        SymbolFrame {
            system_name: name.clone(),
            name,
            file: file.map(|file| kept(file)).unwrap_or_default(),
            line: place.map_or(0, |place| place.line.into()),
            column: 0,
        }
    }
}

impl Symbols for Breakpad<'_> {
    fn frames(&self, address: u64, frames: &mut Vec<SymbolFrame>) {
        let before = self.functions.partition_point(|f| f.code.start <= address);
        let function = self.functions[..before].last();
        let Some(function) = function.filter(|f| f.code.contains(&address)) else {
            let start = function.map_or(0, |f| f.code.end);
            let before = self.publics.partition_point(|&(at, _)| at <= address);
            let public = self.publics[..before].last();
            frames.extend(
                public
                    .filter(|&&(at, name)| at >= start && !name.is_empty())
                    .map(|&(_, name)| self.frame(name, None)),
            );
            return;
        };
        let holds = |start: u64, size: u32| {
            address
                .checked_sub(start)
                .is_some_and(|at| at < size.into())
        };
        let lines = &self.lines[rows(&function.lines)];
        let line = lines.iter().find(|line| holds(line.start, line.size));
        let mut place = line.map(|line| line.place);
        let inlined = self.inlined[rows(&function.inlined)].iter();
        let mut calls: Vec<&Call> = inlined
            .filter(|code| holds(code.start, code.size))
            .map(|code| &self.calls[code.call as usize])
            .collect();
        calls.sort_by_key(|call| std::cmp::Reverse(call.depth));
        // The frame of the function itself is one of those that an address may have.
        for call in calls.iter().take(MAX_INLINED - 1) {
            let name = self.origins.get(&call.origin).copied().unwrap_or(b"?");
            frames.push(self.frame(name, place));
            place = Some(call.place);
        }
        frames.push(self.frame(function.name, place));
        frames.retain(|frame| !frame.name.is_empty());
    }
}

/// The number of a row. A text has fewer bytes than there are numbers.
fn row(count: usize) -> Option<u32> {
    u32::try_from(count).ok()
}

fn rows(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Ids have 33 or 40 digits.
fn build_id(digits: &[u8]) -> Option<String> {
    (digits.len() <= 128).then(|| text(digits))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The words of a line.
#[derive(Clone, Copy)]
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|&b| b == b' ');
        let (word, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest.trim_ascii_start();
        Some(word)
    }

    /// What is left of the line.
    fn rest(&self) -> &'a [u8] {
        self.0
    }

    fn number(&mut self, radix: u32) -> Option<u64> {
        u64::from_str_radix(str::from_utf8(self.next()?).ok()?, radix).ok()
    }

    fn decimal(&mut self) -> Option<u32> {
        u32::try_from(self.number(10)?).ok()
    }

    fn hexadecimal(&mut self) -> Option<u64> {
        self.number(16)
    }

    /// An address and a size.
    fn code(&mut self) -> Option<(u64, u32)> {
        let (start, size) = (self.hexadecimal()?, self.hexadecimal()?);
        Some((start, u32::try_from(size).ok()?))
    }

    /// The mark of a symbol that has several names.
    fn skip_multiple(&mut self) {
        self.0 = self.0.strip_prefix(b"m ").unwrap_or(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
MODULE Linux x86_64 67452301AB89EFCD00112233445566770 lib foo.so
INFO CODE_ID 0123456789ABCDEF00112233445566778899AABB
FILE 0 /src/a.c
FILE 1 /src/b.h
INLINE_ORIGIN 0 middle
INLINE_ORIGIN 1 inner(int)
FUNC m 1000 20 0 outer(int, char)
INLINE 0 10 0 0 1004 8 1018 4
INLINE 1 20 1 1 1004 4
1000 4 5 0
1004 4 30 1
1008 18 40 1
FUNC 1040 10 0 other
PUBLIC 1060 0 exported
STACK CFI INIT 1000 20 .cfa: $rsp 8 +
";

    fn frames(symbols: &Breakpad<'_>, address: u64) -> Vec<String> {
        let mut frames = Vec::new();
        symbols.frames(address, &mut frames);
        let line = |f: &SymbolFrame| format!("{} {}:{}", f.name, f.file, f.line);
        frames.iter().map(line).collect()
    }

    #[test]
    fn records_are_read() {
        let (identity, symbols) = Breakpad::read("x.sym", TEXT.as_bytes()).expect("whole");
        assert_eq!(
            identity.ids,
            [
                "67452301AB89EFCD00112233445566770",
                "0123456789ABCDEF00112233445566778899AABB"
            ]
        );
        assert_eq!(identity.names, ["x.sym", "lib foo.so"]);
        let at = |address| frames(&symbols, address);
        assert_eq!(at(0x1000), ["outer(int, char) /src/a.c:5"]);
        assert_eq!(
            at(0x1005),
            [
                "inner(int) /src/b.h:30",
                "middle /src/b.h:20",
                "outer(int, char) /src/a.c:10"
            ]
        );
        assert_eq!(
            at(0x1008),
            ["middle /src/b.h:40", "outer(int, char) /src/a.c:10"]
        );
        assert_eq!(at(0x101f), ["outer(int, char) /src/b.h:40"]);
        assert_eq!(at(0x1040), ["other :0"]);
        assert_eq!(at(0x1030), Vec::<String>::new());
        assert_eq!(at(0x1068), ["exported :0"]);
        assert_eq!(at(0xfff), Vec::<String>::new());
    }

    #[test]
    fn a_line_that_is_cut_short_is_named() {
        let text = "MODULE Linux x86_64 0 a\nFUNC 10";
        let error = Breakpad::read("a", text.as_bytes()).err().expect("is cut");
        assert_eq!(
            error.to_string(),
            "Breakpad: line 2 is incomplete: \"FUNC 10\""
        );
        for end in 0..TEXT.len() {
            if let Ok((_, symbols)) = Breakpad::read("a", &TEXT.as_bytes()[..end]) {
                frames(&symbols, 0x1005);
            }
        }
    }
}
