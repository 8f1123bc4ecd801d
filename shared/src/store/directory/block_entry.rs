//! What a directory says of a block.

use crate::base::units::UnixNanos;
use crate::store::codec::bytes::{Reader, put_column, put_deltas, put_names, put_varint};
use crate::store::codec::part::Part;
use crate::store::codec::section::{MAX_SECTION, SECTION_HEAD};
use crate::store::codec::sum_window::{SumScope, SumWindow};
use crate::store::error::StoreError;

/// What is in a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockEntry {
    /// Datasets; several of one service and type when one would have become too large.
    pub datasets: Vec<Dataset>,
    /// Token of the lease under which it was made. Of two blocks that hold the same chunks the one
    /// with the higher counts.
    pub token: u64,
    /// How many segments its profiles came in. Those of a job's partitions, or what is left after a
    /// deletion, count as whole.
    pub segments: u64,
    /// Which of the blocks made under that lease it is: they count together or not at all.
    pub partition: Partition,
    /// Which chunks went into it and what it replaces ([`crate::store::read_ids`]); none in a block
    /// of nothing but sums.
    pub ids: Option<Part>,
    /// The objects that it sums up without replacing them (level 3). A row of the catalog names
    /// none once they are deleted: then the block stands alone, and answers at the edges of a range
    /// are rounded to its windows.
    pub summarizes: Vec<String>,
}

/// One of the blocks that a job makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Its number, from 0.
    pub number: u32,
    /// How many there are.
    pub count: u32,
}

impl Default for Partition {
    /// The only one.
    fn default() -> Self {
        Self {
            number: 0,
            count: 1,
        }
    }
}

/// All profiles of one service and one type in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    /// Index of its profile type.
    pub profile_type: u32,
    /// Indices of the label sets of its series; pages refer to a series by its place here.
    pub series: Vec<u32>,
    /// Start of the earliest profile.
    pub min_time: UnixNanos,
    /// Start of the latest profile.
    pub max_time: UnixNanos,
    /// How many profiles.
    pub profiles: u64,
    /// How many stacks its symbols have.
    pub stacks: u64,
    /// Its tables. Datasets of one group of types have them in common.
    pub symbols: Part,
    /// Time, series and total of each profile; none where there are only sums.
    pub totals: Option<Part>,
    /// Totals of each series and window, and how long the windows are.
    pub window_totals: Option<(SumWindow, Part)>,
    /// The same of all series together; where there are only sums, and several series.
    pub all_totals: Option<Part>,
    /// Its profiles with their rows, in order of time; none where there are only sums.
    pub pages: Vec<PageEntry>,
    /// Sums of its profiles over windows.
    pub sums: Vec<SumsEntry>,
    /// Which rows of its profiles belong to which spans of traces; none where there are only sums.
    pub links: Vec<PageEntry>,
}

/// Where a page is and the time it covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageEntry {
    /// Its section. Pages of other datasets of the group may name the same one: then their values
    /// are multiples of each other, and everything else is equal.
    pub part: Part,
    /// Start of its earliest profile.
    pub min_time: UnixNanos,
    /// Start of its latest profile.
    pub max_time: UnixNanos,
    /// What all of its values are divided by.
    pub divisor: u64,
}

/// Sums of a dataset's profiles over windows of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumsEntry {
    /// How long each window is.
    pub window: SumWindow,
    /// Over all series together, or of each. A dataset with one series has only sums over all.
    pub scope: SumScope,
    /// The pages. Times are those of the earliest profiles of windows.
    pub pages: Vec<PageEntry>,
}

impl Dataset {
    /// The sums of windows of this length and scope.
    pub fn sums(&self, window: SumWindow, scope: SumScope) -> Option<&SumsEntry> {
        self.sums
            .iter()
            .find(|sums| (sums.window, sums.scope) == (window, scope))
    }

    /// What is needed to read its parts.
    pub(crate) fn without_pages(&self) -> Self {
        Self {
            series: self.series.clone(),
            pages: Vec::new(),
            sums: Vec::new(),
            links: Vec::new(),
            ..*self
        }
    }
}

/// One byte for window and scope, which are few.
const KINDS: [(SumWindow, SumScope); 6] = [
    (SumWindow::Minute, SumScope::All),
    (SumWindow::Minute, SumScope::Series),
    (SumWindow::Hour, SumScope::All),
    (SumWindow::Hour, SumScope::Series),
    (SumWindow::Day, SumScope::All),
    (SumWindow::Day, SumScope::Series),
];

pub(crate) fn put_block(out: &mut Vec<u8>, block: &BlockEntry) {
    put_varint(out, block.token);
    put_varint(out, block.segments);
    put_varint(out, block.partition.number.into());
    put_varint(out, block.partition.count.into());
    put_optional(out, block.ids);
    put_names(out, &block.summarizes);
    put_varint(out, block.datasets.len() as u64);
    block
        .datasets
        .iter()
        .for_each(|dataset| put_dataset(out, dataset));
    put_links(out, &block.datasets);
}

pub(crate) fn block(
    r: &mut Reader,
    label_sets: usize,
    types: usize,
) -> Result<BlockEntry, StoreError> {
    let (token, segments) = (r.varint()?, r.varint()?);
    let (number, count) = (r.varint()?, r.varint()?);
    let partition = match (u32::try_from(number), u32::try_from(count)) {
        (Ok(number), Ok(count)) if number < count => Partition { number, count },
        _ => return Err(r.corrupt("the partition number is out of range")),
    };
    let ids = optional(r)?;
    let summarizes = r.names()?;
    // A dataset has thirteen numbers at least.
    let count = r.count(13)?;
    let mut datasets = Vec::with_capacity(count);
    for _ in 0..count {
        datasets.push(dataset(r, label_sets, types)?);
    }
    links(r, &mut datasets)?;
    Ok(BlockEntry {
        datasets,
        token,
        segments,
        partition,
        ids,
        summarizes,
    })
}

fn put_dataset(out: &mut Vec<u8>, d: &Dataset) {
    put_varint(out, u64::from(d.profile_type));
    put_varint(out, d.series.len() as u64);
    put_deltas(out, d.series.iter().map(|&s| i64::from(s)));
    put_deltas(out, [d.min_time.0, d.max_time.0].into_iter());
    put_column(out, [d.profiles, d.stacks].into_iter());
    put_part(out, d.symbols);
    put_optional(out, d.totals);
    put_optional(out, d.window_totals.map(|(_, part)| part));
    if let Some((window, _)) = d.window_totals {
        out.push(kind(window, SumScope::Series));
    }
    put_optional(out, d.all_totals);
    put_pages(out, &d.pages);
    put_varint(out, d.sums.len() as u64);
    for sums in &d.sums {
        out.push(kind(sums.window, sums.scope));
        put_pages(out, &sums.pages);
    }
}

fn dataset(r: &mut Reader, label_sets: usize, types: usize) -> Result<Dataset, StoreError> {
    let profile_type = r.index(types)? as u32;
    let count = r.count(1)?;
    let series = r.index_deltas(count, label_sets)?;
    let min_time = UnixNanos(r.next_signed()?);
    let max_time = UnixNanos(min_time.0.wrapping_add(r.next_signed()?));
    let (profiles, stacks) = (r.varint()?, r.varint()?);
    // A stack takes two bytes of one section.
    if stacks > MAX_SECTION as u64 / 2 {
        return Err(r.corrupt("more stacks than a section can hold"));
    }
    let (symbols, totals) = (part(r)?, optional(r)?);
    let window_totals = match optional(r)? {
        None => None,
        Some(part) => match read_kind(r)? {
            (window, SumScope::Series) => Some((window, part)),
            _ => return Err(r.corrupt("window totals must be per series")),
        },
    };
    let all_totals = optional(r)?;
    if all_totals.is_some() && window_totals.is_none() {
        return Err(r.corrupt("totals for all series without totals for each"));
    }
    let pages = pages(r)?;
    // Its kind and a number of pages.
    let count = r.count(2)?;
    if count > KINDS.len() {
        return Err(r.corrupt("too many kinds of sums"));
    }
    let mut sums: Vec<SumsEntry> = Vec::with_capacity(count);
    for _ in 0..count {
        let (window, scope) = read_kind(r)?;
        if sums
            .iter()
            .any(|before| (before.window, before.scope) == (window, scope))
        {
            return Err(r.corrupt("two sums have the same kind"));
        }
        sums.push(SumsEntry {
            window,
            scope,
            pages: self::pages(r)?,
        });
    }
    Ok(Dataset {
        profile_type,
        series,
        min_time,
        max_time,
        profiles,
        stacks,
        symbols,
        totals,
        window_totals,
        all_totals,
        pages,
        sums,
        links: Vec::new(),
    })
}

/// Where the links of datasets are; nothing where no dataset has any.
fn put_links(out: &mut Vec<u8>, datasets: &[Dataset]) {
    let linked = || (0i64..).zip(datasets).filter(|(_, d)| !d.links.is_empty());
    let count = linked().count();
    if count == 0 {
        return;
    }
    put_varint(out, count as u64);
    put_deltas(out, linked().map(|(place, _)| place));
    linked().for_each(|(_, dataset)| put_pages(out, &dataset.links));
}

fn links(r: &mut Reader, datasets: &mut [Dataset]) -> Result<(), StoreError> {
    if r.remaining() == 0 {
        return Ok(());
    }
    // A place and a number of pages.
    let count = r.count(2)?;
    for place in r.index_deltas(count, datasets.len())? {
        let pages = pages(r)?;
        let links = &mut datasets[place as usize].links;
        if !links.is_empty() || pages.is_empty() {
            return Err(r.corrupt("a dataset's links are repeated or empty"));
        }
        *links = pages;
    }
    Ok(())
}

fn kind(window: SumWindow, scope: SumScope) -> u8 {
    KINDS
        .iter()
        .position(|&kind| kind == (window, scope))
        .map_or(0, |at| at as u8)
}

fn read_kind(r: &mut Reader) -> Result<(SumWindow, SumScope), StoreError> {
    let [byte] = r.array()?;
    KINDS
        .get(usize::from(byte))
        .copied()
        .ok_or_else(|| r.corrupt("sums of a kind unknown to this version"))
}

fn put_pages(out: &mut Vec<u8>, pages: &[PageEntry]) {
    put_varint(out, pages.len() as u64);
    put_deltas(out, pages.iter().map(|p| p.part.offset as i64));
    put_column(out, pages.iter().map(|p| p.part.len));
    put_deltas(out, pages.iter().flat_map(|p| [p.min_time.0, p.max_time.0]));
    put_column(out, pages.iter().map(|p| p.divisor));
}

/// Filled column by column: a month's directories have tens of thousands of short lists of pages.
fn pages(r: &mut Reader) -> Result<Vec<PageEntry>, StoreError> {
    let count = r.count(5)?;
    let mut pages = vec![PageEntry::default(); count];
    let mut before = 0i64;
    for page in &mut pages {
        before = before.wrapping_add(r.next_signed()?);
        page.part.offset = before as u64;
    }
    for page in &mut pages {
        page.part.len = r.next()?;
    }
    before = 0;
    for time in pages
        .iter_mut()
        .flat_map(|page| [&mut page.min_time, &mut page.max_time])
    {
        before = before.wrapping_add(r.next_signed()?);
        *time = UnixNanos(before);
    }
    for page in &mut pages {
        page.divisor = r.next()?;
    }
    for page in &pages {
        checked_part(r, page.part.offset, page.part.len)?;
        if page.divisor == 0 {
            return Err(r.corrupt("a page's divisor is 0"));
        }
    }
    Ok(pages)
}

fn put_part(out: &mut Vec<u8>, part: Part) {
    put_column(out, [part.offset, part.len].into_iter());
}

fn part(r: &mut Reader) -> Result<Part, StoreError> {
    let (offset, len) = (r.varint()?, r.varint()?);
    checked_part(r, offset, len)
}

/// A part or none: no section begins at byte 0, where the magic stands.
fn put_optional(out: &mut Vec<u8>, part: Option<Part>) {
    match part {
        Some(part) => put_part(out, part),
        None => put_varint(out, 0),
    }
}

fn optional(r: &mut Reader) -> Result<Option<Part>, StoreError> {
    match r.varint()? {
        0 => Ok(None),
        offset => {
            let len = r.varint()?;
            checked_part(r, offset, len).map(Some)
        }
    }
}

pub(crate) fn checked_part(r: &Reader, offset: u64, len: u64) -> Result<Part, StoreError> {
    if len < SECTION_HEAD as u64 || offset.checked_add(len).is_none() {
        return Err(r.corrupt("a section's offset or length is invalid"));
    }
    Ok(Part { offset, len })
}
