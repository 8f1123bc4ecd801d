//! Demangle: names of the source from names of the linker, for Rust and C++.
//!
//! Hostile symbols, whose few bytes stand for gigabytes by referring
//! to themselves, cost no more than [`MAX_WORK_BYTES`] of output, kept or not, and stay as they
//! are; [`MAX_NESTING`] bounds the reading.

use std::fmt::{self, Write};

use cpp_demangle::{
    BorrowedSymbol, DemangleNodeType, DemangleOptions, DemangleWrite, ParseOptions,
};

use crate::verbs::rewrite::MAX_NAME_BYTES;

/// Longest symbol that is looked at, in bytes. What it says is longer than itself, nearly always,
/// so that of a longer one nothing would be kept.
const MAX_SYMBOL_BYTES: usize = MAX_NAME_BYTES;

/// Most bytes that a demangler may write for one symbol: sixteen times what is kept, since template
/// arguments that are left out are written all the same.
const MAX_WORK_BYTES: usize = 16 * MAX_NAME_BYTES;

/// Deepest nesting that the parser of C++ symbols follows, in its own steps. It tries several
/// readings of each level, so that its time doubles with some of them: at 96, its default, 93 bytes
/// (`PAnwL` again and again) take 5 seconds; at 64 the worst that 1,000,000 made-up symbols took is
/// 11 ms. Templates nest 5 to 10 deep within it.
const MAX_NESTING: u32 = 64;

/// What a symbol says, as pprof shows it by default: without parameters, return types, template and
/// generic arguments, and Rust's hash. `None` when it is not mangled, or too long; Go's names are
/// not mangled.
pub fn demangled(symbol: &str) -> Option<String> {
    if symbol.len() > MAX_SYMBOL_BYTES {
        return None;
    }
    // Apple's linkers put an underscore before every symbol.
    let plain = symbol
        .strip_prefix('_')
        .filter(|rest| rest.starts_with("_Z") || rest.starts_with("_R"))
        .unwrap_or(symbol);
    if plain.starts_with("_R") || plain.starts_with("_ZN") {
        let name = rust(plain);
        if name.is_some() {
            return name;
        }
    }
    if plain.starts_with("_Z") {
        cpp(plain)
    } else {
        None
    }
}

fn rust(symbol: &str) -> Option<String> {
    let symbol = rustc_demangle::try_demangle(symbol).ok()?;
    let mut out = Capped::default();
    // Without the hash at the end, which tells instances of one function apart.
    write!(out, "{symbol:#}").ok()?;
    Some(without_generics(&out.finish()?))
}

fn cpp(symbol: &str) -> Option<String> {
    let parsing = ParseOptions::default().recursion_limit(MAX_NESTING);
    // The tail is what compilers and linkers append, such as `.cold` and `@GLIBC_2.2.5`.
    let (symbol, _) = BorrowedSymbol::with_tail_and_options(symbol.as_bytes(), &parsing).ok()?;
    let options = DemangleOptions::new().no_params().no_return_type();
    let mut out = Capped::default();
    symbol
        .structured_demangle(&mut CppWriter(&mut out), &options)
        .ok()?;
    out.finish()
}

/// A string that takes only so much.
#[derive(Default)]
struct Capped {
    text: String,
    written: usize,
    /// How many nodes are open from the outermost list of template arguments on.
    depth: usize,
    /// Whether the bracket that closes a hidden list comes next.
    closing: bool,
}

impl Capped {
    fn finish(self) -> Option<String> {
        Some(self.text).filter(|text| !text.is_empty())
    }
}

impl Write for Capped {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Empty pieces count too: time is what is bounded here.
        self.written += text.len().max(1);
        if self.written > MAX_WORK_BYTES {
            return Err(fmt::Error);
        }
        let closes = std::mem::take(&mut self.closing) && text == ">";
        if closes || self.depth > 0 {
            return Ok(());
        }
        if self.text.len() + text.len() > MAX_NAME_BYTES {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// What tells [`Capped`] where template arguments begin and end.
struct CppWriter<'a>(&'a mut Capped);

impl DemangleWrite for CppWriter<'_> {
    fn push_demangle_node(&mut self, node: DemangleNodeType) {
        let out = &mut *self.0;
        if out.depth == 0 && node != DemangleNodeType::TemplateArgs {
            return;
        }
        if out.depth == 0 {
            // The opening bracket is out already, behind a blank where the name is an operator that
            // ends like it.
            let name = out.text.strip_suffix('<').map_or(out.text.len(), str::len);
            out.text.truncate(name);
            let name = out
                .text
                .strip_suffix("< ")
                .map_or(name, |operator| operator.len() + 1);
            out.text.truncate(name);
        }
        out.depth += 1;
    }

    fn write_string(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(text)
    }

    fn pop_demangle_node(&mut self) {
        let out = &mut *self.0;
        out.closing = out.depth == 1;
        out.depth = out.depth.saturating_sub(1);
    }
}

/// A Rust path without generic arguments: `a::B<T>::c::<u8>` is `a::B::c`, but `<T as a::B>::c`
/// stays.
fn without_generics(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut depth = 0usize;
    let mut before = ' ';
    for c in name.chars() {
        match c {
            '<' if depth > 0 => depth += 1,
            '<' if before.is_alphanumeric() || before == '_' || before == ':' => {
                depth = 1;
                // The turbofish's colons go with it.
                while out.ends_with(':') {
                    out.pop();
                }
            }
            // Not the arrow of a function type.
            '>' if depth > 0 && before != '-' => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
        before = c;
    }
    if out.is_empty() { name.to_owned() } else { out }
}

#[cfg(test)]
mod tests;
