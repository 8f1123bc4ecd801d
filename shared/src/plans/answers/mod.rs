//! What the pages are told, as JSON: the same from the worker and in a browser that reads the bucket
//! itself. The module of each answer shows its shape.

mod labels;
mod services;
mod timeline;

pub use labels::LabelsAnswer;
pub use services::{MAX_NUMBERS, ServicesAnswer, range_before};
pub use timeline::TimelineAnswer;
