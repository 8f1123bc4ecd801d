//! The store from outside: formats, plans, and what happens to damaged bytes.

mod plans;
mod support;
