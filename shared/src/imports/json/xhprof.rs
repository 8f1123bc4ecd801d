//! Call graphs of PHP's xhprof and its successors (tideways, Liveprof, Longxhprof), as JSON.
//!
//! Source: `xhprof_lib.php` of xhprof, and the field table of tideways_xhprof.
//!
//! - A key is `caller==>function`, or a function that nobody calls. Its values are those of all such
//!   calls with what they call: `ct` calls, `wt` and `cpu` microseconds, `mu` bytes. So a
//!   function's own are those of its callers' calls less those of its calls.
//! - XHGui puts the graph into an object with the key `profile`.
//! - A graph has no stacks. [`call_graph`](crate::imports::call_graph) says how they are made.

use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::imports::call_graph::{self, CallGraph};
use crate::imports::error::FormatError;
use crate::imports::frames::Frame;
use crate::imports::json::reader::{Problem, Reader};

/// What it is called in messages.
pub(crate) const NAME: &str = "xhprof profile";

const CALLS: &str = "==>";

/// Of each value: its key, sample type, unit and scale. The first that a file has decides where
/// stacks begin.
const VALUES: [(&str, &str, &str, i64); 4] = [
    ("wt", "wall", "nanoseconds", 1_000),
    ("cpu", "cpu", "nanoseconds", 1_000),
    ("ct", "calls", "count", 1),
    ("mu", "space", "bytes", 1),
];
const COUNT: &str = "ct";
/// What may be below zero: a function may free more than it allocates.
const SIGNED: &str = "mu";

/// Whether this is a graph of calls.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Xhprof)
}

/// Decodes a file. Memory is linear in its size; [`call_graph`] bounds the tree that becomes of it.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut graph = CallGraph::new(NAME, bytes.len());
    let mut has = [false; VALUES.len()];
    each_call(bytes, |json, _| {
        json.object(&mut |json, key| {
            if let Some(column) = VALUES.iter().position(|value| value.0 == key) {
                has[column] = true;
            }
            json.skip()
        })
    })?;
    let mut columns = Vec::new();
    for (value, _) in VALUES.into_iter().zip(has).filter(|(_, has)| *has) {
        graph.rows.sample_type(value.1, value.2)?;
        columns.push(value);
    }
    let default = graph
        .rows
        .builder
        .string(columns.first().map_or("", |value| value.1));
    graph.rows.builder.header().default_sample_type = default;
    let mut reader = Calls { graph, columns };
    each_call(bytes, |json, key| reader.calls(json, key))?;
    reader.graph.rows.check()?;
    let events = reader.columns.len().max(1);
    let mut negative = 0u64;
    for (place, own) in reader.graph.own.iter_mut().enumerate() {
        if *own < 0 && reader.columns[place % events].0 != SIGNED {
            *own = 0;
            negative += 1;
        }
    }
    if negative > 0 {
        reader.graph.rows.warnings.add(|| {
            format!("{negative} functions have smaller values than their callees, so their self values are set to 0")
        });
    }
    call_graph::stacks(reader.graph, bytes.len())
}

/// Goes through the objects that may be the values of a call, each with its key.
fn each_call(
    bytes: &[u8],
    mut call: impl FnMut(&mut Reader<'_>, &str) -> Result<(), Problem>,
) -> Result<(), FormatError> {
    let mut json = Reader::of(bytes, NAME)?;
    json.object(&mut |json, key| match key {
        "profile" => json.object(&mut |json, key| call(json, key)),
        _ if json.peek()? == b'{' => call(json, key),
        _ => json.skip(),
    })
    .map_err(|problem| problem.of(NAME))
}

struct Calls {
    graph: CallGraph,
    columns: Vec<(&'static str, &'static str, &'static str, i64)>,
}

impl Calls {
    /// Reads the values of calls.
    fn calls(&mut self, json: &mut Reader<'_>, key: &str) -> Result<(), Problem> {
        let mut values = [0i64; VALUES.len()];
        let mut is_known = false;
        json.object(&mut |json, key| {
            let column = self.columns.iter().position(|value| value.0 == key);
            match column {
                Some(column) => {
                    is_known = true;
                    values[column] = json.number(self.columns[column].3)?.unwrap_or(0);
                    Ok(())
                }
                None => json.skip(),
            }
        })?;
        if !is_known {
            return Ok(());
        }
        let (caller, name) = match key.split_once(CALLS) {
            Some((caller, name)) => (Some(caller), name),
            None => (None, key),
        };
        let events = self.columns.len();
        let function = self.function(name);
        let call = caller.map(|caller| {
            let caller = self.function(caller);
            let count = self.columns.iter().position(|value| value.0 == COUNT);
            let count = count.map_or(1, |column| values[column].unsigned_abs());
            (caller, self.graph.call(caller, function, count) as usize)
        });
        for (column, value) in self.columns.iter().enumerate() {
            let add = |sums: &mut Vec<i64>, row: usize, amount: i64| {
                let sum = &mut sums[row * events + column];
                *sum = sum.saturating_add(amount);
            };
            let graph = &mut self.graph;
            add(&mut graph.own, function as usize, values[column]);
            if let Some((caller, row)) = call {
                add(&mut graph.inclusive, row, values[column]);
                if value.0 != COUNT {
                    add(
                        &mut graph.own,
                        caller as usize,
                        values[column].saturating_neg(),
                    );
                }
            }
        }
        let check = self.graph.rows.check();
        check.map_err(|error| json.problem(error.problem))
    }

    fn function(&mut self, name: &str) -> u32 {
        let builder = &mut self.graph.rows.builder;
        let name = builder.string(name);
        let location = Frame::named(name).location(builder);
        self.graph.function(location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    const GRAPH: &str = r#"{"main()==>f":{"ct":2,"wt":60,"mu":-8},"f==>g":{"ct":3,"wt":25,"mu":8},
        "main()==>g":{"ct":1,"wt":5,"mu":0},"main()":{"ct":1,"wt":100,"mu":16}}"#;

    #[test]
    fn what_is_called_is_taken_off() {
        for text in [
            GRAPH.to_owned(),
            format!(r#"{{"meta":{{"url":"/"}},"profile":{GRAPH}}}"#),
        ] {
            assert!(sniff(Start::of(text.as_bytes())));
            let decoded = decode(text.as_bytes()).expect("good");
            let profile = &decoded.profile;
            assert_eq!(
                drawn(profile),
                "wall/nanoseconds\ncalls/count\nspace/bytes\nmain() 35000 1 24\n\
                 main();f 35000 2 -16\nmain();f;g 25000 3 8\nmain();g 5000 1 0\n"
            );
            assert_eq!(
                [0, 1, 2].map(|column| profile.total(column)),
                [100_000, 7, 16]
            );
            assert_eq!(decoded.warnings.len(), 1, "that a graph has no stacks");
        }
    }

    #[test]
    fn a_function_may_have_less_than_what_it_calls() {
        let text = r#"{"main()":{"ct":1,"wt":5},"main()==>f":{"ct":1,"wt":7}}"#;
        assert_eq!(
            decode(text.as_bytes()).expect("good").warnings[0],
            "1 functions have smaller values than their callees, so their self values are set to 0"
        );
        assert!(!sniff(Start::of(b"{\"a\":\"b==>c\"}")));
    }
}
