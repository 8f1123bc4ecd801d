//! Call graphs of `pmcstat -G`: trees that begin with the function that was sampled and go on with
//! its callers, one line a function, indented by its depth.
//!
//! - Each event is a sample type.
//! - ` @ module` stands where the module is another than that of the line above.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::{FIRST_LINES, Start};
use crate::imports::error::{FormatError, too_deep};
use crate::imports::rows::{Rows, lines};
use crate::model::id::{LocationId, MappingId};

/// What it is called in messages.
pub(crate) const NAME: &str = "pmcstat call graph";

/// Whether one of the first lines names an event.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let mut lines = start.texts().take(FIRST_LINES);
    lines.any(|line| event(line).is_some())
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader {
        rows: Rows::new(NAME, bytes.len()),
        event: None,
        open: Vec::new(),
        stated: None,
        listed: 0,
    };
    for (number, line) in lines(bytes).filter(|(_, line)| !line.is_empty()) {
        // Each line of a tree has a percentage.
        if event(&line).is_none() && !line.contains('%') {
            reader
                .rows
                .warn_left_out(number, "not a function in a stack", &line);
            continue;
        }
        reader
            .read(&line)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        reader.rows.check()?;
    }
    reader.end_event();
    reader.rows.finish()
}

struct Reader {
    rows: Rows,
    /// The sample type of the event.
    event: Option<usize>,
    /// The sampled function, its caller, and so on.
    open: Vec<Node>,
    /// The event's name and samples, as its line says.
    stated: Option<(String, i64)>,
    /// Samples of the functions below it.
    listed: i64,
}

struct Node {
    indent: usize,
    location: LocationId,
    module: Option<MappingId>,
    /// Samples that no caller of it has.
    left: i64,
}

impl Reader {
    fn read(&mut self, line: &str) -> Result<(), String> {
        if let Some((event, samples)) = event(line) {
            self.end_event();
            self.stated = Some((event.to_owned(), samples));
            let row = self.rows.sample_type(event, "count");
            self.event = Some(row.map_err(|error| error.problem)?);
            return Ok(());
        }
        if self.event.is_none() {
            return Err(format!("expected an event first, got {:?}", cut(line)));
        }
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let (count, name, module) = node(text).ok_or_else(|| {
            format!(
                "expected a line like \"1.23%  [45]  function\", got {:?}",
                cut(line)
            )
        })?;
        self.close(indent);
        if self.open.len() == MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        if self.open.is_empty() {
            self.listed = self.listed.saturating_add(count);
        }
        let mut inherited = None;
        if let Some(callee) = self.open.last_mut() {
            callee.left = callee.left.saturating_sub(count);
            inherited = callee.module;
        }
        let module = match module {
            Some(module) => self.rows.module(module),
            None => inherited,
        };
        let function = self.rows.function(name, "");
        let location = self.rows.location(module, function, 0);
        self.open.push(Node {
            indent,
            location,
            module,
            left: count,
        });
        Ok(())
    }

    /// Ends an event, and says if not all of its samples are listed.
    fn end_event(&mut self) {
        self.close(0);
        let listed = std::mem::take(&mut self.listed);
        if let Some((event, stated)) = self.stated.take()
            && listed < stated
        {
            self.rows.warnings.add(|| {
                format!(
                    "{:?}: the file has stacks of {listed} of {stated} samples; shares are parts of these {listed}",
                    cut(&event)
                )
            });
        }
    }

    /// Ends the nodes that are indented as far or further. What is left of one began there.
    fn close(&mut self, indent: usize) {
        while let Some(node) = self.open.pop_if(|node| node.indent >= indent) {
            let Some(event) = self.event.filter(|_| node.left > 0) else {
                continue;
            };
            let callees = self.open.iter().rev().map(|callee| callee.location);
            let frames = std::iter::once(node.location).chain(callees);
            let stack = self.rows.builder.stack_of(frames);
            self.rows.sample(stack, None, event, node.left);
        }
    }
}

/// Of `@ instructions [35705 samples]`.
fn event(line: &str) -> Option<(&str, i64)> {
    let (event, count) = line
        .strip_prefix("@ ")?
        .strip_suffix(" samples]")?
        .rsplit_once(" [")?;
    let digits = count.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| (event, count.parse().unwrap_or(i64::MAX)))
}

/// Count, name and module of `50.62%  [2610]  arc_cksum_verify @ /boot/kernel/zfs.ko`.
fn node(text: &str) -> Option<(i64, &str, Option<&str>)> {
    let (_, rest) = text.split_once("%")?;
    let (count, name) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
    let name = name.trim();
    let (name, module) = match name.rsplit_once(" @ ") {
        Some((name, module)) => (name, Some(module)),
        None => (name, None),
    };
    Some((count.trim().parse().ok()?, name, module))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{samples, type_names};

    #[test]
    fn trees_of_callers_become_stacks() {
        let text = "@ inst_retired.any [10 samples]\n\n60.00%  [6]     a @ /k/z.ko\n\
            \x20100.0%  [5]      b\n  40.00%  [2]       main @ /k/kernel\n\
            \n40.00%  [4]     c @ /k/z.ko\n@ cycles [3 samples]\n100.0%  [3]  a @ /k/z.ko\n";
        let profile = decode(text.as_bytes()).expect("good").profile;
        assert_eq!(
            type_names(&profile),
            ["inst_retired.any/count", "cycles/count"]
        );
        assert_eq!(
            samples(&profile),
            [
                "main;b;a [2, 0]",
                "b;a [3, 0]",
                "a [1, 0]",
                "c [4, 0]",
                "a [0, 3]"
            ]
        );
        assert_eq!(profile.locations().len(), 4);
    }

    #[test]
    fn samples_that_are_not_listed_are_told() {
        let text = "@ a [10 samples]\n\n60.00%  [6]     f\n 100.0%  [6]      g\n@ b [3 samples]\n100.0%  [3]  f\n";
        let warnings = decode(text.as_bytes()).expect("good").warnings;
        assert_eq!(
            warnings,
            ["\"a\": the file has stacks of 6 of 10 samples; shares are parts of these 6"]
        );
    }

    #[test]
    fn damaged_lines_are_named() {
        for (text, expect) in [
            (
                "1%  [1]  a\n",
                "line 1: expected an event first, got \"1%  [1]  a\"",
            ),
            (
                "@ e [1 samples]\n\n1%  [x]  a\n",
                "line 3: expected a line like \"1.23%  [45]  function\", got \"1%  [x]  a\"",
            ),
        ] {
            let error = decode(text.as_bytes()).expect_err(text).to_string();
            assert_eq!(error, format!("pmcstat call graph, {expect}"));
        }
    }
}
