//! Reports of GHC's profiler as text, `program.prof`: a table of cost centres, indented by who
//! called whom. The same as JSON (`-pj`) is another format.
//!
//! Source: "Profiling" in GHC's user guide.
//!
//! - Where the columns `ticks` and `bytes` are not printed (`-P` prints them), time and allocation
//!   are percentages of the totals, and so rounded.
//! - Entries, time and allocation are sample types, as in the JSON.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::rows::{Rows, lines};
use crate::model::id::StackId;

/// What it is called in messages.
pub(crate) const NAME: &str = "GHC profile (text)";

/// Whether the title is there.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    !start.text.starts_with(b"{") && start.has(&["Time and Allocation Profiling Report"])
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader {
        rows: Rows::new(NAME, bytes.len()),
        totals: Totals::default(),
        exact: None,
        open: Vec::new(),
    };
    reader.rows.sample_type("entries", "count")?;
    reader.rows.sample_type("alloc_space", "bytes")?;
    reader.rows.sample_type("time", "nanoseconds")?;
    for (number, line) in lines(bytes) {
        reader
            .read(number, &line)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        reader.rows.check()?;
    }
    if reader.exact == Some(false) {
        reader.rows.warnings.add(|| {
            "time and allocation are percentages of their totals, rounded to a tenth of a percent"
                .to_owned()
        });
    }
    reader.rows.finish()
}

#[derive(Default)]
struct Totals {
    /// Nanoseconds of all and of a tick.
    time: f64,
    tick: f64,
    bytes: f64,
}

struct Reader {
    rows: Rows,
    totals: Totals,
    /// In the tree: whether it has ticks and bytes.
    exact: Option<bool>,
    /// Cost centres on the way to the last one, and how far each is indented.
    open: Vec<(usize, StackId)>,
}

impl Reader {
    fn read(&mut self, at: usize, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["total", "time", "=", seconds, "secs", ..] => {
                self.totals.time = number(seconds)? * 1e9;
                let ticks = words.get(5).map_or("", |word| word.trim_start_matches('('));
                self.totals.tick = self.totals.time / number(ticks)?.max(1.0);
            }
            ["total", "alloc", "=", bytes, ..] => self.totals.bytes = number(bytes)?,
            ["COST", "CENTRE", ..] if words.contains(&"entries") => {
                self.exact = Some(words.contains(&"ticks"));
            }
            [] => {}
            // A row ends in a number.
            [.., last] if self.exact.is_some() && number(last).is_err() => {
                self.rows.warn_left_out(at, "not a cost centre", line);
            }
            _ => {
                if let Some(exact) = self.exact {
                    self.row(line, &words, exact)?;
                }
            }
        }
        Ok(())
    }

    /// Name, module, source, number, entries, percentages of time and allocation, those with all
    /// below, then ticks and bytes.
    fn row(&mut self, line: &str, words: &[&str], exact: bool) -> Result<(), String> {
        let values = if exact { 8 } else { 6 };
        let named = words.len().checked_sub(values).filter(|&named| named >= 2);
        let named = named.ok_or_else(|| format!("too few columns: {:?}", cut(line)))?;
        let (names, values) = words.split_at(named);
        let (name, module) = (names[0], names[1]);
        let source = names[2..].join(" ");
        let (time, bytes) = if exact {
            (number(values[6])? * self.totals.tick, number(values[7])?)
        } else {
            (
                number(values[2])? / 100.0 * self.totals.time,
                number(values[3])? / 100.0 * self.totals.bytes,
            )
        };
        let values = [number(values[1])?, bytes, time].map(|value| value.round() as i64);
        let indent = line.len() - line.trim_start().len();
        while self.open.pop_if(|(above, _)| *above >= indent).is_some() {}
        if self.open.len() == MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        let (file, start) = place(&source);
        let function = self.rows.function(&format!("{module}.{name}"), file);
        let location = self.rows.location(None, function, start);
        let parent = self.open.last().map(|&(_, stack)| stack);
        let stack = self.rows.builder.stack(parent, location);
        self.open.push((indent, stack));
        if values != [0; 3] {
            self.rows.builder.sample(Some(stack), None, &values);
        }
        Ok(())
    }
}

/// File and line of `src/Main.hs:17:1-8` or `Main.hs:(3,1)-(5,20)`.
fn place(source: &str) -> (&str, i64) {
    if source.starts_with('<') {
        return ("", 0);
    }
    match source.split_once(':') {
        Some((file, rest)) => {
            let rest = rest.trim_start_matches('(');
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
            (file, digits.and_then(|line| line.parse().ok()).unwrap_or(0))
        }
        None => (source, 0),
    }
}

/// A number, perhaps with commas.
fn number(word: &str) -> Result<f64, String> {
    let value = word.replace(',', "").parse::<f64>().ok();
    value
        .filter(|value| (0.0..1e18).contains(value))
        .ok_or_else(|| format!("not a number: {:?}", cut(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{samples, type_names};

    const HEAD: &str = "\tThu Oct 25 10:51 2018 Time and Allocation Profiling Report  (Final)\n\n\
        \t   prog +RTS -p -RTS\n\n\ttotal time  =        0.80 secs   (800 ticks @ 1000 us, 1 processor)\n\
        \ttotal alloc = 1,000 bytes  (excludes profiling overheads)\n\n\
        COST CENTRE MODULE SRC %time %alloc\n\nf A <built-in> 1.0 2.0\n\n\
        \x20                            individual      inherited\n";

    #[test]
    fn percentages_and_exact_values() {
        let text = format!(
            "{HEAD}COST CENTRE MODULE SRC no. entries %time %alloc %time %alloc\n\n\
             MAIN MAIN <built-in> 144 0 0.0 10.0 100.0 100.0\n \
             f A src/A.hs:17:1-8 150 7 25.0 0.0 25.0 0.0\n  \
             g A <no location info> 151 1 0.0 0.0 0.0 0.0\n \
             CAF B B.hs:(3,1)-(5,2) 160 0 0.5 1.5 0.0 0.0\n"
        );
        let decoded = decode(text.as_bytes()).expect("good");
        let profile = &decoded.profile;
        assert_eq!(
            type_names(profile),
            ["entries/count", "alloc_space/bytes", "time/nanoseconds"]
        );
        assert_eq!(
            samples(profile),
            [
                "MAIN.MAIN [0, 100, 0]",
                "MAIN.MAIN;A.f [7, 0, 200000000]",
                "MAIN.MAIN;A.f;A.g [1, 0, 0]",
                "MAIN.MAIN;B.CAF [0, 15, 4000000]",
            ]
        );
        assert_eq!(decoded.warnings.len(), 1);
        let text = format!(
            "{HEAD}COST CENTRE MODULE SRC no. entries %time %alloc %time %alloc ticks bytes\n\n\
             f A a.hs:1:1 150 7 25.0 0.0 25.0 0.0 3 99\n"
        );
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(samples(&decoded.profile), ["A.f [7, 99, 3000000]"]);
        assert_eq!(decoded.warnings, Vec::<String>::new());
        assert_eq!(place("B.hs:(3,1)-(5,2)"), ("B.hs", 3));
    }

    #[test]
    fn damaged_lines_are_named() {
        let text = format!("{HEAD}COST CENTRE MODULE SRC no. entries %time\nf A 1 2 3 4 5\n");
        let error = decode(text.as_bytes()).expect_err("short").to_string();
        assert_eq!(
            error,
            "GHC profile (text), line 14: too few columns: \"f A 1 2 3 4 5\""
        );
        let error = decode(HEAD.as_bytes()).expect_err("no tree").to_string();
        assert_eq!(error, "GHC profile (text): there are no samples");
    }
}
