//! Frames under other names.

pub(crate) mod demangle;
pub(crate) mod group;
pub(crate) mod package;
pub(crate) mod symbolize;
pub(crate) mod tag_frames;
