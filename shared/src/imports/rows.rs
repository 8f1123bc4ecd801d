//! Rows of a profile, made from names as texts give them.

use std::borrow::Cow;

use super::error::FormatError;
use crate::base::limits::MAX_SAMPLE_TYPES;
use crate::base::warnings::{Warnings, cut};
use crate::formats::decoded::Decoded;
use crate::formats::start::without_mark;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{FunctionId, LabelSetId, LocationId, MappingId, StackId, StringId};
use crate::model::profile::{Function, Label, Line, Mapping, Profile, SymbolFlags};

/// Bytes of rows for each byte of a file; allocated is up to two and a half times as much, as
/// tables double. Real files need 3 at most.
const BYTES_A_BYTE: usize = 6;
/// What the rows of a small file may take besides.
const FIXED: usize = 256 << 10;

/// A profile in the making.
pub(super) struct Rows {
    pub(super) builder: ProfileBuilder,
    pub(super) warnings: Warnings,
    /// Bytes that other tables of a reader take.
    pub(super) beside: usize,
    /// What the format is called in messages.
    pub(super) format: &'static str,
    /// Most bytes that rows may take.
    most: usize,
}

impl Rows {
    /// For a file of this format and so many bytes.
    pub(super) fn new(format: &'static str, length: usize) -> Self {
        Self {
            builder: ProfileBuilder::new(),
            warnings: Warnings::default(),
            beside: 0,
            format,
            most: length.saturating_mul(BYTES_A_BYTE).saturating_add(FIXED),
        }
    }

    /// Finds or adds a sample type.
    pub(super) fn sample_type(&mut self, kind: &str, unit: &str) -> Result<usize, FormatError> {
        let wanted = self.builder.value_type(kind, unit);
        let known = self.builder.profile().sample_types();
        if let Some(known) = known.iter().position(|known| *known == wanted) {
            return Ok(known);
        }
        if known.len() == MAX_SAMPLE_TYPES {
            let problem = format!("more than {MAX_SAMPLE_TYPES} kinds of events");
            return Err(FormatError::new(self.format, problem));
        }
        self.builder.sample_type(kind, unit);
        self.check()?;
        Ok(known_types(&self.builder) - 1)
    }

    /// Says that a line is left out, and why.
    pub(super) fn warn_left_out(&mut self, number: usize, why: &str, line: &str) {
        self.warnings
            .add(|| format!("line {number} is {why} and was skipped: {:?}", cut(line)));
    }

    /// A label of text.
    pub(super) fn text(&mut self, key: &str, value: &str) -> Label {
        self.builder.text_label(key, value)
    }

    /// A label of a number. Zero without a unit becomes text: pprof takes that for no value.
    pub(super) fn number(&mut self, key: &str, value: i64, unit: &str) -> Label {
        if value == 0 && unit.is_empty() {
            return self.text(key, "0");
        }
        self.builder.number_label(key, value, unit)
    }

    /// A module of which only the name is known; `None` without one.
    pub(super) fn module(&mut self, file: &str) -> Option<MappingId> {
        let file = self.builder.string(file);
        self.module_of(file)
    }

    /// The same with the name interned.
    pub(super) fn module_of(&mut self, file: StringId) -> Option<MappingId> {
        (!file.is_empty()).then(|| {
            self.builder.mapping(Mapping {
                start: 0,
                limit: 0,
                offset: 0,
                file,
                build_id: StringId::EMPTY,
                symbols: SymbolFlags::default(),
            })
        })
    }

    /// A function of a file, which may be empty.
    pub(super) fn function(&mut self, name: &str, file: &str) -> FunctionId {
        let name = self.builder.string(name);
        let file = self.builder.string(file);
        self.function_of(name, file)
    }

    /// The same with both interned.
    pub(super) fn function_of(&mut self, name: StringId, file: StringId) -> FunctionId {
        self.builder.function(Function::named(name, file))
    }

    /// A place in a function; 0 is a line that is not known.
    pub(super) fn location(
        &mut self,
        mapping: Option<MappingId>,
        function: FunctionId,
        line: i64,
    ) -> LocationId {
        let line = Line::of(function, line);
        self.builder.location(mapping, 0, false, &[line])
    }

    /// Adds a value of one sample type.
    pub(super) fn sample(
        &mut self,
        stack: Option<StackId>,
        labels: Option<LabelSetId>,
        sample_type: usize,
        value: i64,
    ) {
        self.builder.sample(stack, labels, &[]);
        let values = &mut self.builder.rows().samples.values;
        if let Some(last) = values[sample_type].last_mut() {
            *last = value;
        }
    }

    /// The same at a time.
    pub(super) fn sample_at(
        &mut self,
        time: i64,
        stack: Option<StackId>,
        labels: Option<LabelSetId>,
        sample_type: usize,
        value: i64,
    ) {
        self.builder.sample_at(time, stack, labels, &[]);
        let values = &mut self.builder.rows().samples.values;
        if let Some(last) = values[sample_type].last_mut() {
            *last = value;
        }
    }

    /// Whether the rows stay in proportion to the file. Every few rows of a file ask.
    pub(super) fn check(&self) -> Result<(), FormatError> {
        let profile = self.builder.profile();
        let samples = profile.len() * (16 + 8 * profile.sample_types().len());
        let labels = profile.label_sets().labels.len() * 32;
        if profile.table_bytes() + samples + labels + self.beside > self.most {
            let problem = "the profile would need too much memory for a file of this size";
            return Err(FormatError::new(self.format, problem));
        }
        Ok(())
    }

    /// The profile, whose times begin at 0. One without samples is an error of its own.
    pub(super) fn finish(self) -> Result<Decoded, FormatError> {
        let mut profile = self.builder.finish();
        if profile.is_empty() {
            return Err(FormatError::sampleless(self.format));
        }
        from_zero(&mut profile);
        Ok(Decoded {
            profile,
            warnings: self.warnings.finish(),
        })
    }
}

/// Events of perf whose periods are nanoseconds.
const CLOCKS: [&str; 6] = [
    "cpu-clock",
    "task-clock",
    "offcpu-time",
    "duration_time",
    "user_time",
    "system_time",
];
/// The same for tracepoints: the kernel counts the time that they tell (`__perf_count(delay)`).
const TIMES: &str = "sched:sched_stat_";

/// What the sample type of an event of perf is called, less `:u` and the like, and its unit: the
/// periods of clocks are times, also with terms (`cpu-clock/period=1000000/u`).
pub(super) fn perf_event(event: &str, has_period: bool) -> (&str, &'static str) {
    let event = match event.rsplit_once(':') {
        Some((name, letters)) if letters.bytes().all(|b| b"ukhGHIpPSDWeb".contains(&b)) => name,
        _ => event,
    };
    let name = event.split('/').next().unwrap_or(event);
    let clock = CLOCKS.contains(&name);
    let is_time = (clock || event.starts_with(TIMES)) && has_period;
    let unit = if is_time { "nanoseconds" } else { "count" };
    (if clock { name } else { event }, unit)
}

fn known_types(builder: &ProfileBuilder) -> usize {
    builder.profile().sample_types().len()
}

/// Counts times from the first on.
fn from_zero(profile: &mut Profile) {
    let Some(times) = &mut profile.samples.times else {
        return;
    };
    let first = times.iter().copied().min().unwrap_or(0);
    for time in times.iter_mut() {
        *time = time.saturating_sub(first);
    }
    profile.header.duration_nanos = times.iter().copied().max().unwrap_or(0);
}

/// The lines of a text with their numbers, from 1, less white space at their ends. What is not
/// UTF-8 is read as U+FFFD.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let lines = without_mark(bytes).split(|&b| b == b'\n');
    (1..).zip(lines.map(|line| String::from_utf8_lossy(line.trim_ascii_end())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_in_proportion() {
        let mut rows = Rows::new("test", 0);
        rows.sample_type("a", "count").expect("the first");
        let mut added = 0u64;
        while rows.check().is_ok() {
            let function = rows.function(&format!("f{added}"), "");
            let location = rows.location(None, function, 1);
            let stack = rows.builder.stack(None, location);
            rows.sample(Some(stack), None, 0, 1);
            added += 1;
        }
        assert!((100..FIXED as u64 / 50).contains(&added), "{added}");
    }

    #[test]
    fn events_of_perf_have_units() {
        let of = |event| perf_event(event, true);
        for clock in ["cpu-clock", "cpu-clock:ppp", "cpu-clock/period=3000000/u"] {
            assert_eq!(of(clock), ("cpu-clock", "nanoseconds"));
            assert_eq!(perf_event(clock, false), ("cpu-clock", "count"));
        }
        assert_eq!(of("duration_time"), ("duration_time", "nanoseconds"));
        let runtime = "sched:sched_stat_runtime";
        assert_eq!(of(runtime), (runtime, "nanoseconds"));
        for event in [
            "sched:sched_switch",
            "cpu_core/cycles/",
            "cycles/period=9/u",
        ] {
            assert_eq!(of(event), (event, "count"));
        }
        assert_eq!(of("cycles:u"), ("cycles", "count"));
    }

    #[test]
    fn times_begin_at_zero_and_types_are_few() {
        let mut rows = Rows::new("test", 1 << 20);
        for i in 0..MAX_SAMPLE_TYPES {
            assert_eq!(rows.sample_type(&format!("t{i}"), "count"), Ok(i));
        }
        assert_eq!(rows.sample_type("t1", "count"), Ok(1));
        let error = rows.sample_type("t", "count").expect_err("one too many");
        assert_eq!(error.to_string(), "test: more than 64 kinds of events");
        rows.sample_at(7, None, None, 1, 5);
        rows.sample_at(5, None, None, 0, 6);
        let profile = rows.finish().expect("two samples").profile;
        assert_eq!(profile.samples.times, Some(vec![2, 0]));
        assert_eq!(profile.samples.values[1], [5, 0]);
        assert_eq!(profile.header.duration_nanos, 2);
    }
}
