//! A dataset of a block while its parts are read.

use crate::model::profile::Profile;
use crate::model::profile_type::ProfileType;
use crate::plans::cover::RangePart;
use crate::store::{Dataset, PageRows, SumScope, Timing, table_bytes};

/// A dataset of a block until all of its parts are there.
pub(super) struct OpenDataset {
    pub(super) dataset: Dataset,
    /// Which of the dataset's series are selected.
    pub(super) selected: Vec<bool>,
    pub(super) tables: Option<Profile>,
    /// What the tables take.
    pub(super) table_bytes: usize,
    pub(super) pages_missing: usize,
    /// Sum for each stack number, as far as it has been seen.
    pub(super) sums: Vec<i64>,
    /// Of all profiles together, for the header.
    pub(super) timing: Option<Timing>,
    pub(super) profiles: u64,
}

impl OpenDataset {
    pub(super) fn take_tables(&mut self, tables: Profile) {
        self.table_bytes = table_bytes(&tables);
        self.tables = Some(tables);
    }

    /// About how many bytes it holds.
    pub(super) fn held(&self) -> usize {
        self.table_bytes + self.sums.len() * size_of::<i64>()
    }

    /// Adds a page's selected profiles or sums; says whether a sum was cut.
    pub(super) fn add(
        &mut self,
        page: &PageRows,
        range_part: &RangePart,
        scope: Option<SumScope>,
    ) -> bool {
        self.pages_missing -= 1;
        let highest = page
            .stacks
            .iter()
            .max()
            .map_or(0, |&highest| highest as usize + 1);
        if self.sums.len() < highest {
            self.sums.resize(highest, 0);
        }
        let mut saturated = false;
        for profile in &page.profiles {
            let selected = scope == Some(SumScope::All) || self.selected[profile.series as usize];
            if !selected || !range_part.contains(profile.timing.time) {
                continue;
            }
            for row in profile.rows.clone() {
                let (sum, value) = (&mut self.sums[page.stacks[row] as usize], page.values[row]);
                saturated |= sum.checked_add(value).is_none();
                *sum = sum.saturating_add(value);
            }
            self.timing = Some(
                self.timing
                    .map_or(profile.timing, |timing| timing.merged(profile.timing)),
            );
            self.profiles = self.profiles.saturating_add(profile.profiles);
        }
        saturated
    }

    /// The tables and the sums over their stacks, and this gathering emptied; `None` when no
    /// profile of the pages was selected.
    pub(super) fn finish(&mut self, profile_type: &ProfileType) -> Option<(Profile, Vec<i64>)> {
        let (mut tables, sums) = (self.tables.take()?, std::mem::take(&mut self.sums));
        tables.describe(profile_type, [self.timing.take()?].into_iter());
        Some((tables, sums))
    }
}
