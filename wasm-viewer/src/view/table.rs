//! The table of functions, in the order and with the filter that were asked for last.

use pilotlight_core::{FunctionRow as Row, NodeId, Pattern};

use super::values::{Values, both, both_exact};
use crate::answers::{FunctionRow, TablePage};
use crate::error::SessionError;

/// A column of the function table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Sort {
    Own,
    Total,
    Name,
    Delta,
    OwnDelta,
}

impl Sort {
    /// `self`, `total`, `name`, `delta` or `self_delta`.
    pub fn parse(text: &str) -> Result<Self, SessionError> {
        match text {
            "self" => Ok(Self::Own),
            "total" => Ok(Self::Total),
            "name" => Ok(Self::Name),
            "delta" => Ok(Self::Delta),
            "self_delta" => Ok(Self::OwnDelta),
            other => Err(SessionError::Sort(other.to_owned())),
        }
    }
}

#[derive(PartialEq)]
pub(super) struct Order {
    pub(super) sort: Sort,
    pub(super) descending: bool,
    pub(super) filter: String,
}

/// A row for each function of a tree, in the order of its frames.
pub(super) struct Table {
    rows: Vec<Row<2>>,
    sorted: Option<(Order, Vec<u32>)>,
}

impl Table {
    pub(super) fn new(values: &Values) -> Self {
        Self {
            rows: values.rows(),
            sorted: None,
        }
    }

    /// The same functions with the number of their nodes in another tree of the same frames.
    pub(super) fn counted_in(&self, values: &Values) -> Self {
        let shape = values.shape();
        let mut counts = vec![0; shape.frames().len()];
        for node in 1..shape.len() as u32 {
            counts[shape.frame_index(NodeId(node))] += 1;
        }
        let mut rows = self.rows.clone();
        for row in &mut rows {
            row.nodes = counts[row.frame];
        }
        Self { rows, sorted: None }
    }

    /// Adds to what a frame has of its own.
    pub(super) fn add_own(&mut self, frame: usize, value: [i64; 2]) {
        let at = self.rows.binary_search_by_key(&frame, |row| row.frame);
        if let Some(row) = at.ok().and_then(|at| self.rows.get_mut(at)) {
            row.own[0] += value[0];
        }
    }

    /// Without the row of a frame.
    pub(super) fn without(&mut self, frame: usize) {
        self.rows.retain(|row| row.frame != frame);
    }

    /// The row of a frame; the root has none.
    pub(super) fn of(&self, frame: usize) -> Option<Row<2>> {
        let at = self.rows.binary_search_by_key(&frame, |row| row.frame);
        at.ok().map(|at| self.rows[at])
    }

    pub(super) fn page(
        &mut self,
        values: &Values,
        order: Order,
        offset: u32,
        limit: u32,
    ) -> Result<TablePage, SessionError> {
        if self
            .sorted
            .as_ref()
            .is_none_or(|(known, _)| *known != order)
        {
            let rows = self.sort(values, &order)?;
            self.sorted = Some((order, rows));
        }
        let sorted = self.sorted.as_ref().map_or(&[][..], |(_, rows)| rows);
        let page = sorted.iter().skip(offset as usize).take(limit as usize);
        let page = page.map(|&i| answer(values, &self.rows[i as usize]));
        Ok(TablePage {
            rows: page.collect(),
            count: sorted.len() as u32,
        })
    }

    fn sort(&self, values: &Values, order: &Order) -> Result<Vec<u32>, SessionError> {
        let pattern = Pattern::parse(&order.filter)?;
        let shape = values.shape();
        let name = |i: u32| {
            let frame = &shape.frames()[self.rows[i as usize].frame];
            (shape.text(frame.name), shape.text(frame.file))
        };
        let mut rows: Vec<u32> = (0..self.rows.len() as u32).collect();
        rows.retain(|&i| pattern.as_ref().is_none_or(|p| p.matches(name(i).0)));
        let key = |i: u32| -> i128 {
            let row = &self.rows[i as usize];
            match order.sort {
                Sort::Own => both_exact(row.own),
                Sort::Total => both_exact(row.total),
                Sort::Delta => change(row.total),
                Sort::OwnDelta => change(row.own),
                Sort::Name => 0,
            }
        };
        // Equal values stay in order of name, whichever way they are sorted.
        rows.sort_by(|&a, &b| {
            let by_value = if order.descending {
                key(b).cmp(&key(a))
            } else {
                key(a).cmp(&key(b))
            };
            let by_name = name(a).cmp(&name(b));
            by_value.then(if order.sort == Sort::Name && order.descending {
                by_name.reverse()
            } else {
                by_name
            })
        });
        Ok(rows)
    }
}

/// From the baseline to the comparison.
fn change([base, comparison]: [i64; 2]) -> i128 {
    i128::from(comparison) - i128::from(base)
}

/// What is told of a function.
pub(super) fn answer(values: &Values, row: &Row<2>) -> FunctionRow {
    let shape = values.shape();
    let frame = &shape.frames()[row.frame];
    FunctionRow {
        func: row.frame as u32,
        name: shape.text(frame.name).to_owned(),
        file: shape.text(frame.file).to_owned(),
        own: both(row.own),
        total: both(row.total),
        self_fraction: values.fraction(row.own),
        total_fraction: values.fraction(row.total),
        diff: values.sides(row.own, row.total),
    }
}
