//! Recordings of heaptrack, as its command writes them (`.gz`, `.zst`).
//!
//! Source: `src/interpret/heaptrack_interpret.cpp` and `src/analyze/accumulatedtracedata.cpp` of
//! heaptrack, file versions 1 to 3.
//!
//! - Each line has a letter and numbers in hex. `s` is a text, `i` an address with its library and
//!   functions, `t` a frame below another one, `a` a size and where it is allocated, `+` and `-` an
//!   allocation of that kind and its end. Rows are numbered from 1 on, those of `a` from 0.
//! - Lines that begin otherwise are left out with a warning.
//! - The heap at its peak is found in a first pass and summed up in a second.

use crate::formats::decoded::Decoded;
use crate::formats::start::{FIRST_LINES, Start};
use crate::imports::error::FormatError;
use crate::imports::rows::{Rows, lines};
use crate::model::id::{LocationId, StackId, StringId};
use crate::model::profile::Line;

/// What it is called in messages.
pub(crate) const NAME: &str = "heaptrack recording";

/// Types and units, in the order of the values of [`Place`].
const TYPES: [(&str, &str); 4] = [
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("peak_space", "bytes"),
    ("inuse_space", "bytes"),
];
const OBJECTS: usize = 0;
const SPACE: usize = 1;
const PEAK: usize = 2;
const IN_USE: usize = 3;

/// The version from which on texts have their length before them.
const WITH_LENGTHS: u64 = 3;

/// What lines begin with: those that are read, and times, memory of the process, the program, the
/// machine, that it was attached to, what is suppressed, and comments.
const LETTERS: &str = "vsita+-cRXIAS#";

/// Whether it begins with versions and a program.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let mut lines = start.texts().take(FIRST_LINES);
    lines.any(|line| version(line).is_some()) && lines.any(|line| line.starts_with("X "))
}

/// The version of the file of `v 10400 3`.
fn version(line: &str) -> Option<u64> {
    let mut numbers = numbers(line.strip_prefix("v ")?);
    numbers.next()??;
    let version = numbers.next()??;
    numbers.next().is_none().then_some(version)
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    for (kind, unit) in TYPES {
        rows.sample_type(kind, unit)?;
    }
    let default = rows.builder.string(TYPES[PEAK].0);
    rows.builder.header().default_sample_type = default;
    let mut heap = Heap {
        rows,
        is_long: false,
        texts: Vec::new(),
        addresses: Vec::new(),
        traces: Vec::new(),
        kinds: Vec::new(),
        places: Vec::new(),
    };
    // How much was in use, and after which line most was.
    let (mut now, mut most, mut peak) = (0i64, 0i64, 0);
    for (number, line) in lines(bytes) {
        if !line.is_empty() && !is_known(&line) {
            heap.rows
                .warn_left_out(number, "not in heaptrack's format", &line);
            continue;
        }
        let change = heap.line(&line);
        let change = change.map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        now = now.saturating_add(change);
        if now > most {
            (most, peak) = (now, number);
        }
        heap.rows.check()?;
    }
    for (_, line) in lines(bytes).take(peak) {
        if let Some((size, kind)) = heap.change(&line) {
            heap.add(kind, PEAK, size);
        }
    }
    for place in &heap.places {
        heap.rows.builder.sample(place.stack, None, &place.values);
    }
    heap.rows.check()?;
    heap.rows.finish()
}

struct Heap {
    rows: Rows,
    /// Whether texts have lengths.
    is_long: bool,
    texts: Vec<StringId>,
    addresses: Vec<LocationId>,
    traces: Vec<Trace>,
    kinds: Vec<Kind>,
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Trace {
    stack: StackId,
    /// The row of its place plus one; 0 for none yet.
    place: u32,
}

/// Allocations of one size at one place.
#[derive(Clone, Copy)]
struct Kind {
    size: i64,
    place: u32,
}

/// Where something is allocated.
struct Place {
    stack: Option<StackId>,
    values: [i64; TYPES.len()],
}

impl Heap {
    /// Reads a line. By how many bytes the heap grew.
    fn line(&mut self, line: &str) -> Result<i64, &'static str> {
        // An empty text has nothing behind its letter.
        let (letter, rest) = line.split_once(' ').unwrap_or((line, ""));
        match letter {
            "v" => self.is_long = version(line).is_some_and(|version| version >= WITH_LENGTHS),
            "s" => {
                let text = match rest.split_once(' ') {
                    Some((_, text)) if self.is_long => text,
                    _ if self.is_long => "",
                    _ => rest,
                };
                self.texts.push(self.rows.builder.string(text));
                self.rows.beside += size_of::<StringId>();
            }
            "i" => self.address(rest).ok_or("expected an address")?,
            "t" => self.trace(rest).ok_or("expected an address and a trace")?,
            "a" => self.kind(rest).ok_or("expected a size and a trace")?,
            "+" | "-" => {
                let (size, kind) = self
                    .change(line)
                    .ok_or("expected the index of a known allocation")?;
                if size >= 0 && letter == "+" {
                    self.add(kind, OBJECTS, 1);
                    self.add(kind, SPACE, size);
                }
                self.add(kind, IN_USE, size);
                return Ok(size);
            }
            _ => {}
        }
        Ok(0)
    }

    fn text(&self, number: u64) -> Option<StringId> {
        match number.checked_sub(1) {
            Some(row) => self.texts.get(usize::try_from(row).ok()?).copied(),
            None => Some(StringId::EMPTY),
        }
    }

    /// Reads an address, a library, and name, file and line of each function there, of which those
    /// that are inlined come first.
    fn address(&mut self, rest: &str) -> Option<()> {
        let mut numbers = numbers(rest);
        let address = numbers.next()??;
        let module = match numbers.next() {
            Some(module) => self.text(module?)?,
            None => StringId::EMPTY,
        };
        let module = self.rows.module_of(module);
        let mut functions = Vec::new();
        while let Some(name) = numbers.next() {
            let name = self.text(name?)?;
            let file = self.text(numbers.next().unwrap_or(Some(0))?)?;
            let line = i64::try_from(numbers.next().unwrap_or(Some(0))?).ok()?;
            if !name.is_empty() {
                functions.push(Line::of(self.rows.function_of(name, file), line));
            }
        }
        let location = self
            .rows
            .builder
            .location(module, address, false, &functions);
        self.addresses.push(location);
        self.rows.beside += size_of::<LocationId>();
        Some(())
    }

    fn trace(&mut self, rest: &str) -> Option<()> {
        let mut numbers = numbers(rest);
        let address = usize::try_from(numbers.next()??).ok()?.checked_sub(1)?;
        let location = *self.addresses.get(address)?;
        let parent = match usize::try_from(numbers.next()??).ok()?.checked_sub(1) {
            Some(parent) => Some(self.traces.get(parent)?.stack),
            None => None,
        };
        let stack = self.rows.builder.stack(parent, location);
        self.traces.push(Trace { stack, place: 0 });
        self.rows.beside += size_of::<Trace>();
        Some(())
    }

    fn kind(&mut self, rest: &str) -> Option<()> {
        let mut numbers = numbers(rest);
        let size = i64::try_from(numbers.next()??).ok()?;
        let trace = usize::try_from(numbers.next()??).ok()?.checked_sub(1);
        let trace = match trace {
            Some(trace) => Some(self.traces.get_mut(trace)?),
            None => None,
        };
        let known = trace.as_ref().map_or(0, |trace| trace.place);
        let place = if known > 0 {
            known - 1
        } else {
            self.rows.beside += size_of::<Place>();
            self.places.push(Place {
                stack: trace.as_ref().map(|trace| trace.stack),
                values: [0; TYPES.len()],
            });
            let place = self.places.len() as u32;
            if let Some(trace) = trace {
                trace.place = place;
            }
            place - 1
        };
        self.kinds.push(Kind { size, place });
        self.rows.beside += size_of::<Kind>();
        Some(())
    }

    /// By how much an allocation or its end changes the heap, and which kind it is of.
    fn change(&self, line: &str) -> Option<(i64, Kind)> {
        let (letter, rest) = line.split_once(' ')?;
        let sign = match letter {
            "+" => 1,
            "-" => -1,
            _ => return None,
        };
        let kind = usize::try_from(numbers(rest).next()??).ok()?;
        let kind = *self.kinds.get(kind)?;
        Some((kind.size.saturating_mul(sign), kind))
    }

    fn add(&mut self, kind: Kind, column: usize, value: i64) {
        let sum = &mut self.places[kind.place as usize].values[column];
        *sum = sum.saturating_add(value);
    }
}

/// Whether a line begins with a letter of the format.
fn is_known(line: &str) -> bool {
    let (letter, _) = line.split_once(' ').unwrap_or((line, ""));
    letter.len() == 1 && LETTERS.contains(letter)
}

/// Numbers in hex, `None` for a word that is not one.
fn numbers(text: &str) -> impl Iterator<Item = Option<u64>> {
    text.split_ascii_whitespace()
        .map(|word| u64::from_str_radix(word, 16).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    const TEXT: &str = "v 10400 3\nX ./m\nI 1000 5e298d\ns c /bin/m space\ns 4 main\ns 3 m.c\n\
        i a0 1 2 3 7\nt 1 0\ns 1 f\ns 1 g\ni b0 1 4 3 9 5 3 b\nt 2 1\ni c0\nt 3 2\n\
        a 10 2\n+ 0\n+ 0\na 8 3\nc 5\n+ 1\na 4 2\n- 0\n+ 2\n- 1\nR 3ea\n# strings: 5\n";

    #[test]
    fn what_was_allocated_and_what_is_left() {
        assert!(sniff(Start::of(TEXT.as_bytes())));
        let decoded = decode(TEXT.as_bytes()).expect("good");
        // Two of 16 bytes and one of 4 at the same place, of which one of 16 is freed after the peak.
        assert_eq!(
            drawn(&decoded.profile),
            "alloc_objects/count\nalloc_space/bytes\npeak_space/bytes\ninuse_space/bytes\n\
             main m.c:7;f m.c:9 3 36 32 20\nmain m.c:7;f m.c:9;0xc0 1 8 8 0\n"
        );
        assert_eq!(decoded.profile.default_type(), 2);
        let inlined = decoded.profile.locations().iter();
        assert_eq!(
            inlined.filter(|location| location.address == 0xb0).count(),
            1
        );
    }

    #[test]
    fn older_texts_have_no_length() {
        let text = "v 10100 1\nX m\ns main x\ni a0 0 1\nt 1 0\na 10 1\n+ 0\n";
        let profile = decode(text.as_bytes()).expect("good").profile;
        assert!(drawn(&profile).ends_with("main x 1 16 16 16\n"));
    }

    #[test]
    fn an_empty_text_has_a_number() {
        let text = "v 10100 1\nX m\ns \ns main\ni a0 0 2\nt 1 0\na 10 1\n+ 0\n";
        let profile = decode(text.as_bytes()).expect("good").profile;
        assert!(drawn(&profile).ends_with("main 1 16 16 16\n"));
    }

    #[test]
    fn what_is_wrong() {
        let head = "v 10400 3\nX m\n";
        for (line, expect) in [
            ("+ 0", "expected the index of a known allocation"),
            ("+", "expected the index of a known allocation"),
            ("t 1 0", "expected an address and a trace"),
            ("a 1 7", "expected a size and a trace"),
            ("i x", "expected an address"),
        ] {
            let error = decode(format!("{head}{line}\n").as_bytes()).expect_err(line);
            assert_eq!(error.to_string(), format!("{NAME}, line 3: {expect}"));
        }
        for other in ["v 1\nX m\n", "v 1 2 3\nX m\n", "v 1 2\nx m\n", "v x 1\n"] {
            assert!(!sniff(Start::of(other.as_bytes())));
        }
    }
}
