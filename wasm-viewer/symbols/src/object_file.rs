//! ELF and Mach-O: debug information (DWARF), and the table of symbols where there is none.

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::Arc;

use addr2line::Context;
use addr2line::gimli::{
    self, AbbreviationsCacheStrategy, DwarfSections, EndianSlice, RunTimeEndian, SectionId,
};
use flate2::read::ZlibDecoder;
use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};
use object::{
    BinaryFormat, CompressedData, CompressionFormat, File, FileKind, Object, ObjectSection,
    ObjectSegment, SymbolMap, SymbolMapName,
};
use pilotlight_core::Profile;
use pilotlight_core::limits::MAX_INLINED;
use pilotlight_core::verbs::programs::{Fit, Identity, Layout, Segment, Symbols, hex};
use pilotlight_core::verbs::{MAX_NAME_BYTES, SymbolFrame, demangled};

use crate::error::SymbolsError;
use crate::program::{MAX_BINARY_BYTES, Program, Symbolized};
use crate::table::{Ranges, table};

/// Most programs in a file for several processors. Two or three are usual.
const MAX_PARTS: usize = 16;

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// Names the addresses of profiles with a program, or with the one of a file for several processors
/// that fits.
pub(crate) fn symbolize(
    name: &str,
    binary: &[u8],
    profiles: &[Profile],
) -> Result<Vec<Symbolized>, SymbolsError> {
    let mut ids = Vec::new();
    let mut last = None;
    for part in parts(binary)? {
        let file = File::parse(part).map_err(|error| damaged(part, error))?;
        let identity = identity(name, &file);
        let fits: Vec<Fit> = profiles.iter().map(|p| Fit::of(&identity, p)).collect();
        let found = fits.iter().any(|fit| !fit.is_empty());
        ids.extend(identity.ids);
        last = Some((part, file, fits));
        if found {
            break;
        }
    }
    let (part, file, fits) = last.ok_or(SymbolsError::Unknown)?;
    let layout = layout(&file);
    let program = Program {
        name,
        ids,
        layout,
        symbols: &Nothing,
    };
    if fits.iter().all(Fit::is_empty) {
        return Ok(program.names(profiles, &fits));
    }
    let mut left = MAX_BINARY_BYTES - binary.len() as u64;
    let sections = DwarfSections::load(|id| section(part, &file, id, &mut left))?;
    let symbols = &Dwarf::read(part, &file, &sections)?;
    Ok(Program { symbols, ..program }.names(profiles, &fits))
}

/// What names the addresses of each program in a file.
pub(crate) fn tables(name: &str, binary: &[u8]) -> Result<Vec<Vec<u8>>, SymbolsError> {
    let mut left = MAX_BINARY_BYTES - binary.len() as u64;
    let one = |part| {
        let file = File::parse(part).map_err(|error| damaged(part, error))?;
        let sections = DwarfSections::load(|id| section(part, &file, id, &mut left))?;
        let symbols = Dwarf::read(part, &file, &sections)?;
        table(identity(name, &file).ids, name, layout(&file), &symbols)
    };
    let (mut made, mut failed) = (Vec::new(), None);
    for part in parts(binary)?.into_iter().map(one) {
        match part {
            Ok(table) => made.push(table),
            Err(error) => failed = Some(error),
        }
    }
    // That of one processor is enough.
    match failed.filter(|_| made.is_empty()) {
        Some(error) => Err(error),
        None => Ok(made),
    }
}

/// The programs in a file: one for each processor.
fn parts(binary: &[u8]) -> Result<Vec<&[u8]>, SymbolsError> {
    let kind = FileKind::parse(binary).map_err(|_| SymbolsError::Unknown)?;
    let broken = |error: object::Error| damaged(binary, error);
    match kind {
        FileKind::Elf32 | FileKind::Elf64 | FileKind::MachO32 | FileKind::MachO64 => {
            Ok(vec![binary])
        }
        FileKind::MachOFat32 => {
            let file = MachOFatFile32::parse(binary).map_err(broken)?;
            let parts = file.arches().iter().take(MAX_PARTS);
            let parts = parts.map(|part| part.data(binary));
            parts.collect::<Result<_, _>>().map_err(broken)
        }
        FileKind::MachOFat64 => {
            let file = MachOFatFile64::parse(binary).map_err(broken)?;
            let parts = file.arches().iter().take(MAX_PARTS);
            let parts = parts.map(|part| part.data(binary));
            parts.collect::<Result<_, _>>().map_err(broken)
        }
        _ => Err(SymbolsError::Unknown),
    }
}

fn damaged(binary: &[u8], error: impl ToString) -> SymbolsError {
    let format = if binary.starts_with(b"\x7fELF") {
        "ELF"
    } else {
        "Mach-O"
    };
    SymbolsError::damaged(format, error)
}

fn identity(name: &str, file: &File<'_>) -> Identity {
    let gnu = file.build_id().ok().flatten().map(hex);
    let uuid = file.mach_uuid().ok().flatten().map(|id| hex(&id));
    Identity {
        ids: gnu.or(uuid).into_iter().collect(),
        names: vec![name.to_owned()],
    }
}

/// How a program lies in memory. The header of a Mach-O file is the beginning of `__TEXT`.
fn layout(file: &File<'_>) -> Layout {
    let mut segments = file.segments();
    if file.format() == BinaryFormat::MachO {
        let text = segments.find(|segment| segment.name().ok().flatten() == Some("__TEXT"));
        return Layout::Image(text.map_or(0, |segment| segment.address()));
    }
    let segments = segments.map(|segment| {
        let (offset, file_size) = segment.file_range();
        Segment {
            address: segment.address(),
            size: segment.size(),
            offset,
            file_size,
            align: segment.align().max(1),
            executable: segment.permissions().executable(),
        }
    });
    Layout::Segments(segments.collect())
}

/// A section's bytes, inflated; none for one that is not there or that nothing here reads.
fn section<'a>(
    part: &[u8],
    file: &File<'a>,
    id: SectionId,
    left: &mut u64,
) -> Result<Cow<'a, [u8]>, SymbolsError> {
    let is_read = matches!(
        id,
        SectionId::DebugAbbrev
            | SectionId::DebugAddr
            | SectionId::DebugAranges
            | SectionId::DebugInfo
            | SectionId::DebugLine
            | SectionId::DebugLineStr
            | SectionId::DebugRanges
            | SectionId::DebugRngLists
            | SectionId::DebugStr
            | SectionId::DebugStrOffsets
    );
    let section = file.section_by_name(id.name()).filter(|_| is_read);
    let Some(section) = section else {
        return Ok(Cow::Borrowed(&[]));
    };
    let broken = |reason: &dyn ToString| {
        damaged(
            part,
            format!("section {}: {}", id.name(), reason.to_string()),
        )
    };
    let found = section.compressed_data().map_err(|error| broken(&error))?;
    if found.format == CompressionFormat::None {
        return Ok(Cow::Borrowed(found.data));
    }
    let size = found.uncompressed_size;
    *left = left
        .checked_sub(size)
        .ok_or_else(|| SymbolsError::TooLarge {
            size: size.saturating_add(MAX_BINARY_BYTES - *left),
            cap: MAX_BINARY_BYTES,
        })?;
    let inflated = inflate(&found).map_err(|error| broken(&error))?;
    match inflated.len() as u64 == size {
        true => Ok(Cow::Owned(inflated)),
        false => Err(broken(&"its inflated size differs from the declared one")),
    }
}

/// Inflates as far as a section says, and a byte. Memory grows with what there is: the size that it
/// says is not believed.
fn inflate(section: &CompressedData<'_>) -> io::Result<Vec<u8>> {
    let mut inflated = Vec::new();
    let most = section.uncompressed_size.saturating_add(1);
    match section.format {
        CompressionFormat::Zlib => ZlibDecoder::new(section.data)
            .take(most)
            .read_to_end(&mut inflated)?,
        CompressionFormat::Zstandard => zstd::stream::read::Decoder::new(section.data)?
            .take(most)
            .read_to_end(&mut inflated)?,
        _ => return Err(io::Error::other("compressed in an unknown format")),
    };
    Ok(inflated)
}

/// A program that is no part of any profile.
struct Nothing;

impl Symbols for Nothing {
    fn frames(&self, _: u64, _: &mut Vec<SymbolFrame>) {}
}

struct Dwarf<'a> {
    sections: Arc<gimli::Dwarf<Slice<'a>>>,
    context: Context<Slice<'a>>,
    table: SymbolMap<SymbolMapName<'a>>,
    /// Whether the linker puts an underscore before every name.
    underscores: bool,
}

impl<'a> Dwarf<'a> {
    fn new(
        file: &File<'a>,
        sections: &'a DwarfSections<Cow<'a, [u8]>>,
    ) -> Result<Self, gimli::Error> {
        let endian = match file.is_little_endian() {
            true => RunTimeEndian::Little,
            false => RunTimeEndian::Big,
        };
        let mut dwarf = sections.borrow(|section| EndianSlice::new(section, endian));
        // Units share what describes their entries: all of Go's have one table.
        dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
        let sections = Arc::new(dwarf);
        Ok(Self {
            context: Context::from_arc_dwarf(sections.clone())?,
            sections,
            table: file.symbol_map(),
            underscores: file.format() == BinaryFormat::MachO,
        })
    }

    /// That of a program, unless it has none.
    fn read(
        part: &[u8],
        file: &File<'a>,
        sections: &'a DwarfSections<Cow<'a, [u8]>>,
    ) -> Result<Self, SymbolsError> {
        let dwarf = Self::new(file, sections).map_err(|error| damaged(part, error))?;
        let has_dwarf = file.section_by_name(SectionId::DebugInfo.name()).is_some();
        match !has_dwarf && dwarf.table.symbols().is_empty() {
            true => Err(SymbolsError::Stripped),
            false => Ok(dwarf),
        }
    }

    /// Adds where frames of a unit begin and end: its rows of lines, its functions and what was
    /// inlined into them.
    fn starts_of(
        &self,
        unit: &gimli::Unit<Slice<'a>>,
        starts: &mut Vec<u64>,
    ) -> Result<(), gimli::Error> {
        let mut add = |mut ranges: gimli::RangeIter<Slice<'a>>| {
            while let Some(range) = ranges.next()? {
                starts.extend([range.begin, range.end]);
            }
            Ok::<_, gimli::Error>(())
        };
        add(self.sections.unit_ranges(unit)?)?;
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            if matches!(
                entry.tag(),
                gimli::DW_TAG_subprogram | gimli::DW_TAG_inlined_subroutine
            ) {
                add(self.sections.die_ranges(unit, entry)?)?;
            }
        }
        if let Some(lines) = unit.line_program.clone() {
            let mut rows = lines.rows();
            while let Some((_, row)) = rows.next_row()? {
                starts.push(row.address());
            }
        }
        Ok(())
    }

    /// The name that the table of symbols has for an address.
    fn symbol(&self, address: u64) -> Option<&'a str> {
        let name = self.table.containing(address)?.name();
        let plain = name.strip_prefix('_').filter(|_| self.underscores);
        Some(plain.unwrap_or(name))
    }
}

impl Symbols for Dwarf<'_> {
    fn frames(&self, address: u64, frames: &mut Vec<SymbolFrame>) {
        // Lookups end one byte further.
        if address == u64::MAX {
            return;
        }
        // Damaged parts have no frames; the table of symbols may still have a name.
        if let Ok(mut found) = self.context.find_frames(address).skip_all_loads() {
            while let Ok(Some(frame)) = found.next()
                && frames.len() < MAX_INLINED
            {
                let name = frame.function.as_ref().and_then(|f| f.raw_name().ok());
                let place = frame.location.as_ref();
                let file = place.and_then(|p| p.file);
                let file = file.filter(|file| file.len() <= MAX_NAME_BYTES);
                frames.push(SymbolFrame {
                    file: file.unwrap_or("").to_owned(),
                    line: place.and_then(|p| p.line).unwrap_or(0).into(),
                    column: place.and_then(|p| p.column).unwrap_or(0).into(),
                    ..named(name.as_deref().unwrap_or(""))
                });
            }
        }
        if frames.is_empty() {
            frames.push(SymbolFrame::default());
        }
        // Code without debug information, such as assembly, may have lines and no name.
        if let Some(outermost) = frames.last_mut()
            && outermost.name.is_empty()
            && let Some(name) = self.symbol(address)
        {
            let SymbolFrame {
                name, system_name, ..
            } = named(name);
            (outermost.name, outermost.system_name) = (name, system_name);
        }
        frames.retain(|frame| !frame.name.is_empty());
    }
}

impl Ranges for Dwarf<'_> {
    fn starts(&self) -> Vec<u64> {
        let symbols = self.table.symbols().iter();
        let ends = symbols.flat_map(|symbol| {
            let start = symbol.address();
            [start, start.saturating_add(symbol.size())]
        });
        let mut starts: Vec<u64> = ends.collect();
        let mut units = self.sections.units();
        // Damaged parts have no frames.
        while let Ok(Some(unit)) = units.next() {
            if let Ok(unit) = self.sections.unit(unit) {
                let _ = self.starts_of(&unit, &mut starts);
            }
        }
        starts
    }
}

/// A frame with a name; without one when it is too long to be kept.
fn named(system_name: &str) -> SymbolFrame {
    if system_name.len() > MAX_NAME_BYTES {
        return SymbolFrame::default();
    }
    SymbolFrame {
        name: demangled(system_name).unwrap_or_else(|| system_name.to_owned()),
        system_name: system_name.to_owned(),
        ..SymbolFrame::default()
    }
}
