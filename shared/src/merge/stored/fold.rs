//! A sum that outgrows memory, made smaller for an answer that shows the largest nodes only.
//!
//! First every frame becomes its function's name, and rows of the same names become one. Nothing
//! is lost of a tree of names by that. If it is not enough, the lightest subtrees go, and what they
//! count stays with the row that called them. The total of each row that stays is the same then.
//!
//! A row that went may come again, and then lacks what it had before. No subtree that went weighed
//! more than the heaviest that went with it, and what a node of the final tree lacks went with at most
//! one subtree each time. So the sum of these heaviest weights bounds the error of every node. That
//! of a function, which has many nodes, is bounded by all that went.

use std::ops::Range;

use super::{Path, Row, StoredMerger, add_to};
use crate::merge::canonical::in_order;
use crate::model::address_name::location_name;
use crate::model::builder::ProfileBuilder;
use crate::model::id::LocationId;
use crate::model::profile::Profile;

/// By how much the numbers of a sum may be wrong at most, since light subtrees were folded. Where no
/// value is negative, totals are only ever too low.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorBounds {
    /// The total of each node of the tree of names; that of the root is exact.
    pub node: u64,
    /// Self value and total of each function, and what each calls: of all nodes together.
    pub function: u64,
}

impl ErrorBounds {
    /// Whether nothing was lost.
    pub fn is_exact(self) -> bool {
        self == Self::default()
    }

    /// Those of a sum.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            node: self.node.saturating_add(other.node),
            function: self.function.saturating_add(other.function),
        }
    }
}

impl StoredMerger {
    /// Folds the lightest subtrees until about `most` bytes are held, by names of functions.
    pub(crate) fn fold(&mut self, most: usize) {
        if self.rows.len() == 1 {
            return;
        }
        *self = std::mem::take(self).by_name();
        while self.held() > most && self.rows.len() > 1 {
            let keep = (self.rows.len() - 1) as u128 * most as u128 / self.held() as u128;
            self.drop_lightest(keep as usize);
            // Names that only dropped rows had go here.
            *self = std::mem::take(self).by_name();
        }
    }

    /// By how much its numbers may be wrong.
    pub(crate) fn error_bounds(&self) -> ErrorBounds {
        self.error_bounds
    }

    /// The same sum over names alone, without symbols that no row needs.
    fn by_name(self) -> Self {
        let Self {
            tables,
            rows,
            forks,
            saturated,
            error_bounds,
            ..
        } = self;
        drop(forks);
        let profile = tables.builder.finish();
        let mut named = Self {
            saturated,
            error_bounds,
            ..Self::default()
        };
        // Adds the header alone, since it has no samples; a sum of nothing takes any header.
        let _ = named.tables.add(&in_order(&profile));
        named.rows[0].total = rows[0].total;
        let mut names = Names::of(&profile);
        let mut new_rows = vec![0u32; rows.len()];
        for (number, row) in rows.iter().enumerate().skip(1) {
            let mut at = new_rows[row.path.caller as usize];
            let chain = names.chain(row.path.location, &mut named.tables.builder);
            for &location in &names.locations[chain] {
                let caller = at;
                at = named.find_or_append(Path { caller, location }) as u32;
            }
            named.saturated += add_to(&mut named.rows[at as usize].total, row.total);
            new_rows[number] = at;
        }
        named
    }

    /// Keeps so many rows beside that of the root, the heaviest, and adds what the others count to
    /// those that they were called from. `keep` is less than there are.
    fn drop_lightest(&mut self, keep: usize) {
        let weights = self.weights();
        let mut ranked = weights[1..].to_vec();
        let (stay, &mut least, _) = ranked.select_nth_unstable_by(keep, |a, b| b.cmp(a));
        // Of equal ones the first that were met stay.
        let mut ties = stay.iter().filter(|&&weight| weight == least).count();
        drop(ranked);
        let mut new_rows = vec![0u32; weights.len()];
        let mut stays = vec![true; weights.len()];
        let (mut next, mut function) = (1, 0u64);
        for (number, &weight) in weights.iter().enumerate().skip(1) {
            let Row { path, total } = self.rows[number];
            let (caller, is_tie) = (path.caller as usize, weight == least);
            // A caller comes earlier and weighs no less.
            stays[number] = stays[caller] && (weight > least || is_tie && ties > 0);
            if stays[number] {
                ties -= usize::from(is_tie);
                let caller = new_rows[caller];
                let path = Path { caller, ..path };
                self.rows[next] = Row { path, total };
                new_rows[number] = next as u32;
                next += 1;
            } else {
                if stays[caller] {
                    function = function.saturating_add(weight);
                }
                new_rows[number] = new_rows[caller];
                let kept = &mut self.rows[new_rows[caller] as usize].total;
                self.saturated += add_to(kept, total);
            }
        }
        self.rows.truncate(next);
        let node = least;
        self.error_bounds = self.error_bounds.plus(ErrorBounds { node, function });
    }

    /// For each row the sum of the sizes of all values at and below it: never less than that of a
    /// callee, whatever the signs.
    fn weights(&self) -> Vec<u64> {
        let mut weights: Vec<u64> = self
            .rows
            .iter()
            .map(|row| row.total.unsigned_abs())
            .collect();
        for number in (1..weights.len()).rev() {
            let caller = self.rows[number].path.caller as usize;
            weights[caller] = weights[caller].saturating_add(weights[number]);
        }
        weights
    }
}

/// The locations that stand for those of a profile by the names of their functions.
struct Names<'a> {
    profile: &'a Profile,
    /// Where those of each location begin and end, as far as they were needed.
    chains: Vec<Option<(u32, u32)>>,
    /// Outermost call first.
    locations: Vec<LocationId>,
}

impl<'a> Names<'a> {
    fn of(profile: &'a Profile) -> Self {
        Self {
            profile,
            chains: vec![None; profile.locations.len()],
            locations: Vec::new(),
        }
    }

    /// Which of [`Self::locations`] stand for a location; one at least.
    fn chain(&mut self, location: LocationId, to: &mut ProfileBuilder) -> Range<usize> {
        let (start, end) = match self.chains[location.index()] {
            Some(chain) => chain,
            None => {
                let start = self.locations.len() as u32;
                self.append(location, to);
                let chain = (start, self.locations.len() as u32);
                self.chains[location.index()] = Some(chain);
                chain
            }
        };
        start as usize..end as usize
    }

    fn append(&mut self, location: LocationId, to: &mut ProfileBuilder) {
        let (profile, before) = (self.profile, self.locations.len());
        for line in profile.lines(location).iter().rev() {
            let Some(function) = line.function else {
                continue;
            };
            let name = profile.function_name(function);
            self.locations.push(to.named_location(name));
        }
        if self.locations.len() == before {
            let name = location_name(profile, location);
            self.locations.push(to.named_location(&name));
        }
    }
}

#[cfg(test)]
mod tests;
