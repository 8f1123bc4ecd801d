//! Records in order of time → samples.

use std::fmt::Write;

use hashbrown::HashMap;

use super::attribute::Sample;
use super::counters::Counters;
use super::processes::{File, KERNEL, Processes};
use super::record::{NAME, Record, kind};
use super::recording::Recording;
use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::imports::binary::bytes::{part, text_at, u32_at, u64_at};
use crate::imports::error::{FormatError, too_deep};
use crate::imports::rows::Rows;
use crate::model::id::{LabelSetId, LocationId, StringId};
use crate::model::profile::Line;

/// What the labels of a thread take.
const LABELS: usize = 64;

/// The first of the numbers that stand for a mode in a stack.
const MODES: u64 = -4095i64 as u64;

/// Where a part of a stack is.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Kernel,
    User,
    /// A guest, or a hypervisor.
    Other,
}

impl Mode {
    /// Of the head of a record.
    fn of(misc: u16) -> Self {
        match misc & 7 {
            1 => Self::Kernel,
            2 => Self::User,
            _ => Self::Other,
        }
    }

    /// Of a number in a stack; `None` where what follows is no address.
    fn of_marker(marker: u64) -> Option<Self> {
        match marker as i64 {
            -128 => Some(Self::Kernel),
            -512 => Some(Self::User),
            // PERF_CONTEXT_USER_DEFERRED: the next value is a cookie, not an address.
            -640 => None,
            _ => Some(Self::Other),
        }
    }
}

/// Process and thread, and their names.
type Thread = (u32, u32, StringId, StringId);

pub(super) struct Samples<'a> {
    rows: Rows,
    recording: &'a Recording<'a>,
    processes: Processes,
    /// The sample type of each event that has samples.
    types: Vec<Option<usize>>,
    labels: HashMap<Thread, Option<LabelSetId>>,
    counters: Counters,
    /// Records of any kind, and samples by themselves.
    lost: u64,
    lost_samples: u64,
    /// Samples of no event that the recording describes.
    strange: u64,
    /// Samples whose stacks of user space are elsewhere: copied, in a later record, in branches.
    copied: u64,
    deferred: u64,
    branches: u64,
    frames: Vec<LocationId>,
}

impl<'a> Samples<'a> {
    pub(super) fn new(mut rows: Rows, recording: &'a Recording<'a>, length: usize) -> Self {
        if !recording.command.is_empty() {
            let command = rows.builder.string(&recording.command);
            rows.builder.header().comments.push(command);
        }
        Self {
            rows,
            recording,
            processes: Processes::new(length),
            types: vec![None; recording.attributes.len()],
            labels: HashMap::new(),
            counters: Counters::default(),
            lost: 0,
            lost_samples: 0,
            strange: 0,
            copied: 0,
            deferred: 0,
            branches: 0,
            frames: Vec::new(),
        }
    }

    /// Reads a record.
    pub(super) fn take(&mut self, record: Record<'_>) -> Result<(), FormatError> {
        let (body, misc) = (record.body, record.misc);
        match record.kind {
            kind::SAMPLE => return self.sample(record),
            kind::MMAP | kind::MMAP2 => return self.map(record),
            kind::COMM => {
                if let (Some(process), Some(thread), Some(name)) =
                    (u32_at(body, 0), u32_at(body, 4), text_at(body, 8))
                {
                    if misc & 1 << 13 != 0 {
                        self.processes.exec(process, &mut self.rows);
                    }
                    self.processes.name(thread, &name, &mut self.rows);
                }
            }
            kind::FORK => {
                let word = |row: usize| u32_at(body, 4 * row);
                if let (Some(process), Some(parent), Some(thread), Some(of)) =
                    (word(0), word(1), word(2), word(3))
                {
                    // What perf writes of processes that are there has memory of its own.
                    let with_memory = misc & 1 << 13 == 0;
                    self.processes
                        .fork((process, thread), (parent, of), with_memory);
                    self.rows.beside += LABELS;
                }
            }
            kind::KSYMBOL => {
                if let (Some(start), Some(length), Some(name)) =
                    (u64_at(body, 0), u32_at(body, 8), text_at(body, 16))
                    && !name.is_empty()
                {
                    let function = self.rows.function(&name, "");
                    let length = u64::from(length);
                    self.processes
                        .symbol(start, length, function, &mut self.rows)?;
                }
            }
            kind::LOST => self.lost = self.lost.saturating_add(u64_at(body, 8).unwrap_or(0)),
            // Those with this bit were left out on purpose.
            kind::LOST_SAMPLES if misc & 1 << 15 == 0 => {
                let lost = u64_at(body, 0).unwrap_or(0);
                self.lost_samples = self.lost_samples.saturating_add(lost);
            }
            _ => {}
        }
        self.rows.check()
    }

    /// Reads that a file is in memory.
    fn map(&mut self, record: Record<'_>) -> Result<(), FormatError> {
        let body = record.body;
        let (name_at, build_id) = match record.kind {
            kind::MMAP => (32, None),
            // A build id, and its length before it, instead of device and inode.
            _ if record.misc & 1 << 14 != 0 => {
                let length = body.get(32).map(|&length| usize::from(length));
                (64, length.and_then(|length| part(body, 36, length.min(20))))
            }
            _ => (64, None),
        };
        let process = match Mode::of(record.misc) {
            Mode::Kernel => Some(KERNEL),
            Mode::User => u32_at(body, 0),
            Mode::Other => return Ok(()),
        };
        let (Some(process), Some(start), Some(length), Some(offset), Some(name)) = (
            process,
            u64_at(body, 8),
            u64_at(body, 16),
            u64_at(body, 24),
            text_at(body, name_at),
        ) else {
            return Ok(());
        };
        // The kernel has the symbol that its memory was found by behind its name.
        let name = match name.split_once(']') {
            Some((kernel, _)) if process == KERNEL && name.starts_with('[') => {
                format!("{kernel}]")
            }
            _ => name.into_owned(),
        };
        let known = || self.recording.build_ids.get(name.as_bytes()).copied();
        let file = File {
            process,
            start,
            length,
            offset,
            name: &name,
            build_id: &hex(build_id.or_else(known).unwrap_or_default()),
        };
        self.processes.map(&file, &mut self.rows)
    }

    fn sample(&mut self, record: Record<'_>) -> Result<(), FormatError> {
        let Some(row) = self.recording.attribute_of(record.body) else {
            self.strange += 1;
            return Ok(());
        };
        let attribute = &self.recording.attributes[row];
        let Some(sample) = attribute.sample(record.body) else {
            let number = self.rows.builder.profile().len() + 1;
            let place = format!("sample {number} (in time order)");
            return Err(FormatError::at(NAME, place, "the sample is cut off"));
        };
        if !self.stack(&sample, Mode::of(record.misc))? {
            self.copied += u64::from(attribute.copies_stacks());
            self.branches += u64::from(attribute.has_stacks_of_branches());
        }
        let labels = sample.thread.and_then(|thread| self.labels(thread));
        let builder = &mut self.rows.builder;
        let stack = builder.stack_of(self.frames.drain(..).rev());
        // perf gives what it adds at the end, such as off-CPU time, times that are none.
        let time = attribute.time_of_sample(record.body);
        let time = time.and_then(|time| i64::try_from(time).ok());
        let add = |this: &mut Self, row: usize, value: u64| {
            let sample_type = this.sample_type(row)?;
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            match time {
                Some(time) => this.rows.sample_at(time, stack, labels, sample_type, value),
                None => this.rows.sample(stack, labels, sample_type, value),
            }
            Ok(())
        };
        // With counters it counts all events of its group, without them its own.
        if sample.counters.is_empty() {
            add(self, row, sample.period)?;
        }
        let thread = sample.thread.filter(|_| attribute.counts_threads());
        for (id, count) in sample.counters {
            let Some(row) = self.recording.attribute_of_id(id) else {
                self.strange += 1;
                continue;
            };
            let key = (id, thread.map_or(0, |(_, thread)| thread));
            let value = self.counters.since_last(key, count, &mut self.rows);
            if value > 0 {
                add(self, row, value)?;
            }
        }
        self.rows.check()
    }

    fn sample_type(&mut self, row: usize) -> Result<usize, FormatError> {
        if let Some(known) = self.types[row] {
            return Ok(known);
        }
        let (name, unit) = self.recording.attributes[row].sample_type();
        let known = self.rows.sample_type(&name, unit)?;
        Ok(*self.types[row].insert(known))
    }

    /// Reads the frames of a sample, the innermost first. Whether its call chain goes into user
    /// space.
    fn stack(&mut self, sample: &Sample<'_>, mode: Mode) -> Result<bool, FormatError> {
        let process = sample.thread.map_or(KERNEL, |(process, _)| process);
        let (mut within, mut has_user_frames) = (mode, false);
        // Only callers have an address to return to.
        let mut is_first = true;
        let (addresses, _) = sample.callchain.as_chunks();
        for &address in addresses {
            let address = u64::from_le_bytes(address);
            if address >= MODES {
                match Mode::of_marker(address) {
                    Some(mode) => within = mode,
                    None => {
                        self.deferred += 1;
                        break;
                    }
                }
                has_user_frames |= within == Mode::User;
                is_first = true;
                continue;
            }
            if self.frames.len() == MAX_STACK_DEPTH {
                return Err(FormatError::new(NAME, too_deep()));
            }
            let address = address.saturating_sub(u64::from(!is_first));
            is_first = false;
            let location = self.location(within, process, address);
            self.frames.push(location);
        }
        if let Some(address) = sample.ip
            && self.frames.is_empty()
        {
            let location = self.location(mode, process, address);
            self.frames.push(location);
        }
        Ok(has_user_frames)
    }

    fn location(&mut self, mode: Mode, process: u32, address: u64) -> LocationId {
        let process = match mode {
            Mode::Kernel => KERNEL,
            _ => process,
        };
        let found = match mode {
            Mode::Other => None,
            _ => self.processes.find(process, address),
        };
        let builder = &mut self.rows.builder;
        match found {
            Some((area, place)) => {
                let line = area.function.map(|function| Line::of(function, 0));
                builder.location(area.mapping, place, false, line.as_slice())
            }
            None => builder.location(None, address, false, &[]),
        }
    }

    fn labels(&mut self, (process, thread): (u32, u32)) -> Option<LabelSetId> {
        let names = [thread, process].map(|id| self.processes.name_of(id));
        let key = (process, thread, names[0], names[1]);
        if let Some(&known) = self.labels.get(&key) {
            return known;
        }
        let rows = &mut self.rows;
        let shown = |name: StringId, id: u32| match rows.builder.profile().text(name) {
            "" => id.to_string(),
            name => name.to_owned(),
        };
        let (thread_name, process_name) = (shown(names[0], thread), shown(names[1], process));
        let mut labels = [
            rows.text("thread", &thread_name),
            rows.number("thread_id", i64::from(thread), ""),
            rows.text("process", &process_name),
        ];
        let labels = rows.builder.label_set(&mut labels);
        rows.beside += LABELS;
        self.labels.insert(key, labels);
        labels
    }

    pub(super) fn finish(mut self) -> Result<Decoded, FormatError> {
        let warnings = &mut self.rows.warnings;
        // The first one stands above the picture: without their callers stacks mislead most.
        for (count, what) in [
            (
                self.copied,
                "samples have copied stacks (--call-graph dwarf), which Pilotlight can't unwind; open the output of perf script instead, or record with --call-graph fp",
            ),
            (
                self.deferred,
                "samples have their user stacks in later records (--call-graph fp,defer), which are not supported",
            ),
            (
                self.branches,
                "samples have their user stacks in branch records (--call-graph lbr), which are not supported",
            ),
            (self.lost, "records were lost while perf was recording"),
            (
                self.lost_samples,
                "samples were lost while perf was recording",
            ),
            (
                self.strange,
                "samples are left out: the recording does not describe their events",
            ),
            (
                self.processes.bare,
                "forked processes are read without their parents' file mappings, which were too many to copy; some frames may be unresolved",
            ),
        ] {
            warnings.count(count, what);
        }
        if self.recording.is_cut {
            warnings.add(|| "the file is cut off; everything before the cut is read".to_owned());
        }
        self.rows.finish()
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a String takes all");
    }
    text
}
