//! The events that are read, and how.

use hashbrown::HashMap;

use super::budget::Budget;
use super::error::{JfrError, JfrProblem};
use super::header::{Header, LENGTH};
use super::layout::{Layout, Layouts};
use super::metadata::Class;
use super::reader::Reader;

/// What an event tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum EventKind {
    /// A setting of the recording.
    Setting,
    /// A thread was seen on a CPU, or was seen at all: the event `wall` has both.
    Execution,
    /// A thread used CPU for an amount of time.
    CpuTime,
    /// A thread was seen as often as the amount says.
    WallClock,
    /// Memory was allocated in a new buffer of a thread, of the amount.
    AllocInNewTlab,
    /// Memory of the amount was allocated outside of such buffers.
    AllocOutsideTlab,
    /// An allocation that stands for others, of the amount together.
    AllocSample,
    /// A thread waited for a lock, in Java or in native code.
    Lock,
    /// A thread was parked.
    Park,
    /// An object that lives at the end of the recording.
    LiveObject,
    /// Native memory of the amount was allocated.
    Malloc,
}

/// Events by class: kind, and the field of the amount.
const EVENTS: &[(&str, EventKind, &str)] = &[
    ("jdk.ActiveSetting", EventKind::Setting, ""),
    ("jdk.ExecutionSample", EventKind::Execution, ""),
    ("jdk.CPUTimeSample", EventKind::CpuTime, "samplingPeriod"),
    ("profiler.WallClockSample", EventKind::WallClock, "samples"),
    (
        "jdk.ObjectAllocationInNewTLAB",
        EventKind::AllocInNewTlab,
        "tlabSize",
    ),
    (
        "jdk.ObjectAllocationOutsideTLAB",
        EventKind::AllocOutsideTlab,
        "allocationSize",
    ),
    (
        "jdk.ObjectAllocationSample",
        EventKind::AllocSample,
        "weight",
    ),
    ("jdk.JavaMonitorEnter", EventKind::Lock, "duration"),
    ("profiler.NativeLock", EventKind::Lock, "duration"),
    ("jdk.ThreadPark", EventKind::Park, "duration"),
    ("profiler.LiveObject", EventKind::LiveObject, ""),
    ("profiler.Malloc", EventKind::Malloc, "size"),
];

/// The unit of an event's amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Bytes or a count.
    Plain,
    /// Ticks of the recording's clock.
    Ticks,
    /// So many nanoseconds.
    Nanos(i64),
}

/// Where values of a sample are.
pub(super) mod slot {
    pub(in super::super) const STACK: usize = 0;
    pub(in super::super) const STATE: usize = 1;
    pub(in super::super) const CONTEXT: usize = 2;
    pub(in super::super) const SPAN: usize = 3;
    pub(in super::super) const SPAN_NAME: usize = 4;
    pub(in super::super) const TRACE_HIGH: usize = 5;
    pub(in super::super) const TRACE_LOW: usize = 6;
    pub(in super::super) const AMOUNT: usize = 7;
    pub(in super::super) const TIME: usize = 8;
    pub(in super::super) const THREAD: usize = 9;
    /// Of a setting: its event, its name, its value.
    pub(in super::super) const OF: usize = 0;
    /// See [`OF`].
    pub(in super::super) const NAME: usize = 1;
    /// See [`OF`].
    pub(in super::super) const VALUE: usize = 2;
}

/// How the events of one class are read.
pub(super) struct Event {
    pub(super) kind: EventKind,
    pub(super) unit: Unit,
    pub(super) layout: Layout,
}

/// The classes of a chunk that are read, by id.
pub(super) struct Events {
    by_class: HashMap<u64, Event>,
    /// Id of `jdk.ExecutionSample`, which settings name.
    pub(super) execution: Option<u64>,
}

impl Events {
    /// `times` asks for when and in which thread an event was, too.
    pub(super) fn of(
        layouts: &Layouts<'_, '_>,
        times: bool,
        budget: &mut Budget,
    ) -> Result<Self, JfrError> {
        let mut events = Self {
            by_class: HashMap::new(),
            execution: None,
        };
        for (&id, class) in layouts.classes {
            let known = EVENTS.iter().find(|(name, _, _)| *name == class.name);
            let Some(&(_, kind, amount)) = known else {
                continue;
            };
            if kind == EventKind::Execution {
                events.execution = Some(id);
            }
            let of_setting = [
                ("id", slot::OF as u8),
                ("name", slot::NAME as u8),
                ("value", slot::VALUE as u8),
            ];
            let of_sample = [
                ("stackTrace", slot::STACK as u8),
                ("state", slot::STATE as u8),
                ("contextId", slot::CONTEXT as u8),
                ("spanId", slot::SPAN as u8),
                ("spanName", slot::SPAN_NAME as u8),
                ("traceIdHi", slot::TRACE_HIGH as u8),
                ("traceIdLo", slot::TRACE_LOW as u8),
                (amount, slot::AMOUNT as u8),
            ];
            let of_time = [
                ("startTime", slot::TIME as u8),
                ("sampledThread", slot::THREAD as u8),
                ("eventThread", slot::THREAD as u8),
            ];
            let slots = match kind {
                EventKind::Setting => of_setting.to_vec(),
                _ if times => [&of_sample[..], &of_time].concat(),
                _ => of_sample.to_vec(),
            };
            let event = Event {
                kind,
                unit: unit(class, amount),
                layout: layouts.of(id, &slots, budget)?,
            };
            events.by_class.insert(id, event);
        }
        Ok(events)
    }

    /// Calls `each` with every event of the chunk that is read, and a reader of its fields.
    pub(super) fn each<'a>(
        &self,
        header: &Header,
        reader: Reader<'a>,
        mut each: impl FnMut(&Event, Reader<'a>) -> Result<(), JfrError>,
    ) -> Result<(), JfrError> {
        let mut at = header.start + LENGTH;
        while at < header.end {
            let mut event = reader.part(at, header.end);
            let size = event.int()? as usize;
            if size == 0 {
                return Err(event.error(JfrProblem::Invalid("an event of size 0")));
            }
            if size > header.end - at {
                return Err(event.error(JfrProblem::BeyondEnd("an event")));
            }
            let mut event = event.part(event.offset(), at + size);
            at += size;
            let class = event.long()?;
            if let Some(known) = self.by_class.get(&class) {
                each(known, event)?;
            }
        }
        Ok(())
    }
}

fn unit(class: &Class<'_>, amount: &str) -> Unit {
    let field = class.fields.iter().find(|field| field.name == amount);
    let timespan = field.map_or("", |field| field.timespan.as_ref());
    match (timespan, amount) {
        ("NANOSECONDS", _) => Unit::Nanos(1),
        ("MICROSECONDS", _) => Unit::Nanos(1_000),
        ("MILLISECONDS", _) => Unit::Nanos(1_000_000),
        ("SECONDS", _) => Unit::Nanos(1_000_000_000),
        ("TICKS", _) | (_, "duration") => Unit::Ticks,
        (_, "samplingPeriod") => Unit::Nanos(1),
        _ => Unit::Plain,
    }
}
