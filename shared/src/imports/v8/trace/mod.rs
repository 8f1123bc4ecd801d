//! Trace events, as Chrome, Node.js, Bazel, clang, tsc and many others write them; with the CPU
//! profiles of DevTools among them, and the samples of Hermes and perf beside them.
//!
//! - `{"traceEvents":[…]}` or the list alone, which may break off or end in a comma.
//! - Events with a duration (B and E, X) are wall time, CPU profiles CPU time, samples are counted:
//!   each kind that occurs is a sample type. An event's name is its frame, with `args.detail`
//!   behind it, which says what clang was at.
//! - Process and thread are labels.
//! - An event that is damaged is left out with a warning, while any other is sound.
//! - Asynchronous events are left out with a warning, for they belong to no stack; instants,
//!   counters, flows and other arguments without.

mod event;
mod left_out;
mod profiles;
mod sampled;
mod threads;

use super::recording::reserve;
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::json::reader::{Problem, Reader};
use crate::imports::spans::{Kind, Spans};
use crate::model::builder::ProfileBuilder;
use event::Event;
pub(crate) use event::NAME;
use left_out::LeftOut;
use profiles::Profiles;
use sampled::Sampled;
use threads::Threads;

pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::ChromeTrace)
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader::of(bytes, NAME)?;
    let mut trace = Trace {
        builder: ProfileBuilder::default(),
        threads: Threads::default(),
        spans: Spans::new(NAME),
        sampled: Sampled::default(),
        profiles: Profiles::default(),
        asynchronous: 0,
        left_out: LeftOut::default(),
    };
    let mut warnings = Warnings::default();
    match trace.read(&mut reader) {
        Err(problem) if problem.is_end => {
            warnings.add(|| "the file is cut off; everything before the cut is read".to_owned());
        }
        read => read.map_err(|problem| problem.of(NAME))?,
    }
    if trace.asynchronous > 0 {
        let count = trace.asynchronous;
        warnings.add(|| format!("{count} asynchronous events are left out"));
    }
    trace.write(warnings)
}

struct Trace {
    builder: ProfileBuilder,
    threads: Threads,
    spans: Spans,
    sampled: Sampled,
    profiles: Profiles,
    asynchronous: u64,
    left_out: LeftOut,
}

impl Trace {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Problem> {
        if reader.peek()? == b'[' {
            return self.events(reader);
        }
        reader.object(&mut |reader, key| match key {
            "traceEvents" => self.events(reader),
            "stackFrames" => {
                let (threads, builder) = (&mut self.threads, &mut self.builder);
                let left_out = &mut self.left_out;
                self.sampled.read_frames(reader, threads, builder, left_out)
            }
            "samples" => {
                let (threads, left_out) = (&mut self.threads, &mut self.left_out);
                self.sampled.read_samples(reader, threads, left_out)
            }
            _ => reader.skip(),
        })
    }

    fn events(&mut self, reader: &mut Reader<'_>) -> Result<(), Problem> {
        reader.list(&mut |reader| {
            let start = *reader;
            let read = Event::read(reader).and_then(|event| self.event(&event, reader));
            self.left_out.pass(read, start, reader)
        })
    }

    fn event(&mut self, event: &Event<'_>, reader: &Reader<'_>) -> Result<(), Problem> {
        let kind = match event.phase {
            b'B' => Kind::Begin,
            b'E' => Kind::End,
            b'X' => Kind::Whole,
            b'M' => return self.threads.name(event),
            b'b' | b'S' => {
                self.asynchronous += 1;
                return Ok(());
            }
            _ => {
                return self
                    .profiles
                    .take(event, &mut self.threads, &mut self.builder);
            }
        };
        let Some(start) = event.time else {
            return Err(reader.problem("an event has no \"ts\""));
        };
        let thread = self.threads.thread(&event.process, &event.thread);
        let detail = event.argument("detail")?;
        let duration = match kind {
            Kind::Whole => event.duration.max(0),
            Kind::Begin | Kind::End => 0,
        };
        let end = start.saturating_add(duration);
        let name = (&*event.name, &*detail);
        self.spans
            .push(kind, thread, name, (start, end), &mut self.builder);
        Ok(())
    }

    fn write(self, mut warnings: Warnings) -> Result<Decoded, FormatError> {
        let Self {
            mut builder,
            threads,
            spans,
            sampled,
            profiles,
            mut left_out,
            ..
        } = self;
        let sampled = sampled.finish(&mut builder, &mut warnings)?;
        let profiles = profiles.finish(&mut builder, &mut warnings, &mut left_out);
        let labels = threads.labels(&mut builder);
        let ranges = profiles.iter().filter_map(|(_, recorded)| recorded.range());
        let range = ranges
            .chain(sampled.range())
            .chain(spans.range())
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        left_out.finish(range.is_none(), &mut warnings)?;
        let (origin, end) = range.unwrap_or_default();
        builder.header().duration_nanos = end.saturating_sub(origin);
        spans.write(&mut builder, &labels, origin, &mut warnings)?;
        if sampled.range().is_some() {
            let column = builder.sample_type("samples", "count");
            sampled.write(&mut builder, column, &labels, origin, &mut warnings);
        }
        let count: usize = profiles.iter().map(|(_, recorded)| recorded.len()).sum();
        if count > 0 {
            // The last type is shown first.
            let column = builder.sample_type("cpu", "nanoseconds");
            reserve(&mut builder, count);
            for (thread, recorded) in profiles {
                let labels = labels[thread as usize];
                recorded.write(&mut builder, column, labels, origin, &mut warnings);
            }
        }
        if builder.profile().sample_types().is_empty() {
            builder.sample_type("wall", "nanoseconds");
        }
        Ok(Decoded {
            profile: builder.finish(),
            warnings: warnings.finish(),
        })
    }
}
