//! Packets → samples.

use hashbrown::HashMap;

use super::clocks::Clocks;
use super::event::{Event, micros};
use super::heaps::Heaps;
use super::packet::{self, NAME, Numbers, Packet};
use super::sequence::{Sequence, Weight};
use super::symbols::Symbols;
use super::tracks::{Owner, Tracks};
use crate::formats::decoded::Decoded;
use crate::formats::protobuf::{Value, Wire};
use crate::imports::error::{FormatError, Problem};
use crate::imports::rows::Rows;
use crate::imports::spans::{Kind, Spans};
use crate::model::id::{StackId, StringId};

/// Estimated bytes of memory for each sequence.
const SEQUENCE: usize = 720;
/// Estimated bytes of memory for each slice.
const SLICE: usize = 64;

pub(super) struct Reader<'a> {
    rows: Rows,
    symbols: Symbols<'a>,
    sequences: HashMap<u64, Sequence<'a>>,
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
    /// Asynchronous events, which belong to no stack.
    asynchronous: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(rows: Rows, symbols: Symbols<'a>) -> Self {
        Self {
            rows,
            symbols,
            sequences: HashMap::new(),
            clocks: Clocks::default(),
            tracks: Tracks::default(),
            spans: Spans::new(NAME),
            heaps: Heaps::default(),
            owners: Vec::new(),
            skipped: 0,
            lost: 0,
            asynchronous: 0,
        }
    }

    /// Reads a packet.
    pub(super) fn packet(&mut self, packet: Packet<'a>) -> Result<(), Problem> {
        let number = packet.sequence;
        if !self.sequences.contains_key(&number) {
            self.rows.beside += SEQUENCE;
            self.rows.check()?;
        }
        // It is put back below, so that all else can be borrowed beside it.
        let mut sequence = self.sequences.remove(&number).unwrap_or_default();
        let read = self.packet_of(&mut sequence, packet);
        self.sequences.insert(number, sequence);
        read?;
        self.rows.check()?;
        Ok(())
    }

    fn packet_of(
        &mut self,
        sequence: &mut Sequence<'a>,
        packet: Packet<'a>,
    ) -> Result<(), Problem> {
        if packet.is_after_loss {
            sequence.has_state = false;
        }
        if packet.is_cleared {
            self.end_dump(sequence)?;
            sequence.clear();
        }
        if let Some(data) = packet.interned {
            sequence.interned.add(data, &mut self.rows)?;
        }
        if let Some(defaults) = packet.defaults {
            sequence.defaults(defaults, &mut self.rows)?;
        }
        let Some((kind, message)) = packet.data else {
            return Ok(());
        };
        if packet.needs_state && !sequence.has_state {
            self.skipped += 1;
            return Ok(());
        }
        let clock = packet.clock.or(sequence.clock);
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
                sequence.thread = Some(thread.ids);
                sequence.now = thread.reference.map(micros).or(sequence.now);
            }
            packet::TRACK_DESCRIPTOR => self.tracks.track(message, rows)?,
            packet::TRACK_EVENT => self.event(sequence, time, message)?,
            packet::PERF_SAMPLE => self.perf_sample(sequence, time, message)?,
            packet::STREAMING_PROFILE => self.streaming(sequence, time, message)?,
            packet::STACK_SAMPLE => self.stack_sample(sequence, time, message)?,
            packet::PROFILE_PACKET => {
                sequence.dumps.read(message, &mut self.tracks, rows)?;
                let is_continued = packet::number(message, 6)? != 0;
                if !is_continued {
                    self.end_dump(sequence)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end_dump(&mut self, sequence: &mut Sequence<'a>) -> Result<(), Problem> {
        let Sequence {
            dumps, interned, ..
        } = sequence;
        self.heaps
            .end(dumps, interned, &mut self.symbols, &mut self.rows)
    }

    /// The kind and unit of samples that have no other.
    fn counted(&mut self) -> (StringId, StringId) {
        let builder = &mut self.rows.builder;
        (builder.string("samples"), builder.string("count"))
    }

    /// Adds a sample.
    fn add(
        &mut self,
        (owner, time): (Owner, i64),
        stack: Option<StackId>,
        (kind, unit): (StringId, StringId),
        value: i64,
    ) -> Result<(), Problem> {
        let owner = self.tracks.number(owner, &mut self.rows);
        let profile = self.rows.builder.profile();
        let mut known = profile.sample_types().iter();
        let sample_type = match known.position(|known| (known.kind, known.unit) == (kind, unit)) {
            Some(known) => known,
            None => {
                let (kind, unit) = (profile.text(kind).to_owned(), profile.text(unit).to_owned());
                self.rows.sample_type(&kind, &unit)?
            }
        };
        self.rows.sample_at(time, stack, None, sample_type, value);
        self.owners.push(owner);
        self.rows.beside += 4;
        self.rows.check()?;
        Ok(())
    }

    fn perf_sample(
        &mut self,
        sequence: &mut Sequence<'a>,
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
                (18, Value::Number(_)) => self.lost = self.lost.saturating_add(1),
                _ => {}
            }
        }
        let Some(stack) = stack else {
            return Ok(());
        };
        let stack = sequence
            .interned
            .stack_of(stack, &mut self.symbols, &mut self.rows)?;
        let owner = Owner::Thread(process, thread);
        let counted = self.counted();
        self.add((owner, time.unwrap_or(0)), stack, counted, 1)
    }

    /// Reads samples of Chrome, each some time after the one before: the first after the last event,
    /// or after the time of the packet where no event has one of its own.
    fn streaming(
        &mut self,
        sequence: &mut Sequence<'a>,
        time: Option<i64>,
        message: Wire<'a>,
    ) -> Result<(), Problem> {
        let owner = sequence.owner();
        let start = match sequence.now {
            Some(now) => self.clocks.monotonic(now),
            None => time.unwrap_or(0),
        };
        let mut now = start;
        let counted = self.counted();
        let (mut stacks, mut deltas) = (Numbers::of(message, 1), Numbers::of(message, 2));
        while let Some(stack) = stacks.next()? {
            now = now.saturating_add(deltas.next()?.map_or(0, micros));
            let stack = sequence
                .interned
                .stack_of(stack, &mut self.symbols, &mut self.rows)?;
            self.add((owner, now), stack, counted, 1)?;
        }
        let whole = now.saturating_sub(start);
        sequence.now = sequence.now.map(|last| last.saturating_add(whole));
        Ok(())
    }

    fn stack_sample(
        &mut self,
        sequence: &mut Sequence<'a>,
        time: Option<i64>,
        mut message: Wire<'a>,
    ) -> Result<(), Problem> {
        let (mut owner, mut stack) = (sequence.owner(), None);
        let (mut weight, mut value) = (sequence.weight, 1);
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
                    stack = sequence
                        .interned
                        .stack_in(frames, &mut self.symbols, rows)?;
                }
                (6, Value::Number(id)) => {
                    let rows = &mut self.rows;
                    stack = sequence.interned.stack_of(id, &mut self.symbols, rows)?;
                }
                (9, Value::Bytes(counter)) => weight = Some(Weight::read(counter, &mut self.rows)?),
                (11, Value::Number(number)) => value = number,
                _ => {}
            }
        }
        let factor = weight.map_or(1, |weight| weight.factor);
        let value = i64::try_from(value.saturating_mul(factor)).unwrap_or(i64::MAX);
        let (mut kind, mut unit) = self.counted();
        let or = |own: StringId, other| if own.is_empty() { other } else { own };
        if let Some(weight) = weight {
            (kind, unit) = (or(weight.name, kind), or(weight.unit, unit));
        }
        self.add((owner, time.unwrap_or(0)), stack, (kind, unit), value)
    }

    /// Reads the beginning or the end of a slice.
    fn event(
        &mut self,
        sequence: &mut Sequence<'a>,
        time: Option<i64>,
        message: Wire<'a>,
    ) -> Result<(), Problem> {
        let event = Event::read(message, &sequence.interned, &mut self.rows)?;
        if let Some(delta) = event.delta {
            let last = sequence.now.unwrap_or(0);
            sequence.now = Some(last.saturating_add(delta));
        }
        let Some(kind) = event.kind else {
            self.asynchronous += u64::from(event.is_asynchronous);
            return Ok(());
        };
        // A time of its own holds before that of the packet.
        let own = event.delta.and(sequence.now).or(event.absolute);
        let start = match (own, time) {
            (None, Some(time)) => time,
            (own, _) => self.clocks.monotonic(own.or(sequence.now).unwrap_or(0)),
        };
        let owner = event.track.map_or_else(|| sequence.owner(), Owner::Track);
        let owner = self.tracks.number(owner, &mut self.rows);
        // An end closes the last slice, whatever it is called.
        let name = match kind {
            Kind::End => String::new(),
            _ => self.rows.builder.profile().text(event.name).to_owned(),
        };
        let times = (start, start.saturating_add(event.duration));
        let builder = &mut self.rows.builder;
        self.spans.push(kind, owner, (&name, ""), times, builder);
        self.rows.beside += SLICE;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Decoded, FormatError> {
        self.end_dumps()
            .map_err(|problem| FormatError::new(NAME, problem.0))?;
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
        let sequences = self.sequences.values();
        let missing: u64 = sequences
            .map(|sequence| sequence.interned.missing + sequence.dumps.interned.missing)
            .sum();
        for (count, what) in [
            (self.lost, "samples were lost while the trace was recorded"),
            (
                self.skipped,
                "packets depend on lost packets and are left out",
            ),
            (missing, "stacks and frames are missing from the trace"),
            (self.asynchronous, "asynchronous events are left out"),
        ] {
            warnings.count(count, what);
        }
        rows.warnings = warnings;
        self.heaps.write(&labels, &mut rows)?;
        // Stacks before slices, whatever came first.
        if let Some(sampled) = sampled {
            rows.builder.header().default_sample_type = sampled.kind;
        }
        rows.finish()
    }

    /// Ends the dumps that the file breaks off in.
    fn end_dumps(&mut self) -> Result<(), Problem> {
        let mut sequences = std::mem::take(&mut self.sequences)
            .into_iter()
            .collect::<Vec<_>>();
        sequences.sort_unstable_by_key(|(number, _)| *number);
        for (number, mut sequence) in sequences {
            self.end_dump(&mut sequence)?;
            self.sequences.insert(number, sequence);
        }
        Ok(())
    }
}
