//! JSON read piece by piece: no value is made for what nobody asks for, lists and objects may be as
//! deep as they like, and a text that breaks off can be read as far as it goes.
//!
//! It is lenient where nothing is lost by it: commas may be missing or surplus, and a number may be
//! a text.

use std::borrow::Cow;

use crate::base::warnings::cut;
use crate::formats::start::without_mark;
use crate::imports::error::FormatError;

/// A place in a text.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// Why a text cannot be read on.
pub(crate) struct Problem {
    at: usize,
    what: String,
    /// Whether it is that the text ends.
    pub(crate) is_end: bool,
}

impl Problem {
    /// The same for people.
    pub(crate) fn of(self, format: &'static str) -> FormatError {
        FormatError::at(format, format!("byte {}", self.at), self.what)
    }
}

impl<'a> Reader<'a> {
    /// At the beginning of a file.
    pub(crate) fn of(bytes: &'a [u8], format: &'static str) -> Result<Self, FormatError> {
        match std::str::from_utf8(without_mark(bytes)) {
            Ok(text) => Ok(Self { text, at: 0 }),
            Err(error) => Err(Problem {
                at: error.valid_up_to(),
                what: "the text is not UTF-8".to_owned(),
                is_end: false,
            }
            .of(format)),
        }
    }

    /// How many bytes are read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The same text at a position where a reader of it was.
    pub(crate) fn moved(mut self, position: usize) -> Self {
        self.at = position;
        self
    }

    /// Something is wrong with what was just read.
    pub(crate) fn problem(&self, what: impl Into<String>) -> Problem {
        Problem {
            at: self.at,
            what: what.into(),
            is_end: false,
        }
    }

    /// Reads a list item by item; `take` has to read each. Null is an empty list.
    pub(crate) fn list(
        &mut self,
        take: &mut dyn FnMut(&mut Self) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let mut more = self.enter()?;
        while more {
            take(self)?;
            more = self.item()?;
        }
        Ok(())
    }

    /// Reads an object key by key; `take` has to read each value. Null is an empty object.
    pub(crate) fn object(
        &mut self,
        take: &mut dyn FnMut(&mut Self, &str) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        if self.begin()? {
            while let Some(key) = self.key()? {
                take(self, &key)?;
            }
        }
        Ok(())
    }

    /// Begins an object whose keys are then read with [`Self::key`]. Null is none.
    pub(crate) fn begin(&mut self) -> Result<bool, Problem> {
        self.opens(b'{', "an object")
    }

    /// Begins a list and goes to its first item, if there is one. Null has none.
    pub(crate) fn enter(&mut self) -> Result<bool, Problem> {
        Ok(self.opens(b'[', "a list")? && self.item()?)
    }

    /// Goes to the next item of a list, if there is one, otherwise behind its end.
    pub(crate) fn item(&mut self) -> Result<bool, Problem> {
        loop {
            match self.peek()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Ok(false);
                }
                _ => return Ok(true),
            }
        }
    }

    /// The next key of an object and the place of its value; at the end of it none.
    pub(crate) fn key(&mut self) -> Result<Option<Cow<'a, str>>, Problem> {
        loop {
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(None);
                }
                b'"' => {
                    let key = self.string()?;
                    if self.peek()? != b':' {
                        return Err(self.problem("expected a colon"));
                    }
                    self.at += 1;
                    return Ok(Some(key));
                }
                _ => return Err(self.problem("expected a key")),
            }
        }
    }

    /// A text, or a number or word as text. Null is `None`, and so are lists and objects, which are
    /// skipped.
    pub(crate) fn scalar(&mut self) -> Result<Option<Cow<'a, str>>, Problem> {
        match self.peek()? {
            b'"' => self.string().map(Some),
            b'{' | b'[' => self.skip().map(|()| None),
            _ => {
                let word = self.word()?;
                Ok((word != "null").then_some(Cow::Borrowed(word)))
            }
        }
    }

    /// A text; empty for what [`Self::scalar`] has none of.
    pub(crate) fn text(&mut self) -> Result<Cow<'a, str>, Problem> {
        Ok(self.scalar()?.unwrap_or_default())
    }

    /// A number, times a scale, rounded to a whole one; `None` for what [`Self::scalar`] has none
    /// of. Beyond 64 bits it is the last one below.
    pub(crate) fn number(&mut self, scale: i64) -> Result<Option<i64>, Problem> {
        let Some(text) = self.scalar()? else {
            return Ok(None);
        };
        if let Ok(whole) = text.parse::<i64>() {
            return Ok(Some(whole.saturating_mul(scale)));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some((number * scale as f64).round() as i64)),
            _ => Err(self.problem(format!("{:?} is not a number", cut(&text)))),
        }
    }

    /// Passes a value.
    pub(crate) fn skip(&mut self) -> Result<(), Problem> {
        let mut depth = 0u32;
        loop {
            match self.peek()? {
                b'"' => {
                    self.pass_string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => self.at += 1,
                _ => {
                    self.word()?;
                }
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// The next byte that is no white space.
    pub(crate) fn peek(&mut self) -> Result<u8, Problem> {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.at += blank;
        rest.get(blank).copied().ok_or_else(|| self.end())
    }

    fn end(&self) -> Problem {
        Problem {
            is_end: true,
            ..self.problem("the text ends too early")
        }
    }

    fn opens(&mut self, bracket: u8, what: &str) -> Result<bool, Problem> {
        if self.peek()? == bracket {
            self.at += 1;
            return Ok(true);
        }
        if self.text[self.at..].starts_with("null") {
            self.at += "null".len();
            return Ok(false);
        }
        Err(self.problem(format!("expected {what}")))
    }

    /// What is left of a text without quotes.
    fn word(&mut self) -> Result<&'a str, Problem> {
        let rest = &self.text[self.at..];
        let ends = |b: &u8| b.is_ascii_whitespace() || b",:[]{}\"".contains(b);
        let length = rest.bytes().take_while(|b| !ends(b)).count();
        if length == 0 {
            return Err(self.problem("expected a value"));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// The text in quotes. One that is wrongly escaped (half a surrogate pair, say) stays as it is
    /// written.
    fn string(&mut self) -> Result<Cow<'a, str>, Problem> {
        let start = self.at;
        let is_plain = self.pass_string()?;
        let quoted = &self.text[start..self.at];
        let raw = &quoted[1..quoted.len() - 1];
        if is_plain {
            return Ok(Cow::Borrowed(raw));
        }
        let text = serde_json::from_str(quoted);
        Ok(text.map_or(Cow::Borrowed(raw), Cow::Owned))
    }

    /// Goes behind a text in quotes. Whether nothing in it is escaped.
    fn pass_string(&mut self) -> Result<bool, Problem> {
        let bytes = self.text.as_bytes();
        let (mut at, mut is_plain) = (self.at + 1, true);
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    is_plain = false;
                    at += 2;
                }
                Some(_) => at += 1,
                None => {
                    self.at = bytes.len();
                    return Err(self.end());
                }
            }
        }
        self.at = at + 1;
        Ok(is_plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(text: &str) -> Reader<'_> {
        Reader { text, at: 0 }
    }

    /// Keys and values of an object, those of objects in it too.
    fn drawn(text: &str) -> Result<String, String> {
        fn draw(reader: &mut Reader<'_>, drawn: &mut String) -> Result<(), Problem> {
            reader.object(&mut |reader, key| {
                drawn.push_str(key);
                if reader.peek()? == b'{' {
                    drawn.push('{');
                    draw(reader, drawn)?;
                    drawn.push('}');
                    return Ok(());
                }
                let value = reader.scalar()?;
                drawn.push_str(&format!("={} ", value.as_deref().unwrap_or("-")));
                Ok(())
            })
        }
        let mut drawn = String::new();
        match draw(&mut reader(text), &mut drawn) {
            Ok(()) => Ok(drawn),
            Err(problem) => Err(problem.of("x").to_string()),
        }
    }

    #[test]
    fn objects() {
        let check = |text, expect: &str| assert_eq!(drawn(text).as_deref(), Ok(expect), "{text}");
        check("null", "");
        check(" { } x", "");
        check(r#"{"a":1, "b" : "x","c":null,}"#, "a=1 b=x c=- ");
        check(
            r#"{"a":[1,{"b":"]"}],"c":{"d":-1e5},"e":true}"#,
            "a=- c{d=-1e5 }e=true ",
        );
        check(
            r#"{"\u0061\"":"\n\ud83d\ude00","half":"\ud83d"}"#,
            "a\"=\n😀 half=\\ud83d ",
        );
        check("{\"é\":\"\\é\"}", "é=\\é ");
    }

    #[test]
    fn broken_objects() {
        let check = |text, expect: &str| {
            assert_eq!(drawn(text), Err(format!("x, byte {expect}")), "{text}");
        };
        check("", "0: the text ends too early");
        check("{\"a\":\"", "6: the text ends too early");
        check("{\"a\":\"\\", "7: the text ends too early");
        check("[]", "0: expected an object");
        check("{1:2}", "1: expected a key");
        check("{\"a\" 2}", "5: expected a colon");
        check("{\"a\":}", "5: expected a value");
        check("{\"a\":[}", "7: the text ends too early");
    }

    #[test]
    fn lists_and_numbers() {
        let numbers = |text: &str| {
            let mut numbers = Vec::new();
            let read = reader(text).list(&mut |reader| {
                numbers.push(reader.number(1000)?);
                Ok(())
            });
            read.map(|()| numbers)
                .map_err(|problem| (problem.is_end, problem.of("x").to_string()))
        };
        assert_eq!(numbers("null"), Ok(vec![]));
        assert_eq!(
            numbers(r#"[1, "-2" ,0.0015,[3],1e300,-99999999999999999999,]"#),
            Ok(vec![
                Some(1000),
                Some(-2000),
                Some(2),
                None,
                Some(i64::MAX),
                Some(i64::MIN)
            ])
        );
        for word in ["NaN", "\"inf\"", "\"\"", "1e999", "true"] {
            let error = numbers(&format!("[{word}]")).expect_err("no number");
            assert!(error.1.ends_with(" is not a number"), "{error:?}");
        }
        let error = numbers("[1,").expect_err("cut off");
        assert_eq!(
            error,
            (true, "x, byte 3: the text ends too early".to_owned())
        );
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = format!("{}{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
        let mut reader = reader(&deep);
        assert!(reader.skip().is_ok());
        assert_eq!(reader.position(), deep.len());
    }

    #[test]
    fn files() {
        assert!(Reader::of(b"\xef\xbb\xbf{}", "x").is_ok_and(|mut reader| reader.skip().is_ok()));
        let error = Reader::of(b"{\"\xff\"}", "x")
            .err()
            .map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("x, byte 2: the text is not UTF-8"));
    }
}
