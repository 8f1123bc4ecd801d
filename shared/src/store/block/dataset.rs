//! A dataset being gathered: pages are compressed as they fill up.

use hashbrown::HashMap;

use super::layout::BlockLayout;
use super::link_page::{LinkPageWriter, SpanRow};
use super::page::{PageProfile, PageWriter};
use super::pool::{PagePool, PageUse, UnplacedPage};
use super::sums::{Flush, SumsWriter};
use super::totals::{TotalRow, WindowTotals, encode_totals};
use crate::base::units::UnixNanos;
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::store::codec::rows::{self, Row};
use crate::store::codec::series::Timing;
use crate::store::codec::sum_window::{SumScope, SumWindow};
use crate::store::directory::block_entry::Dataset;
use crate::store::error::StoreError;

/// Rows that a group of datasets may have in open sums: 512 Ki of 16 bytes are 8 MiB. A process of
/// 100 series with 2,000 stacks each has 200,000 in an hour.
pub(crate) const MAX_OPEN_ROWS: usize = 512 << 10;

/// The profiles of one service and type.
pub(crate) struct DatasetWriter {
    profile_type: ProfileType,
    series: Vec<Labels>,
    index: HashMap<Labels, u32>,
    span: Option<(UnixNanos, UnixNanos)>,
    profiles: u64,
    totals: Vec<TotalRow>,
    window_totals: WindowTotals,
    all_totals: WindowTotals,
    pages: PageWriter,
    links: LinkPageWriter,
    layout: BlockLayout,
    sums: Vec<SumsWriter>,
    pub(super) open_rows: usize,
}

/// A profile, or a sum of profiles, that goes into a dataset.
#[derive(Clone, Copy)]
pub(crate) struct SeriesInput<'a> {
    /// Its series; of a sum over all series any of them.
    pub(crate) labels: &'a Labels,
    /// Which sums it goes into; `None`: all, because it is of one series and stands for itself.
    pub(crate) scope: Option<SumScope>,
    pub(crate) timing: Timing,
    pub(crate) profiles: u64,
}

/// A dataset whose places in the block are not known yet.
pub(crate) struct ClosedDataset {
    pub(crate) profile_type: ProfileType,
    pub(crate) labels: Vec<Labels>,
    pub(crate) dataset: Dataset,
    pub(crate) totals: Vec<u8>,
    pub(crate) window_totals: Vec<u8>,
    pub(crate) all_totals: Option<Vec<u8>>,
    pub(crate) pages: Vec<UnplacedPage>,
    pub(crate) links: Vec<UnplacedPage>,
    pub(crate) sums: Vec<((SumWindow, SumScope), Vec<UnplacedPage>)>,
}

impl DatasetWriter {
    /// A dataset without profiles.
    pub(crate) fn new(profile_type: ProfileType, layout: BlockLayout) -> Self {
        let totals = || WindowTotals::new(layout.totals.unwrap_or(SumWindow::Hour));
        Self {
            profile_type,
            series: Vec::new(),
            index: HashMap::new(),
            span: None,
            profiles: 0,
            totals: Vec::new(),
            window_totals: totals(),
            all_totals: totals(),
            pages: PageWriter::new(PageUse::Profiles),
            links: LinkPageWriter::default(),
            layout,
            sums: layout.sums.iter().copied().map(SumsWriter::new).collect(),
            open_rows: 0,
        }
    }

    /// Says that profiles start from `first` to `last`. Sums do not tell when their latest profile
    /// starts.
    pub(crate) fn touch(&mut self, first: UnixNanos, last: UnixNanos) {
        let (min, max) = self.span.unwrap_or((first, last));
        self.span = Some((min.min(first), max.max(last)));
    }

    /// Rows in open sums; beyond [`MAX_OPEN_ROWS`] it is time to
    /// [`BlockWriter::flush_open_sums`](super::block_writer::BlockWriter::flush_open_sums).
    pub(crate) fn open_rows(&self) -> usize {
        self.open_rows
    }

    /// Says that so many profiles of these series come as sums over all series, which do not tell.
    pub(crate) fn count<'a>(&mut self, series: impl Iterator<Item = &'a Labels>, profiles: u64) {
        for labels in series {
            self.series_index(labels);
        }
        self.profiles = self.profiles.saturating_add(profiles);
    }

    fn series_index(&mut self, labels: &Labels) -> u32 {
        if let Some(&place) = self.index.get(labels) {
            return place;
        }
        let place = self.series.len() as u32;
        self.series.push(labels.clone());
        self.index.insert(labels.clone(), place);
        place
    }

    pub(super) fn add(
        &mut self,
        input: SeriesInput,
        rows: &mut Vec<Row>,
        pool: &mut PagePool,
    ) -> Result<(), StoreError> {
        let SeriesInput {
            labels,
            scope,
            timing,
            profiles,
        } = input;
        let series = self.series_index(labels);
        if self.layout.raw {
            let total = rows::tidy(rows)?;
            self.totals.push(TotalRow {
                series,
                time: timing.time,
                duration_nanos: timing.duration_nanos,
                total,
            });
            self.pages.push(
                PageProfile {
                    series,
                    timing,
                    profiles,
                    rows: 0..0,
                },
                rows,
                pool,
            )?;
        }
        if scope != Some(SumScope::All) {
            self.profiles = self.profiles.saturating_add(profiles);
            let total = rows.iter().map(|row| i128::from(row.1)).sum();
            self.window_totals.add(series, timing, profiles, total);
            if !self.layout.raw {
                self.all_totals.add(0, timing, profiles, total);
            }
        }
        for sums in self
            .sums
            .iter_mut()
            .filter(|sums| scope.is_none_or(|scope| scope == sums.scope))
        {
            let grown = sums.add(series, timing, profiles, rows);
            self.open_rows = self.open_rows.saturating_add_signed(grown);
        }
        Ok(())
    }

    /// Adds what a profile has of links. Sums have none, so they end where profiles do.
    pub(super) fn add_links<'a>(
        &mut self,
        labels: &Labels,
        timing: Timing,
        rows: impl ExactSizeIterator<Item = SpanRow<'a>>,
        pool: &mut PagePool,
    ) -> Result<(), StoreError> {
        if !self.layout.raw || rows.len() == 0 {
            return Ok(());
        }
        let series = self.series_index(labels);
        self.links.push(series, timing, rows, pool)
    }

    /// Everything but its places; `None` when no profile is in it.
    pub(crate) fn finish(
        mut self,
        pool: &mut PagePool,
    ) -> Result<Option<ClosedDataset>, StoreError> {
        let Some((min_time, max_time)) = self.span else {
            return Ok(None);
        };
        self.flush(Flush::Everything, pool)?;
        self.pages.flush(pool)?;
        self.links.flush(pool)?;
        let one = self.series.len() == 1;
        let mut sums = Vec::new();
        for mut writer in self.sums {
            writer.pages.flush(pool)?;
            // With one series, sums of each are those of all. And sums are there to read less than
            // the profiles.
            let idle = one && writer.scope == SumScope::Series
                || self.layout.raw && writer.pages.len() >= self.pages.len();
            if !idle {
                sums.push(((writer.window, writer.scope), writer.pages.pages));
            }
        }
        let dataset = Dataset {
            min_time,
            max_time,
            profiles: self.profiles,
            ..Dataset::empty(0, 0)
        };
        Ok(Some(ClosedDataset {
            profile_type: self.profile_type,
            labels: self.series,
            dataset,
            totals: encode_totals(&self.totals),
            window_totals: self.window_totals.encode(),
            all_totals: (!self.layout.raw && self.layout.totals.is_some() && !one)
                .then(|| self.all_totals.encode()),
            pages: self.pages.pages,
            links: self.links.pages,
            sums,
        }))
    }

    pub(super) fn flush(&mut self, flush: Flush, pool: &mut PagePool) -> Result<(), StoreError> {
        self.sums
            .iter_mut()
            .try_for_each(|sums| sums.flush(flush, pool))
    }

    /// Adds up what open sums have in common; gives how many rows are left.
    pub(super) fn merge_equal_rows(&mut self) -> usize {
        self.open_rows = self.sums.iter_mut().map(SumsWriter::merge_equal_rows).sum();
        self.open_rows
    }
}
