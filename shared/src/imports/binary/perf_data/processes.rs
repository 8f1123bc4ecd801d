//! Which file is where in the memory of a process, and what threads are called.

use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::HashMap;

use crate::imports::error::FormatError;
use crate::imports::rows::Rows;
use crate::model::id::{FunctionId, MappingId, StringId};
use crate::model::profile::{Mapping, SymbolFlags};

/// The process that stands for the kernel.
pub(super) const KERNEL: u32 = u32::MAX;

/// What a file in the memory of a process takes, and a name.
const AREA: usize = 72;
const NAME: usize = 32;
/// Files that may be copied for processes that fork, for each byte of the recording: a fork and
/// the file behind it take 200 bytes, and the largest processes have some hundred files.
const COPIES_A_BYTE: usize = 4;

/// A part of memory.
#[derive(Clone, Copy)]
pub(super) struct Area {
    end: u64,
    /// What an address and its place in the file differ by.
    shift: u64,
    pub(super) mapping: Option<MappingId>,
    pub(super) function: Option<FunctionId>,
}

/// A file in memory, as a record has it.
pub(super) struct File<'a> {
    pub(super) process: u32,
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) offset: u64,
    pub(super) name: &'a str,
    pub(super) build_id: &'a str,
}

type Areas = BTreeMap<u64, Area>;

/// All processes.
pub(super) struct Processes {
    /// A process that forked shares them with its parent until one of them has another.
    areas: HashMap<u32, Rc<Areas>>,
    names: HashMap<u32, StringId>,
    /// How many areas may still be copied.
    copies: usize,
    /// Processes that lost those of their parent.
    pub(super) bare: u64,
}

impl Processes {
    /// Of a recording of so many bytes.
    pub(super) fn new(length: usize) -> Self {
        Self {
            areas: HashMap::new(),
            names: HashMap::new(),
            copies: length.saturating_mul(COPIES_A_BYTE),
            bare: 0,
        }
    }

    /// Adds a file to the memory of its process.
    pub(super) fn map(&mut self, file: &File<'_>, rows: &mut Rows) -> Result<(), FormatError> {
        // A place in a file is the same in all processes; other memory has no such place.
        let shift = match is_file(file.name) && file.process != KERNEL {
            true => file.offset.wrapping_sub(file.start),
            false => 0,
        };
        let start = file.start.wrapping_add(shift);
        let (name, build_id) = (
            rows.builder.string(file.name),
            rows.builder.string(file.build_id),
        );
        let mapping = rows.builder.mapping(Mapping {
            start,
            limit: start.saturating_add(file.length),
            offset: file.offset,
            file: name,
            build_id,
            symbols: SymbolFlags::default(),
        });
        let area = Area {
            end: file.start.saturating_add(file.length),
            shift,
            mapping: Some(mapping),
            function: None,
        };
        self.insert(file.process, file.start, area, rows)
    }

    /// Names a part of the kernel.
    pub(super) fn symbol(
        &mut self,
        start: u64,
        length: u64,
        function: FunctionId,
        rows: &mut Rows,
    ) -> Result<(), FormatError> {
        let area = Area {
            end: start.saturating_add(length),
            shift: 0,
            mapping: rows.module("[bpf]"),
            function: Some(function),
        };
        self.insert(KERNEL, start, area, rows)
    }

    /// Puts an area over those that are there.
    fn insert(
        &mut self,
        process: u32,
        start: u64,
        area: Area,
        rows: &mut Rows,
    ) -> Result<(), FormatError> {
        if area.end <= start {
            return rows.check();
        }
        self.own(process, rows)?;
        let areas = self.areas.entry(process).or_default();
        let Some(areas) = Rc::get_mut(areas) else {
            return Ok(());
        };
        let before = areas.len();
        while let Some((&first, &over)) = areas.range(..area.end).next_back()
            && over.end > start
        {
            areas.remove(&first);
            if first < start {
                areas.insert(first, Area { end: start, ..over });
            }
            if over.end > area.end {
                areas.insert(area.end, over);
            }
        }
        areas.insert(start, area);
        rows.beside += areas.len().saturating_sub(before) * AREA;
        rows.check()
    }

    /// Copies areas that are shared.
    fn own(&mut self, process: u32, rows: &mut Rows) -> Result<(), FormatError> {
        let Some(areas) = self.areas.get_mut(&process) else {
            rows.beside += AREA;
            return Ok(());
        };
        if Rc::get_mut(areas).is_some() {
            return Ok(());
        }
        if areas.len() > self.copies {
            self.bare += 1;
            *areas = Rc::default();
            return Ok(());
        }
        self.copies -= areas.len();
        rows.beside += areas.len() * AREA;
        rows.check()?;
        *areas = Rc::new(Areas::clone(areas));
        Ok(())
    }

    /// Begins a thread, in a process of its own if that is not its parent's.
    pub(super) fn fork(
        &mut self,
        (process, thread): (u32, u32),
        (parent, of): (u32, u32),
        with_memory: bool,
    ) {
        if process != parent
            && with_memory
            && let Some(areas) = self.areas.get(&parent)
        {
            let areas = Rc::clone(areas);
            self.areas.insert(process, areas);
        }
        if let Some(&name) = self.names.get(&of) {
            self.names.insert(thread, name);
        }
    }

    /// Begins another program in a process.
    pub(super) fn exec(&mut self, process: u32, rows: &mut Rows) {
        if let Some(areas) = self.areas.remove(&process)
            && let Some(areas) = Rc::into_inner(areas)
        {
            rows.beside = rows.beside.saturating_sub(areas.len() * AREA);
        }
    }

    /// Names a thread.
    pub(super) fn name(&mut self, thread: u32, name: &str, rows: &mut Rows) {
        let name = rows.builder.string(name);
        if self.names.insert(thread, name).is_none() {
            rows.beside += NAME;
        }
    }

    /// What a thread is called; empty when nothing says it.
    pub(super) fn name_of(&self, thread: u32) -> StringId {
        self.names.get(&thread).copied().unwrap_or(StringId::EMPTY)
    }

    /// What is at an address, and its place there.
    pub(super) fn find(&self, process: u32, address: u64) -> Option<(Area, u64)> {
        let areas = self.areas.get(&process)?;
        let (_, &area) = areas.range(..=address).next_back()?;
        (address < area.end).then(|| (area, address.wrapping_add(area.shift)))
    }
}

/// Whether memory is of a file.
fn is_file(name: &str) -> bool {
    const OTHERS: &[&str] = &["//", "/dev/zero", "/memfd:", "/SYSV", "/anon_hugepage"];
    name == "[vdso]"
        || (name.starts_with('/') && !OTHERS.iter().any(|other| name.starts_with(other)))
}
