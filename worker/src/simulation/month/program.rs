//! A program like a mid-sized Go service, and what its profiler sees: a few stacks most of the
//! time, many of them now and then (their frequencies follow Zipf's law), the same from push to
//! push.

use std::collections::HashMap;

use pilotlight_core::pprof::encode_gzip;
use pilotlight_core::{Function, FunctionId, LocationId, ProfileBuilder};
use pilotlight_fixtures::go_locations::GoLocations;

/// Layers of the program, from `net/http` down to the kernel.
const LAYERS: usize = 24;
const FUNCTIONS_A_LAYER: usize = 60;
/// Places in a function from which it calls.
const SITES: usize = 4;
/// Different stacks on the CPU.
const CPU_STACKS: usize = 12_000;
/// Different stacks that allocate.
const HEAP_STACKS: usize = 1_000;
/// 10 seconds at 100 Hz with one core busy.
const HITS: usize = 1_000;
/// Bytes between two samples of the heap.
const HEAP_PERIOD: i64 = 512 << 10;

const PACKAGES: [&str; 12] = [
    "net/http",
    "github.com/acme/shop/internal/httpx",
    "github.com/acme/shop/internal/orders",
    "github.com/acme/shop/internal/cart",
    "google.golang.org/grpc/internal/transport",
    "github.com/jackc/pgx/v5/pgconn",
    "encoding/json",
    "reflect",
    "database/sql",
    "crypto/tls",
    "internal/poll",
    "runtime",
];

/// A linear congruential generator (Knuth's MMIX constants): the same at every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// From 0 up to 1.
    fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }

    /// How often something happens that happens `mean` times on average.
    fn poisson(&mut self, mean: f64) -> i64 {
        if mean > 30.0 {
            // Near enough: the sum of twelve is nearly normal.
            let normal = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
            return (mean + normal * mean.sqrt()).max(0.0) as i64;
        }
        let (limit, mut product, mut count) = ((-mean).exp(), self.unit(), 0);
        while product > limit {
            product *= self.unit();
            count += 1;
        }
        count
    }
}

/// Function and place in it.
type Frame = (usize, usize);

/// A program: its stacks, the most frequent first.
pub(super) struct Program {
    seed: u64,
    cpu: Vec<Vec<Frame>>,
    /// Sums of the frequencies up to each stack.
    cumulative: Vec<f64>,
    heap: Vec<Vec<Frame>>,
}

/// The heap of one process: samples in use at each of its stacks.
pub(super) struct Heap {
    random: Random,
    in_use: Vec<i64>,
}

impl Program {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let cpu: Vec<Vec<Frame>> = (0..CPU_STACKS).map(|_| walk(&mut random)).collect();
        let heap: Vec<Vec<Frame>> = (0..HEAP_STACKS).map(|_| walk(&mut random)).collect();
        let mut sum = 0.0;
        let cumulative = (1..=CPU_STACKS).map(|rank| {
            sum += 1.0 / rank as f64;
            sum
        });
        Self {
            seed,
            cpu,
            cumulative: cumulative.collect(),
            heap,
        }
    }

    /// Ten seconds of a process, gzipped.
    pub(super) fn cpu(&self, random: &mut Random) -> Vec<u8> {
        let mut tables = Tables::new(
            self.seed,
            &[("samples", "count"), ("cpu", "nanoseconds")],
            10_000_000,
        );
        let (mut order, mut counts) = (Vec::new(), HashMap::new());
        for _ in 0..HITS {
            let drawn = random.unit() * self.cumulative[CPU_STACKS - 1];
            let stack = self
                .cumulative
                .partition_point(|&sum| sum < drawn)
                .min(CPU_STACKS - 1);
            let count = counts.entry(stack).or_insert(0i64);
            if *count == 0 {
                order.push(stack);
            }
            *count += 1;
        }
        order.iter().for_each(|stack| {
            tables.sample(
                &self.cpu[*stack],
                &[counts[stack], counts[stack] * 10_000_000],
            )
        });
        tables.finish(10)
    }

    pub(super) fn heap(&self, seed: u64) -> Heap {
        let mut random = Random(seed);
        let in_use = (0..HEAP_STACKS).map(|at| random.poisson(60.0 / (at + 1) as f64));
        let in_use = in_use.collect();
        Heap { random, in_use }
    }

    /// What a process allocated in fifteen seconds and what it has in use, gzipped.
    pub(super) fn memory(&self, heap: &mut Heap) -> Vec<u8> {
        let types = [
            ("alloc_objects", "count"),
            ("alloc_space", "bytes"),
            ("inuse_objects", "count"),
            ("inuse_space", "bytes"),
        ];
        let mut tables = Tables::new(self.seed, &types, HEAP_PERIOD);
        for (at, stack) in self.heap.iter().enumerate() {
            let mean = 150.0 / (at + 1) as f64;
            let allocated = heap.random.poisson(mean);
            // A collection: some of it went, some came.
            if heap.random.unit() < 0.2 {
                let rest = heap.in_use[at] as f64 * 0.7 + 18.0 / (at + 1) as f64;
                heap.in_use[at] = heap.random.poisson(rest);
            }
            let values = [allocated, heap.in_use[at]].map(|samples| {
                let size = 16i64 << (at * 7 % 11);
                let scale = 1.0 / (1.0 - (-(size as f64) / HEAP_PERIOD as f64).exp());
                let objects = (samples as f64 * scale) as i64;
                [objects, objects * size]
            });
            if allocated + heap.in_use[at] > 0 {
                tables.sample(stack, values.as_flattened());
            }
        }
        tables.finish(15)
    }
}

/// A walk down the layers: the hot places of functions most often.
fn walk(random: &mut Random) -> Vec<Frame> {
    let depth = 8 + (random.unit() * (LAYERS - 8) as f64) as usize;
    let mut function = (random.unit().powi(2) * 8.0) as usize;
    let mut frames = Vec::with_capacity(depth);
    for layer in 1..=depth {
        let site = (random.unit().powi(10) * SITES as f64) as usize;
        frames.push((function, site));
        // Each place calls one function; popular ones are called from many places.
        let mut callee =
            Random(((function * SITES + site) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let next = (callee.unit().powi(3) * FUNCTIONS_A_LAYER as f64) as usize;
        function = layer * FUNCTIONS_A_LAYER + next;
    }
    frames
}

/// A profile while it is written, tables in order of first use as Go writes them.
struct Tables {
    seed: u64,
    builder: ProfileBuilder,
    locations: GoLocations,
}

impl Tables {
    fn new(seed: u64, types: &[(&str, &str)], period: i64) -> Self {
        let mut builder = ProfileBuilder::new();
        for (kind, unit) in types {
            builder.sample_type(kind, unit);
        }
        let (kind, unit) = types[types.len() - 1];
        let period_type = builder.value_type(if kind == "cpu" { kind } else { "space" }, unit);
        (builder.header().period_type, builder.header().period) = (Some(period_type), period);
        let locations = GoLocations::new(&mut builder, "/app/server");
        Self {
            seed,
            builder,
            locations,
        }
    }

    fn sample(&mut self, frames: &[Frame], values: &[i64]) {
        let mut stack = None;
        for &frame in frames {
            let location = self.location(frame);
            stack = Some(self.builder.stack(stack, location));
        }
        self.builder.sample(stack, None, values);
    }

    fn location(&mut self, (function, site): Frame) -> LocationId {
        if let Some(location) = self.locations.get(function, site) {
            return location;
        }
        let line = (function % 600) as i64 + 7 * site as i64 + 3;
        let outer = (self.function(function), line);
        // Every fifth place has a function that the compiler put in.
        let inlined = (function * SITES + site)
            .is_multiple_of(5)
            .then_some(function ^ 1);
        let inlined = inlined.map(|inlined| (self.function(inlined), line % 97));
        let place = (function, site, SITES);
        self.locations.add(&mut self.builder, place, outer, inlined)
    }

    fn function(&mut self, function: usize) -> FunctionId {
        let package = PACKAGES
            [(function / FUNCTIONS_A_LAYER * PACKAGES.len() / LAYERS).min(PACKAGES.len() - 1)];
        let mut word = Random(self.seed ^ (function as u64).wrapping_mul(0xd134_2543_de82_ef95));
        let mut syllable = |of: &[&'static str]| of[(word.unit() * of.len() as f64) as usize];
        let verb = syllable(&[
            "Read", "Serve", "flush", "Lookup", "apply", "Marshal", "next", "Close", "grow", "scan",
        ]);
        let noun = syllable(&[
            "Header", "Row", "Frame", "Order", "Price", "Stream", "Token", "Batch", "Span", "Value",
        ]);
        let kind = syllable(&[
            "Client", "Handler", "Store", "Conn", "Buffer", "Decoder", "Pool", "Server", "Cache",
        ]);
        let name = self
            .builder
            .string(&format!("{package}.(*{kind}).{verb}{noun}{function}"));
        let file = self.builder.string(&format!(
            "/src/{package}/{}_{}.go",
            kind.to_lowercase(),
            function % 23
        ));
        self.builder.function(Function {
            start_line: (function % 600) as i64 + 1,
            ..Function::named(name, file)
        })
    }

    fn finish(mut self, seconds: i64) -> Vec<u8> {
        // Without a time, so that the request's counts: the same profile is pushed more than once.
        self.builder.header().duration_nanos = seconds * 1_000_000_000;
        encode_gzip(&self.builder.finish())
    }
}
