//! Call graph → stacks.
//!
//! A graph says what a function and its callees cost, and what the calls of each of its callers
//! cost, but not which callees a caller's calls led to. So a function's costs are divided between
//! its callers by what their calls cost, and so on down from the functions that nobody calls; each
//! event for itself. speedscope does the same.
//!
//! - Calls that close a cycle are left out, or no stack would end. Of several functions that stacks
//!   can begin with, the one that costs most with its calls is first, by the first event.
//! - There may be far more paths through a graph than calls in it. The costliest are followed, as
//!   many as the size of the file allows; what the others cost stands under `(other calls)`.
//! - The costs of a function on all of its stacks add up to what the file says.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::{Call, CallGraph};
use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::sort::sort_rows;
use crate::formats::decoded::Decoded;
use crate::formats::stack_sums::StackSums;
use crate::imports::error::FormatError;
use crate::imports::rows::Rows;
use crate::model::id::{LocationId, StackId};

/// The frame over what is on no stack.
const OTHER: &str = "(other calls)";

/// Bytes of the file for each stack, and for each event of one: a stack takes some 150 bytes and
/// 16 for each event.
const BYTES_A_STACK: usize = 48;
const BYTES_AN_EVENT: usize = 4;
/// Bytes that any file counts more.
const FIXED: usize = 256 << 10;

/// The profile of a graph that a file of `length` bytes has.
pub(crate) fn stacks(mut graph: CallGraph, length: usize) -> Result<Decoded, FormatError> {
    let types = graph.events();
    let events = types.max(1);
    let functions = graph.own.len() / events;
    let order = Order::of(&graph, functions);
    let warnings = &mut graph.rows.warnings;
    warnings.add(|| {
        "a call graph has no stacks: the cost of a function with several callers is split among the callers by the cost of their calls".to_owned()
    });
    if order.cycles > 0 {
        warnings.add(|| {
            format!(
                "{} calls close a cycle and are left out of the stacks",
                order.cycles
            )
        });
    }
    let symbols = {
        let profile = graph.rows.builder.profile();
        [
            profile.functions.len(),
            profile.lines.len(),
            profile.locations.len(),
        ]
    };
    let other = graph.rows.function(OTHER, "");
    let other = graph.rows.location(None, other, 0);
    let Rows {
        builder,
        mut warnings,
        format,
        ..
    } = graph.rows;
    let mut spread = Spread {
        order: &order,
        calls: &graph.calls,
        shares: Vec::new(),
        below: Vec::new(),
        costly: Costly::default(),
        sums: StackSums::new(builder.finish()),
        other,
        left_out: false,
    };
    let stacks = (length + FIXED) / (BYTES_A_STACK + BYTES_AN_EVENT * events) / events;
    for event in 0..types {
        let column = |values: &[i64]| -> Vec<i64> {
            values.iter().skip(event).step_by(events).copied().collect()
        };
        let (own, inclusive) = (column(&graph.own), column(&graph.inclusive));
        spread.weigh(&own, &inclusive);
        spread.event(event, &own, stacks.max(1), events);
    }
    if spread.left_out {
        warnings.add(|| {
            format!(
                "there are too many paths through the graph: the cheapest are added up in `{OTHER}`"
            )
        });
    }
    let mut profile = spread.sums.finish(&mut warnings);
    if !spread.left_out {
        // What stands for other calls is no function of the program.
        let [functions, lines, locations] = symbols;
        profile.functions.truncate(functions);
        profile.lines.truncate(lines);
        profile.locations.truncate(locations);
    }
    if profile.is_empty() {
        return Err(FormatError::sampleless(format));
    }
    Ok(Decoded {
        profile,
        warnings: warnings.finish(),
    })
}

/// The graph without cycles.
struct Order {
    /// The calls of each function begin here in `calls`.
    starts: Vec<u32>,
    /// Rows of calls by their caller.
    calls: Vec<u32>,
    /// Whether a call is kept.
    kept: Vec<bool>,
    /// Functions, those that are called before their callers.
    upwards: Vec<u32>,
    /// Calls that are not kept, those of a function by itself aside.
    cycles: usize,
}

impl Order {
    fn of(graph: &CallGraph, functions: usize) -> Self {
        let (calls, events) = (&graph.calls[..], graph.events().max(1));
        let mut starts = vec![0u32; functions + 1];
        let mut called = vec![false; functions];
        for call in calls {
            starts[call.from as usize + 1] += 1;
            called[call.to as usize] |= call.from != call.to;
        }
        for function in 0..functions {
            starts[function + 1] += starts[function];
        }
        let mut next = starts.clone();
        let mut by_caller = vec![0u32; calls.len()];
        for (row, call) in calls.iter().enumerate() {
            let place = &mut next[call.from as usize];
            by_caller[*place as usize] = row as u32;
            *place += 1;
        }
        let mut order = Self {
            starts,
            calls: by_caller,
            kept: vec![true; calls.len()],
            upwards: Vec::with_capacity(functions),
            cycles: 0,
        };
        // Where nobody calls comes first; what is then left is called in circles only.
        let mut seen = vec![Seen::No; functions];
        let mut costs: Vec<i64> = graph.own.iter().copied().step_by(events).collect();
        for (row, call) in calls.iter().enumerate() {
            let cost = &mut costs[call.from as usize];
            *cost = cost.saturating_add(graph.inclusive[row * events]);
        }
        let mut roots: Vec<u32> = (0..functions as u32).collect();
        let rank = |root: u32| (called[root as usize], Reverse(costs[root as usize]));
        sort_rows(&mut roots, &mut |a, b| rank(a).cmp(&rank(b)));
        for root in roots {
            order.visit(root, calls, &mut seen);
        }
        order
    }

    /// Visits what a function reaches, depth first.
    fn visit(&mut self, root: u32, calls: &[Call], seen: &mut [Seen]) {
        if seen[root as usize] != Seen::No {
            return;
        }
        seen[root as usize] = Seen::Open;
        let mut path = vec![(root, self.starts[root as usize])];
        while let Some((function, next)) = path.last_mut() {
            let function = *function as usize;
            if *next == self.starts[function + 1] {
                seen[function] = Seen::Done;
                self.upwards.push(function as u32);
                path.pop();
                continue;
            }
            let row = self.calls[*next as usize] as usize;
            *next += 1;
            let callee = calls[row].to;
            match seen[callee as usize] {
                Seen::Done => {}
                Seen::Open => {
                    self.kept[row] = false;
                    self.cycles += usize::from(callee as usize != function);
                }
                Seen::No => {
                    seen[callee as usize] = Seen::Open;
                    path.push((callee, self.starts[callee as usize]));
                }
            }
        }
    }

    /// Rows of the kept calls of a function.
    fn calls_of(&self, function: u32) -> impl Iterator<Item = usize> {
        let range = self.starts[function as usize]..self.starts[function as usize + 1];
        let rows = &self.calls[range.start as usize..range.end as usize];
        let rows = rows.iter().map(|&row| row as usize);
        rows.filter(move |&row| self.kept[row])
    }
}

/// How far a function is visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    No,
    /// It is on the path.
    Open,
    Done,
}

/// A stack to be made.
#[derive(Clone, Copy)]
struct Item {
    function: u32,
    depth: u32,
    parent: Option<StackId>,
    /// Which part of the function's costs belongs to it.
    part: f64,
}

/// Rows of the kept calls that cost something, by their caller. A function has as many stacks as
/// there are ways to it, and each of them looks at its calls: those that cost nothing would be looked
/// at callers × callees times.
#[derive(Default)]
struct Costly {
    rows: Vec<u32>,
    /// Of each function, where its rows end.
    ends: Vec<u32>,
}

impl Costly {
    fn of(&self, function: u32) -> &[u32] {
        let function = function as usize;
        let start = function
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        &self.rows[start as usize..self.ends[function] as usize]
    }
}

struct Spread<'a> {
    order: &'a Order,
    calls: &'a [Call],
    /// Of each call, which part of the callee's costs it has.
    shares: Vec<f64>,
    /// Of each function, what is on its stacks and on those above.
    below: Vec<f64>,
    costly: Costly,
    sums: StackSums,
    other: LocationId,
    left_out: bool,
}

impl Spread<'_> {
    /// Works out shares.
    fn weigh(&mut self, own: &[i64], inclusive: &[i64]) {
        // What all callers' calls cost, and how many there are, for those that cost nothing.
        let mut costs = vec![0f64; own.len()];
        let mut counts = vec![0f64; own.len()];
        let cost = |row: usize| inclusive[row].max(0) as f64;
        let count = |row: usize| self.calls[row].count.max(1) as f64;
        for (row, call) in self.calls.iter().enumerate() {
            if self.order.kept[row] {
                costs[call.to as usize] += cost(row);
                counts[call.to as usize] += count(row);
            }
        }
        self.shares.clear();
        for (row, call) in self.calls.iter().enumerate() {
            let to = call.to as usize;
            let share = if costs[to] > 0.0 {
                cost(row) / costs[to]
            } else {
                count(row) / counts[to].max(1.0)
            };
            self.shares.push(share);
        }
        self.below.clear();
        self.below
            .extend(own.iter().map(|own| own.unsigned_abs() as f64));
        for &function in &self.order.upwards {
            let calls = self.order.calls_of(function);
            let calls = calls.map(|row| self.shares[row] * self.below[self.calls[row].to as usize]);
            let sum: f64 = calls.sum();
            self.below[function as usize] += sum;
        }
        self.costly = Costly::default();
        for function in 0..own.len() as u32 {
            let cost = |&row: &usize| {
                self.shares[row] > 0.0 && self.below[self.calls[row].to as usize] > 0.0
            };
            let rows = self.order.calls_of(function).filter(cost);
            self.costly.rows.extend(rows.map(|row| row as u32));
            self.costly.ends.push(self.costly.rows.len() as u32);
        }
    }

    /// Makes the stacks of an event, the costliest first.
    fn event(&mut self, event: usize, own: &[i64], most: usize, events: usize) {
        let mut items: Vec<Item> = Vec::new();
        let mut waiting = BinaryHeap::new();
        let mut is_root = vec![true; own.len()];
        for (row, call) in self.calls.iter().enumerate() {
            is_root[call.to as usize] &= !self.order.kept[row];
        }
        for function in (0..own.len()).filter(|&function| is_root[function]) {
            if self.below[function] > 0.0 && items.len() < most {
                waiting.push(key(self.below[function], items.len()));
                items.push(Item {
                    function: function as u32,
                    depth: 1,
                    parent: None,
                    part: 1.0,
                });
            }
        }
        // Of each function: which part is on stacks, how much that is, and its costliest stack.
        let mut done = vec![(0f64, 0i64, None); own.len()];
        let mut read = 0;
        while let Some((_, Reverse(row))) = waiting.pop() {
            read += 1;
            let left = most.saturating_sub(read);
            self.sums
                .progress(event * most + read, left + (events - event - 1) * most);
            let Item {
                function,
                depth,
                parent,
                part,
            } = items[row as usize];
            let stack = self.sums.stack(parent, location(function));
            let (parts, given, first) = &mut done[function as usize];
            *parts += part;
            first.get_or_insert(stack);
            // The sum of all is rounded, not each: so they add up.
            let now = (own[function as usize] as f64 * *parts).round() as i64;
            let value = now.saturating_sub(*given);
            *given = now;
            if value != 0 {
                self.sums.add(Some(stack), event, value);
            }
            for &call in self.costly.of(function) {
                let callee = self.calls[call as usize].to;
                let part = part * self.shares[call as usize];
                let weight = part * self.below[callee as usize];
                // A weight of zero is too small for a number.
                if items.len() == most || depth as usize == MAX_STACK_DEPTH || weight == 0.0 {
                    break;
                }
                waiting.push(key(weight, items.len()));
                items.push(Item {
                    function: callee,
                    depth: depth + 1,
                    parent: Some(stack),
                    part,
                });
            }
        }
        let mut over = None;
        for (function, &(parts, given, first)) in done.iter().enumerate() {
            let rest = own[function].saturating_sub(given);
            if rest == 0 {
                continue;
            }
            let stack = match first {
                // Only numbers of limited precision are to blame.
                Some(first) if parts > 1.0 - 1e-6 => first,
                _ => {
                    self.left_out = true;
                    let over = *over.get_or_insert_with(|| self.sums.stack(None, self.other));
                    self.sums.stack(Some(over), location(function as u32))
                }
            };
            self.sums.add(Some(stack), event, rest);
        }
    }
}

/// The order of items: the heaviest first, of equal ones the first. Bits of numbers that are not
/// negative are ordered as the numbers are.
fn key(weight: f64, row: usize) -> (u64, Reverse<u32>) {
    (weight.to_bits(), Reverse(row as u32))
}

/// A function's location has its number.
fn location(function: u32) -> LocationId {
    LocationId::new(function as usize)
}
