//! The log of `node --prof`, processed with `--prof-process --preprocess`: ticks, each with the
//! code that was found on the stack.
//!
//! A tick counts as one, for V8 leaves some out: the time between two says little. What the VM did
//! then (`vm`) and how code was compiled is not kept.

use super::frames::location;
use super::recording::{MICROSECOND, reserve};
use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::sort::sort_rows;
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::json::reader::{Problem, Reader};
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LocationId, StackId};

pub(crate) const NAME: &str = "V8 log";

pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::V8Log)
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader::of(bytes, NAME)?;
    let mut log = Log::default();
    let read = log.read(&mut reader);
    let ticks = read.map_err(|problem| problem.of(NAME))?;
    let mut warnings = Warnings::default();
    let mut builder = log.builder;
    builder.sample_type("samples", "count");
    let mut rows: Vec<u32> = (0..ticks.len() as u32).collect();
    let time = |row: u32| ticks[row as usize].0;
    if !ticks.is_sorted_by_key(|tick| tick.0) {
        warnings.add(|| "some ticks are out of order; they are sorted by time".into());
        sort_rows(&mut rows, &mut |a, b| time(a).cmp(&time(b)));
    }
    if !rows.is_empty() {
        reserve(&mut builder, rows.len());
    }
    for row in rows {
        let (time, stack) = ticks[row as usize];
        builder.sample_at(time, stack, None, &[1]);
    }
    Ok(Decoded {
        profile: builder.finish(),
        warnings: warnings.finish(),
    })
}

/// A tick's time and stack.
type Tick = (i64, Option<StackId>);

#[derive(Default)]
struct Log {
    builder: ProfileBuilder,
    /// Where each code stands in the text: most of it is on no stack.
    places: Vec<u32>,
    /// Of each code that was on one.
    locations: Vec<Option<LocationId>>,
}

impl Log {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<Vec<Tick>, Problem> {
        let mut list = None;
        reader.object(&mut |reader, key| match key {
            "code" => reader.list(&mut |reader| {
                self.places.push(reader.position() as u32);
                reader.skip()
            }),
            "ticks" => {
                list = Some(*reader);
                reader.skip()
            }
            _ => reader.skip(),
        })?;
        self.locations = vec![None; self.places.len()];
        let mut ticks = Vec::new();
        if let Some(mut reader) = list {
            let mut frames = Vec::new();
            reader.list(&mut |reader| {
                ticks.push(self.tick(&mut frames, reader)?);
                Ok(())
            })?;
        }
        Ok(ticks)
    }

    /// Reads a tick. Its stack is pairs of a code and an offset in it, the innermost first; code -1
    /// is none, and the offset its address.
    fn tick(
        &mut self,
        frames: &mut Vec<LocationId>,
        reader: &mut Reader<'_>,
    ) -> Result<Tick, Problem> {
        let (mut time, mut code) = (None, None);
        frames.clear();
        reader.object(&mut |reader, key| match key {
            "tm" => {
                time = reader.number(MICROSECOND)?;
                Ok(())
            }
            "s" => reader.list(&mut |reader| {
                let number = reader.number(1)?.unwrap_or(-1);
                let Some(code) = code.take() else {
                    code = Some(number);
                    return Ok(());
                };
                if frames.len() >= MAX_STACK_DEPTH {
                    let problem = format!("a stack has more than {MAX_STACK_DEPTH} frames");
                    return Err(reader.problem(problem));
                }
                frames.push(self.frame(code, number, reader)?);
                Ok(())
            }),
            _ => reader.skip(),
        })?;
        let Some(time) = time else {
            return Err(reader.problem("a tick has no \"tm\""));
        };
        Ok((time, self.builder.stack_of(frames.drain(..).rev())))
    }

    fn frame(
        &mut self,
        code: i64,
        offset: i64,
        reader: &Reader<'_>,
    ) -> Result<LocationId, Problem> {
        if code < 0 {
            return Ok(self.builder.location(None, offset as u64, false, &[]));
        }
        let count = self.places.len();
        let Some(row) = usize::try_from(code).ok().filter(|&row| row < count) else {
            return Err(reader.problem(format!(
                "code {code} does not exist; the log has {count} (numbered from 0)"
            )));
        };
        if let Some(known) = self.locations[row] {
            return Ok(known);
        }
        let location = self.code(&mut reader.moved(self.places[row] as usize))?;
        self.locations[row] = Some(location);
        Ok(location)
    }

    /// Reads a code.
    fn code(&mut self, reader: &mut Reader<'_>) -> Result<LocationId, Problem> {
        let (mut name, mut kind) = Default::default();
        reader.object(&mut |reader, key| {
            match key {
                "name" => name = reader.text()?,
                "type" => kind = reader.text()?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        let name: &str = &name;
        let builder = &mut self.builder;
        Ok(match &*kind {
            "JS" => match script(name) {
                Some((name, file, line, column)) => location(builder, name, file, line, column),
                None => location(builder, name, "", 0, 0),
            },
            "CPP" => location(builder, symbol(name), "", 0, 0),
            kind if name.is_empty() => location(builder, &format!("({kind})"), "", 0, 0),
            _ => location(builder, name, "", 0, 0),
        })
    }
}

/// The parts of `name file:line:column`, which count from 1.
fn script(text: &str) -> Option<(&str, &str, i64, i64)> {
    let (name, place) = text.rsplit_once(' ')?;
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((name, file, line.parse().ok()?, column.parse().ok()?))
}

/// A symbol less the letter that `nm` puts before it.
fn symbol(text: &str) -> &str {
    match text.as_bytes() {
        [letter, b' ', ..] if letter.is_ascii_alphabetic() => &text[2..],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(script("run a/b.js:3:14"), Some(("run", "a/b.js", 3, 14)));
        assert_eq!(script(" node:fs:1:2"), Some(("", "node:fs", 1, 2)));
        assert_eq!(script("get x a.js:1:2"), Some(("get x", "a.js", 1, 2)));
        assert_eq!(script("native apply"), None);
        assert_eq!(symbol("t v8::Run(int)"), "v8::Run(int)");
        assert_eq!(symbol("é x"), "é x");
    }
}
