//! The same merge for stored profiles: of one sample type, without sample labels, their stacks
//! mostly each once.
//!
//! So equal stacks can be one row here, which a merge of files leaves apart, and a sample is a
//! number beside its stack. A block's stacks are those of a few minutes in order of their first
//! sight: the rows of a path mostly stand together, but paths stand in another order than in the
//! block before. A row is first held against the row after the one found last, then against the row
//! after its caller's. Only rows that do not follow their caller's are looked up, one for each path
//! that forks off another; as equal callers are one row, a look-up compares two numbers.
//!
//! Only rows that a sample needs are looked at: a query may take few profiles out of a block that
//! has the stacks of all.

mod fold;

use std::hash::BuildHasher;

use hashbrown::DefaultHashBuilder;

pub use fold::ErrorBounds;

use crate::merge::canonical::in_order;
use crate::merge::merger::{MergeError, Merged, TableMerge};
use crate::merge::sample_index::SampleIndex;
use crate::model::id::{LocationId, StackId};
use crate::model::profile::{Profile, Stack};

/// A merge in progress.
pub(crate) struct StoredMerger {
    tables: TableMerge,
    /// Stacks by number: 0 for that without frames. A caller comes before what it calls.
    rows: Vec<Row>,
    /// Rows that do not follow their caller's, by that and their location.
    forks: SampleIndex,
    /// Differs from merge to merge, so that nobody can prepare stacks that collide.
    key: u64,
    saturated: u64,
    /// Of what [`Self::fold`] took.
    error_bounds: ErrorBounds,
}

/// A stack and its sum, side by side: where the rows of a block go is a step to somewhere else in
/// memory for each path.
struct Row {
    path: Path,
    total: i64,
}

/// A location and the number of the stack that it was called from.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Path {
    caller: u32,
    location: LocationId,
}

impl Default for StoredMerger {
    fn default() -> Self {
        let key = DefaultHashBuilder::default().hash_one(0u64) | 1;
        // Nothing is held against the first row.
        let rows = vec![Row {
            path: Path {
                caller: 0,
                location: LocationId::FIRST,
            },
            total: 0,
        }];
        Self {
            tables: TableMerge::default(),
            rows,
            forks: SampleIndex::default(),
            key,
            saturated: 0,
            error_bounds: ErrorBounds::default(),
        }
    }
}

impl StoredMerger {
    /// Adds a profile.
    pub(crate) fn add(&mut self, profile: &Profile) -> Result<(), MergeError> {
        let sums = self.sums(profile);
        self.add_sums(profile, &sums)
    }

    /// Sums over the stacks of a profile, each at the place of its stack's number.
    pub(crate) fn sums(&mut self, profile: &Profile) -> Vec<i64> {
        let mut sums = vec![0; profile.stacks.len() + 1];
        let values = profile
            .samples
            .values
            .first()
            .map_or(&[][..], Vec::as_slice);
        for (&stack, &value) in profile.samples.stacks.iter().zip(values) {
            self.saturated += add_to(&mut sums[StackId::number(stack) as usize], value);
        }
        sums
    }

    /// Adds sums over the stacks of a profile, each at the place of its stack's number. Samples of
    /// the profile count for nothing.
    pub(crate) fn add_sums(&mut self, from: &Profile, sums: &[i64]) -> Result<(), MergeError> {
        let tables = self.tables.add(from)?;
        if self.rows.len() == 1 {
            self.rows.reserve(from.stacks.len());
        }
        if let Some(&sum) = sums.first() {
            self.saturated += add_to(&mut self.rows[0].total, sum);
        }
        let mut known = needed(from, sums);
        let mut next = 1;
        for (theirs, stack) in (1..).zip(&from.stacks) {
            if known[theirs] == 0 {
                continue;
            }
            // Callers come first, so that of a needed stack is known.
            let path = Path {
                caller: known[StackId::number(stack.parent) as usize],
                location: tables.locations[stack.location.index()],
            };
            if self.rows.get(next).is_none_or(|row| row.path != path) {
                next = self.find_or_append(path);
            }
            // Most sums are zero, but which are cannot be foreseen: adding them is quicker than
            // looking.
            self.saturated += add_to(
                &mut self.rows[next].total,
                sums.get(theirs).copied().unwrap_or(0),
            );
            known[theirs] = next as u32;
            next += 1;
        }
        Ok(())
    }

    /// The number of a stack.
    fn find_or_append(&mut self, path: Path) -> usize {
        let (following, end) = (path.caller as usize + 1, self.rows.len());
        if following < end {
            if self.rows[following].path == path {
                return following;
            }
            let hash = self.hash(path);
            if let Some(found) = self
                .forks
                .find(hash, |row| self.rows[row as usize].path == path)
            {
                return found as usize;
            }
            self.forks.reserve(1);
            self.forks.insert(
                hash,
                u32::try_from(end).expect("tables stay below u32::MAX rows"),
            );
        }
        self.rows.push(Row { path, total: 0 });
        end
    }

    /// Two multiplications, as the first alone would be a linear function of what is hashed.
    fn hash(&self, path: Path) -> u64 {
        let step = |hash: u64, word: u64| {
            let product = (hash ^ word).wrapping_mul(self.key);
            product ^ product >> 32
        };
        step(
            step(self.key, path.caller.into()),
            path.location.index() as u64,
        )
    }

    /// About how many bytes the sum holds so far, those of the indices over it included.
    pub(crate) fn held(&self) -> usize {
        self.tables.builder.profile().table_bytes()
            + self.rows.len() * size_of::<Row>()
            + self.forks.bytes()
    }

    /// The merged profile in canonical order.
    pub(crate) fn finish(self) -> Merged {
        let mut profile = self.tables.builder.finish();
        let samples = &mut profile.samples;
        let mut values = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            if number > 0 {
                profile.stacks.push(Stack {
                    parent: StackId::numbered(row.path.caller),
                    location: row.path.location,
                });
            }
            if row.total != 0 {
                samples.stacks.push(StackId::numbered(number as u32));
                values.push(row.total);
            }
        }
        // Canonical order makes the tables again, so what is not needed goes first.
        drop((self.rows, self.forks));
        samples.labels = vec![None; values.len()];
        samples
            .values
            .iter_mut()
            .for_each(|column| *column = std::mem::take(&mut values));
        Merged {
            profile: in_order(&profile),
            saturated: self.saturated,
        }
    }
}

/// Adds up to the limit of 64 bits; gives 1 if that was met.
fn add_to(sum: &mut i64, value: i64) -> u64 {
    let (exact, overflow) = sum.overflowing_add(value);
    *sum = if overflow {
        sum.saturating_add(value)
    } else {
        exact
    };
    u64::from(overflow)
}

/// By number, 1 for the stacks that have a sum, and for their callers.
fn needed(from: &Profile, sums: &[i64]) -> Vec<u32> {
    let mut needed: Vec<u32> = sums.iter().map(|&sum| u32::from(sum != 0)).collect();
    needed.resize(from.stacks.len() + 1, 0);
    // Callers come earlier, so one pass backwards reaches them all.
    for (row, stack) in from.stacks.iter().enumerate().rev() {
        if needed[row + 1] != 0 {
            needed[StackId::number(stack.parent) as usize] = 1;
        }
    }
    // The stack without frames keeps its number.
    needed[0] = 0;
    needed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::merge::merger::merge;
    use crate::testing::profile;

    fn stored(all: &[Profile]) -> Merged {
        let mut merger = StoredMerger::default();
        all.iter().for_each(|profile| merger.add(profile).unwrap());
        merger.finish()
    }

    fn check(drawn: &[&str]) {
        let all: Vec<Profile> = drawn.iter().map(|text| profile(text)).collect();
        let (ours, expect) = (stored(&all), merge(&all).unwrap());
        assert_eq!(
            (ours.profile, ours.saturated),
            (expect.profile, expect.saturated),
            "{drawn:?}"
        );
    }

    #[test]
    fn merges_as_files_do() {
        check(&[]);
        check(&["a;b 1"]);
        check(&[
            "a;b;c 1\na;b;d 2\n 3",
            "a;b;d 4\nb 5\na;b;c;c 6\na 7",
            "a;b;c 1\na;b;d 2\n 3",
        ]);
        // What cancels out goes, and the rows that only it needed.
        check(&["a;b 1\nc;d 2", "c;d -2\na;e 0"]);
        check(&["a 9223372036854775807\nb 1", "a 1\nb 1"]);
    }

    proptest! {
        #[test]
        fn any_profiles_merge_as_files_do(all in prop::collection::vec("(([ab];){0,3}[abc] [0-3]\n){1,12}", 0..4)) {
            let all: Vec<Profile> = all.iter().map(|text| profile(text.trim_end())).collect();
            prop_assert_eq!(stored(&all).profile, merge(&all).unwrap().profile);
        }
    }
}
