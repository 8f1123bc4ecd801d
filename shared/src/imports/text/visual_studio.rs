//! Reports of Visual Studio's profiler: `VSPerfReport /summary:all` up to 2019, and "Export Report
//! Data" of its window. Read are the call tree (`_CallTreeSummary.csv`) and functions or lines
//! (`_FunctionSummary.csv`, `_LineSummary.csv`).
//!
//! Source: "VSPerfReport", "Call Tree View" and "Functions View" in its documentation, and tables that
//! people published.
//!
//! - The columns are told by their names, commas are between, also at the end. Own values count:
//!   `Exclusive Samples`, `Elapsed Exclusive Time` in milliseconds or in percent, `Exclusive Bytes`.
//! - With a column `Level` a row lies below the last row of a lower level. Level 0 is the process.
//! - A table of callers and callees has each function many times and is refused.
//! - Lines of other programs are left out with a warning.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::frames::{Frame, whole};
use crate::imports::rows::{Rows, lines};
use crate::imports::text::cells::{cells, check_commas};
use crate::model::id::{LabelSetId, StackId};

/// What it is called in messages.
pub(crate) const NAME: &str = "Visual Studio profiler report";

/// Of each value: its column, sample type and unit, and how much of it a number is. Of a sample type
/// with two columns, the first one counts that is there.
const VALUES: [(&str, &str, &str, f64); 7] = [
    ("Exclusive Samples", "samples", "count", 1.0),
    ("Exclusive Samples %", "samples", "basis points", 100.0),
    ("Elapsed Exclusive Time", "time", "nanoseconds", 1e6),
    ("Elapsed Exclusive Time %", "time", "basis points", 100.0),
    ("Exclusive Bytes", "alloc_space", "bytes", 1.0),
    ("Exclusive Allocations", "alloc_objects", "count", 1.0),
    ("Number of Calls", "calls", "count", 1.0),
];
/// Whether a line has the names of the columns.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.texts().any(|line| Columns::of(line).is_some())
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader {
        rows: Rows::new(NAME, bytes.len()),
        columns: None,
        values: Vec::new(),
        open: Vec::new(),
        process: None,
    };
    for (number, line) in lines(bytes).filter(|(_, line)| !line.is_empty()) {
        let is_read = reader
            .line(&line)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        if !is_read {
            reader
                .rows
                .warn_left_out(number, "not a row of the table", &line);
        }
        reader.rows.check()?;
    }
    if reader.columns.is_none() {
        let missing = "no header line with column names";
        return Err(FormatError::new(NAME, missing));
    }
    reader.rows.finish()
}

/// Where is what. Looked up once: there may be as many columns as rows.
#[derive(Default)]
struct Columns {
    /// That of the functions.
    name: Option<usize>,
    level: Option<usize>,
    process: Option<usize>,
    module: Option<usize>,
    file: Option<usize>,
    start_line: Option<usize>,
    line: Option<usize>,
    /// What only tables of callers and callees have.
    of_pairs: Option<usize>,
    /// As in [`VALUES`].
    values: [Option<usize>; VALUES.len()],
}

impl Columns {
    fn of(line: &str) -> Option<Self> {
        if !line.contains("Exclusive") {
            return None;
        }
        let mut columns = Self::default();
        for (at, name) in cells(line, ',').iter().enumerate() {
            let name = name.trim();
            let place = match name {
                "Function Name" => &mut columns.name,
                "Level" => &mut columns.level,
                "Process Name" => &mut columns.process,
                "Module Name" => &mut columns.module,
                "Source File" => &mut columns.file,
                "Function Line Number" => &mut columns.start_line,
                "Source Line Begin" => &mut columns.line,
                "Root Function Name" | "Type" => &mut columns.of_pairs,
                _ => match VALUES.iter().position(|value| value.0 == name) {
                    Some(value) => &mut columns.values[value],
                    None => continue,
                },
            };
            place.get_or_insert(at);
        }
        let has_values = columns.values.iter().any(Option::is_some);
        (has_values && columns.name.is_some()).then_some(columns)
    }
}

struct Reader {
    rows: Rows,
    /// Of the line that has their names.
    columns: Option<Columns>,
    /// The column of each sample type, and how much a number is.
    values: Vec<(usize, f64)>,
    /// Level and stack of the rows on the way to the last one.
    open: Vec<(i64, StackId)>,
    /// That of level 0.
    process: Option<LabelSetId>,
}

impl Reader {
    fn begin(&mut self, columns: Columns) -> Result<(), String> {
        if columns.of_pairs.is_some() {
            return Err("caller/callee reports are not supported; open the call tree or the functions (/summary:CallTree or Function)".to_owned());
        }
        let mut last = "";
        for (column, (_, kind, unit, scale)) in columns.values.into_iter().zip(VALUES) {
            if let Some(column) = column.filter(|_| kind != last) {
                self.rows.builder.sample_type(kind, unit);
                self.values.push((column, scale));
                last = kind;
            }
        }
        self.columns = Some(columns);
        Ok(())
    }

    /// False for a line that is no part of the table.
    fn line(&mut self, line: &str) -> Result<bool, String> {
        let Some(columns) = &self.columns else {
            return match Columns::of(line) {
                Some(columns) => self.begin(columns).map(|()| true),
                None => Ok(false),
            };
        };
        if !line.contains(',') {
            return Ok(false);
        }
        let cells = cells(line, ',');
        let cell = |column: Option<usize>| {
            let cell = column.and_then(|column| cells.get(column));
            cell.map_or("", |cell| cell.trim())
        };
        if columns.name >= Some(cells.len()) {
            return Err(format!("fewer columns than column names: {:?}", cut(line)));
        }
        let name = cell(columns.name);
        let mut values = Vec::with_capacity(self.values.len());
        for &(column, scale) in &self.values {
            values.push(number(cell(Some(column)), scale)?);
        }
        let whole = |column| number(cell(column), 1.0);
        let level = match columns.level {
            None => 1,
            column => whole(column)?,
        };
        while self.open.pop_if(|open| open.0 >= level).is_some() {}
        if self.open.len() == MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        let process = if level == 0 {
            name
        } else {
            cell(columns.process)
        };
        let mut labels = self.process;
        if !process.is_empty() {
            let label = self.rows.text("process", process);
            labels = self.rows.builder.label_set(&mut [label]);
        }
        let mut stack = None;
        if level == 0 {
            self.process = labels;
        } else {
            let lines = (whole(columns.start_line)?, whole(columns.line)?);
            let module = self.rows.module(cell(columns.module));
            let builder = &mut self.rows.builder;
            let frame = Frame {
                file: builder.string(cell(columns.file)),
                start_line: lines.0,
                line: lines.1,
                mapping: module,
                ..Frame::named(builder.string(name))
            };
            let location = frame.location(builder);
            let above = self.open.last().map(|open| open.1);
            let below = self.rows.builder.stack(above, location);
            self.open.push((level, below));
            stack = Some(below);
        }
        if values.iter().any(|&value| value != 0) {
            self.rows.builder.sample(stack, labels, &values);
        }
        Ok(true)
    }
}

/// A number such as `8,735` or `18.39`, of which one is `scale`; 0 for an empty cell.
fn number(text: &str, scale: f64) -> Result<i64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    check_commas(text, text)?;
    let number: Result<f64, _> = text.replace(',', "").parse();
    let number = number.ok().filter(|number| number.is_finite());
    let number = number.ok_or_else(|| format!("not a number: {:?}", cut(text)))?;
    Ok(whole(number, scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    fn check(text: &str, samples: &str) {
        assert!(sniff(Start::of(text.as_bytes())));
        let decoded = decode(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}"));
        assert_eq!(drawn(&decoded.profile), samples);
        assert_eq!(decoded.warnings, [""; 0]);
    }

    #[test]
    fn call_trees() {
        check(
            "Level,Function Name,Inclusive Samples,Exclusive Samples,Inclusive Samples %,Exclusive Samples %,Module Name,\r\n\
             0,\"a.exe\",\"8,735\",1,100.00,0.00,\"\",\r\n1,\"main\",\"8,735\",0,100.00,0.00,\"a.exe\",\r\n\
             2,\"f<a, \"\"b\"\">\",\"8,700\",\"8,694\",3.50,0.18,\"a.exe\",\r\n3,\"g\",6,6,0.01,0.01,\"b.dll\",\r\n2,\"g\",34,34,0.4,0.4,\"b.dll\",\r\n",
            "samples/count\n process=a.exe 1\nmain;f<a, \"b\"> process=a.exe 8694\nmain;f<a, \"b\">;g process=a.exe 6\n\
             main;g process=a.exe 34\n",
        );
        // As in the tests of inferno, where SwapBuffers takes 15 of these for each call.
        check(
            "Level,Function Name,Number of Calls,Elapsed Inclusive Time %,Elapsed Exclusive Time %,\
             Avg Elapsed Inclusive Time,Avg Elapsed Exclusive Time,Module Name,\n\
             0,\"R.exe\",0,100.00,0.00,0.00,0.00,\"\",\n1,\"R.Main()\",1,8.75,0.69,\"18,160.51\",\"1,426.50\",\"R.exe\",\n\
             2,\"Swap()\",\"1,118\",0.86,0.86,15.14,15.14,\"T.dll\",\n",
            "time/basis points\ncalls/count\nR.Main() process=R.exe 69 1\nR.Main();Swap() process=R.exe 86 1118\n",
        );
    }

    #[test]
    fn functions_and_lines() {
        check(
            "Function Name,Inclusive Samples,Exclusive Samples,Source File,Function Line Number,Module Name,Process Name,Process ID,\n\
             f,7,3,c:\\a.c,12,a.exe,a.exe,77,\ng,4,4,,0,b.dll,a.exe,77,\n",
            "samples/count\nf c:\\a.c process=a.exe 3\ng process=a.exe 4\n",
        );
        check(
            "Function Name,Exclusive Samples,Source Line Begin,Source File,\nf,3,14,a.c,\n",
            "samples/count\nf a.c:14 3\n",
        );
        check(
            "Function Name,Elapsed Exclusive Time,Elapsed Exclusive Time %,\nf,\"1,015.14\",3.00,\n",
            "time/nanoseconds\nf 1015140000\n",
        );
        check(
            "Function Name,Exclusive Allocations,Exclusive Bytes,\nf,3,64,\n",
            "alloc_space/bytes\nalloc_objects/count\nf 64 3\n",
        );
    }

    #[test]
    fn what_is_wrong() {
        for (text, expect) in [
            (
                "Level,Function Name,Exclusive Samples,\nx,f,3,\n",
                ", line 2: not a number: \"x\"",
            ),
            (
                "Function Name,Exclusive Samples,\nf,\"18,39\",\n",
                ", line 2: expected a decimal point, got a decimal comma: \"18,39\"",
            ),
            (
                "Function Name,Exclusive Samples,\nf,x,\n",
                ", line 2: not a number: \"x\"",
            ),
            (
                "Exclusive Samples,Module Name,Function Name,\n5,a\n",
                ", line 2: fewer columns than column names: \"5,a\"",
            ),
            (
                "Type,Root Function Name,Function Name,Exclusive Samples,\n",
                ", line 1: caller/callee reports are not supported; open the call tree or the functions (/summary:CallTree or Function)",
            ),
            (
                "Function Name,Exclusive Samples,\n",
                ": there are no samples",
            ),
            ("a,b\n", ": no header line with column names"),
        ] {
            let error = decode(text.as_bytes()).expect_err(text).to_string();
            assert_eq!(error, format!("{NAME}{expect}"));
        }
    }
}
