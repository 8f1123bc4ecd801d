//! Profiles as a thousand agents of one service send them: the same binary, so nearly the same
//! functions and locations in each, but written in the order of first use, as Go does, and stacks
//! that overlap and are not the same.
//!
//! Each has 30 kB gzipped, 88 kB raw, 610 stacks 14 frames deep, 780 locations and 540 functions; a
//! Go profile of that size from a real service has 440 stacks, 990 locations and 660 functions. A
//! thousand of them have 98,000 stacks in all.

use std::collections::HashMap;

use pilotlight_core::pprof::encode_gzip;
use pilotlight_core::{
    Function, FunctionId, Line, LocationId, Mapping, MappingId, ProfileBuilder, StackId,
    SymbolFlags,
};

use crate::synthetic::Random;

/// Layers of the program, from `net/http` down to the kernel; a call goes one or two layers down.
const LAYERS: usize = 26;
const FUNCTIONS_A_LAYER: usize = 80;
/// Ways into the program, each a goroutine's first function.
const ROOTS: usize = 12;
/// Most places in one function from which it calls.
const MOST_SITES: usize = 6;
/// 10 seconds at 100 Hz with one core busy.
const HITS: usize = 1_000;
const PACKAGES: [&str; 13] = [
    "net/http",
    "github.com/acme/shop/httpx",
    "github.com/acme/shop/orders",
    "github.com/acme/shop/cart",
    "github.com/acme/shop/pricing",
    "google.golang.org/grpc/internal/transport",
    "github.com/jackc/pgx/v5/pgconn",
    "encoding/json",
    "reflect",
    "database/sql",
    "crypto/tls",
    "internal/poll",
    "runtime",
];

/// The gzipped profiles of so many agents, each of its own seed; the same at every call.
pub(crate) fn profiles(count: usize) -> Vec<Vec<u8>> {
    let program = Program::new();
    (0..count)
        .map(|agent| program.profile(agent as u64))
        .collect()
}

/// A call graph: for each function the places from which it calls, the hottest first.
struct Program {
    sites: Vec<Vec<Site>>,
}

/// A place in a function's code.
struct Site {
    line: i64,
    callee: Option<usize>,
    /// The function that the compiler put in here, if any: the location then has two lines.
    inlined: Option<usize>,
}

impl Program {
    fn new() -> Self {
        let mut random = Random(2_026);
        let sites = (0..LAYERS * FUNCTIONS_A_LAYER).map(|function| {
            let layer = function / FUNCTIONS_A_LAYER;
            let count = 1 + (random.unit() * MOST_SITES as f64) as usize;
            let site = |_| {
                let below = layer + 1 + usize::from(random.unit() < 0.25);
                // Popular functions are called from many places.
                let popular = (random.unit().powi(3) * FUNCTIONS_A_LAYER as f64) as usize;
                let callee = (below < LAYERS).then_some(below * FUNCTIONS_A_LAYER + popular);
                let inlined =
                    (random.unit() < 0.2).then_some(layer * FUNCTIONS_A_LAYER + popular / 4);
                Site {
                    line: 10 + (random.unit() * 900.0) as i64,
                    callee,
                    inlined,
                }
            };
            (0..count).map(site).collect()
        });
        Self {
            sites: sites.collect(),
        }
    }

    fn profile(&self, agent: u64) -> Vec<u8> {
        let mut random = Random(agent.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d);
        let mut recorder = Recorder::new(self);
        for _ in 0..HITS {
            recorder.hit(&mut random);
        }
        recorder.finish(agent)
    }
}

/// One agent: counts stacks as they come, then writes them in the order in which each was first
/// seen.
struct Recorder<'a> {
    program: &'a Program,
    builder: ProfileBuilder,
    binary: MappingId,
    locations: HashMap<(usize, usize), LocationId>,
    order: Vec<StackId>,
    counts: HashMap<StackId, i64>,
}

impl<'a> Recorder<'a> {
    fn new(program: &'a Program) -> Self {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("samples", "count");
        builder.sample_type("cpu", "nanoseconds");
        let (file, build_id) = (
            builder.string("/app/checkout"),
            builder.string("d3b07384d113edec49eaa6238ad5ff00"),
        );
        let symbols = SymbolFlags {
            functions: true,
            ..SymbolFlags::default()
        };
        let binary = Mapping {
            start: 0x40_0000,
            limit: 0x240_0000,
            offset: 0,
            file,
            build_id,
            symbols,
        };
        let binary = builder.mapping(binary);
        Self {
            program,
            builder,
            binary,
            locations: HashMap::new(),
            order: Vec::new(),
            counts: HashMap::new(),
        }
    }

    /// One tick of the profiling timer: a walk down the call graph.
    fn hit(&mut self, random: &mut Random) {
        let mut function = (random.unit().powi(2) * ROOTS as f64) as usize;
        let mut stack = None;
        loop {
            let sites = self.program.sites[function].len();
            // The hottest place of a function has most of its time.
            let site = ((random.unit().powi(18) * sites as f64) as usize).min(sites - 1);
            let location = self.location(function, site);
            stack = Some(self.builder.stack(stack, location));
            match self.program.sites[function][site].callee {
                Some(callee) if random.unit() > 0.035 => function = callee,
                _ => break,
            }
        }
        let Some(stack) = stack else { return };
        let count = self.counts.entry(stack).or_insert(0);
        if *count == 0 {
            self.order.push(stack);
        }
        *count += 1;
    }

    fn location(&mut self, function: usize, site: usize) -> LocationId {
        if let Some(&location) = self.locations.get(&(function, site)) {
            return location;
        }
        let Site { line, inlined, .. } = self.program.sites[function][site];
        let outer = Line {
            function: Some(self.function(function)),
            line,
            column: 0,
        };
        let inner = inlined.map(|inlined| Line {
            function: Some(self.function(inlined)),
            line: line % 97 + 3,
            column: 0,
        });
        let lines: Vec<Line> = inner.into_iter().chain([outer]).collect();
        let address = 0x40_1000 + (function * MOST_SITES + site) as u64 * 0x4d;
        let location = self
            .builder
            .location(Some(self.binary), address, false, &lines);
        self.locations.insert((function, site), location);
        location
    }

    fn function(&mut self, function: usize) -> FunctionId {
        let layer = function / FUNCTIONS_A_LAYER;
        let package = PACKAGES[layer * PACKAGES.len() / LAYERS];
        let kind = [
            "Client", "Handler", "Store", "Conn", "Buffer", "Decoder", "Pool",
        ][function % 7];
        let verb = [
            "Read", "Serve", "flush", "Lookup", "apply", "Marshal", "next", "Close", "grow",
        ][function % 9];
        let name = self.builder.string(&format!(
            "{package}.(*{kind}{}).{verb}{function}",
            function % 41
        ));
        let file = self.builder.string(&format!(
            "/src/{package}/{}_{}.go",
            kind.to_lowercase(),
            function % 23
        ));
        self.builder.function(Function {
            name,
            system_name: name,
            file,
            start_line: (function % 700) as i64 + 1,
        })
    }

    fn finish(mut self, agent: u64) -> Vec<u8> {
        for stack in &self.order {
            let count = self.counts[stack];
            self.builder
                .sample(Some(*stack), None, &[count, count * 10_000_000]);
        }
        let period_type = self.builder.value_type("cpu", "nanoseconds");
        let header = self.builder.header();
        (header.period_type, header.period) = (Some(period_type), 10_000_000);
        header.time_nanos = 1_790_000_000_000_000_000 + agent as i64 * 10_000_000;
        header.duration_nanos = 10_000_000_000;
        encode_gzip(&self.builder.finish())
    }
}
