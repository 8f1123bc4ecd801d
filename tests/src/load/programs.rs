//! Profiles as Go processes of a few services send them: each service a program of its own, all
//! processes of a service the same program, each push other stacks of it.
//!
//! A CPU profile has 30 kB gzipped and 600 stacks; a heap profile, of four types, about as much.

use std::collections::HashMap;

use pilotlight_core::pprof::encode_gzip;
use pilotlight_core::{Function, FunctionId, LocationId, ProfileBuilder, StackId};
use pilotlight_fixtures::go_locations::GoLocations;

use crate::demo::random::Random;

/// From the first function of a goroutine down to the runtime; a call goes one or two layers down.
const LAYERS: usize = 26;
const FUNCTIONS_A_LAYER: usize = 80;
/// Ways into the program.
const ROOTS: usize = 12;
/// Most places in a function from which it calls.
const SITES: usize = 6;
/// Of 15 seconds at 100 Hz, two thirds of a core.
const HITS: usize = 1_000;
/// Places that allocate: Go's sampling sees one in 512 kB.
const ALLOCATIONS: usize = 700;
/// Bytes between two samples of the allocator.
const HEAP_RATE: i64 = 512 << 10;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Cpu,
    Memory,
}

impl Kind {
    /// Ids of the types, in order of the values.
    pub(super) fn types(self) -> &'static [&'static str] {
        match self {
            Self::Cpu => &[
                "process_cpu:samples:count:cpu:nanoseconds",
                "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
            ],
            Self::Memory => &[
                "memory:alloc_objects:count:space:bytes",
                "memory:alloc_space:bytes:space:bytes",
                "memory:inuse_objects:count:space:bytes",
                "memory:inuse_space:bytes:space:bytes",
            ],
        }
    }
}

/// A profile to be pushed.
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    /// The sum of each type, as in [`Kind::types`].
    pub(super) totals: Vec<i64>,
}

/// A program: for each function the places from which it calls, the hottest first.
pub(super) struct Program {
    name: String,
    sites: Vec<Vec<Site>>,
}

struct Site {
    line: i64,
    callee: Option<usize>,
    /// What the compiler put in here, if anything: the location then has two lines.
    inlined: Option<usize>,
}

impl Program {
    pub(super) fn new(name: &str) -> Self {
        let mut random = Random::of(&name.bytes().map(u64::from).collect::<Vec<_>>());
        let mut function = |number: usize| {
            let layer = number / FUNCTIONS_A_LAYER;
            let sites = 1 + random.below(SITES);
            let site = |_| {
                let next = layer + 1 + usize::from(random.unit() < 0.25);
                // Some functions are called from everywhere.
                let popular =
                    (random.unit().powi(3) * FUNCTIONS_A_LAYER as f64) as usize % FUNCTIONS_A_LAYER;
                let callee = (next < LAYERS).then_some(next * FUNCTIONS_A_LAYER + popular);
                let inlined =
                    (random.unit() < 0.2).then_some(layer * FUNCTIONS_A_LAYER + popular / 4);
                Site {
                    line: 10 + random.below(900) as i64,
                    callee,
                    inlined,
                }
            };
            (0..sites).map(site).collect()
        };
        let sites = (0..LAYERS * FUNCTIONS_A_LAYER).map(&mut function).collect();
        Self {
            name: name.to_owned(),
            sites,
        }
    }

    /// What a process saw in the 15 seconds before.
    pub(super) fn profile(&self, kind: Kind, time_nanos: i64, random: &mut Random) -> Body {
        let mut recorder = Recorder::new(self, kind);
        let walks = match kind {
            Kind::Cpu => HITS,
            Kind::Memory => ALLOCATIONS,
        };
        for _ in 0..walks {
            let stack = recorder.walk(random);
            recorder.count(stack, kind, random);
        }
        recorder.finish(kind, time_nanos)
    }

    /// Name and file of a function.
    fn function(&self, number: usize) -> (String, String) {
        const PACKAGES: [&str; 8] = [
            "net/http",
            "internal/httpx",
            "internal/orders",
            "internal/pricing",
            "google.golang.org/grpc/internal/transport",
            "encoding/json",
            "crypto/tls",
            "runtime",
        ];
        let package = PACKAGES[number / FUNCTIONS_A_LAYER * PACKAGES.len() / LAYERS];
        let package = package
            .strip_prefix("internal/")
            .map_or(package.to_owned(), |own| {
                format!("github.com/acme/{}/internal/{own}", self.name)
            });
        let receiver = [
            "Client", "Handler", "Store", "Conn", "Buffer", "Decoder", "Pool",
        ][number % 7];
        let verb = [
            "Read", "Serve", "flush", "Lookup", "apply", "Marshal", "next", "Close", "grow",
        ][number % 9];
        let name = format!("{package}.(*{receiver}{}).{verb}{number}", number % 41);
        (
            name,
            format!(
                "/src/{package}/{}_{}.go",
                receiver.to_lowercase(),
                number % 23
            ),
        )
    }
}

/// Stacks as they come, in the order in which each was first seen: the order in which Go writes
/// them.
struct Recorder<'a> {
    program: &'a Program,
    builder: ProfileBuilder,
    locations: GoLocations,
    order: Vec<StackId>,
    values: HashMap<StackId, Vec<i64>>,
}

impl<'a> Recorder<'a> {
    fn new(program: &'a Program, kind: Kind) -> Self {
        let mut builder = ProfileBuilder::new();
        for id in kind.types() {
            let words: Vec<&str> = id.split(':').collect();
            builder.sample_type(words[1], words[2]);
        }
        let locations = GoLocations::new(&mut builder, &format!("/app/{}", program.name));
        Self {
            program,
            builder,
            locations,
            order: Vec::new(),
            values: HashMap::new(),
        }
    }

    /// A way down the call graph.
    fn walk(&mut self, random: &mut Random) -> StackId {
        let mut function = (random.unit().powi(2) * ROOTS as f64) as usize % ROOTS;
        let mut stack = None;
        loop {
            let sites = self.program.sites[function].len();
            // The hottest place of a function has most of its time.
            let site = ((random.unit().powi(18) * sites as f64) as usize).min(sites - 1);
            let location = self.location(function, site);
            let here = self.builder.stack(stack, location);
            match self.program.sites[function][site].callee {
                Some(callee) if random.unit() > 0.035 => function = callee,
                _ => return here,
            }
            stack = Some(here);
        }
    }

    fn count(&mut self, stack: StackId, kind: Kind, random: &mut Random) {
        let more = match kind {
            Kind::Cpu => vec![1, 10_000_000],
            Kind::Memory => {
                let object = 16 << random.below(9);
                let in_use = i64::from(random.unit() < 0.6);
                vec![
                    HEAP_RATE / object,
                    HEAP_RATE,
                    in_use * HEAP_RATE / object,
                    in_use * HEAP_RATE,
                ]
            }
        };
        let values = self.values.entry(stack).or_insert_with(|| {
            self.order.push(stack);
            vec![0; more.len()]
        });
        values
            .iter_mut()
            .zip(more)
            .for_each(|(sum, value)| *sum += value);
    }

    fn location(&mut self, function: usize, site: usize) -> LocationId {
        if let Some(location) = self.locations.get(function, site) {
            return location;
        }
        let Site { line, inlined, .. } = self.program.sites[function][site];
        let outer = (self.function(function), line);
        let inlined = inlined.map(|inlined| (self.function(inlined), line % 97 + 3));
        let place = (function, site, SITES);
        self.locations.add(&mut self.builder, place, outer, inlined)
    }

    fn function(&mut self, number: usize) -> FunctionId {
        let (name, file) = self.program.function(number);
        let (name, file) = (self.builder.string(&name), self.builder.string(&file));
        self.builder.function(Function {
            start_line: (number % 700) as i64 + 1,
            ..Function::named(name, file)
        })
    }

    fn finish(mut self, kind: Kind, time_nanos: i64) -> Body {
        let mut totals = vec![0; kind.types().len()];
        for stack in &self.order {
            let values = &self.values[stack];
            self.builder.sample(Some(*stack), None, values);
            totals
                .iter_mut()
                .zip(values)
                .for_each(|(sum, value)| *sum += value);
        }
        let (period_type, period) = match kind {
            Kind::Cpu => (self.builder.value_type("cpu", "nanoseconds"), 10_000_000),
            Kind::Memory => (self.builder.value_type("space", "bytes"), HEAP_RATE),
        };
        let header = self.builder.header();
        (header.period_type, header.period) = (Some(period_type), period);
        (header.time_nanos, header.duration_nanos) = (time_nanos, 15_000_000_000);
        Body {
            bytes: encode_gzip(&self.builder.finish()),
            totals,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Oracle;

    #[test]
    fn profiles_are_of_the_usual_size_and_their_totals_are_theirs() {
        let program = Program::new("checkout");
        for (kind, types) in [(Kind::Cpu, 2), (Kind::Memory, 4)] {
            let mut random = Random::of(&[1]);
            let [first, second] =
                [0, 1].map(|second| program.profile(kind, second * 1_000_000_000, &mut random));
            assert_ne!(first.bytes, second.bytes);
            assert!(
                (20_000..45_000).contains(&first.bytes.len()),
                "{kind:?}: {} bytes",
                first.bytes.len()
            );
            let oracle = Oracle::read(&first.bytes);
            assert!(
                (300..1_000).contains(&oracle.samples.len()),
                "{kind:?}: {} stacks",
                oracle.samples.len()
            );
            assert_eq!(oracle.types.len(), types);
            let totals: Vec<i128> = (0..types).map(|column| oracle.total(column)).collect();
            assert_eq!(
                totals,
                first
                    .totals
                    .iter()
                    .map(|&total| i128::from(total))
                    .collect::<Vec<_>>()
            );
        }
    }
}
