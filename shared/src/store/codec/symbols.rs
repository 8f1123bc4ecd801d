//! The tables of a profile, from strings to stacks, as columns.
//!
//! Rows keep their order; only rows that a stack in use can reach are written, so a chunk carries
//! no more than its rows need. Every reference is checked on the way back: into its own table, and
//! for stacks to an earlier row.

use super::bytes::{Reader, put_column, put_deltas, put_signed, put_varint};
use crate::base::limits::{MAX_INLINED, MAX_STACK_DEPTH};
use crate::model::id::{FunctionId, LocationId, MappingId, StackId, StringId};
use crate::model::profile::{Function, Line, Location, Mapping, Profile, Stack, SymbolFlags};
use crate::store::error::StoreError;

/// Which rows of a table are written, and under which number.
struct Kept(Vec<u32>);

impl Kept {
    fn none(rows: usize) -> Self {
        Self(vec![0; rows])
    }

    fn mark(&mut self, row: usize) {
        self.0[row] = 1;
    }

    /// Numbers the marked rows in order, from 1, so that 0 still means "not written", and gives how
    /// many there are.
    fn number(&mut self) -> u64 {
        let mut count = 0;
        for slot in self.0.iter_mut().filter(|slot| **slot != 0) {
            count += 1;
            *slot = count;
        }
        u64::from(count)
    }

    /// The number of a row that is kept, from 1.
    fn get(&self, row: usize) -> i64 {
        i64::from(self.0[row])
    }

    fn rows<'a, Row>(&'a self, table: &'a [Row]) -> impl Iterator<Item = &'a Row> + Clone {
        table
            .iter()
            .zip(&self.0)
            .filter(|(_, slot)| **slot != 0)
            .map(|(row, _)| row)
    }
}

/// Number under which each stack of the profile was written: its new row plus one, 0 when it was
/// not.
pub(crate) struct StackNumbers(Kept);

impl StackNumbers {
    /// The number for rows: 0 for the empty stack.
    pub(crate) fn get(&self, stack: Option<StackId>) -> u32 {
        stack.map_or(0, |s| self.0.0[s.index()])
    }
}

/// What the stacks in `used` reach, as tables of their own, and where each stack went.
pub(crate) fn prune(
    p: &Profile,
    used: impl Iterator<Item = StackId>,
) -> Result<(Profile, StackNumbers), StoreError> {
    let (raw, numbers) = encode(p, used)?;
    Ok((decode(&raw, "symbols")?, numbers))
}

/// Writes what the stacks in `used` reach. Gives the section and where each stack went.
pub(crate) fn encode(
    p: &Profile,
    used: impl Iterator<Item = StackId>,
) -> Result<(Vec<u8>, StackNumbers), StoreError> {
    check_depth(p)?;
    let mut stacks = Kept::none(p.stacks.len());
    used.for_each(|s| stacks.mark(s.index()));
    let mut locations = Kept::none(p.locations.len());
    for (i, row) in p.stacks.iter().enumerate().rev() {
        // Parents come earlier, so one pass backwards reaches them all.
        if stacks.0[i] != 0 {
            locations.mark(row.location.index());
            row.parent
                .iter()
                .for_each(|parent| stacks.mark(parent.index()));
        }
    }
    let mut mappings = Kept::none(p.mappings.len());
    let mut functions = Kept::none(p.functions.len());
    for l in locations.rows(&p.locations) {
        l.mapping.iter().for_each(|m| mappings.mark(m.index()));
        lines_of(p, l)
            .iter()
            .filter_map(|line| line.function)
            .for_each(|f| functions.mark(f.index()));
    }
    let mut strings = Kept::none(p.strings.len());
    for m in mappings.rows(&p.mappings) {
        [m.file, m.build_id]
            .iter()
            .for_each(|s| strings.mark(s.index()));
    }
    for f in functions.rows(&p.functions) {
        [f.name, f.system_name, f.file]
            .iter()
            .for_each(|s| strings.mark(s.index()));
    }
    // Row 0 is empty in every string table. It takes number 1 here, so numbers less one are indices
    // with 0 for empty.
    strings.mark(0);

    let mut out = Vec::new();
    let texts = || {
        (1..p.strings.len())
            .filter(|&i| strings.0[i] != 0)
            .map(|i| p.strings.get(StringId::new(i)))
    };
    put_varint(&mut out, texts().count() as u64);
    put_column(&mut out, texts().map(|text| text.len() as u64));
    texts().for_each(|text| out.extend_from_slice(text.as_bytes()));
    strings.number();
    let string = |id: StringId| strings.get(id.index()) - 1;

    put_varint(&mut out, mappings.number());
    for m in mappings.rows(&p.mappings) {
        let SymbolFlags {
            functions,
            filenames,
            line_numbers,
            inline_frames,
        } = m.symbols;
        let flags = [functions, filenames, line_numbers, inline_frames];
        put_column(
            &mut out,
            [
                m.start,
                m.limit,
                m.offset,
                string(m.file) as u64,
                string(m.build_id) as u64,
            ]
            .into_iter(),
        );
        out.push(
            flags
                .iter()
                .enumerate()
                .map(|(bit, &set)| u8::from(set) << bit)
                .sum(),
        );
    }

    put_varint(&mut out, functions.number());
    let rows = || functions.rows(&p.functions);
    put_deltas(&mut out, rows().map(|f| string(f.name)));
    // Mostly the same as the name, so the difference is mostly zero.
    rows().for_each(|f| put_signed(&mut out, string(f.system_name) - string(f.name)));
    put_deltas(&mut out, rows().map(|f| string(f.file)));
    put_deltas(&mut out, rows().map(|f| f.start_line));

    put_varint(&mut out, locations.number());
    let rows = || locations.rows(&p.locations);
    put_column(
        &mut out,
        rows().map(|l| l.mapping.map_or(0, |m| mappings.get(m.index())) as u64),
    );
    put_deltas(&mut out, rows().map(|l| l.address as i64));
    put_column(
        &mut out,
        rows().map(|l| u64::from(l.line_count) << 1 | u64::from(l.folded)),
    );
    let lines = || rows().flat_map(|l| lines_of(p, l));
    put_deltas(
        &mut out,
        lines().map(|line| line.function.map_or(0, |f| functions.get(f.index()))),
    );
    put_deltas(&mut out, lines().map(|line| line.line));
    put_deltas(&mut out, lines().map(|line| line.column));

    put_varint(&mut out, stacks.number());
    let rows = || stacks.rows(&p.stacks);
    // How far back the parent is, 0 for a root: 1 for most rows, since a builder adds a stack from
    // root to leaf.
    let parents = rows().zip(1..).map(|(row, number)| {
        row.parent
            .map_or(0, |parent| number - stacks.get(parent.index()))
    });
    put_column(&mut out, parents.map(|back| back as u64));
    put_deltas(
        &mut out,
        rows().map(|row| locations.get(row.location.index()) - 1),
    );
    Ok((out, StackNumbers(stacks)))
}

/// What is too deep to be read back must not be written.
fn check_depth(p: &Profile) -> Result<(), StoreError> {
    let deepest = deepest(&p.stacks);
    if deepest as usize > MAX_STACK_DEPTH {
        return Err(StoreError::TooLarge {
            section: "stack depth",
            size: u64::from(deepest),
            cap: MAX_STACK_DEPTH as u64,
        });
    }
    Ok(())
}

/// Frames of the deepest stack.
fn deepest(stacks: &[Stack]) -> u32 {
    // By number; that without frames, which has none, is what roots are called from.
    let mut depths = Vec::with_capacity(stacks.len() + 1);
    depths.push(0u32);
    for stack in stacks {
        depths.push(depths[StackId::number(stack.parent) as usize] + 1);
    }
    depths.into_iter().max().unwrap_or(0)
}

fn lines_of<'a>(p: &'a Profile, l: &Location) -> &'a [Line] {
    &p.lines[l.first_line as usize..(l.first_line + l.line_count) as usize]
}

/// Reads tables into a profile without samples.
pub(crate) fn decode(bytes: &[u8], section: &'static str) -> Result<Profile, StoreError> {
    let mut reader = Reader::new(bytes, section);
    let mut p = Profile::default();
    let r = &mut reader;
    strings(r, &mut p)?;
    mappings(r, &mut p)?;
    functions(r, &mut p)?;
    locations(r, &mut p)?;
    stacks(r, &mut p)?;
    r.end()?;
    Ok(p)
}

fn strings(r: &mut Reader, p: &mut Profile) -> Result<(), StoreError> {
    let count = r.count(1)?;
    let lengths = r.column(count)?;
    let length = lengths.iter().fold(0u64, |sum, &n| sum.saturating_add(n));
    let length =
        usize::try_from(length).map_err(|_| r.corrupt("the strings don't fit in memory"))?;
    // All at once: to look at each alone took four times as long.
    let text = std::str::from_utf8(r.take(length)?).ok();
    let added = text.and_then(|text| {
        p.strings
            .append(text, lengths.into_iter().map(|length| length as usize))
    });
    added.ok_or_else(|| r.corrupt("a string is not UTF-8"))
}

fn mappings(r: &mut Reader, p: &mut Profile) -> Result<(), StoreError> {
    let count = r.count(6)?;
    let texts = p.strings.len();
    p.mappings.reserve_exact(count);
    for _ in 0..count {
        let (start, limit, offset) = (r.varint()?, r.varint()?, r.varint()?);
        let (file, build_id) = (
            StringId::new(r.index(texts)?),
            StringId::new(r.index(texts)?),
        );
        let [flags] = r.array()?;
        if flags > 0b1111 {
            return Err(r.corrupt("a mapping has flags unknown to this version"));
        }
        let set = |bit: u8| flags >> bit & 1 == 1;
        let symbols = SymbolFlags {
            functions: set(0),
            filenames: set(1),
            line_numbers: set(2),
            inline_frames: set(3),
        };
        p.mappings.push(Mapping {
            start,
            limit,
            offset,
            file,
            build_id,
            symbols,
        });
    }
    Ok(())
}

fn functions(r: &mut Reader, p: &mut Profile) -> Result<(), StoreError> {
    let count = r.count(4)?;
    let texts = p.strings.len();
    let names = r.index_deltas(count, texts)?;
    let mut system_names = Vec::with_capacity(count);
    for &name in &names {
        let index = i64::from(name).wrapping_add(r.next_signed()?);
        system_names.push(r.check_index(index as u64, texts)?);
    }
    let files = r.index_deltas(count, texts)?;
    let start_lines = r.deltas(count)?;
    p.functions.reserve_exact(count);
    for i in 0..count {
        let (name, system_name) = (
            StringId::new(names[i] as usize),
            StringId::new(system_names[i]),
        );
        p.functions.push(Function {
            name,
            system_name,
            file: StringId::new(files[i] as usize),
            start_line: start_lines[i],
        });
    }
    Ok(())
}

fn locations(r: &mut Reader, p: &mut Profile) -> Result<(), StoreError> {
    let count = r.count(3)?;
    let mut mappings = Vec::with_capacity(count);
    for _ in 0..count {
        mappings.push(r.next_index(p.mappings.len() + 1)?);
    }
    let addresses = r.deltas(count)?;
    let mut line_total = 0;
    p.locations.reserve_exact(count);
    for i in 0..count {
        let word = r.next()?;
        let (line_count, folded) = (word >> 1, word & 1 == 1);
        // A line takes three bytes at least.
        if line_count > MAX_INLINED as u64 || line_total + line_count as usize > r.remaining() / 3 {
            return Err(r.corrupt("a location has too many lines"));
        }
        p.locations.push(Location {
            mapping: MappingId::numbered(mappings[i] as u32),
            address: addresses[i] as u64,
            folded,
            first_line: line_total as u32,
            line_count: line_count as u32,
        });
        line_total += line_count as usize;
    }
    let functions = r.index_deltas(line_total, p.functions.len() + 1)?;
    let lines = r.deltas(line_total)?;
    let columns = r.deltas(line_total)?;
    p.lines.reserve_exact(line_total);
    for i in 0..line_total {
        let function = FunctionId::numbered(functions[i]);
        p.lines.push(Line {
            function,
            line: lines[i],
            column: columns[i],
        });
    }
    Ok(())
}

fn stacks(r: &mut Reader, p: &mut Profile) -> Result<(), StoreError> {
    let count = r.count(2)?;
    p.stacks.reserve_exact(count);
    for number in 1..=count as u64 {
        let parent = match r.next_byte()? {
            0 => None,
            back if back < number => StackId::numbered((number - back) as u32),
            _ => return Err(r.corrupt("a stack's parent is outside the table")),
        };
        p.stacks.push(Stack {
            parent,
            location: LocationId::FIRST,
        });
    }
    // No stack is deeper than there are rows.
    if count > MAX_STACK_DEPTH && deepest(&p.stacks) > MAX_STACK_DEPTH as u32 {
        return Err(r.corrupt("a stack is deeper than allowed"));
    }
    let (locations, mut location) = (p.locations.len(), 0i64);
    for stack in &mut p.stacks {
        location = location.wrapping_add(r.next_signed()?);
        stack.location = LocationId::new(r.check_index(location as u64, locations)?);
    }
    Ok(())
}
