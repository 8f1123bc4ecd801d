//! The store from outside: formats, plans, and what happens to damaged bytes.

#![allow(clippy::disallowed_methods)] // Tests read files and measure themselves; the core may not.

mod bundle;
mod corpus;
mod covered;
mod fixtures;
mod formats;
mod hostile;
mod levels;
mod memory;
mod pages;
mod plans;
mod rebuild;
mod service;
mod span_fixtures;
mod span_sizes;
mod spans;
mod speed;
mod subqueries;
mod support;
mod values;
mod variety;

use pilotlight_fixtures::counting::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;
