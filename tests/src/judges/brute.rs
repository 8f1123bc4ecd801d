//! Verbs by brute force: every sample with its whole stack spelt out, rewritten frame by frame,
//! summed in a plain map.
//!
//! Slow and short. What a pattern matches is a function from text to yes or no, so that the core's
//! patterns judge nothing here.

mod recursion;

use std::collections::BTreeMap;

use pilotlight_core::{LabelValue, Line, LocationId, Profile, StringId};

pub use recursion::{collapse_cycles, collapse_direct};

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    /// Name for people.
    pub name: String,
    /// Name of the linker.
    pub system_name: String,
    /// Source file.
    pub file: String,
    /// Its first line.
    pub start_line: i64,
}

/// A line of a location.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The function.
    pub function: Option<Function>,
    /// Line and column.
    pub line: (i64, i64),
}

/// A location.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// File of its mapping.
    pub module: Option<String>,
    /// Address.
    pub address: u64,
    /// Whether code was folded there.
    pub folded: bool,
    /// Its lines, outermost first.
    pub places: Vec<Place>,
}

/// Value of a label.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// Text.
    Text(String),
    /// Number and unit.
    Number(i64, String),
}

/// A sample with everything spelt out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sample {
    /// Frames from the root to the leaf.
    pub stack: Vec<Frame>,
    /// Labels in order.
    pub labels: Vec<(String, Value)>,
    /// One value a type.
    pub values: Vec<i64>,
}

/// Values by stack and labels; what is zero throughout is left out.
pub type Sums = BTreeMap<(Vec<Frame>, Vec<(String, Value)>), Vec<i128>>;

/// Whether a text matches.
pub type Test<'a> = &'a dyn Fn(&str) -> bool;

/// Spells out a profile.
pub fn spell(profile: &Profile) -> Vec<Sample> {
    let text = |id: StringId| profile.text(id).to_owned();
    let place = |line: &Line| {
        let function = line.function.map(|f| {
            let f = &profile.functions()[f.index()];
            Function {
                name: text(f.name),
                system_name: text(f.system_name),
                file: text(f.file),
                start_line: f.start_line,
            }
        });
        Place {
            function,
            line: (line.line, line.column),
        }
    };
    let frame = |id: LocationId| {
        let l = &profile.locations()[id.index()];
        let module = l.mapping.map(|m| text(profile.mappings()[m.index()].file));
        Frame {
            module,
            address: l.address,
            folded: l.folded,
            places: profile.lines(id).iter().rev().map(place).collect(),
        }
    };
    let samples = profile.samples();
    (0..profile.len())
        .map(|row| {
            let mut stack: Vec<Frame> = profile.frames(samples.stacks[row]).map(frame).collect();
            stack.reverse();
            let labels = profile.labels(samples.labels[row]).iter().map(|label| {
                let value = match label.value {
                    LabelValue::Text(t) => Value::Text(text(t)),
                    LabelValue::Number(n, unit) => Value::Number(n, text(unit)),
                };
                (text(label.key), value)
            });
            let mut labels: Vec<_> = labels.collect();
            labels.sort();
            Sample {
                stack,
                labels,
                values: samples.values.iter().map(|column| column[row]).collect(),
            }
        })
        .collect()
}

/// Adds up equal samples.
pub fn sums(samples: &[Sample]) -> Sums {
    let mut sums = Sums::new();
    for sample in samples {
        let values = sums
            .entry((sample.stack.clone(), sample.labels.clone()))
            .or_default();
        values.resize(sample.values.len(), 0);
        values
            .iter_mut()
            .zip(&sample.values)
            .for_each(|(sum, v)| *sum += i128::from(*v));
    }
    sums.retain(|_, values| values.iter().any(|v| *v != 0));
    sums
}

/// Rewrites every stack; `None` drops the sample.
pub fn map_stacks(samples: &[Sample], map: impl Fn(&[Frame]) -> Option<Vec<Frame>>) -> Vec<Sample> {
    samples
        .iter()
        .filter_map(|s| {
            Some(Sample {
                stack: map(&s.stack)?,
                ..s.clone()
            })
        })
        .collect()
}

impl Place {
    /// Whether name or file of the function match.
    pub fn matches(&self, test: Test<'_>) -> bool {
        self.function
            .as_ref()
            .is_some_and(|f| test(&f.name) || test(&f.file))
    }
}

impl Frame {
    /// Whether the file of the mapping matches.
    pub fn module_matches(&self, test: Test<'_>) -> bool {
        self.module.as_deref().is_some_and(test)
    }

    /// Whether anything of it matches.
    pub fn matches(&self, test: Test<'_>) -> bool {
        self.module_matches(test) || self.places.iter().any(|p| p.matches(test))
    }

    fn with(&self, places: Vec<Place>) -> Self {
        Self {
            places,
            ..self.clone()
        }
    }
}

/// Focus.
pub fn focus(samples: &[Sample], test: Test<'_>) -> Vec<Sample> {
    map_stacks(samples, |stack| {
        let has = stack.iter().any(|frame| frame.matches(test));
        has.then(|| stack.to_vec())
    })
}

/// Ignore.
pub fn ignore(samples: &[Sample], test: Test<'_>) -> Vec<Sample> {
    map_stacks(samples, |stack| {
        let has = stack.iter().any(|frame| frame.matches(test));
        (!stack.is_empty() && !has).then(|| stack.to_vec())
    })
}

/// Hide.
pub fn hide(samples: &[Sample], test: Test<'_>) -> Vec<Sample> {
    map_stacks(samples, |stack| {
        let mut kept = Vec::new();
        for frame in stack {
            if frame.module_matches(test) {
                continue;
            }
            let places: Vec<Place> = frame
                .places
                .iter()
                .filter(|p| !p.matches(test))
                .cloned()
                .collect();
            if !places.is_empty() || frame.places.is_empty() {
                kept.push(frame.with(places));
            }
        }
        (!kept.is_empty()).then_some(kept)
    })
}

/// Show.
pub fn show(samples: &[Sample], test: Test<'_>) -> Vec<Sample> {
    map_stacks(samples, |stack| {
        let mut kept = Vec::new();
        for frame in stack {
            let all = frame.module_matches(test);
            let places = frame
                .places
                .iter()
                .filter(|p| all || p.function.is_none() || p.matches(test));
            let places: Vec<Place> = places.cloned().collect();
            if !places.is_empty() {
                kept.push(frame.with(places));
            }
        }
        (!kept.is_empty()).then_some(kept)
    })
}

/// Show from.
pub fn show_from(samples: &[Sample], test: Test<'_>) -> Vec<Sample> {
    let cut = |frame: &Frame| match frame.places.iter().position(|p| p.matches(test)) {
        Some(first) if !frame.module_matches(test) => frame.with(frame.places[first..].to_vec()),
        _ => frame.clone(),
    };
    map_stacks(samples, |stack| {
        let first = stack.iter().position(|frame| frame.matches(test))?;
        Some(stack[first..].iter().map(cut).collect())
    })
}

/// Prune from; the test is of simplified names.
pub fn prune_from(samples: &[Sample], test: Test<'_>) -> Vec<Sample> {
    let cut = |frame: &Frame| match frame.places.iter().rposition(|p| name_matches(p, test)) {
        Some(last) => frame.with(frame.places[..=last].to_vec()),
        None => frame.clone(),
    };
    map_stacks(samples, |stack| {
        let matches = |frame: &Frame| frame.places.iter().any(|p| name_matches(p, test));
        let end = stack
            .iter()
            .rposition(matches)
            .map_or(stack.len(), |last| last + 1);
        Some(stack[..end].iter().map(cut).collect())
    })
}

fn name_matches(place: &Place, test: Test<'_>) -> bool {
    place
        .function
        .as_ref()
        .is_some_and(|f| !f.name.is_empty() && test(simple(&f.name)))
}

/// A name without its parameters, for the names that [`crate::random`] has.
fn simple(name: &str) -> &str {
    let from = if name.starts_with("(anonymous namespace)") {
        "(anonymous namespace)".len()
    } else {
        0
    };
    name[from..].find('(').map_or(name, |at| &name[..from + at])
}

/// Self and total of each function, by name and file, in one column; a sample counts once.
pub fn functions(samples: &[Sample], column: usize) -> BTreeMap<(String, String), (i128, i128)> {
    let mut sums: BTreeMap<(String, String), (i128, i128)> = BTreeMap::new();
    for sample in samples {
        let value = i128::from(sample.values[column]);
        let places = || {
            sample
                .stack
                .iter()
                .flat_map(|f| &f.places)
                .filter_map(|p| p.function.as_ref())
        };
        let key = |f: &Function| (f.name.clone(), f.file.clone());
        let leaf = sample
            .stack
            .last()
            .and_then(|f| f.places.last())
            .and_then(|p| p.function.as_ref());
        if let Some(leaf) = leaf {
            sums.entry(key(leaf)).or_default().0 += value;
        }
        let mut all: Vec<_> = places().map(key).collect();
        all.sort();
        all.dedup();
        for key in all {
            sums.entry(key).or_default().1 += value;
        }
    }
    sums.retain(|_, v| *v != (0, 0));
    sums
}
