//! Whatever program a stranger drops beside a profile: an error that says what is wrong, or the
//! same profile with names.
//!
//! Seeds are `work.c` of the reader's own tests, compiled with `-g -O2`: for Linux with `-nostdlib
//! -static`, once more with `-gdwarf-4 -gz=zlib`, and for macOS as an object file.

use std::sync::LazyLock;

use crate::properties::round_trips;
use pilotlight_core::{Mapping, Profile, ProfileBuilder, StringId, SymbolFlags};
use pilotlight_symbols::symbolize;

/// Where linkers put code of small programs, and what object files and texts count from.
const STARTS: [u64; 3] = [0, 0x1000, 0x40_0000];
/// Of each start, every fifth address that many times.
const ADDRESSES: u64 = 128;

/// Addresses of a program that is told by its name: of a process, and of its file.
static PROFILE: LazyLock<Profile> = LazyLock::new(|| {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let file = builder.string("/bin/app");
    for (start, limit) in [(0, 0), (0x5500_0000_0000, 0x5500_0001_0000)] {
        let mapping = builder.mapping(Mapping {
            start,
            limit,
            offset: 0,
            file,
            build_id: StringId::EMPTY,
            symbols: SymbolFlags::default(),
        });
        for at in STARTS
            .into_iter()
            .flat_map(|start| (0..ADDRESSES).map(move |i| start + i * 5))
        {
            let location = builder.location(Some(mapping), start + at, false, &[]);
            let stack = builder.stack(None, location);
            builder.sample(Some(stack), None, &[1]);
        }
    }
    builder.finish()
});

pub(crate) fn target(bytes: &[u8]) {
    match symbolize("app", bytes, std::slice::from_ref(&PROFILE)) {
        Ok(named) => {
            let named = &named[0];
            assert!(named.named <= named.addresses);
            let Some(profile) = &named.profile else {
                return;
            };
            assert_eq!(profile.samples(), PROFILE.samples());
            assert_eq!(profile.stacks(), PROFILE.stacks());
            round_trips(profile);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
