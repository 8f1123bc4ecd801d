//! Profiles as large as real ones.

use pilotlight_core::{Function, Line, Mapping, Profile, ProfileBuilder, StackId, SymbolFlags};

/// A small generator of numbers, so that every run measures the same.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A service like a mid-sized Go program: 2,400 functions in 300 packages, stacks some 25 deep, a
/// thousand samples.
pub(crate) fn service(
    numbers: &mut Numbers,
    program: &str,
) -> (Profile, Vec<(Option<StackId>, i64)>) {
    let mut b = ProfileBuilder::new();
    b.header().period = 10_000_000;
    let (file, build_id) = (
        b.string("/usr/local/bin/checkout"),
        b.string("5f0c1e7a9d3b"),
    );
    let mapping = Mapping {
        start: 0x40_0000,
        limit: 0x100_0000,
        offset: 0,
        file,
        build_id,
        symbols: SymbolFlags::default(),
    };
    let mapping = b.mapping(mapping);
    let mut locations = Vec::new();
    for i in 0..2400 {
        let name = b.string(&format!(
            "github.com/acme/{program}/internal/package{}.(*Type{}).Method{i}",
            i / 8,
            i % 7
        ));
        let file = b.string(&format!(
            "/src/github.com/acme/{program}/internal/package{}/file{}.go",
            i / 8,
            i % 3
        ));
        let function = b.function(Function {
            start_line: i as i64 % 900,
            ..Function::named(name, file)
        });
        for _ in 0..2 {
            let line = Line::of(function, i as i64 % 900 + numbers.below(50) as i64);
            locations.push(b.location(
                Some(mapping),
                0x40_0000 + i * 900 + numbers.below(900),
                false,
                &[line],
            ));
        }
    }
    let mut rows = Vec::new();
    for _ in 0..1000 {
        let depth = 10 + numbers.below(30);
        let mut at = numbers.below(20) as usize;
        let mut stack = None;
        for _ in 0..depth {
            stack = Some(b.stack(stack, locations[at]));
            // Few callees each, so that stacks share their lower parts.
            at = (at * 3 + 1 + numbers.below(3) as usize) % locations.len();
        }
        rows.push((stack, (1 + numbers.below(9) as i64) * 10_000_000));
    }
    (b.finish(), rows)
}
