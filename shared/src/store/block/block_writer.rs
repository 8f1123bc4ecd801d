//! A block (level 1 and up): for each service and type a dataset, whose profiles share one table of
//! symbols.
//!
//! In file order: for each group of datasets its symbols, then their sums, then their pages; then
//! all totals, those over all series first, so that a timeline over every service is one read; then
//! the links to traces, which only a query for spans reads; then the ids and the directory. In a block of level 2 the pages and the sums of minutes stand behind
//! all groups, so that a job that sums up a day reads the front of it.
//!
//! Pages of a group that differ in their divisor alone are one, which stands where the first of
//! them would.

use super::dataset::{DatasetWriter, MAX_OPEN_ROWS, SeriesInput};
use super::layout::BlockLayout;
use super::link_page::SpanRow;
use super::pool::{PagePool, UnplacedPage};
use super::sums::Flush;
use crate::base::units::UnixNanos;
use crate::model::id::StackId;
use crate::model::labels::Labels;
use crate::model::profile::Profile;
use crate::store::codec::bytes::Reader;
use crate::store::codec::label_table::LabelTable;
use crate::store::codec::part::Part;
use crate::store::codec::rows::Row;
use crate::store::codec::section::{BLOCK_MAGIC, put_magic, section};
use crate::store::codec::series::Timing;
use crate::store::codec::sum_window::SumWindow;
use crate::store::codec::symbols;
use crate::store::directory::block_entry::{BlockEntry, Dataset, PageEntry, Partition, SumsEntry};
use crate::store::directory::contents::{Contents, Directory, put_footer};
use crate::store::directory::counted_ids::{Ids, encode_ids};
use crate::store::error::StoreError;

/// Where a block comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lineage {
    /// Token of the lease under which it is made.
    pub(crate) token: u64,
    /// Which of the blocks made under that lease it is.
    pub(crate) partition: Partition,
    /// How many segments its profiles came in.
    pub(crate) segments: u64,
    /// Which chunks went into it and what it replaces; not stored with a block of nothing but sums.
    pub(crate) ids: Ids,
    /// What it sums up without replacing it.
    pub(crate) summarizes: Vec<String>,
}

/// Puts datasets into a block.
pub(crate) struct BlockWriter {
    layout: BlockLayout,
    front: Vec<u8>,
    back: Vec<u8>,
    /// All totals, to be appended at the end.
    all_totals: Vec<u8>,
    window_totals: Vec<u8>,
    totals: Vec<u8>,
    links: Vec<u8>,
    datasets: Vec<Dataset>,
    label_table: LabelTable,
    pool: PagePool,
}

impl BlockWriter {
    /// A block without datasets.
    pub(crate) fn new(layout: BlockLayout) -> Result<Self, StoreError> {
        let mut front = Vec::new();
        put_magic(&mut front, BLOCK_MAGIC);
        let (pool, label_table) = (PagePool::new()?, LabelTable::default());
        let (back, all_totals, window_totals, totals) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Self {
            layout,
            front,
            back,
            all_totals,
            window_totals,
            totals,
            links: Vec::new(),
            datasets: Vec::new(),
            label_table,
            pool,
        })
    }

    /// Adds to a dataset of the group that is being gathered, one at a time. `rows` point into the
    /// tables that [`BlockWriter::push`] will be given with it.
    pub(crate) fn add(
        &mut self,
        dataset: &mut DatasetWriter,
        input: SeriesInput,
        rows: impl Iterator<Item = (Option<StackId>, i64)>,
    ) -> Result<(), StoreError> {
        let mut rows: Vec<Row> = rows
            .map(|(stack, value)| (stack.map_or(0, |s| s.index() as u32 + 1), value))
            .collect();
        dataset.add(input, &mut rows, &mut self.pool)
    }

    /// Adds what a profile of the dataset has of links.
    pub(crate) fn add_links<'a>(
        &mut self,
        dataset: &mut DatasetWriter,
        labels: &Labels,
        timing: Timing,
        rows: impl ExactSizeIterator<Item = SpanRow<'a>>,
    ) -> Result<(), StoreError> {
        dataset.add_links(labels, timing, rows, &mut self.pool)
    }

    /// Makes room: adds up what open sums have in common. When that is not enough it writes them:
    /// those that are finished, or all, in pieces.
    pub(crate) fn flush_open_sums(
        &mut self,
        group: &mut [DatasetWriter],
    ) -> Result<(), StoreError> {
        for flush in [Flush::Finished, Flush::Everything] {
            let rows: usize = group.iter_mut().map(DatasetWriter::merge_equal_rows).sum();
            if rows <= MAX_OPEN_ROWS / 2 {
                return Ok(());
            }
            group
                .iter_mut()
                .try_for_each(|dataset| dataset.flush(flush, &mut self.pool))?;
        }
        group.iter_mut().for_each(|dataset| dataset.open_rows = 0);
        Ok(())
    }

    /// Ends a group: datasets over the same tables.
    pub(crate) fn push(
        &mut self,
        tables: &Profile,
        group: Vec<DatasetWriter>,
    ) -> Result<(), StoreError> {
        // All stacks are used, so the numbers of rows stay as they are: index plus one.
        let (raw, _) = symbols::encode(tables, (0..tables.stacks.len()).map(StackId::new))?;
        let symbols = append(&mut self.front, |out| {
            self.pool.packer.put(out, &raw, "symbols")
        })?;
        let first = self.datasets.len();
        let mut all_sums = Vec::new();
        for writer in group {
            let Some(mut done) = writer.finish(&mut self.pool)? else {
                continue;
            };
            if self.layout.raw {
                let totals = append(&mut self.totals, |out| {
                    self.pool.packer.put(out, &done.totals, "totals")
                })?;
                done.dataset.totals = Some(totals);
            }
            if let Some(window) = self.layout.totals {
                let (out, totals) = (&mut self.window_totals, &done.window_totals);
                let part = append(out, |out| {
                    self.pool.packer.put(out, totals, "window totals")
                })?;
                done.dataset.window_totals = Some((window, part));
            }
            if let Some(totals) = done.all_totals {
                let part = append(&mut self.all_totals, |out| {
                    self.pool.packer.put(out, &totals, "window totals")
                })?;
                done.dataset.all_totals = Some(part);
            }
            done.dataset.profile_type = self.label_table.profile_type(&done.profile_type);
            done.dataset.series = done
                .labels
                .iter()
                .map(|labels| self.label_table.label_set(labels))
                .collect();
            (done.dataset.symbols, done.dataset.stacks) = (symbols, tables.stacks.len() as u64);
            // Pages come behind the sums of all datasets, for which they wait here.
            all_sums.push((done.sums, done.pages, done.links));
            self.datasets.push(done.dataset);
        }
        for &(window, scope) in self.layout.sums {
            for (i, (sums, ..)) in all_sums.iter().enumerate() {
                if let Some((_, pages)) = sums.iter().find(|(kind, _)| *kind == (window, scope)) {
                    let pages = self.place_pages(Some(window), pages);
                    self.datasets[first + i].sums.push(SumsEntry {
                        window,
                        scope,
                        pages,
                    });
                }
            }
        }
        for (i, (_, pages, links)) in all_sums.iter().enumerate() {
            self.datasets[first + i].pages = self.place_pages(None, pages);
            self.datasets[first + i].links = self.pool.place_pages(links, &mut self.links);
        }
        self.pool.clear();
        Ok(())
    }

    /// Puts sums over these windows, or raw pages, where they go.
    fn place_pages(&mut self, window: Option<SumWindow>, pages: &[UnplacedPage]) -> Vec<PageEntry> {
        let out = if self.layout.is_back(window) {
            &mut self.back
        } else {
            &mut self.front
        };
        self.pool.place_pages(pages, out)
    }

    /// The object, and its directory for the catalog.
    pub(crate) fn finish(mut self, lineage: Lineage) -> Result<(Vec<u8>, Directory), StoreError> {
        let Lineage {
            token,
            partition,
            segments,
            ids,
            summarizes,
        } = lineage;
        let back = self.front.len() as u64;
        let all_totals = back + self.back.len() as u64;
        let window_totals = all_totals + self.all_totals.len() as u64;
        let totals = window_totals + self.window_totals.len() as u64;
        let links = totals + self.totals.len() as u64;
        for dataset in &mut self.datasets {
            dataset
                .totals
                .iter_mut()
                .for_each(|part| part.offset += totals);
            dataset
                .window_totals
                .iter_mut()
                .for_each(|(_, part)| part.offset += window_totals);
            dataset
                .all_totals
                .iter_mut()
                .for_each(|part| part.offset += all_totals);
            dataset
                .links
                .iter_mut()
                .for_each(|page| page.part.offset += links);
            let sums = dataset
                .sums
                .iter_mut()
                .map(|sums| (Some(sums.window), &mut sums.pages));
            for (window, pages) in sums.chain([(None, &mut dataset.pages)]) {
                if self.layout.is_back(window) {
                    pages.iter_mut().for_each(|page| page.part.offset += back);
                }
            }
        }
        let mut bytes = self.front;
        let behind = [
            self.back,
            self.all_totals,
            self.window_totals,
            self.totals,
            self.links,
        ];
        for more in behind {
            bytes.extend_from_slice(&more);
        }
        let ids = match self.layout.raw {
            true => Some(append(&mut bytes, |out| {
                self.pool.packer.put(out, &encode_ids(&ids), "ids")
            })?),
            false => None,
        };
        let (label_sets, types) = self.label_table.finish();
        let block = BlockEntry {
            datasets: self.datasets,
            token,
            segments,
            partition,
            ids,
            summarizes,
        };
        let directory = Directory {
            label_sets,
            types,
            contents: Contents::Block(block),
        };
        put_footer(&mut bytes, &directory, BLOCK_MAGIC)?;
        Ok((bytes, directory))
    }
}

impl Dataset {
    /// A dataset of nothing yet.
    pub(crate) fn empty(series: usize, stacks: u64) -> Self {
        Self {
            profile_type: 0,
            series: vec![0; series],
            min_time: UnixNanos(0),
            max_time: UnixNanos(0),
            profiles: 0,
            stacks,
            symbols: Part::default(),
            totals: None,
            window_totals: None,
            all_totals: None,
            pages: Vec::new(),
            sums: Vec::new(),
            links: Vec::new(),
        }
    }
}

fn append(
    out: &mut Vec<u8>,
    put: impl FnOnce(&mut Vec<u8>) -> Result<(), StoreError>,
) -> Result<Part, StoreError> {
    let offset = out.len() as u64;
    put(out)?;
    Ok(Part {
        offset,
        len: out.len() as u64 - offset,
    })
}

/// Reads the symbols of `dataset` as a profile without samples.
pub(crate) fn read_symbols(bytes: &[u8], dataset: &Dataset) -> Result<Profile, StoreError> {
    let mut reader = Reader::new(bytes, "symbols");
    let raw = section(&mut reader, "symbols")?;
    reader.end()?;
    let profile = symbols::decode(&raw, "symbols")?;
    if profile.stacks.len() as u64 != dataset.stacks {
        return Err(StoreError::Corrupt {
            section: "symbols",
            offset: 0,
            problem: "the number of stacks doesn't match the directory",
        });
    }
    Ok(profile)
}
