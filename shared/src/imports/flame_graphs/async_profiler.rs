//! Flame graphs of async-profiler as web pages, and those that its converter makes of JFR.
//!
//! Source: `src/res/flame.html` of async-profiler, versions 2 to 4.
//!
//! - The script of a page has a line for each function, callers first. Version 2 writes
//!   `f(level,left,width,type,'name')`. Later ones have a table of names, of which each has the
//!   length of what it shares with the one before, plus 32, as its first character; the lines are
//!   `f(key,level,left,width)`, `u(key,width)` for one level up and `n(key,width)` for the next on
//!   the same level. A width that is missing is that of the line before.
//! - The lowest level is the whole and no function.

use std::borrow::Cow;

use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::frames::Frame;
use crate::imports::outline::{Below, Outline};
use crate::imports::rows::{Rows, lines};
use crate::model::id::LocationId;

/// What it is called in messages.
pub(crate) const NAME: &str = "async-profiler flame graph (HTML)";

/// Of a key, the bits that are a type.
const TYPE_BITS: u32 = 3;
/// The character that says that nothing is shared.
const NOTHING: u8 = 32;

/// The heads of the functions that draw, of version 2 and of later ones.
const OLD: &str = "function f(level, left, width";
const NEW: &str = "function u(key, width";

/// Whether this is a page with the script of such a graph.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.text.starts_with(b"<")
        && start.has(&["<html", "async-profiler"])
        && (start.has(&[OLD]) || start.has(&[NEW]))
}

/// Reads a page.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    rows.sample_type("samples", "count")?;
    let mut reader = Reader {
        tree: Outline::new(Below::Callees, 0),
        names: Vec::new(),
        last: String::new(),
        level: 0,
        width: 0,
        is_old: false,
        rows,
    };
    let mut is_table = false;
    for (number, line) in lines(bytes) {
        let text = line.trim_start();
        reader.is_old |= text.starts_with(OLD);
        if text.starts_with("const cpool = [") {
            is_table = true;
        } else if is_table && text.starts_with(']') {
            is_table = false;
        } else if is_table {
            reader.name(text);
        } else if line.ends_with(')')
            && let Some((call, arguments)) = line.split_once('(')
            && matches!(call, "f" | "u" | "n")
        {
            let arguments = &arguments[..arguments.len() - 1];
            reader.bar(call, arguments).map_err(|problem| {
                let problem = format!("{problem}: {:?}", cut(&line));
                FormatError::at_line(NAME, number, problem)
            })?;
        }
        reader.rows.check()?;
    }
    reader.tree.finish(&mut reader.rows)?;
    reader.rows.finish()
}

struct Reader {
    tree: Outline,
    rows: Rows,
    names: Vec<LocationId>,
    /// The last name of the table.
    last: String,
    level: usize,
    width: i64,
    is_old: bool,
}

impl Reader {
    /// Adds a name of the table.
    fn name(&mut self, text: &str) {
        let text = text.strip_suffix(',').unwrap_or(text);
        let text = unquoted(text).unwrap_or_default();
        if self.names.is_empty() {
            self.last = text.into_owned();
        } else {
            let shared = text
                .bytes()
                .next()
                .unwrap_or(NOTHING)
                .saturating_sub(NOTHING);
            let mut shared = usize::from(shared).min(self.last.len());
            while !self.last.is_char_boundary(shared) {
                shared -= 1;
            }
            self.last.truncate(shared);
            self.last.extend(text.chars().skip(1));
        }
        let location = location(&mut self.rows, &self.last);
        self.names.push(location);
        self.rows.beside += size_of::<LocationId>();
    }

    fn bar(&mut self, call: &str, arguments: &str) -> Result<(), &'static str> {
        let mut parts = arguments.split(',').map(str::trim);
        let mut number = || parts.next().map_or(Some(0), parsed);
        const PROBLEM: &str = "expected numbers";
        if self.is_old {
            let (level, _, width) = (number(), number(), number());
            let title = arguments.splitn(5, ',').nth(4).unwrap_or("");
            let end = title.rfind('\'').map_or(0, |end| end + 1);
            let title = unquoted(&title[..end]).ok_or("expected a name")?;
            self.level = level
                .and_then(|level| level.try_into().ok())
                .ok_or(PROBLEM)?;
            self.width = width.ok_or(PROBLEM)?;
            let location = location(&mut self.rows, &title);
            return self.push(location);
        }
        let key = number().ok_or(PROBLEM)?;
        self.level = match call {
            "f" => {
                let level = number().and_then(|level| level.try_into().ok());
                number();
                level.ok_or(PROBLEM)?
            }
            "u" => self.level.saturating_add(1),
            _ => self.level,
        };
        match number().ok_or(PROBLEM)? {
            0 => {}
            width => self.width = width,
        }
        let index = usize::try_from(key >> TYPE_BITS).unwrap_or(usize::MAX);
        let location = self.names.get(index).copied();
        self.push(location.ok_or("the name index is out of range")?)
    }

    fn push(&mut self, location: LocationId) -> Result<(), &'static str> {
        let location = (self.level > 0).then_some(location);
        self.tree
            .push(&mut self.rows, self.level, location, self.width)
            .map_err(|_| "a stack has more than 16384 frames (the maximum)")
    }
}

fn parsed(text: &str) -> Option<i64> {
    if text.is_empty() {
        Some(0)
    } else {
        text.parse().ok()
    }
}

fn location(rows: &mut Rows, name: &str) -> LocationId {
    let name = rows.builder.string(name);
    Frame::named(name).location(&mut rows.builder)
}

/// The text of a literal.
fn unquoted(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim().strip_prefix('\'')?.strip_suffix('\'')?;
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        plain.extend(if c == '\\' {
            characters.next()
        } else {
            Some(c)
        });
    }
    Some(Cow::Owned(plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    const HEAD: &str = "<!DOCTYPE html>\n<html lang='en'>\nProduced by async-profiler\n<script>\n";

    fn check(text: &str, expect: &str) {
        assert!(sniff(Start::of(text.as_bytes())));
        let decoded = decode(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(drawn(&decoded.profile), format!("samples/count\n{expect}"));
        assert_eq!(decoded.warnings.len(), 0);
    }

    #[test]
    fn names_share_their_beginnings() {
        let text = format!(
            "{HEAD}\tfunction f(key, level, left, width, inln, c1, int) {{\n\t}}\n\
             \tfunction u(key, width, inln, c1, int) {{\n\t\tf(key, level0 + 1, 0, width)\n\t}}\n\
             const cpool = [\n'all',\n' java/lang/Thread.run',\n'*Object.wait',\n' it\\'s'\n];\n\
             unpack(cpool);\n\nn(3,10)\nu(8)\nu(17,4)\nu(25,3,0,1,2)\nn(8,1)\n\
             f(24,2,4,5)\nsearch();\n</script></body></html>\n"
        );
        check(
            &text,
            "java/lang/Thread.run;java/lang/Object.wait;it's 3\n\
             java/lang/Thread.run;java/lang/Object.wait;java/lang/Thread.run 1\n\
             java/lang/Thread.run;it's 5\njava/lang/Thread.run 1\n",
        );
    }

    #[test]
    fn lines_of_version_2() {
        let text = format!(
            "{HEAD}\tfunction f(level, left, width, type, title, inln, c1, int) {{\n\t}}\n\
             f(0,0,9,3,'all')\nf(1,0,7,1,'a.B.c(int, d)')\nf(2,0,5,4,'it\\'s',1,2,3)\nf(1,7,2,0,'e')\n"
        );
        check(&text, "a.B.c(int, d);it's 5\na.B.c(int, d) 2\ne 2\n");
    }

    #[test]
    fn what_is_wrong() {
        let head = format!("{HEAD}{NEW}\nconst cpool = [\n'all'\n];\n");
        for (line, expect) in [
            ("f(8,0,0,1)", "the name index is out of range"),
            ("f(x)", "expected numbers"),
            ("f(0,-1)", "expected numbers"),
        ] {
            let error = decode(format!("{head}{line}\n").as_bytes()).expect_err(line);
            let expect = format!("{NAME}, line 9: {expect}: {line:?}");
            assert_eq!(error.to_string(), expect);
        }
        assert!(!sniff(Start::of(b"<html>async-profiler</html>")));
    }
}
