//! A file's profiles → one [`Profile`].

use super::document::{Change, Document, EXPORTER, Event, Kind, RawProfile, Stacks, THREAD, Unit};
use super::error::{ProfileProblem, SpeedscopeError};
use super::round::{Lost, Rounding, scale_of};
use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::{Warnings, cut};
use crate::formats::json::misshapen::Misshapen;
use crate::formats::stack_sums::StackSums;
use crate::model::id::{LocationId, StackId};
use crate::model::profile::{Label, LabelValue, Profile};

/// The label of a profile's name.
const PROFILE_NAME: &str = "profile_name";

/// What becomes of times.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Times {
    /// Equal stacks add up.
    Dropped,
    /// Each sample has one, where all values of the file are times.
    Kept,
}

/// What becomes of a file of which one profile is damaged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Damaged {
    /// The whole file is refused.
    Refused,
    /// A warning names the profile; the others are read, if there are any.
    LeftOut,
}

/// The sums of all profiles of a file.
pub(super) fn of(
    document: Document,
    times: Times,
    damaged: Damaged,
    warnings: &mut Warnings,
) -> Result<Profile, SpeedscopeError> {
    let active = document.active();
    let frames = document.shared.frames;
    let (mut builder, locations) = (frames.builder, frames.locations);
    let mut raws = document.profiles.0.iter().flatten();
    let is_own = document.exporter.as_deref() == Some(EXPORTER);
    let timed = times == Times::Kept && !is_own && raws.all(|raw| raw.unit.is_time());
    let scale = scale_of(document.profiles.0.iter().flatten());
    let mut profiles = Vec::new();
    let mut damage = Damage {
        damaged,
        warnings,
        first: None,
    };
    for (number, raw) in document.profiles.0.into_iter().enumerate() {
        let raw = match raw {
            Ok(raw) => raw,
            Err(Misshapen { name, problem }) => {
                damage.add(number, name, ProfileProblem::Shape(problem))?;
                continue;
            }
        };
        let (kind, unit) = match (raw.unit, raw.unit.sample_type()) {
            (Unit::None, (kind, _)) => (kind, scale.unit()),
            (_, known) => known,
        };
        let name = raw.name.as_deref().unwrap_or("");
        // What is written here names types.
        let (key, value, kind) = match name.rsplit_once(": ").unwrap_or(("", name)) {
            (thread, own) if is_own && !own.is_empty() => (THREAD, thread, own),
            _ => (PROFILE_NAME, name, kind),
        };
        let wanted = builder.value_type(kind, unit);
        let known = builder.profile().sample_types();
        let sample_type = match known.iter().position(|known| *known == wanted) {
            Some(known) => known,
            None => builder.sample_type(kind, unit),
        };
        let mut label = [Label {
            key: builder.string(key),
            value: LabelValue::Text(builder.string(value)),
        }];
        let labels = builder.label_set(&mut label[..usize::from(!value.is_empty())]);
        profiles.push((number, raw, sample_type, labels));
    }
    if profiles.is_empty() {
        builder.sample_type("samples", "count");
    }
    let shown = profiles.iter().find(|profile| Some(profile.0) == active);
    let shown = shown.map(|(_, _, sample_type, _)| *sample_type);
    let mut sums = StackSums::new(builder.finish());
    let mut sound = 0;
    let mut lost = Lost::default();
    for (number, raw, sample_type, labels) in profiles {
        let name = cut(raw.name.as_deref().unwrap_or(""));
        let mut reader = Reader {
            sums: &mut sums,
            locations: &locations,
            timed,
            values: Vec::new(),
        };
        let mut rounding = Rounding::new(raw.unit, scale);
        if let Err(problem) = reader.read(raw, &mut rounding) {
            damage.add(number, name, problem)?;
            continue;
        }
        sound += 1;
        lost.add(&rounding.lost);
        let values = reader.values;
        sums.label(labels);
        for (time, stack, value) in values {
            if timed {
                sums.add_at(time, stack, sample_type, value);
            } else {
                sums.add(stack, sample_type, value);
            }
        }
    }
    match damage.first {
        Some(error) if sound == 0 => Err(error),
        _ => {
            lost.note(scale, damage.warnings);
            let mut profile = sums.finish(damage.warnings);
            if let Some(shown) = shown.filter(|_| times == Times::Kept) {
                profile.header.default_sample_type = profile.sample_types()[shown].kind;
            }
            Ok(profile)
        }
    }
}

/// Profiles that are damaged.
struct Damage<'w> {
    damaged: Damaged,
    warnings: &'w mut Warnings,
    first: Option<SpeedscopeError>,
}

impl Damage<'_> {
    /// Notes one, or refuses the file for it.
    fn add(
        &mut self,
        profile: usize,
        name: String,
        problem: ProfileProblem,
    ) -> Result<(), SpeedscopeError> {
        let error = SpeedscopeError::Profile {
            profile,
            name,
            problem,
        };
        if self.damaged == Damaged::Refused {
            return Err(error);
        }
        self.warnings
            .add(|| format!("{error}; this profile is left out"));
        self.first.get_or_insert(error);
        Ok(())
    }
}

struct Reader<'a> {
    sums: &'a mut StackSums,
    /// Of each frame.
    locations: &'a [LocationId],
    /// Whether times are kept.
    timed: bool,
    /// Times, stacks and values of the profile, which count when all of it is sound.
    values: Vec<(i64, Option<StackId>, i64)>,
}

impl Reader<'_> {
    fn read(&mut self, raw: RawProfile, rounding: &mut Rounding) -> Result<(), ProfileProblem> {
        match raw.kind {
            Kind::Sampled => {
                let start = raw.start().filter(|_| self.timed);
                let samples = raw.samples.ok_or(ProfileProblem::Missing("samples"))?;
                let weights = raw.weights.ok_or(ProfileProblem::Missing("weights"))?;
                let start = start.map_or(0, |start| rounding.start(start, &weights));
                let weights = weights.into_iter().map(|weight| rounding.weight(weight));
                self.samples(start, &samples, weights)
            }
            Kind::Evented => {
                let events = raw.events.ok_or(ProfileProblem::Missing("events"))?;
                self.events(&events, |at| rounding.point(at))
            }
        }
    }

    fn samples(
        &mut self,
        mut time: i64,
        samples: &Stacks,
        weights: impl ExactSizeIterator<Item = i64>,
    ) -> Result<(), ProfileProblem> {
        if weights.len() != samples.ends.len() {
            return Err(ProfileProblem::Weights {
                samples: samples.ends.len(),
                weights: weights.len(),
            });
        }
        let mut start = 0;
        for (row, (&end, weight)) in samples.ends.iter().zip(weights).enumerate() {
            let end = end as usize;
            self.sums.progress(end, samples.frames.len() - end);
            let mut stack = None;
            for &frame in &samples.frames[start..end] {
                let location = self.location("sample", row, frame)?;
                stack = Some(self.sums.stack(stack, location));
            }
            self.values.push((time, stack, weight));
            time = time.saturating_add(weight);
            start = end;
        }
        Ok(())
    }

    fn events(
        &mut self,
        events: &[Event],
        mut whole: impl FnMut(f64) -> i64,
    ) -> Result<(), ProfileProblem> {
        // Each open frame and the stack up to it.
        let mut open: Vec<(u32, StackId)> = Vec::new();
        // Points in time are rounded, not what is between them: so nothing adds up to more.
        let mut before = events.first().map_or(0, |event| whole(event.at));
        for (row, event) in events.iter().enumerate() {
            self.sums.progress(row, events.len() - row);
            let now = whole(event.at);
            if now < before {
                return Err(ProfileProblem::Order(row));
            }
            let last = open.last().copied();
            if let Some((_, stack)) = last
                && now > before
            {
                let passed = now.saturating_sub(before);
                self.values.push((before, Some(stack), passed));
            }
            before = now;
            let location = self.location("event", row, event.frame)?;
            match event.change {
                Change::Open if open.len() >= MAX_STACK_DEPTH => {
                    return Err(ProfileProblem::TooDeep { row });
                }
                Change::Open => {
                    let stack = self.sums.stack(last.map(|(_, stack)| stack), location);
                    open.push((event.frame, stack));
                }
                Change::Close if last.is_some_and(|(frame, _)| frame == event.frame) => {
                    open.pop();
                }
                Change::Close => {
                    return Err(ProfileProblem::Close {
                        row,
                        frame: self.name(event.frame),
                        open: last.map(|(frame, _)| self.name(frame)),
                    });
                }
            }
        }
        match open.last() {
            Some(&(frame, _)) => Err(ProfileProblem::Open(self.name(frame))),
            None => Ok(()),
        }
    }

    fn location(
        &self,
        what: &'static str,
        row: usize,
        frame: u32,
    ) -> Result<LocationId, ProfileProblem> {
        let count = self.locations.len();
        let found = self.locations.get(frame as usize).copied();
        found.ok_or(ProfileProblem::Frame {
            what,
            row,
            frame,
            count,
        })
    }

    /// Of a frame that there is.
    fn name(&self, frame: u32) -> String {
        cut(self.sums.name(self.locations[frame as usize]))
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::speedscope::decode_with_times;

    /// The times at which samples of 2 and 3 begin, and warnings.
    fn check_with(unit: &str, start: &str, expect: [i64; 2], warnings: &[&str]) {
        let text = format!(
            r#"{{"shared":{{"frames":[{{"name":"a"}}]}},"profiles":[{{"type":"sampled","name":"S",
            "unit":"{unit}",{start}"samples":[[0],[]],"weights":[2,3]}},{{"type":"sampled",
            "name":"T","unit":"{unit}","samples":[[0]],"weights":[1]}}]}}"#
        );
        let decoded = decode_with_times(text.as_bytes()).expect("good");
        let times = decoded.profile.samples().times.as_deref();
        assert_eq!(times, Some(&[expect[0], expect[1], 0][..]), "{text}");
        assert_eq!(decoded.warnings, warnings, "{text}");
    }

    fn check(unit: &str, start: &str, expect: [i64; 2]) {
        check_with(unit, start, expect, &[]);
    }

    #[test]
    fn samples_begin_at_the_start_value() {
        let second = 1_000_000_000;
        check("seconds", "\"startValue\":6,", [6 * second, 8 * second]);
        check("nanoseconds", "\"startValue\":-6.4,", [-6, -4]);
        check("milliseconds", "", [0, 2_000_000]);
        for other in ["null", "\"6\"", "1e999", "[6]"] {
            check("nanoseconds", &format!("\"startValue\":{other},"), [0, 2]);
        }
        // About the last from which all samples are within 64 bits.
        let start = (9_223_372_031.0 * 1e9) as i64;
        check(
            "seconds",
            "\"startValue\":9223372031,",
            [start, start + 2 * second],
        );
    }

    #[test]
    fn a_start_value_beyond_64_bits_is_ignored() {
        let second = 1_000_000_000;
        let warning = "1 startValue is ignored: the samples after it exceed 64 bits of nanoseconds; check the unit";
        for start in ["1e10", "-1e10", "9223372036", "1e300"] {
            check_with(
                "seconds",
                &format!("\"startValue\":{start},"),
                [0, 2 * second],
                &[warning],
            );
        }
    }
}
