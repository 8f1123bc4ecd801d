//! What a service does, from an indented text: a call a line, the caller one step further left.
//!
//! `name | file:line [| cpu [allocated [in use]]] [| since VERSION or until VERSION]`, the weights
//! being those of the function itself. A condition holds for all that is called from there.
//!
//! What libraries and runtimes do inside stands once, in `library.txt`, in the same form: a call
//! that calls nothing takes over what is there under its name, and its own weight is spread over
//! that.

use std::collections::HashMap;

/// Calls, callers before callees.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) calls: Vec<Call>,
    /// Sum of the CPU weights of what runs in the first version.
    pub(super) cpu_weight: f64,
}

/// One call in one place.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) parent: Option<usize>,
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    pub(super) line: i64,
    pub(super) cpu: f64,
    pub(super) allocated: f64,
    pub(super) in_use: f64,
    pub(super) when: When,
}

/// In which versions a call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    Since(&'static str),
    Until(&'static str),
}

impl When {
    pub(super) fn holds(self, version: &str) -> bool {
        match self {
            Self::Always => true,
            Self::Since(first) => version == first,
            Self::Until(end) => version != end,
        }
    }
}

impl Code {
    pub(super) fn parse(text: &'static str) -> Self {
        let mut calls = lines(text);
        graft(&mut calls, &lines(include_str!("library.txt")));
        let first_version = calls.iter().filter(|c| !matches!(c.when, When::Since(_)));
        let cpu_weight = first_version.map(|c| c.cpu).sum();
        Self { calls, cpu_weight }
    }
}

fn lines(text: &'static str) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for line in text.lines() {
        let depth = (line.len() - line.trim_start().len()) / 2;
        open.truncate(depth);
        let parent = open.last().copied();
        open.push(calls.len());
        let mut call = call(line.trim(), parent);
        if let (Some(parent), When::Always) = (parent, call.when) {
            call.when = calls[parent].when;
        }
        calls.push(call);
    }
    calls
}

/// Gives calls that call nothing what the library says of their name; what it says may name more of
/// itself.
fn graft(calls: &mut Vec<Call>, library: &[Call]) {
    let entries = (0..library.len()).filter(|&row| library[row].parent.is_none());
    let entry_of: HashMap<&str, usize> = entries.map(|row| (library[row].name, row)).collect();
    let mut has_callees = vec![false; calls.len()];
    calls
        .iter()
        .filter_map(|call| call.parent)
        .for_each(|parent| has_callees[parent] = true);
    let mut at = 0;
    while at < calls.len() {
        let first = entry_of.get(calls[at].name).filter(|_| !has_callees[at]);
        if let Some(&first) = first {
            let below = library[first + 1..]
                .iter()
                .take_while(|call| call.parent.is_some());
            let rows: Vec<&Call> = below.collect();
            let (base, when, cpu) = (calls.len(), calls[at].when, calls[at].cpu);
            let whole = library[first].cpu + rows.iter().map(|call| call.cpu).sum::<f64>();
            calls[at].cpu = cpu * library[first].cpu / whole;
            calls.extend(rows.into_iter().map(|call| {
                let parent = call.parent.map(|parent| {
                    if parent == first {
                        at
                    } else {
                        base + parent - first - 1
                    }
                });
                Call {
                    parent,
                    when,
                    cpu: call.cpu * cpu / whole,
                    ..call.clone()
                }
            }));
            // What was added has its own callees already, but for its leaves.
            has_callees.resize(calls.len(), false);
            calls[base..]
                .iter()
                .filter_map(|call| call.parent)
                .for_each(|parent| has_callees[parent] = true);
        }
        at += 1;
    }
}

fn call(line: &'static str, parent: Option<usize>) -> Call {
    let mut columns = line.split(" | ");
    let name = columns.next().unwrap_or("");
    let place = columns
        .next()
        .unwrap_or_else(|| panic!("{name:?} has no file and line"));
    let (file, line) = place
        .rsplit_once(':')
        .unwrap_or_else(|| panic!("{name:?} has no line number"));
    let mut call = Call {
        parent,
        name,
        file,
        line: line
            .parse()
            .unwrap_or_else(|_| panic!("{name:?}: {line:?} is not a line number")),
        cpu: 0.0,
        allocated: 0.0,
        in_use: 0.0,
        when: When::Always,
    };
    for column in columns {
        match column.split_once(' ') {
            Some(("since", version)) => call.when = When::Since(version),
            Some(("until", version)) => call.when = When::Until(version),
            _ => {
                let mut weights = column.split(' ').map(|w| {
                    w.parse()
                        .unwrap_or_else(|_| panic!("{name:?}: invalid weight {w:?}"))
                });
                call.cpu = weights.next().unwrap_or(0.0);
                call.allocated = weights.next().unwrap_or(0.0);
                call.in_use = weights.next().unwrap_or(0.0);
            }
        }
    }
    call
}
