//! The store from outside: formats, plans, and what happens to damaged bytes.

#![allow(clippy::disallowed_methods)] // Tests read files and measure themselves; the core may not.

mod corpus;
mod fixtures;
mod formats;
mod hostile;
mod memory;
mod plans;
mod service;
mod speed;
mod support;
