//! The guest as a module: exports what `pilotlight_guest` does.

pub use pilotlight_guest::*;
