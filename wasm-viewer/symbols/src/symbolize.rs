//! A program and profiles → the profiles with names.

use pilotlight_core::Profile;

use crate::breakpad::Breakpad;
use crate::error::SymbolsError;
use crate::layout::Layout;
use crate::modules::Fit;
use crate::object_file;
use crate::program::{MAX_BINARY_BYTES, MAX_TEXT_BYTES, Program, Symbolized};

/// Names the addresses of profiles with a program: ELF, Mach-O, or a text of Breakpad. `name` is
/// that of its file. The program's debug information is read only when it is part of a profile.
pub fn symbolize(
    name: &str,
    binary: &[u8],
    profiles: &[Profile],
) -> Result<Vec<Symbolized>, SymbolsError> {
    let is_text = binary.starts_with(b"MODULE ");
    let cap = if is_text {
        MAX_TEXT_BYTES
    } else {
        MAX_BINARY_BYTES
    };
    let size = binary.len() as u64;
    if size > cap {
        return Err(SymbolsError::TooLarge { size, cap });
    }
    if !is_text {
        return object_file::symbolize(name, binary, profiles);
    }
    let (identity, symbols) = Breakpad::read(name, binary)?;
    let fits: Vec<Fit> = profiles.iter().map(|p| Fit::of(&identity, p)).collect();
    let program = Program {
        name,
        ids: identity.ids,
        layout: Layout::Image(0),
        symbols: &symbols,
    };
    Ok(program.names(profiles, &fits))
}
