//! A made-up profile that is hard to merge: nearly every stack is its own, and stacks share
//! prefixes as real ones do.

use pilotlight_core::{Function, Line, LocationId, Profile, ProfileBuilder};

const FUNCTIONS: usize = 20_000;
const LOCATIONS: usize = 2 * FUNCTIONS;
const MAX_DEPTH: usize = 40;
const PACKAGES: [&str; 8] = [
    "net/http",
    "runtime",
    "encoding/json",
    "github.com/acme/widget/store",
    "github.com/acme/widget/api",
    "database/sql",
    "crypto/tls",
    "sync",
];

/// A CPU profile of `samples` samples over 20,000 functions, up to 40 frames deep; the same at
/// every call.
pub(crate) fn profile(samples: usize) -> Profile {
    walk(samples, 12_345, 0)
}

/// Another profile of the same program: other stacks, of which some are the same, and tables in
/// another order.
pub(crate) fn another(samples: usize, seed: u64) -> Profile {
    walk(samples, seed, seed as usize * 7_001)
}

fn walk(samples: usize, seed: u64, first: usize) -> Profile {
    let mut random = Random(seed);
    let mut builder = ProfileBuilder::new();
    builder.sample_type("samples", "count");
    builder.sample_type("cpu", "nanoseconds");
    let locations = locations(&mut builder, first);
    // A walk through a tree: from one sample to the next some frames are left and some are entered.
    let mut frames = vec![0];
    for _ in 0..samples {
        let kept = 1 + (random.unit().powf(0.6) * frames.len() as f64) as usize;
        frames.truncate(kept);
        for _ in 0..=(random.unit() * 12.0) as usize {
            if frames.len() == MAX_DEPTH {
                break;
            }
            let callee = 1 + (random.unit().powi(3) * 6.0) as usize;
            let caller = frames[frames.len() - 1];
            frames.push((caller * 31 + callee * 7_919 + frames.len() * 104_729) % LOCATIONS);
        }
        let stack = frames.iter().fold(None, |parent, &frame| {
            Some(builder.stack(parent, locations[frame]))
        });
        builder.sample(stack, None, &[1, 10_000_000]);
    }
    builder.finish()
}

/// All locations; the tables begin with that of number `first`.
fn locations(builder: &mut ProfileBuilder, first: usize) -> Vec<LocationId> {
    let mut location = |i: usize| {
        let function = i % FUNCTIONS;
        let package = PACKAGES[function % PACKAGES.len()];
        let name = builder.string(&format!(
            "{package}.(*Type{}).Method{function}",
            function % 997
        ));
        let file = builder.string(&format!("/src/{package}/file{}.go", function % 499));
        let start_line = (function % 900) as i64 + 1;
        let function = builder.function(Function {
            name,
            system_name: name,
            file,
            start_line,
        });
        let line = Line {
            function: Some(function),
            line: (i % 1_000) as i64 + 1,
            column: 0,
        };
        builder.location(None, 0x40_0000 + i as u64 * 16, false, &[line])
    };
    let first = first % LOCATIONS;
    let mut locations: Vec<_> = (first..first + LOCATIONS)
        .map(|i| location(i % LOCATIONS))
        .collect();
    locations.rotate_right(first);
    locations
}

/// A linear congruential generator (Knuth's MMIX constants): equal everywhere, and good enough for
/// shapes.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// From 0 up to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}
