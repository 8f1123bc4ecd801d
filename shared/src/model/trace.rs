//! Trace context: the ids that tie a sample to a span of a trace.

use std::fmt;
use std::num::{NonZeroU64, NonZeroU128};
use std::str::FromStr;

use thiserror::Error;

use crate::model::id::StringId;

/// Identity of a trace: 16 bytes that are not all zero, written as 32 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId(NonZeroU128);

/// Identity of a span: 8 bytes that are not all zero, written as 16 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanId(NonZeroU64);

/// Why a text is no id.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TraceIdError {
    /// Not as many digits as an id has, or something else than digits.
    #[error("an ID must have {0} hex digits")]
    Digits(usize),
    /// All zeros, which W3C's trace context and OpenTelemetry read as "none".
    #[error("an ID can't be all zeros")]
    Zero,
}

/// The span that a sample belongs to, as far as it is known. The name is a string of the profile's
/// tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceLink {
    /// The trace.
    pub trace: Option<TraceId>,
    /// The span.
    pub span: Option<SpanId>,
    /// What the span is called, empty when unknown.
    pub name: StringId,
}

impl TraceId {
    /// `None` for zero.
    pub(crate) fn from_number(number: u128) -> Option<Self> {
        NonZeroU128::new(number).map(Self)
    }

    /// `None` for zeros.
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        Self::from_number(u128::from_be_bytes(bytes))
    }

    pub(crate) fn bytes(self) -> [u8; 16] {
        self.0.get().to_be_bytes()
    }
}

impl SpanId {
    /// `None` for zero.
    pub(crate) fn from_number(number: u64) -> Option<Self> {
        NonZeroU64::new(number).map(Self)
    }

    /// `None` for zeros.
    pub(crate) fn from_bytes(bytes: [u8; 8]) -> Option<Self> {
        Self::from_number(u64::from_be_bytes(bytes))
    }

    pub(crate) fn bytes(self) -> [u8; 8] {
        self.0.get().to_be_bytes()
    }
}

/// Exactly `count` digits: `from_str_radix` alone would take fewer, and a sign.
fn check_digits(text: &str, count: usize) -> Result<(), TraceIdError> {
    if text.len() == count && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(())
    } else {
        Err(TraceIdError::Digits(count))
    }
}

impl FromStr for TraceId {
    type Err = TraceIdError;

    fn from_str(text: &str) -> Result<Self, TraceIdError> {
        check_digits(text, 32)?;
        let id = u128::from_str_radix(text, 16).map_err(|_| TraceIdError::Digits(32))?;
        NonZeroU128::new(id).map(Self).ok_or(TraceIdError::Zero)
    }
}

impl FromStr for SpanId {
    type Err = TraceIdError;

    fn from_str(text: &str) -> Result<Self, TraceIdError> {
        check_digits(text, 16)?;
        let id = u64::from_str_radix(text, 16).map_err(|_| TraceIdError::Digits(16))?;
        NonZeroU64::new(id).map(Self).ok_or(TraceIdError::Zero)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TraceId({self})")
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpanId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_hex_of_their_length() {
        let check = |text: &str, expect: Result<&str, TraceIdError>| {
            let found = text.parse::<SpanId>().map(|id| id.to_string());
            assert_eq!(found, expect.map(str::to_owned), "{text}");
        };
        check("00f067aa0ba902b7", Ok("00f067aa0ba902b7"));
        check("00F067AA0BA902B7", Ok("00f067aa0ba902b7"));
        check("0000000000000000", Err(TraceIdError::Zero));
        for text in ["", "f067aa0ba902b7", "+0f067aa0ba902b7", "0xf067aa0ba902b7"] {
            check(text, Err(TraceIdError::Digits(16)));
        }
        let trace = "0af7651916cd43dd8448eb211c80319c";
        assert_eq!(trace.parse::<TraceId>().unwrap().to_string(), trace);
        assert_eq!(
            "00f067aa0ba902b7".parse::<TraceId>(),
            Err(TraceIdError::Digits(32))
        );
        assert_eq!("0".repeat(32).parse::<TraceId>(), Err(TraceIdError::Zero));
    }

    #[test]
    fn bytes_come_back() {
        let trace: TraceId = "0af7651916cd43dd8448eb211c80319c".parse().unwrap();
        assert_eq!(trace.bytes()[..2], [0x0a, 0xf7]);
        assert_eq!(TraceId::from_bytes(trace.bytes()), Some(trace));
        let span: SpanId = "00f067aa0ba902b7".parse().unwrap();
        assert_eq!(SpanId::from_bytes(span.bytes()), Some(span));
        assert_eq!(
            (SpanId::from_bytes([0; 8]), TraceId::from_bytes([0; 16])),
            (None, None)
        );
    }
}
