//! A group while it is compacted: its datasets, and the tables that they share.

use hashbrown::HashMap;

use super::deletions::Deletions;
use super::input::{DatasetGroup, Input, Source, check_stacks, feeds};
use crate::model::builder::ProfileBuilder;
use crate::model::id::StackId;
use crate::model::labels::SERVICE_NAME;
use crate::model::profile::Profile;
use crate::model::profile_type::ProfileType;
use crate::store::{
    BlockLayout, BlockWriter, ChunkEntry, Dataset, DatasetWriter, DecodedChunk, DecodedSeries,
    LinkRow, LinkTable, MAX_OPEN_ROWS, SeriesInput, SpanRow, StackNumbers, StoreError, Timing,
    copy_tables, decode_chunk, prune, read_link_page, read_page, read_symbols, table_bytes,
};

/// Tables of a group beyond this go into a dataset of their own: 8 MiB. See
/// [`super::MAX_PARTITION_BYTES`].
const MAX_TABLE_BYTES: usize = 8 << 20;

/// Datasets that share tables, while they grow.
pub(super) struct OpenGroup {
    pub(super) group: DatasetGroup,
    layout: BlockLayout,
    /// Profiles that are left out.
    deletions: Deletions,
    tables: ProfileBuilder,
    datasets: Vec<DatasetWriter>,
    index: HashMap<ProfileType, usize>,
}

impl OpenGroup {
    pub(super) fn new(group: DatasetGroup, layout: BlockLayout, deletions: Deletions) -> Self {
        Self {
            group,
            layout,
            deletions,
            tables: ProfileBuilder::new(),
            datasets: Vec::new(),
            index: HashMap::new(),
        }
    }

    /// Adds what a source has of the group.
    pub(super) fn add(
        &mut self,
        writer: &mut BlockWriter,
        source: &Source,
        input: Input,
    ) -> Result<(), StoreError> {
        let directory = &source.object.directory;
        match input {
            Input::Chunk(place) => {
                let chunk = &directory.chunks()[place];
                let mut decoded = self.decode(source, chunk)?;
                if !self.deletions.is_empty() {
                    decoded = self.deletions.without(decoded)?;
                }
                self.make_room(writer, &decoded.tables)?;
                self.add_chunk(writer, decoded)
            }
            Input::Datasets(symbols, places) => {
                let datasets = || places.iter().map(|&place| &directory.datasets()[place]);
                let Some(first) = datasets().next() else {
                    return Ok(());
                };
                let mut tables = read_symbols(source.part(symbols)?, first)?;
                let mut numbers: Option<StackNumbers> = None;
                if !self.deletions.is_empty() {
                    let (deletions, count) = (&self.deletions, tables.stacks.len());
                    let used = deletions.used(source, datasets(), count)?;
                    let pruned = prune(&tables, used.into_iter())?;
                    (tables, numbers) = (pruned.0, Some(pruned.1));
                }
                self.make_room(writer, &tables)?;
                let mut stacks = copy_tables(&tables, &mut self.tables);
                if let Some(numbers) = numbers {
                    // No row that is kept has a stack that is not.
                    let moved = |n: u32| {
                        n.checked_sub(1)
                            .map_or(StackId::new(0), |n| stacks[n as usize])
                    };
                    stacks = (0..first.stacks as usize)
                        .map(|old| moved(numbers.get(Some(StackId::new(old)))))
                        .collect();
                }
                drop(tables);
                datasets()
                    .try_for_each(|dataset| self.add_dataset(writer, source, dataset, &stacks))
            }
        }
    }

    /// Writes what is open.
    pub(super) fn close(&mut self, writer: &mut BlockWriter) -> Result<(), StoreError> {
        self.index.clear();
        let (tables, datasets) = (
            std::mem::take(&mut self.tables),
            std::mem::take(&mut self.datasets),
        );
        if datasets.is_empty() {
            Ok(())
        } else {
            writer.push(tables.profile(), datasets)
        }
    }

    /// Begins new datasets when the tables of these would become too large.
    fn make_room(&mut self, writer: &mut BlockWriter, more: &Profile) -> Result<(), StoreError> {
        let full = table_bytes(self.tables.profile()) + table_bytes(more) > MAX_TABLE_BYTES;
        if full { self.close(writer) } else { Ok(()) }
    }

    /// Reads what belongs to the group out of a chunk.
    fn decode(&self, source: &Source, chunk: &ChunkEntry) -> Result<DecodedChunk, StoreError> {
        let (service, name) = &self.group;
        // Sums have no links, so for those they were not read.
        let links = chunk.links.filter(|_| self.layout.raw);
        let links = links.map(|part| source.part(part)).transpose()?;
        let decoded = decode_chunk(source.part(chunk.part())?, links, |_, series| {
            series.labels.get(SERVICE_NAME).unwrap_or("") == service
                && series.profile_type.name == *name
        })?;
        if decoded.id != chunk.id {
            let problem = "the chunk doesn't match the directory";
            return Err(StoreError::Corrupt {
                section: "chunk",
                offset: 0,
                problem,
            });
        }
        Ok(decoded)
    }

    fn add_chunk(
        &mut self,
        writer: &mut BlockWriter,
        chunk: DecodedChunk,
    ) -> Result<(), StoreError> {
        let DecodedChunk {
            period,
            tables,
            links: table,
            series,
            ..
        } = chunk;
        let stacks = copy_tables(&tables, &mut self.tables);
        for DecodedSeries {
            series,
            rows,
            links,
        } in series
        {
            let at = self.dataset(&series.profile_type);
            let rows = rows
                .into_iter()
                .map(|(stack, value)| (stack.map(|s| stacks[s.index()]), value));
            let timing = Timing {
                time: series.time,
                duration_nanos: series.duration_nanos,
                period,
            };
            self.datasets[at].touch(timing.time, timing.time);
            let input = SeriesInput {
                labels: &series.labels,
                scope: None,
                timing,
                profiles: 1,
            };
            writer.add(&mut self.datasets[at], input, rows)?;
            let links = moved(&table, &links, &stacks);
            writer.add_links(&mut self.datasets[at], &series.labels, timing, links)?;
            self.flush_open_sums(writer)?;
        }
        Ok(())
    }

    /// Adds a dataset of a block page by page.
    fn add_dataset(
        &mut self,
        writer: &mut BlockWriter,
        source: &Source,
        dataset: &Dataset,
        stacks: &[StackId],
    ) -> Result<(), StoreError> {
        check_stacks(dataset, stacks.len())?;
        let directory = &source.object.directory;
        let of_type = &directory.types[dataset.profile_type as usize];
        let at = self.dataset(of_type);
        if self.deletions.is_empty() {
            self.datasets[at].touch(dataset.min_time, dataset.max_time);
        }
        if !self.layout.raw && !self.layout.by_series() {
            let series = dataset
                .series
                .iter()
                .map(|&labels| &directory.label_sets[labels as usize]);
            self.datasets[at].count(series, dataset.profiles);
        }
        for (pages, kind, scope) in feeds(dataset, self.layout) {
            for page in pages {
                let page = read_page(source.part(page.part)?, dataset, kind, page.divisor)?;
                for profile in &page.profiles {
                    let (series, time) = (profile.series, profile.timing.time);
                    let Some(labels) = self.deletions.kept(source, dataset, series, time) else {
                        continue;
                    };
                    if !self.deletions.is_empty() {
                        self.datasets[at].touch(time, time);
                    }
                    let rows = profile.rows.clone().map(|row| {
                        let stack = (page.stacks[row] as usize)
                            .checked_sub(1)
                            .map(|stack| stacks[stack]);
                        (stack, page.values[row])
                    });
                    let input = SeriesInput {
                        labels,
                        scope,
                        timing: profile.timing,
                        profiles: profile.profiles,
                    };
                    writer.add(&mut self.datasets[at], input, rows)?;
                    self.flush_open_sums(writer)?;
                }
            }
        }
        if self.layout.raw {
            self.add_links(writer, source, dataset, stacks)?;
        }
        Ok(())
    }

    /// Adds the links of a dataset's profiles.
    fn add_links(
        &mut self,
        writer: &mut BlockWriter,
        source: &Source,
        dataset: &Dataset,
        stacks: &[StackId],
    ) -> Result<(), StoreError> {
        let directory = &source.object.directory;
        let of_type = &directory.types[dataset.profile_type as usize];
        let at = self.dataset(of_type);
        for page in &dataset.links {
            let page = read_link_page(source.part(page.part)?, dataset, page.divisor)?;
            for profile in &page.profiles {
                let (series, time) = (profile.series, profile.timing.time);
                if let Some(labels) = self.deletions.kept(source, dataset, series, time) {
                    let rows = moved(&page.table, &page.rows[profile.rows.clone()], stacks);
                    writer.add_links(&mut self.datasets[at], labels, profile.timing, rows)?;
                }
            }
        }
        Ok(())
    }

    fn dataset(&mut self, profile_type: &ProfileType) -> usize {
        *self.index.entry(profile_type.clone()).or_insert_with(|| {
            self.datasets
                .push(DatasetWriter::new(profile_type.clone(), self.layout));
            self.datasets.len() - 1
        })
    }

    fn flush_open_sums(&mut self, writer: &mut BlockWriter) -> Result<(), StoreError> {
        let open: usize = self.datasets.iter().map(DatasetWriter::open_rows).sum();
        if open > MAX_OPEN_ROWS {
            writer.flush_open_sums(&mut self.datasets)
        } else {
            Ok(())
        }
    }
}

/// Rows over the stacks of a source as rows over those of the group.
fn moved<'a>(
    table: &'a LinkTable,
    rows: &'a [LinkRow],
    stacks: &'a [StackId],
) -> impl ExactSizeIterator<Item = SpanRow<'a>> {
    rows.iter().map(|row| {
        let stack = row.stack.checked_sub(1).map(|at| stacks[at as usize]);
        (table.get(row.link), StackId::number(stack), row.value)
    })
}
