//! Why a program names nothing.

use pilotlight_core::pprof::PprofError;
use pilotlight_core::store::SymbolTableError;
use thiserror::Error;

/// Why a program names nothing, in words for the person in front of the page.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SymbolsError {
    /// None of the formats.
    #[error("not an ELF file, a Mach-O file or a Breakpad symbol file")]
    Unknown,
    /// Its structure is broken.
    #[error("{format}: {problem}")]
    Damaged {
        /// Which format.
        format: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// More than fits.
    #[error(
        "the binary has {size} bytes with its sections decompressed; at most {cap} are allowed"
    )]
    TooLarge {
        /// Its size.
        size: u64,
        /// The limit.
        cap: u64,
    },
    /// Nothing in it says what an address is.
    #[error("the binary was stripped: it has no debug information and no symbol table")]
    Stripped,
    /// A text of Breakpad, of which no table is made: stored profiles keep the mappings that have samples,
    /// and so not always where the program begins.
    #[error(
        "Breakpad symbols don't say how the binary is laid out in memory; use the binary, or its debug file"
    )]
    Text,
    /// Its symbols cannot be kept.
    #[error(transparent)]
    Table(#[from] SymbolTableError),
    /// The profile does not come back from the viewer.
    #[error(transparent)]
    Pprof(#[from] PprofError),
}

impl SymbolsError {
    /// A broken part.
    pub(crate) fn damaged(format: &'static str, problem: impl ToString) -> Self {
        Self::Damaged {
            format,
            problem: problem.to_string(),
        }
    }
}
