//! A function of a report, and what is read of its line.

use crate::imports::frames::{Frame, hex_address};
use crate::imports::rows::Rows;
use crate::model::id::{LabelSetId, LocationId, MappingId, StringId};

/// Hundredths of a percent, in which shares are counted, of the whole.
pub(super) const WHOLE: i64 = 10_000;

/// A line of the table.
pub(super) struct Entry {
    /// The row of its event.
    pub(super) event: u32,
    /// How much of the event it has itself, and with what it calls.
    pub(super) own: i64,
    pub(super) total: i64,
    pub(super) value: i64,
    pub(super) name: StringId,
    /// Whether it is one of a function, and not of a process or a module.
    pub(super) is_function: bool,
    pub(super) location: LocationId,
    pub(super) labels: Option<LabelSetId>,
    /// Its part of the nodes begins here.
    pub(super) nodes: u32,
}

/// A function, or the address of one without a name.
pub(super) fn location(rows: &mut Rows, name: StringId, mapping: Option<MappingId>) -> LocationId {
    let address = hex_address(rows.builder.profile().text(name));
    let frame = Frame {
        mapping,
        address: address.unwrap_or(0),
        ..Frame::named(if address.is_some() {
            StringId::EMPTY
        } else {
            name
        })
    };
    frame.location(&mut rows.builder)
}

/// Of `12.34%` or `12.34`, 1234.
pub(super) fn hundredths(text: &str) -> Option<i64> {
    let number: f64 = text.strip_suffix('%').unwrap_or(text).parse().ok()?;
    let is_share = number.is_finite() && (0.0..1e15).contains(&number);
    is_share.then_some((number * 100.0).round() as i64)
}

/// Of `leaf a.c:3`, `leaf`.
pub(super) fn without_line(name: &str) -> &str {
    let is_line = |place: &str| {
        let line = place.rsplit_once(':').map_or("", |(_, line)| line);
        !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit())
    };
    match name.rsplit_once(' ') {
        Some((function, place)) if is_line(place) => function,
        _ => name,
    }
}
