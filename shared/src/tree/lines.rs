//! The table of source lines: self and total of each, over all places where it was found.
//!
//! These are the flat and cum of `go tool pprof -list`, to the unit: a line that is several times on
//! a stack counts once for each sample there. Inlined calls have lines like any other.

use crate::model::profile::Profile;
use crate::model::strings::Strings;
use crate::tree::call_tree::{CallTree, Frame};
use crate::tree::frames::By;
use crate::tree::table::{FunctionRow, function_table};

/// The lines of a profile, of all functions and files.
#[derive(Clone, Debug)]
pub struct LineTable {
    strings: Strings,
    frames: Vec<Frame>,
    rows: Vec<FunctionRow<1>>,
    total: i64,
}

/// A line of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRow<'a> {
    /// The function's name.
    pub function: &'a str,
    /// The line in its file, 0 when unknown.
    pub line: i64,
    /// Value of the samples that ended there ("flat").
    pub own: i64,
    /// Value of the samples that had it on their stack ("cumulative").
    pub total: i64,
}

impl LineTable {
    /// The lines of the samples of a value column.
    pub fn new(profile: &Profile, sample_type: usize) -> Self {
        let tree = CallTree::new(profile, sample_type, By::Line);
        Self {
            rows: function_table(&tree),
            total: tree.total(),
            strings: tree.shape.strings,
            frames: tree.shape.frames,
        }
    }

    /// Value of all samples.
    pub fn total(&self) -> i64 {
        self.total
    }

    /// The lines of a function, which is known by name and file, or without a name of all functions
    /// of a file; in order of line, then function.
    pub fn of(&self, name: Option<&str>, file: &str) -> Vec<LineRow<'_>> {
        let text = |row: &FunctionRow<1>| {
            let frame = &self.frames[row.frame];
            (self.strings.get(frame.name), self.strings.get(frame.file))
        };
        let is_asked = |row: &&FunctionRow<1>| {
            let (function, of) = text(row);
            of == file && name.is_none_or(|name| function == name)
        };
        let mut rows: Vec<LineRow<'_>> = self
            .rows
            .iter()
            .filter(is_asked)
            .map(|row| LineRow {
                function: text(row).0,
                line: self.frames[row.frame].line,
                own: row.own[0],
                total: row.total[0],
            })
            .collect();
        rows.sort_unstable_by_key(|row| (row.line, row.function));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::builder::ProfileBuilder;
    use crate::model::profile::{Function, Line};

    /// A profile from stacks of `function file line`, inlined calls behind `+` of their caller.
    fn profile(samples: &[(&[&str], i64)]) -> Profile {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        for (stack, value) in samples {
            let mut top = None;
            for location in *stack {
                let mut lines: Vec<Line> = location
                    .split('+')
                    .map(|text| {
                        let words: Vec<&str> = text.split(' ').collect();
                        let (name, file) = (b.string(words[0]), b.string(words[1]));
                        let function = b.function(Function {
                            start_line: 1,
                            ..Function::named(name, file)
                        });
                        Line {
                            function: Some(function),
                            line: words[2].parse().expect("a line"),
                            column: 7,
                        }
                    })
                    .collect();
                lines.reverse();
                let location = b.location(None, 0, false, &lines);
                top = Some(b.stack(top, location));
            }
            b.sample(top, None, &[*value]);
        }
        b.finish()
    }

    fn check(name: Option<&str>, file: &str, expect: &[&str]) {
        let profile = profile(&[
            (&["main a.go 3", "f a.go 10", "g b.go 7"], 5),
            (&["main a.go 3", "f a.go 11", "f a.go 11"], 2),
            (&["main a.go 4", "f a.go 10+g a.go 20", "f a.go 12"], 1),
            (&["f b.go 10"], 8),
        ]);
        let table = LineTable::new(&profile, 0);
        assert_eq!(table.total(), 16);
        let rows = table.of(name, file);
        let words: Vec<String> = rows
            .iter()
            .map(|r| format!("{}:{} {}/{}", r.function, r.line, r.own, r.total))
            .collect();
        assert_eq!(words, expect);
    }

    #[test]
    fn a_function_has_the_lines_of_its_file() {
        check(Some("f"), "a.go", &["f:10 0/6", "f:11 2/2", "f:12 1/1"]);
        check(Some("f"), "b.go", &["f:10 8/8"]);
        check(Some("nothing"), "a.go", &[]);
    }

    #[test]
    fn a_file_has_the_lines_of_its_functions() {
        check(
            None,
            "a.go",
            &[
                "main:3 0/7",
                "main:4 0/1",
                "f:10 0/6",
                "f:11 2/2",
                "f:12 1/1",
                "g:20 0/1",
            ],
        );
    }
}
