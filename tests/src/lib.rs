//! What the tests across Pilotlight's parts share: real input, independent judges, and made-up
//! history.
//!
//! - [`corpus`] and [`recorded`]: profiles and requests that nobody wrote for this project, where
//!   they are at hand.
//! - [`oracle`]: profiles read by other code than the core's, and sums over them by brute force.
//! - [`series`]: what the store should hold after recorded pushes.
//! - [`text`]: a profile as text, in the layout of Go's `pprof -raw`.
//! - [`drawn`]: profiles for tests, written as lines of stacks.
//! - [`brute`]: what verbs on profiles should give, sample by sample.
//! - [`random`]: profiles by chance, for property tests.
//! - [`legacy`]: profiles in old formats, for tests and as seeds of the fuzzer; [`jfr`]: recordings
//!   of JDK's kind.
//! - [`demo`]: an hour of realistic history of four services.
//! - [`identity`]: what the core must answer alike in every engine.
//! - [`client`]: requests to a running Pilotlight.
//! - [`local`]: the worker on this machine, to be killed and started again; [`process`]: what Linux
//!   says of it.
//! - [`options`]: options of our programs.
//! - [`load`]: many processes push for minutes; [`kills`]: some push while the worker is killed,
//!   again and again.

pub mod brute;
pub mod client;
pub mod corpus;
pub mod demo;
pub mod drawn;
pub mod go;
pub mod identity;
pub mod jfr;
pub mod kills;
pub mod legacy;
pub mod load;
pub mod local;
pub mod options;
pub mod oracle;
pub mod process;
pub mod random;
pub mod recorded;
pub mod series;
pub mod text;
