//! The store from outside: formats, plans, and what happens to damaged bytes.

mod corpus;
mod fixtures;
mod formats;
mod hostile;
mod memory;
mod plans;
mod service;
mod speed;
mod support;
