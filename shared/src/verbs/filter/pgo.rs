//! PGO: what Go's compiler reads of a profile, and no more.
//!
//! `go build -pgo` looks at the two innermost locations of each stack. Each line of a location is a
//! frame, and two frames that follow each other are a call: the names of both functions, and how
//! far the call is below the first line of the caller. Its weight is the sum of the samples that
//! have it. Sources: `cmd/internal/pgo` and `internal/profile/graph.go` of Go 1.26.

use std::iter::once;

use crate::merge::canonical::in_order;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{FunctionId, LocationId, StackId, StringId};
use crate::model::profile::{Function, Line, Profile};

/// The sample types that the compiler takes, whichever comes first.
const TYPES: [(&str, &str); 2] = [("samples", "count"), ("cpu", "nanoseconds")];

/// Most lines of a location whose names are compared. Compilers inline a few calls at one place; a
/// longer chain stays as it is, whatever it calls.
const MAX_COMPARED: usize = 16;

/// Where stacks are cut, and which become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PgoOptions {
    /// How many of the innermost locations of each stack stay; 0 for all of them. The compiler looks
    /// at two.
    pub keep_locations: usize,
    /// Whether stacks that differ only in where their innermost function was become one.
    pub aggregate_callees: bool,
}

/// As Pyroscope does.
impl Default for PgoOptions {
    fn default() -> Self {
        Self {
            keep_locations: 5,
            aggregate_callees: true,
        }
    }
}

impl PgoOptions {
    /// The most rows of stacks that [`pgo`] makes of a profile. Each takes some 60 bytes.
    pub fn most_rows(self, profile: &Profile) -> u64 {
        let (samples, stacks) = (profile.len() as u64, profile.stacks.len() as u64);
        match self.keep_locations as u64 {
            0 => stacks.saturating_add(samples),
            keep => samples.saturating_mul(keep),
        }
    }
}

/// Whether the compiler takes samples of this type and unit.
pub fn is_pgo_type(kind: &str, unit: &str) -> bool {
    TYPES.contains(&(kind, unit))
}

/// The profile as a `default.pgo`, in canonical order: of one sample type, without labels, header
/// and mappings, its functions under the names that the linker knows.
///
/// The column is the first that the compiler takes; the first of all where it takes none.
///
/// Callees are aggregated by taking address and line from the innermost frame of a stack. A
/// location that also stands further out keeps them there. Where a function calls itself they stay:
/// the compiler tells its frames apart by address and line, and does not count a call from a frame
/// to itself.
///
/// The compiler adds up all weights in 64 bits. Where they would not fit, every weight is divided
/// by the smallest power of two with which they do: centuries of processor time are needed for it.
///
/// Laws: the compiler reads the same calls with the same weights from the profile and from the
/// result, unless a single location is kept or weights are divided; applied twice it changes nothing
/// more; it commutes with merging.
pub fn pgo(profile: &Profile, options: PgoOptions) -> Profile {
    let Some(column) = column(profile) else {
        return Profile::default();
    };
    let mut trim = Trim::new(profile);
    let value_type = profile.sample_types[column];
    let (kind, unit) = profile.type_text(value_type);
    trim.builder.sample_type(kind, unit);

    // By number of the new stack.
    let mut sums: Vec<i128> = Vec::new();
    let samples = &profile.samples;
    let mut copies = vec![None; profile.stacks.len()];
    if options.keep_locations == 0 {
        trim.copy_stacks(&mut copies);
    }
    for (&old, &value) in samples.stacks.iter().zip(&samples.values[column]) {
        if value == 0 {
            continue;
        }
        let new = old.map(|stack| trim.stack(stack, options, &copies));
        let number = StackId::number(new) as usize;
        if sums.len() <= number {
            sums.resize(number + 1, 0);
        }
        sums[number] += i128::from(value);
    }
    let shift = excess_bits(trim.builder.profile(), &sums);
    for (number, &sum) in (0..).zip(&sums) {
        // Towards zero, so that what is as small as that goes.
        let value = i64::try_from(sum / (1 << shift)).unwrap_or(i64::MAX);
        if value != 0 {
            let stack = StackId::numbered(number);
            trim.builder.sample(stack, None, &[value]);
        }
    }
    in_order(&trim.builder.finish())
}

/// The name that the linker knows. The types of a generic function are left out of the name that is
/// shown, and stand in the system name. Other system names are anything: Node's have paths.
fn linked<'a>(name: &'a str, system_name: &'a str) -> &'a str {
    let has_types = name.contains("[...]") && system_name.contains("[go.shape.");
    if has_types || name.is_empty() {
        system_name
    } else {
        name
    }
}

fn column(profile: &Profile) -> Option<usize> {
    let mut types = profile.sample_types.iter().map(|&t| profile.type_text(t));
    let taken = types.position(|(kind, unit)| is_pgo_type(kind, unit));
    taken.or((!profile.sample_types.is_empty()).then_some(0))
}

/// A trimmed profile under way.
struct Trim<'a> {
    from: &'a Profile,
    builder: ProfileBuilder,
    functions: Vec<FunctionId>,
    /// Where each location went as a caller, and as the innermost one of an aggregated stack.
    callers: Vec<Option<LocationId>>,
    callees: Vec<Option<LocationId>>,
    /// Innermost locations of the stack at hand, itself first.
    window: Vec<LocationId>,
}

impl<'a> Trim<'a> {
    fn new(from: &'a Profile) -> Self {
        let mut builder = ProfileBuilder::new();
        let function = |f: &Function| {
            let name = builder.string(linked(from.text(f.name), from.text(f.system_name)));
            let file = builder.string(from.text(f.file));
            builder.function(Function {
                start_line: f.start_line,
                ..Function::named(name, file)
            })
        };
        Self {
            from,
            functions: from.functions.iter().map(function).collect(),
            builder,
            callers: vec![None; from.locations.len()],
            callees: vec![None; from.locations.len()],
            window: Vec::new(),
        }
    }

    /// Copies all stacks, and says where each went.
    fn copy_stacks(&mut self, copies: &mut [Option<StackId>]) {
        for (row, stack) in self.from.stacks.iter().enumerate() {
            let parent = stack.parent.and_then(|parent| copies[parent.index()]);
            let location = self.caller(stack.location);
            copies[row] = Some(self.builder.stack(parent, location));
        }
    }

    /// The stack that a sample gets for its old one.
    fn stack(&mut self, old: StackId, options: PgoOptions, copies: &[Option<StackId>]) -> StackId {
        let row = self.from.stacks[old.index()];
        let parent = match options.keep_locations {
            0 => row.parent.and_then(|parent| copies[parent.index()]),
            keep => self.window(row.parent, keep - 1),
        };
        let caller = row.parent.map(|p| self.from.stacks[p.index()].location);
        let aggregates = options.aggregate_callees && !self.calls_itself(row.location, caller);
        let location = if aggregates {
            self.callee(row.location)
        } else {
            self.caller(row.location)
        };
        self.builder.stack(parent, location)
    }

    /// The innermost locations of a stack, so many.
    fn window(&mut self, stack: Option<StackId>, keep: usize) -> Option<StackId> {
        self.window.clear();
        self.window.extend(self.from.frames(stack).take(keep));
        let mut top = None;
        while let Some(location) = self.window.pop() {
            let location = self.caller(location);
            top = Some(self.builder.stack(top, location));
        }
        top
    }

    /// Names of a location's functions, the innermost first. What has none is called nothing, as the
    /// compiler reads it.
    fn names(&self, location: LocationId) -> impl Iterator<Item = StringId> {
        let lines = self.from.lines(location);
        let nothing = lines.is_empty().then_some(StringId::EMPTY);
        let functions = &self.builder.profile().functions;
        let name = |line: &Line| {
            let function = line.function.map(|f| self.functions[f.index()]);
            function.map_or(StringId::EMPTY, |f| functions[f.index()].name)
        };
        lines.iter().map(name).chain(nothing)
    }

    /// Whether the innermost function stands twice in its location, or any of the location's in that
    /// of the caller, too. Of chains that are too long to tell it may be so.
    fn calls_itself(&self, location: LocationId, caller: Option<LocationId>) -> bool {
        let is_long = |l: LocationId| self.from.lines(l).len() > MAX_COMPARED;
        if is_long(location) || caller.is_some_and(is_long) {
            return true;
        }
        let mut names = self.names(location);
        let innermost = names.next();
        let is_inside = names.any(|name| Some(name) == innermost);
        let is_in_caller = |name| caller.is_some_and(|c| self.names(c).any(|other| other == name));
        is_inside || self.names(location).any(is_in_caller)
    }

    fn caller(&mut self, location: LocationId) -> LocationId {
        if let Some(known) = self.callers[location.index()] {
            return known;
        }
        let address = self.from.locations[location.index()].address;
        let lines = self.from.lines(location).iter();
        let lines: Vec<Line> = lines.map(|line| self.translated(*line)).collect();
        let new = self.builder.location(None, address, false, &lines);
        self.callers[location.index()] = Some(new);
        new
    }

    fn callee(&mut self, location: LocationId) -> LocationId {
        if let Some(known) = self.callees[location.index()] {
            return known;
        }
        let lines = match self.from.lines(location) {
            [] => Vec::new(),
            [innermost, outer @ ..] => {
                let anywhere = Line {
                    line: 0,
                    ..*innermost
                };
                let lines = once(&anywhere).chain(outer);
                lines.map(|line| self.translated(*line)).collect()
            }
        };
        let new = self.builder.location(None, 0, false, &lines);
        self.callees[location.index()] = Some(new);
        new
    }

    /// The compiler does not look at columns.
    fn translated(&self, line: Line) -> Line {
        Line {
            function: line.function.map(|f| self.functions[f.index()]),
            line: line.line,
            column: 0,
        }
    }
}

/// How many bits the sum of all weights has beyond those of an `i64`. A sample has a weight for each
/// frame of its two innermost locations but one.
fn excess_bits(profile: &Profile, sums: &[i128]) -> u32 {
    let weight = |(number, sum): (u32, &i128)| {
        let locations = profile.frames(StackId::numbered(number)).take(2);
        let frames = locations.map(|l| profile.lines(l).len().max(1) as u128);
        sum.unsigned_abs()
            .saturating_mul(frames.sum::<u128>().max(1))
    };
    let weights = (0..).zip(sums).map(weight);
    let total = weights.fold(0u128, u128::saturating_add);
    (u128::BITS - total.leading_zeros()).saturating_sub(i64::BITS - 1)
}

#[cfg(test)]
mod tests;
