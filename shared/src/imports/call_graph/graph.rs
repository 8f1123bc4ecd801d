//! A call graph as it is read.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::imports::rows::Rows;
use crate::model::id::LocationId;

/// Bytes that each function takes besides its costs, and each call: what the graph has, and what
/// is worked out of it.
const FUNCTION: usize = 64;
const CALL: usize = 64;

/// A call graph. A function is a location of the profile, whose row is its number. The sample types
/// of the profile are the events; they come before the first function.
pub(crate) struct CallGraph {
    pub(crate) rows: Rows,
    /// Costs of each function itself, those of all events side by side.
    pub(crate) own: Vec<i64>,
    pub(super) calls: Vec<Call>,
    /// Costs of each call with what it called.
    pub(crate) inclusive: Vec<i64>,
    hasher: DefaultHashBuilder,
    known_calls: HashTable<u32>,
}

/// All calls of one function by another.
#[derive(Clone, Copy)]
pub(super) struct Call {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) count: u64,
}

impl CallGraph {
    /// An empty one, of a file of this format and so many bytes.
    pub(crate) fn new(format: &'static str, length: usize) -> Self {
        Self {
            rows: Rows::new(format, length),
            own: Vec::new(),
            calls: Vec::new(),
            inclusive: Vec::new(),
            hasher: DefaultHashBuilder::default(),
            known_calls: HashTable::new(),
        }
    }

    /// How many events there are.
    pub(crate) fn events(&self) -> usize {
        self.rows.builder.profile().sample_types().len()
    }

    /// The number of a function.
    pub(crate) fn function(&mut self, location: LocationId) -> u32 {
        let (number, events) = (location.index(), self.events());
        if self.own.len() <= number * events {
            self.own.resize((number + 1) * events, 0);
            self.rows.beside += FUNCTION + events * size_of::<i64>();
        }
        number as u32
    }

    /// Counts calls of a function by another, and says the row of them all.
    pub(crate) fn call(&mut self, from: u32, to: u32, count: u64) -> u32 {
        let events = self.events();
        let (hasher, calls) = (&self.hasher, &mut self.calls);
        let hash = |from: u32, to: u32| hasher.hash_one((from, to));
        let found = self.known_calls.find(hash(from, to), |&row| {
            let call = calls[row as usize];
            (call.from, call.to) == (from, to)
        });
        let row = match found {
            Some(&row) => row,
            None => {
                let row = calls.len() as u32;
                let count = 0;
                calls.push(Call { from, to, count });
                self.inclusive.resize(calls.len() * events, 0);
                self.rows.beside += CALL + events * size_of::<i64>();
                self.known_calls.insert_unique(hash(from, to), row, |&row| {
                    let call = calls[row as usize];
                    hash(call.from, call.to)
                });
                row
            }
        };
        let known = &mut calls[row as usize].count;
        *known = known.saturating_add(count);
        row
    }
}
