//! Text in addresses and headers: all but RFC 3986's unreserved characters escaped.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The text with letters, digits, `-`, `.`, `_` and `~` as they are, and each byte of the rest as `%xx`.
pub(crate) fn escaped(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, RESERVED)
}
