//! Samples and frames that stay or go, chosen by name, file or label.

pub(crate) mod call_site;
pub(crate) mod focus;
pub(crate) mod frame_filter;
pub(crate) mod frames;
pub(crate) mod hide;
pub(crate) mod inlines;
mod leaf;
pub(crate) mod pgo;
pub(crate) mod prune_from;
pub(crate) mod recursion;
pub(crate) mod show_from;
pub(crate) mod stack_selector;
mod tag_range;
pub(crate) mod tag_writer;
pub(crate) mod tags;
pub(crate) mod time;
