//! What deletions leave of a source.

use std::rc::Rc;

use super::deletion::Deletion;
use super::input::{Source, check_stacks};
use crate::base::units::UnixNanos;
use crate::model::id::StackId;
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::store::{
    Dataset, DecodedChunk, DecodedSeries, LinkRow, PageKind, StoreError, prune, read_link_page,
    read_page,
};

/// All deletions of a compaction, which often has none.
pub(super) struct Deletions(pub(super) Rc<[Deletion]>);

impl Deletions {
    /// Whether all profiles stay.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, of_type: &ProfileType, labels: &Labels, time: UnixNanos) -> bool {
        self.0
            .iter()
            .any(|deletion| deletion.has(of_type, labels, time))
    }

    /// The labels of a profile of a dataset, unless it is deleted.
    pub(super) fn kept<'s>(
        &self,
        source: &'s Source,
        dataset: &Dataset,
        series: u32,
        time: UnixNanos,
    ) -> Option<&'s Labels> {
        let directory = &source.object.directory;
        let of_type = &directory.types[dataset.profile_type as usize];
        let labels = &directory.label_sets[dataset.series[series as usize] as usize];
        (!self.has(of_type, labels, time)).then_some(labels)
    }

    /// The series of a chunk that stay, and what they need of its tables.
    pub(super) fn without(&self, chunk: DecodedChunk) -> Result<DecodedChunk, StoreError> {
        let DecodedChunk {
            id,
            period,
            tables,
            links,
            mut series,
        } = chunk;
        series.retain(|DecodedSeries { series: s, .. }| {
            !self.has(&s.profile_type, &s.labels, s.time)
        });
        let linked = |row: &LinkRow| StackId::numbered(row.stack);
        let stacks = series.iter().flat_map(|one| {
            let rows = one.rows.iter().filter_map(|row| row.0);
            rows.chain(one.links.iter().filter_map(linked))
        });
        let (tables, numbers) = prune(&tables, stacks)?;
        for one in &mut series {
            for row in &mut one.rows {
                row.0 = StackId::numbered(numbers.get(row.0));
            }
            for row in &mut one.links {
                row.stack = numbers.get(linked(row));
            }
        }
        Ok(DecodedChunk {
            id,
            period,
            tables,
            links,
            series,
        })
    }

    /// The stacks of the profiles that stay, of datasets over the same `count` stacks.
    pub(super) fn used<'d>(
        &self,
        source: &Source,
        datasets: impl Iterator<Item = &'d Dataset>,
        count: usize,
    ) -> Result<Vec<StackId>, StoreError> {
        let mut used = vec![false; count];
        for dataset in datasets {
            check_stacks(dataset, count)?;
            for page in &dataset.pages {
                let page = read_page(
                    source.part(page.part)?,
                    dataset,
                    PageKind::Raw,
                    page.divisor,
                )?;
                for profile in &page.profiles {
                    let kept = self.kept(source, dataset, profile.series, profile.timing.time);
                    if kept.is_some() {
                        let stacks = page.stacks[profile.rows.clone()].iter();
                        stacks
                            .filter_map(|stack| stack.checked_sub(1))
                            .for_each(|stack| used[stack as usize] = true);
                    }
                }
            }
            for page in &dataset.links {
                let page = read_link_page(source.part(page.part)?, dataset, page.divisor)?;
                for profile in &page.profiles {
                    let kept = self.kept(source, dataset, profile.series, profile.timing.time);
                    if kept.is_some() {
                        let rows = page.rows[profile.rows.clone()].iter();
                        rows.filter_map(|row| row.stack.checked_sub(1))
                            .for_each(|stack| used[stack as usize] = true);
                    }
                }
            }
        }
        Ok((0..count)
            .filter(|&stack| used[stack])
            .map(StackId::new)
            .collect())
    }
}
