//! The targets, one file each, with seeds in the folder of the same name.

mod imports;
mod jfr;
mod legacy;
mod multipart;
mod otlp;
mod pprof;
mod push_v1;
mod selector;
mod stacks;
mod symbols;
mod token;

/// Checks one reader with any bytes; panics when a property fails.
pub type Target = fn(&[u8]);

/// All of them, with their names.
pub const TARGETS: [(&str, Target); 11] = [
    ("imports", imports::target),
    ("jfr", jfr::target),
    ("legacy", legacy::target),
    ("multipart", multipart::target),
    ("otlp", otlp::target),
    ("pprof", pprof::target),
    ("push_v1", push_v1::target),
    ("selector", selector::target),
    ("stacks", stacks::target),
    ("symbols", symbols::target),
    ("token", token::target),
];
