//! Packets → samples.

use hashbrown::HashMap;

use super::clocks::Clocks;
use super::heaps::Heaps;
use super::interned::Kind as Text;
use super::packet::{self, NAME, Numbers, Packet};
use super::symbols::{Symbols, text};
use super::tracks::{Owner, Tracks};
use super::writer::{Weight, Writer};
use crate::formats::decoded::Decoded;
use crate::formats::protobuf::{Value, Wire};
use crate::imports::error::{FormatError, Problem};
use crate::imports::rows::Rows;
use crate::imports::spans::{Kind, Spans};
use crate::model::id::{StackId, StringId};

/// What a writer takes, and a slice.
const WRITER: usize = 640;
const SLICE: usize = 64;

/// What trace events call what they are: `B`, `E` and `X`.
const BEGIN: u64 = 66;
const END: u64 = 69;
const WHOLE: u64 = 88;

pub(super) struct Reader<'a> {
    rows: Rows,
    symbols: Symbols<'a>,
    writers: HashMap<u64, Writer<'a>>,
    clocks: Clocks,
    tracks: Tracks,
    spans: Spans,
    heaps: Heaps,
    /// Whose each sample is.
    owners: Vec<u32>,
    /// Packets that need others that were lost.
    skipped: u64,
    /// Samples that the recorder lost or left out.
    lost: u64,
}

/// A time in microseconds as nanoseconds.
fn micros(time: u64) -> i64 {
    (time as i64).saturating_mul(1000)
}

impl<'a> Reader<'a> {
    pub(super) fn new(rows: Rows, symbols: Symbols<'a>) -> Self {
        Self {
            rows,
            symbols,
            writers: HashMap::new(),
            clocks: Clocks::default(),
            tracks: Tracks::default(),
            spans: Spans::new(NAME),
            heaps: Heaps::default(),
            owners: Vec::new(),
            skipped: 0,
            lost: 0,
        }
    }

    /// Reads a packet.
    pub(super) fn packet(&mut self, packet: Packet<'a>) -> Result<(), Problem> {
        let sequence = packet.sequence;
        if !self.writers.contains_key(&sequence) {
            self.rows.beside += WRITER;
            self.rows.check()?;
        }
        // It is put back below, so that all else can be borrowed beside it.
        let mut writer = self.writers.remove(&sequence).unwrap_or_default();
        let read = self.packet_of(&mut writer, packet);
        self.writers.insert(sequence, writer);
        read?;
        self.rows.check()?;
        Ok(())
    }

    fn packet_of(&mut self, writer: &mut Writer<'a>, packet: Packet<'a>) -> Result<(), Problem> {
        if packet.is_after_loss {
            writer.has_state = false;
        }
        if packet.is_cleared {
            writer.clear();
        }
        if let Some(data) = packet.interned {
            writer.interned.add(data, &mut self.rows)?;
        }
        if let Some(defaults) = packet.defaults {
            writer.defaults(defaults, &mut self.rows)?;
        }
        let Some((kind, message)) = packet.data else {
            return Ok(());
        };
        if packet.needs_state && !writer.has_state {
            self.skipped += 1;
            return Ok(());
        }
        let clock = packet.clock.or(writer.clock);
        let time = packet
            .time
            .map(|time| self.clocks.time(packet.sequence, clock, time));
        let rows = &mut self.rows;
        match kind {
            packet::CLOCK_SNAPSHOT => self.clocks.compare(packet.sequence, message, rows)?,
            packet::PROCESS_TREE => self.tracks.tree(message, rows)?,
            packet::PROCESS_DESCRIPTOR => {
                self.tracks.process(message, rows)?;
            }
            packet::THREAD_DESCRIPTOR => {
                let thread = self.tracks.thread(message, rows)?;
                writer.thread = Some(thread.ids);
                writer.now = thread.reference.map_or(writer.now, micros);
            }
            packet::TRACK_DESCRIPTOR => self.tracks.track(message, rows)?,
            packet::TRACK_EVENT => self.event(writer, time, message)?,
            packet::PERF_SAMPLE => self.perf_sample(writer, time, message)?,
            packet::STREAMING_PROFILE => self.streaming(writer, time, message)?,
            packet::STACK_SAMPLE => self.stack_sample(writer, time, message)?,
            packet::PROFILE_PACKET => self.heap_dump(writer, message)?,
            _ => {}
        }
        Ok(())
    }

    /// Adds a sample.
    fn add(
        &mut self,
        (owner, time): (Owner, i64),
        stack: Option<StackId>,
        (kind, unit): (&str, &str),
        value: i64,
    ) -> Result<(), Problem> {
        let owner = self.tracks.number(owner, &mut self.rows);
        let sample_type = self.rows.sample_type(kind, unit)?;
        self.rows.sample_at(time, stack, None, sample_type, value);
        self.owners.push(owner);
        self.rows.beside += 4;
        self.rows.check()?;
        Ok(())
    }

    fn perf_sample(
        &mut self,
        writer: &mut Writer<'a>,
        time: Option<i64>,
        mut message: Wire<'a>,
    ) -> Result<(), Problem> {
        let (mut process, mut thread, mut stack) = (0, 0, None);
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (2, Value::Number(number)) => process = number,
                (3, Value::Number(number)) => thread = number,
                (4, Value::Number(number)) => stack = Some(number),
                (17, Value::Number(lost)) => self.lost = self.lost.saturating_add(lost),
                (18, Value::Number(_)) => self.lost += 1,
                _ => {}
            }
        }
        let Some(stack) = stack else {
            return Ok(());
        };
        let stack = writer
            .interned
            .stack_of(stack, &self.symbols, &mut self.rows)?;
        let owner = Owner::Thread(process, thread);
        self.add((owner, time.unwrap_or(0)), stack, ("samples", "count"), 1)
    }

    /// Reads samples of Chrome, each some time after the one before.
    fn streaming(
        &mut self,
        writer: &mut Writer<'a>,
        time: Option<i64>,
        message: Wire<'a>,
    ) -> Result<(), Problem> {
        let owner = writer.owner();
        let mut now = time.unwrap_or(writer.now);
        let (mut stacks, mut deltas) = (Numbers::of(message, 1), Numbers::of(message, 2));
        while let Some(stack) = stacks.next()? {
            now = now.saturating_add(deltas.next()?.map_or(0, micros));
            let stack = writer
                .interned
                .stack_of(stack, &self.symbols, &mut self.rows)?;
            self.add((owner, now), stack, ("samples", "count"), 1)?;
        }
        if time.is_none() {
            writer.now = now;
        }
        Ok(())
    }

    fn stack_sample(
        &mut self,
        writer: &mut Writer<'a>,
        time: Option<i64>,
        mut message: Wire<'a>,
    ) -> Result<(), Problem> {
        let (mut owner, mut stack) = (writer.owner(), None);
        let (mut weight, mut value) = (writer.weight, 1);
        while let Some((field, value_of)) = message.next_field()? {
            match (field, value_of) {
                (1, Value::Bytes(task)) => {
                    owner = Owner::Thread(packet::number(task, 2)?, packet::number(task, 3)?);
                }
                // Threads and counters by number, as Chrome's heap samples have them, are not read.
                (2, Value::Number(_)) => owner = Owner::UNKNOWN,
                (10, Value::Number(_)) => weight = Some(Weight::unknown(&mut self.rows)),
                (5, Value::Bytes(frames)) => {
                    let rows = &mut self.rows;
                    stack = writer.interned.stack_in(frames, &self.symbols, rows)?;
                }
                (6, Value::Number(id)) => {
                    let rows = &mut self.rows;
                    stack = writer.interned.stack_of(id, &self.symbols, rows)?;
                }
                (9, Value::Bytes(counter)) => weight = Some(Weight::read(counter, &mut self.rows)?),
                (11, Value::Number(number)) => value = number,
                _ => {}
            }
        }
        let factor = weight.map_or(1, |weight| weight.factor);
        let value = i64::try_from(value.saturating_mul(factor)).unwrap_or(i64::MAX);
        let texts = self.rows.builder.profile();
        let named = |id: Option<StringId>, other: &str| {
            let name = id.map_or("", |id| texts.text(id));
            if name.is_empty() { other } else { name }.to_owned()
        };
        let kind = named(weight.map(|weight| weight.name), "samples");
        let unit = named(weight.map(|weight| weight.unit), "count");
        self.add((owner, time.unwrap_or(0)), stack, (&kind, &unit), value)
    }

    fn heap_dump(&mut self, writer: &mut Writer<'a>, message: Wire<'a>) -> Result<(), Problem> {
        writer.dumped.add_dump(message, &mut self.rows)?;
        let heaps = &mut self.heaps;
        let dump = *writer.dump.get_or_insert_with(|| {
            heaps.begun += 1;
            heaps.begun
        });
        let mut fields = message;
        while let Some((field, value)) = fields.next_field()? {
            if let (5, Value::Bytes(process)) = (field, value) {
                self.heap(writer, dump, process)?;
            }
        }
        if packet::number(message, 6)? == 0 {
            writer.dump = None;
        }
        Ok(())
    }

    fn heap(
        &mut self,
        writer: &mut Writer<'a>,
        dump: u32,
        message: Wire<'a>,
    ) -> Result<(), Problem> {
        let process = packet::number(message, 1)?;
        let mut heap = StringId::EMPTY;
        let mut fields = message;
        while let Some((field, value)) = fields.next_field()? {
            if let (11, Value::Bytes(name)) = (field, value) {
                heap = text(name, &mut self.rows);
            }
        }
        let owner = self
            .tracks
            .number(Owner::Heap(process, heap), &mut self.rows);
        let interned = match writer.dumped.has_stacks() {
            true => &mut writer.dumped,
            false => &mut writer.interned,
        };
        let mut fields = message;
        while let Some((field, value)) = fields.next_field()? {
            if let (2, Value::Bytes(sample)) = (field, value) {
                let rows = &mut self.rows;
                self.heaps
                    .sample((owner, dump), sample, interned, &self.symbols, rows)?;
            }
        }
        Ok(())
    }

    /// Reads the beginning or the end of a slice.
    fn event(
        &mut self,
        writer: &mut Writer<'a>,
        time: Option<i64>,
        mut message: Wire<'a>,
    ) -> Result<(), Problem> {
        let mut owner = writer.owner();
        let (mut kind, mut duration, mut name) = (None, 0, StringId::EMPTY);
        let (mut delta, mut absolute) = (None, None);
        while let Some((field, value)) = message.next_field()? {
            match (field, value) {
                (1, Value::Number(number)) => delta = Some(micros(number)),
                (6, Value::Bytes(mut legacy)) => {
                    while let Some((field, value)) = legacy.next_field()? {
                        match (field, value) {
                            (2, Value::Number(BEGIN)) => kind = Some(Kind::Begin),
                            (2, Value::Number(END)) => kind = Some(Kind::End),
                            (2, Value::Number(WHOLE)) => kind = Some(Kind::Whole),
                            (3, Value::Number(number)) => duration = micros(number).max(0),
                            _ => {}
                        }
                    }
                }
                (9, Value::Number(1)) => kind = Some(Kind::Begin),
                (9, Value::Number(2)) => kind = Some(Kind::End),
                (10, Value::Number(id)) => name = writer.interned.text_of(Text::Event, id),
                (11, Value::Number(track)) => owner = Owner::Track(track),
                (16, Value::Number(number)) => absolute = Some(micros(number)),
                (23, Value::Bytes(word)) => name = text(word, &mut self.rows),
                _ => {}
            }
        }
        if let Some(delta) = delta {
            writer.now = writer.now.saturating_add(delta);
        }
        let Some(kind) = kind else {
            return Ok(());
        };
        let start = time.or(absolute).unwrap_or(writer.now);
        let owner = self.tracks.number(owner, &mut self.rows);
        // An end closes the last slice, whatever it is called.
        let name = match kind {
            Kind::End => String::new(),
            _ => self.rows.builder.profile().text(name).to_owned(),
        };
        let times = (start, start.saturating_add(duration));
        let builder = &mut self.rows.builder;
        self.spans.push(kind, owner, (&name, ""), times, builder);
        self.rows.beside += SLICE;
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Decoded, FormatError> {
        let mut rows = self.rows;
        let labels = self.tracks.labels(&mut rows);
        rows.check()?;
        let samples = &mut rows.builder.rows().samples;
        for (of, &owner) in samples.labels.iter_mut().zip(&self.owners) {
            *of = labels.get(owner as usize).copied().flatten();
        }
        let sampled = rows.builder.profile().sample_types().first().copied();
        let mut warnings = std::mem::take(&mut rows.warnings);
        self.spans
            .write(&mut rows.builder, &labels, 0, &mut warnings)?;
        let interned = self.writers.values();
        let missing: u64 = interned
            .map(|writer| writer.interned.missing + writer.dumped.missing)
            .sum();
        for (count, what) in [
            (self.lost, "samples were lost while the trace was recorded"),
            (
                self.skipped,
                "packets need others that were lost, and are left out",
            ),
            (missing, "stacks and frames are named and not there"),
        ] {
            if count > 0 {
                warnings.add(|| format!("{count} {what}"));
            }
        }
        rows.warnings = warnings;
        self.heaps.write(&labels, &mut rows)?;
        // Stacks before slices, whatever came first.
        if let Some(sampled) = sampled {
            rows.builder.header().default_sample_type = sampled.kind;
        }
        rows.finish()
    }
}
