//! Text → call graph.

use hashbrown::HashMap;

use super::stated::Stated;
use super::unit;
use crate::base::limits::MAX_SAMPLE_TYPES;
use crate::imports::call_graph::CallGraph;
use crate::imports::error::FormatError;
use crate::imports::rows::{Rows, lines};
use crate::model::id::StringId;

/// What the format is called in messages.
pub(super) const NAME: &str = "callgrind";

/// What a name's number takes.
const NAME_NUMBER: usize = 24;

/// Headers that are not needed.
const HEADERS: [&str; 6] = ["cmd", "event", "part", "pid", "thread", "version"];

/// Where in the program costs belong.
#[derive(Clone, Copy)]
struct Place {
    object: StringId,
    file: StringId,
}

struct Reader {
    graph: CallGraph,
    /// What each event's costs are multiplied by.
    scales: Vec<i64>,
    /// Of the costs of a line, the event of each.
    columns: Vec<usize>,
    /// Words of a line before its costs.
    positions: usize,
    objects: HashMap<u64, StringId>,
    files: HashMap<u64, StringId>,
    names: HashMap<u64, StringId>,
    at: Place,
    function_file: StringId,
    function: Option<u32>,
    /// Of the next call.
    callee_object: Option<StringId>,
    callee_file: Option<StringId>,
    callee: Option<u32>,
    /// The call whose costs the next line has.
    open_call: Option<u32>,
    /// What the file says that costs add up to.
    stated: Stated,
}

/// Reads a text.
pub(super) fn read(bytes: &[u8]) -> Result<CallGraph, FormatError> {
    let mut reader = Reader {
        graph: CallGraph::new(NAME, bytes.len()),
        scales: Vec::new(),
        columns: Vec::new(),
        positions: 1,
        objects: HashMap::new(),
        files: HashMap::new(),
        names: HashMap::new(),
        at: Place {
            object: StringId::EMPTY,
            file: StringId::EMPTY,
        },
        function_file: StringId::EMPTY,
        function: None,
        callee_object: None,
        callee_file: None,
        callee: None,
        open_call: None,
        stated: Stated::default(),
    };
    for (number, line) in lines(bytes) {
        let is_known = reader
            .line(line.trim_start())
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        let rows = &mut reader.graph.rows;
        if !is_known {
            rows.warn_left_out(number, "not in callgrind format", &line);
        }
        rows.check()?;
    }
    if let Some(note) = reader.stated.compare(&reader.graph) {
        reader.graph.rows.warnings.lead(note);
    }
    Ok(reader.graph)
}

impl Reader {
    /// Reads a line; false where it is not of the format.
    fn line(&mut self, line: &str) -> Result<bool, String> {
        if line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '*')) {
            return self.costs(line);
        }
        let Some(end) = line.find([':', '=']) else {
            return Ok(line.is_empty() || line.starts_with('#'));
        };
        let (key, value) = (&line[..end], &line[end + 1..]);
        if line[end..].starts_with(':') {
            match key {
                "events" => self.events(value)?,
                "positions" => self.positions = value.split_ascii_whitespace().count(),
                "creator" => self.stated.creator(value),
                "desc" => self.stated.description(value),
                "summary" => {
                    let sums = self.sums(value);
                    self.stated.summary(sums);
                }
                "totals" => {
                    let sums = self.sums(value);
                    self.stated.totals(sums);
                }
                _ => return Ok(line.starts_with('#') || HEADERS.contains(&key)),
            }
            return Ok(true);
        }
        let rows = &mut self.graph.rows;
        match key {
            "ob" => self.at.object = name(rows, &mut self.objects, value)?,
            "fl" => {
                self.at.file = name(rows, &mut self.files, value)?;
                self.function_file = self.at.file;
            }
            "fi" | "fe" => self.at.file = name(rows, &mut self.files, value)?,
            "fn" => {
                self.at.file = self.function_file;
                let name = name(rows, &mut self.names, value)?;
                self.function = Some(self.function(name, self.at)?);
            }
            "cob" => self.callee_object = Some(name(rows, &mut self.objects, value)?),
            "cfi" | "cfl" => self.callee_file = Some(name(rows, &mut self.files, value)?),
            "cfn" => {
                let name = name(rows, &mut self.names, value)?;
                let at = Place {
                    object: self.callee_object.take().unwrap_or(self.at.object),
                    file: self.callee_file.take().unwrap_or(self.at.file),
                };
                self.callee = Some(self.function(name, at)?);
            }
            "calls" => self.call(value)?,
            // Jumps, which are not kept. Their names may be used later on.
            "jump" | "jcnd" => {}
            "jfi" => _ = name(rows, &mut self.files, value)?,
            "jfn" => _ = name(rows, &mut self.names, value)?,
            _ => return Ok(line.starts_with('#')),
        }
        Ok(true)
    }

    fn events(&mut self, events: &str) -> Result<(), String> {
        let graph = &mut self.graph;
        if !graph.own.is_empty() {
            // Another part of the same recording.
            let of = |event: &str| {
                let (kind, unit, _) = unit::of(event);
                let profile = graph.rows.builder.profile();
                let mut types = profile.sample_types().iter();
                types.position(|&t| profile.type_text(t) == (kind, unit))
            };
            let columns: Option<Vec<usize>> = events.split_ascii_whitespace().map(of).collect();
            self.columns = columns.ok_or("an event is not listed in the file's first part")?;
            return Ok(());
        }
        self.columns.clear();
        for event in events.split_ascii_whitespace() {
            let (kind, unit, scale) = unit::of(event);
            let rows = &mut graph.rows;
            let row = rows
                .sample_type(kind, unit)
                .map_err(|error| error.problem)?;
            if self.columns.len() == MAX_SAMPLE_TYPES {
                return Err(format!("more than {MAX_SAMPLE_TYPES} events"));
            }
            self.columns.push(row);
            if row == self.scales.len() {
                self.scales.push(scale);
            }
        }
        Ok(())
    }

    /// Sums of all events as a header has them, in the order of the sample types.
    fn sums(&self, value: &str) -> Vec<i64> {
        let mut sums = vec![0i64; self.scales.len()];
        for (word, &column) in value.split_ascii_whitespace().zip(&self.columns) {
            sums[column] = whole(word).unwrap_or(0).saturating_mul(self.scales[column]);
        }
        sums
    }

    /// Finds or adds a function.
    fn function(&mut self, name: StringId, at: Place) -> Result<u32, String> {
        if self.scales.is_empty() {
            return Err("a function comes before the `events:` line".to_owned());
        }
        let rows = &mut self.graph.rows;
        let function = rows.function_of(name, at.file);
        let module = rows.module_of(at.object);
        let location = rows.location(module, function, 0);
        Ok(self.graph.function(location))
    }

    fn call(&mut self, value: &str) -> Result<(), String> {
        let count = value.split_ascii_whitespace().next().unwrap_or("");
        let count = whole(count)
            .ok_or_else(|| format!("a count that isn't a whole number: {count:?}"))?
            .unsigned_abs();
        let (Some(from), Some(to)) = (self.function, self.callee.take()) else {
            return Err("`calls=` before `cfn=`".to_owned());
        };
        self.open_call = Some(self.graph.call(from, to, count));
        Ok(())
    }

    /// Adds the costs of a line to the function, or to the call before it; false for a line with words
    /// that are no numbers.
    fn costs(&mut self, line: &str) -> Result<bool, String> {
        let mut words = line.split_ascii_whitespace();
        let mut positions = words.by_ref().take(self.positions);
        if !positions.all(is_position) || !words.clone().all(is_number) {
            return Ok(false);
        }
        let function = self.function.ok_or("costs before the first `fn=`")?;
        let events = self.scales.len();
        let (sums, row) = match self.open_call.take() {
            Some(call) => (&mut self.graph.inclusive, call),
            None => (&mut self.graph.own, function),
        };
        let start = row as usize * events;
        for (word, &column) in words.zip(&self.columns) {
            let cost = whole(word).ok_or_else(|| format!("the cost {word:?} exceeds 64 bits"))?;
            let sum = &mut sums[start + column];
            *sum = sum.saturating_add(cost.saturating_mul(self.scales[column]));
        }
        Ok(true)
    }
}

/// `(3) name` gives the name a number, `(3)` is what has that number, anything else is a name.
fn name(
    rows: &mut Rows,
    known: &mut HashMap<u64, StringId>,
    text: &str,
) -> Result<StringId, String> {
    let text = text.trim();
    let numbered = text.strip_prefix('(').and_then(|rest| {
        let (digits, name) = rest.split_once(')')?;
        let number: u64 = digits.parse().ok()?;
        Some((number, name.trim_start()))
    });
    match numbered {
        None => Ok(rows.builder.string(text)),
        Some((number, "")) => known
            .get(&number)
            .copied()
            .ok_or_else(|| format!("the name ({number}) is not defined")),
        Some((number, name)) => {
            let name = rows.builder.string(name);
            known.insert(number, name);
            rows.beside += NAME_NUMBER;
            Ok(name)
        }
    }
}

/// `*`, or a number, perhaps with a sign; addresses may need all of 64 bits.
fn is_position(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-']);
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    word == "*" || digits.bytes().all(|b| b.is_ascii_hexdigit()) && !digits.is_empty()
}

/// Whether a word is written as [`whole`] reads it.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    match digits.strip_prefix("0x") {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None => !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()),
    }
}

/// A number, in decimal or as `0x1f`.
fn whole(word: &str) -> Option<i64> {
    match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}
