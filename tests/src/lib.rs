//! What the tests across Pilotlight's parts share: real input, independent judges, and made-up
//! history.
//!
//! Profiles to test with (made-up fleets and OTLP requests are in `pilotlight-fixtures`):
//!
//! - [`corpus`] and [`recorded`]: profiles and requests that nobody wrote for this project, where
//!   they are at hand.
//! - [`drawn`]: profiles for tests, written as lines of stacks.
//! - [`random`]: profiles by chance, for property tests.
//! - [`legacy`]: profiles in old formats, for tests and as seeds of the fuzzer; [`jfr`]: recordings
//!   of JDK's kind; [`preorder`]: tries and trees of Pyroscope's old agents.
//!
//! Judges:
//!
//! - [`oracle`]: profiles read by other code than the core's, and sums over them by brute force.
//! - [`series`]: what the store should hold after recorded pushes.
//! - [`text`]: a profile as text, in the layout of Go's `pprof -raw`; [`go`]: Go's own `pprof`.
//! - [`brute`]: what verbs on profiles should give, sample by sample; [`graph`]: call graphs and
//!   source lines; [`pgo`]: what Go's compiler reads of a profile; [`go_program`]: a program that it
//!   builds with one.
//!
//! A running Pilotlight:
//!
//! - [`local`]: the worker on this machine, to be killed and started again; [`locked`]: one that asks
//!   for tokens; [`client`]: requests to it; [`query`]: what it holds; [`process`]: what Linux says
//!   of it; [`clock`]: what time it is.
//! - [`load`]: many processes push for minutes; [`kills`]: some push while the worker is killed,
//!   again and again. [`options`]: options of these programs.
//! - [`demo`]: an hour of realistic history of four services.
//! - [`identity`]: what the core must answer alike in every engine.

pub mod identity;
mod judges;
pub mod kills;
pub mod load;
pub mod local;
pub mod options;
mod profiles;

pub use pilotlight_demo as demo;

pub use judges::{brute, go, go_program, graph, oracle, pgo, series, text};
pub use local::{client, clock, locked, process, query};
pub use profiles::{corpus, drawn, jfr, legacy, preorder, random, recorded};
