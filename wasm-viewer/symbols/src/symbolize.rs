//! A program and profiles → the profiles with names.

use pilotlight_core::Profile;
use pilotlight_core::verbs::programs::{Fit, Layout};

use crate::breakpad::Breakpad;
use crate::error::SymbolsError;
use crate::object_file;
use crate::program::{MAX_BINARY_BYTES, MAX_TEXT_BYTES, Program, Symbolized};

/// Names the addresses of profiles with a program: ELF, Mach-O, or a text of Breakpad. `name` is
/// that of its file. The program's debug information is read only when it is part of a profile.
pub fn symbolize(
    name: &str,
    binary: &[u8],
    profiles: &[Profile],
) -> Result<Vec<Symbolized>, SymbolsError> {
    check_size(binary)?;
    if !is_text(binary) {
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

/// What names the addresses of a program, for [`pilotlight_core::store::SymbolTable`] to read: one
/// table, or of a file for several processors one for each.
pub fn symbol_tables(name: &str, binary: &[u8]) -> Result<Vec<Vec<u8>>, SymbolsError> {
    check_size(binary)?;
    match is_text(binary) {
        true => Err(SymbolsError::Text),
        false => object_file::tables(name, binary),
    }
}

/// Whether it is a text of Breakpad.
fn is_text(binary: &[u8]) -> bool {
    binary.starts_with(b"MODULE ")
}

fn check_size(binary: &[u8]) -> Result<(), SymbolsError> {
    let cap = if is_text(binary) {
        MAX_TEXT_BYTES
    } else {
        MAX_BINARY_BYTES
    };
    let size = binary.len() as u64;
    match size > cap {
        true => Err(SymbolsError::TooLarge { size, cap }),
        false => Ok(()),
    }
}
