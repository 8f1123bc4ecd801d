//! Verbs on profiles and trees, one file each.

mod diff_base;
mod format;
mod inverted;
mod rows;
mod sandwich;
mod subtract;
mod timeline;
mod trim;
mod unit;

pub use diff_base::{diff_base, report_total};
pub use format::{format_exact, format_in, format_percent, format_rate, format_value};
pub use inverted::{Inverted, inverted};
pub use sandwich::{callees, callers};
pub use subtract::subtract;
pub use timeline::{Span, TimelineError, Visit, timeline};
pub(crate) use trim::largest;
pub use trim::{Folded, Trimmed, trim};
pub use unit::{Dimension, Unit};
