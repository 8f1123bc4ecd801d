//! What can be wrong with stored bytes.

use thiserror::Error;

/// Why bytes could not be written or read. Offsets count from the start of the named section.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum StoreError {
    /// The first bytes are not those of the format.
    #[error("these bytes are not a {format}: they begin with {found:02x?}")]
    Magic {
        /// The format asked for.
        format: &'static str,
        /// The first bytes, at most eight.
        found: Vec<u8>,
    },
    /// A version that this program does not read.
    #[error("unsupported {format} version {version}; this program reads version 1")]
    Version {
        /// The format.
        format: &'static str,
        /// The version byte found.
        version: u8,
    },
    /// The bytes end too early, or go on too long.
    #[error("{section}: expected {needed} bytes, got {found}")]
    Length {
        /// Where.
        section: &'static str,
        /// How many there should be.
        needed: u64,
        /// How many there are.
        found: u64,
    },
    /// The bytes are not those that were written.
    #[error("{section}: checksum {found:016x}, expected {expected:016x}")]
    Checksum {
        /// Where.
        section: &'static str,
        /// As written.
        expected: u64,
        /// As computed.
        found: u64,
    },
    /// A size, in bytes unless the name says otherwise, beyond what is ever written.
    #[error("{section}: {size} is more than the {cap} allowed")]
    TooLarge {
        /// Where.
        section: &'static str,
        /// The size claimed.
        size: u64,
        /// The cap.
        cap: u64,
    },
    /// Bytes that pass the checksum and still make no sense: a writer's fault, or malice.
    #[error("{section}, byte {offset}: {problem}")]
    Corrupt {
        /// Where.
        section: &'static str,
        /// Byte in the section after decompression.
        offset: u64,
        /// What.
        problem: &'static str,
    },
    /// A level that no object has.
    #[error("there is no level {0}")]
    Level(u8),
    /// Values whose sum does not fit an `i64`.
    #[error("{what} is {sum}, which does not fit in 64 bits")]
    Overflow {
        /// Which sum.
        what: &'static str,
        /// Its true value.
        sum: i128,
    },
    /// One profile was asked of series that count different things.
    #[error("series of types {0} and {1} can't be merged into one profile")]
    MixedTypes(String, String),
    /// Compression failed; a matter of memory, not of the data.
    #[error("zstd: {0}")]
    Compression(String),
}
