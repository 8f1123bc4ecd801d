//! Tests across the parts that need neither a server nor a browser.

mod algebra;
mod demo;
mod folded;
mod golden;
mod graph;
mod import_formats;
mod jfr;
mod jfr_work;
mod key_order;
mod legacy;
mod pgo_build;
mod pgo_calls;
mod pprof_steps;
mod preorder;
mod reported;
mod selector;
mod speedscope;
mod tags;
mod tidy;
mod unsupported;
mod verbs;
mod views;
