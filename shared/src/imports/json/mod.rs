//! Formats in JSON, but those of V8.

mod columns;
pub(crate) mod dhat;
pub(crate) mod flamebearer;
pub(crate) mod gecko;
pub(crate) mod ghc;
pub(crate) mod gprof2dot;
pub(crate) mod pyinstrument;
pub(crate) mod react;
pub(super) mod reader;
pub(crate) mod safari;
pub(crate) mod scalene;
pub(crate) mod stackprof;
pub(crate) mod xhprof;
