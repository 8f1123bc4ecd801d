//! A block (level 1): for each service and type a dataset, whose profiles share one table of symbols.
//!
//! In file order: for each family of datasets its symbols and then the pages of each; then all totals, so that a timeline
//! over every service is one read; then the directory.

use hashbrown::HashMap;

use super::codec::Reader;
use super::directory::{Contents, Counted, Dataset, Directory, Part, put_footer};
use super::error::StoreError;
use super::page::{PageProfile, PageWriter, TotalRow, encode_totals};
use super::rows::{self, Row};
use super::section::{Packer, put_magic, section};
use super::series::Taken;
use super::symbols;
use super::words::Words;
use crate::id::StackId;
use crate::labels::Labels;
use crate::profile::Profile;
use crate::profile_type::ProfileType;

pub(super) const MAGIC: &[u8; 7] = b"PLTBLCK";

/// Puts datasets into a block.
pub(crate) struct BlockWriter {
    bytes: Vec<u8>,
    /// All totals, to be appended at the end.
    totals: Vec<u8>,
    datasets: Vec<Dataset>,
    words: Words,
    packer: Packer,
}

/// A dataset being gathered: pages are compressed as they fill up.
pub(crate) struct DatasetWriter {
    profile_type: ProfileType,
    series: Vec<Labels>,
    index: HashMap<Labels, u32>,
    totals: Vec<TotalRow>,
    pages: PageWriter,
}

impl BlockWriter {
    /// A block without datasets.
    pub(crate) fn new() -> Result<Self, StoreError> {
        let mut bytes = Vec::new();
        put_magic(&mut bytes, MAGIC);
        let packer = Packer::new()?;
        Ok(Self { bytes, totals: Vec::new(), datasets: Vec::new(), words: Words::default(), packer })
    }

    /// Adds a profile to a dataset of a family that is still being gathered. `rows` point into the tables that
    /// [`BlockWriter::push`] will be given with it.
    pub(crate) fn add(
        &mut self,
        dataset: &mut DatasetWriter,
        labels: &Labels,
        taken: Taken,
        rows: impl Iterator<Item = (Option<StackId>, i64)>,
    ) -> Result<(), StoreError> {
        let mut rows: Vec<Row> = rows.map(|(stack, value)| (stack.map_or(0, |s| s.index() as u32 + 1), value)).collect();
        let total = rows::tidy(&mut rows)?;
        let series = dataset.place(labels);
        dataset.totals.push(TotalRow { series, time: taken.time, total });
        let profile = PageProfile { series, taken, rows: 0..0 };
        dataset.pages.push(profile, &rows, &mut self.packer)
    }

    /// Ends a family: datasets over the same tables.
    pub(crate) fn push(&mut self, tables: &Profile, family: Vec<DatasetWriter>) -> Result<(), StoreError> {
        // All stacks are used, so the numbers of rows stay as they are: index plus one.
        let (raw, _) = symbols::encode(tables, (0..tables.stacks.len()).map(StackId::new))?;
        let symbols = append(&mut self.bytes, |out| self.packer.put(out, &raw, "symbols"))?;
        for mut writer in family {
            writer.pages.flush(&mut self.packer)?;
            let times = || writer.totals.iter().map(|t| t.time);
            let (Some(min_time), Some(max_time)) = (times().min(), times().max()) else { continue };
            let first_page = self.bytes.len() as u64;
            self.bytes.extend_from_slice(&writer.pages.bytes);
            let mut pages = writer.pages.pages;
            pages.iter_mut().for_each(|page| page.part.offset += first_page);
            let raw = encode_totals(&writer.totals);
            let totals = append(&mut self.totals, |out| self.packer.put(out, &raw, "totals"))?;
            self.datasets.push(Dataset {
                profile_type: self.words.profile_type(&writer.profile_type),
                series: writer.series.iter().map(|labels| self.words.label_set(labels)).collect(),
                min_time,
                max_time,
                profiles: writer.totals.len() as u64,
                stacks: tables.stacks.len() as u64,
                symbols,
                totals,
                pages,
            });
        }
        Ok(())
    }

    /// The object, and its directory for the catalog.
    pub(crate) fn finish(mut self, counted: Vec<Counted>) -> Result<(Vec<u8>, Directory), StoreError> {
        let first = self.bytes.len() as u64;
        self.datasets.iter_mut().for_each(|d| d.totals.offset += first);
        self.bytes.append(&mut self.totals);
        let (label_sets, types) = self.words.finish();
        let directory = Directory { label_sets, types, contents: Contents::Block { datasets: self.datasets, counted } };
        put_footer(&mut self.bytes, &directory, MAGIC)?;
        Ok((self.bytes, directory))
    }
}

impl DatasetWriter {
    /// A dataset without profiles.
    pub(crate) fn new(profile_type: ProfileType) -> Self {
        Self { profile_type, series: Vec::new(), index: HashMap::new(), totals: Vec::new(), pages: PageWriter::default() }
    }

    fn place(&mut self, labels: &Labels) -> u32 {
        if let Some(&place) = self.index.get(labels) {
            return place;
        }
        let place = self.series.len() as u32;
        self.series.push(labels.clone());
        self.index.insert(labels.clone(), place);
        place
    }
}

fn append(out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>) -> Result<(), StoreError>) -> Result<Part, StoreError> {
    let offset = out.len() as u64;
    put(out)?;
    Ok(Part { offset, len: out.len() as u64 - offset })
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
            problem: "not as many stacks as the directory says",
        });
    }
    Ok(profile)
}
