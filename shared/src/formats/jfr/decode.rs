//! Chunks → one profile.

use hashbrown::HashMap;

use super::budget::Budget;
use super::clock::Clock;
use super::constants::Constants;
use super::error::{JfrError, JfrProblem};
use super::event_labels::{EventLabels, LabelIds};
use super::events::{Event, EventKind, Events, Unit, slot};
use super::header::Header;
use super::labels::LabelsSnapshot;
use super::layout::{Layouts, Values};
use super::metadata;
use super::reader::Reader;
use super::samples::{Mode, SampleEvent, Samples, State};
use super::settings::Settings;
use super::stacks::Stacks;
use super::threads::Threads;
use super::{Options, Recording};
use crate::base::limits::MAX_PROFILE_BYTES;
use crate::base::warnings::Warnings;
use crate::model::builder::ProfileBuilder;

/// Decodes a recording, which is not gzip any more.
pub fn decode(bytes: &[u8], options: &Options<'_>) -> Result<Recording, JfrError> {
    read(bytes, options, Damaged::Refused)
}

/// A recording for a viewer, with times; where these take more memory than the recording may take,
/// without, and with a warning. A chunk that is damaged is left out with a warning, while any is
/// sound.
pub fn decode_with_times(bytes: &[u8]) -> Result<Recording, JfrError> {
    let options = Options {
        times: true,
        ..Options::default()
    };
    match decode_sound(bytes, &options) {
        Err(JfrError {
            problem: JfrProblem::OutOfProportion(_),
            ..
        }) => decode_sound(bytes, &Options::default()).map(|mut recording| {
            recording.warnings.push(WITHOUT_TIMES.to_owned());
            recording
        }),
        other => other,
    }
}

/// What is said of a recording that is read without times.
const WITHOUT_TIMES: &str = "events are added up without times and threads, which would need too much memory for a file of this size";

/// [`decode`] of the chunks that are sound; warnings name the others. Where none is, or where it
/// would take too much, it is its error.
fn decode_sound(bytes: &[u8], options: &Options<'_>) -> Result<Recording, JfrError> {
    match decode(bytes, options) {
        Err(error) if error.problem.is_damage() => read(bytes, options, Damaged::LeftOut),
        decoded => decoded,
    }
}

/// What becomes of a recording of which a chunk is damaged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Damaged {
    /// The whole recording is refused.
    Refused,
    /// A warning names the chunk; the others are read, if there are any.
    LeftOut,
}

fn read(bytes: &[u8], options: &Options<'_>, damaged: Damaged) -> Result<Recording, JfrError> {
    let at_start = |problem| JfrError {
        chunk: 1,
        offset: 0,
        problem,
    };
    if bytes.len() > MAX_PROFILE_BYTES {
        return Err(at_start(JfrProblem::TooLarge {
            length: bytes.len(),
            cap: MAX_PROFILE_BYTES,
        }));
    }
    let mut decoder = Decoder::new(bytes, options);
    let (mut at, mut chunk) = (0, 0);
    let (mut start_nanos, mut end_nanos) = (i64::MAX, 0);
    let (mut sound, mut first_error) = (0, None);
    while at < bytes.len() || chunk == 0 {
        chunk += 1;
        let header = match Header::read(bytes, at, chunk) {
            Err(error) if damaged == Damaged::LeftOut => {
                // Where the next one begins is not known.
                decoder.leave_out(&error, "this chunk and all after it are left out");
                first_error.get_or_insert(error);
                break;
            }
            header => header?,
        };
        at = header.end;
        if damaged == Damaged::LeftOut {
            // A chunk is damaged in any place, so it is tried in a decoder of its own.
            let tried = Decoder::new(bytes, options).chunk(bytes, &header, chunk);
            if let Err(error) = tried {
                decoder.leave_out(&error, "this chunk is left out");
                first_error.get_or_insert(error);
                continue;
            }
        }
        decoder.chunk(bytes, &header, chunk)?;
        sound += 1;
        let start = header.start_nanos;
        start_nanos = start.min(start_nanos);
        end_nanos = start.saturating_add(header.duration_nanos).max(end_nanos);
        let about = decoder.builder.header();
        about.time_nanos = start_nanos;
        about.duration_nanos = end_nanos.saturating_sub(start_nanos).max(0);
    }
    if let Some(error) = first_error
        && sound == 0
    {
        return Err(error);
    }
    decoder.finish().map_err(|problem| JfrError {
        chunk,
        offset: bytes.len(),
        problem,
    })
}

struct Decoder<'l> {
    builder: ProfileBuilder,
    budget: Budget,
    samples: Samples,
    /// Without times nobody asks for them.
    threads: Option<Threads>,
    /// When the earliest chunk so far begins, nanoseconds since the epoch. Events with an earlier time, such
    /// as long waits, are placed there.
    begin: i64,
    /// Of the chunk, or of the last one that has any: a recorder that goes on in another chunk may not repeat them.
    settings: Settings,
    /// What the caller knows better than the settings.
    period_nanos: Option<i64>,
    labels: EventLabels<'l>,
    without_stack: u64,
    warnings: Warnings,
}

/// What is known of the chunk that is read.
struct Chunk<'a> {
    constants: Constants<'a>,
    stacks: Stacks,
    states: HashMap<u64, State>,
    clock: Clock,
}

impl<'l> Decoder<'l> {
    fn new(bytes: &[u8], options: &Options<'l>) -> Self {
        let labels = options.labels;
        Self {
            builder: ProfileBuilder::new(),
            budget: Budget::new(
                bytes.len() + labels.map_or(0, LabelsSnapshot::length),
                options.times,
            ),
            samples: Samples::new(options.times),
            threads: options.times.then(Threads::default),
            begin: i64::MAX,
            settings: Settings::default(),
            period_nanos: options.period_nanos,
            labels: EventLabels::new(labels),
            without_stack: 0,
            warnings: Warnings::default(),
        }
    }

    fn leave_out(&mut self, error: &JfrError, what: &str) {
        self.warnings.add(|| format!("{error}; {what}"));
    }

    fn chunk(&mut self, file: &[u8], header: &Header, number: u32) -> Result<(), JfrError> {
        let reader = Reader::new(&file[..header.end], number, header.integers);
        let metadata = reader.part(header.metadata, header.end);
        let classes = metadata::read(metadata, &mut self.budget)?;
        let layouts = Layouts {
            classes: &classes,
            reader: metadata,
        };
        self.begin = header.start_nanos.min(self.begin);
        let timed = self.threads.is_some();
        let events = Events::of(&layouts, timed, &mut self.budget)?;
        let constants = Constants::read(reader, header, &classes, timed, &mut self.budget)?;
        let mut chunk = Chunk {
            constants,
            stacks: Stacks::default(),
            states: HashMap::new(),
            clock: Clock::of(header),
        };
        if let Some(threads) = &mut self.threads {
            threads.begin_chunk();
        }
        if let Some(settings) = self.settings(&events, header, reader, &chunk.constants)? {
            self.settings = settings;
        }
        self.samples
            .begin_chunk(self.settings.sampling(self.period_nanos));
        events.each(header, reader, |event, reader| match event.kind {
            EventKind::Setting => Ok(()),
            _ => self.sample(&mut chunk, event, reader),
        })?;
        self.budget.end_chunk();
        Ok(())
    }

    /// Those of a chunk, wherever they stand in it; none when it has none.
    fn settings(
        &mut self,
        events: &Events,
        header: &Header,
        reader: Reader<'_>,
        constants: &Constants<'_>,
    ) -> Result<Option<Settings>, JfrError> {
        let mut settings = None;
        events.each(header, reader, |event, mut reader| {
            if event.kind != EventKind::Setting {
                return Ok(());
            }
            let mut values = Values::default();
            event.layout.read(&mut reader, &mut values)?;
            let mut text = |slot: usize| constants.text_at(values[slot], &mut self.budget);
            let (name, value) = (text(slot::NAME)?, text(slot::VALUE)?);
            let of_samples = events.execution == Some(values[slot::OF]);
            let settings: &mut Settings = settings.get_or_insert_default();
            settings.add(of_samples, &name, &value);
            Ok(())
        })?;
        Ok(settings)
    }

    fn sample(
        &mut self,
        chunk: &mut Chunk<'_>,
        event: &Event,
        mut reader: Reader<'_>,
    ) -> Result<(), JfrError> {
        let mut values = Values::default();
        event.layout.read(&mut reader, &mut values)?;
        let stack = chunk.stacks.get(
            values[slot::STACK],
            &chunk.constants,
            &mut self.builder,
            &reader,
            &mut self.budget,
        )?;
        let Some(stack) = stack else {
            self.without_stack += 1;
            return Ok(());
        };
        let state = match event.kind {
            EventKind::Execution | EventKind::WallClock => {
                chunk.state(values[slot::STATE], &mut self.budget)?
            }
            _ => State::Other,
        };
        let amount = values[slot::AMOUNT] as i64;
        let amount = match event.unit {
            Unit::Plain => amount,
            Unit::Ticks => chunk.clock.nanos(amount),
            Unit::Nanos(each) => amount.saturating_mul(each),
        };
        let ids = LabelIds {
            context: values[slot::CONTEXT],
            span: values[slot::SPAN],
            span_name: values[slot::SPAN_NAME],
            trace_high: values[slot::TRACE_HIGH],
            trace_low: values[slot::TRACE_LOW],
            thread: match &mut self.threads {
                None => None,
                Some(threads) => threads.name(
                    values[slot::THREAD],
                    &chunk.constants,
                    &mut self.builder,
                    &reader,
                    &mut self.budget,
                )?,
            },
        };
        let time = chunk.clock.time(values[slot::TIME] as i64).max(self.begin);
        let budget = &mut self.budget;
        self.labels
            .set(ids, &mut self.builder, budget)
            .and_then(|labels| {
                let event = SampleEvent {
                    kind: event.kind,
                    state,
                    stack,
                    labels,
                    amount,
                    time,
                };
                self.samples.add(event, budget)
            })
            .map_err(|problem| reader.error(problem))
    }

    fn finish(mut self) -> Result<Recording, JfrProblem> {
        let (event, mode) = (self.samples.event().to_owned(), self.samples.mode());
        let period = self.samples.period();
        let types = self.samples.finish(&mut self.builder, &mut self.budget)?;
        let kinds = || types.iter().map(|of| of.sample_type.as_str());
        let preferred = match mode {
            Mode::Wall => kinds().find(|kind| *kind == "wall"),
            Mode::Cpu => kinds().find(|kind| *kind == "cpu"),
        };
        if let Some(kind) = preferred {
            let sampled = self.builder.value_type(kind, "nanoseconds");
            let header = self.builder.header();
            header.default_sample_type = sampled.kind;
            // Of samples one by one the chart needs it; sums of pushes have it in their type.
            if self.threads.is_some() {
                (header.period_type, header.period) = (Some(sampled), period);
            }
        }
        let mut warnings = self.warnings;
        if self.without_stack > 0 {
            let events = match self.without_stack {
                1 => "1 event has no stack and is".to_owned(),
                many => format!("{many} events have no stack and are"),
            };
            warnings.add(|| format!("{events} left out"));
        }
        Ok(Recording {
            profile: self.builder.finish(),
            types,
            event,
            warnings: warnings.finish(),
        })
    }
}

impl Chunk<'_> {
    fn state(&mut self, key: u64, budget: &mut Budget) -> Result<State, JfrError> {
        if let Some(&known) = self.states.get(&key) {
            return Ok(known);
        }
        let name = self.constants.state(key, budget)?;
        let state = match name.as_ref() {
            "STATE_SLEEPING" => State::Sleeping,
            "STATE_RUNNABLE" => State::Runnable,
            _ => State::Other,
        };
        // Keys without a constant could come in any number.
        if !name.is_empty() {
            self.states.insert(key, state);
        }
        Ok(state)
    }
}
