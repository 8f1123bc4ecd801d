//! Demangle: names of the source from names of the linker, for Rust, C++ and Go's generics.
//!
//! Each name is looked at once. Hostile symbols, whose few bytes stand for gigabytes by referring
//! to themselves, cost no more than [`MAX_WORK_BYTES`] of output, kept or not, and stay as they
//! are; [`MAX_NESTING`] bounds the reading.

use std::fmt::{self, Write};

use cpp_demangle::{
    BorrowedSymbol, DemangleNodeType, DemangleOptions, DemangleWrite, ParseOptions,
};

use crate::model::profile::Profile;
use crate::verbs::rewrite::{MAX_NAME_BYTES, with_names};

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

/// How much of a name to show; the names of pprof's `-symbolize=demangle=` are in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// All of it: parameters, return types, template arguments (`full`).
    Full,
    /// No parameters and return types (`templates`).
    NoParameters,
    /// No parameters, return types, template and generic arguments (pprof's default).
    NoTemplates,
}

/// What becomes of the hash at the end of Rust's symbols, which tells instances of one function
/// apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RustHash {
    /// Left out.
    Drop,
    /// Shown.
    Keep,
}

/// What becomes of the type arguments in names of Go's generic functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoGenerics {
    /// `pkg.F[go.shape.int]` stays.
    Keep,
    /// `pkg.F[...]`, as Go's own tracebacks write.
    Fold,
}

/// How to demangle. By default as pprof does: no parameters, no templates, no hash, Go's names as
/// they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demangle {
    /// How much of a name to show.
    pub detail: Detail,
    /// Whether Rust's hash is shown.
    pub rust_hash: RustHash,
    /// Whether Go's type arguments are shown.
    pub go_generics: GoGenerics,
}

impl Default for Demangle {
    fn default() -> Self {
        Self {
            detail: Detail::NoTemplates,
            rust_hash: RustHash::Drop,
            go_generics: GoGenerics::Keep,
        }
    }
}

impl Demangle {
    /// What a symbol says; `None` when it is not mangled, or too long.
    pub fn name(&self, symbol: &str) -> Option<String> {
        if symbol.len() > MAX_SYMBOL_BYTES {
            return None;
        }
        // Apple's linkers put an underscore before every symbol.
        let plain = symbol
            .strip_prefix('_')
            .filter(|rest| rest.starts_with("_Z") || rest.starts_with("_R"))
            .unwrap_or(symbol);
        if plain.starts_with("_R") || plain.starts_with("_ZN") {
            let name = self.rust(plain);
            if name.is_some() {
                return name;
            }
        }
        match plain.starts_with("_Z") {
            true => self.cpp(plain),
            false => self.go(symbol),
        }
    }

    fn rust(&self, symbol: &str) -> Option<String> {
        let symbol = rustc_demangle::try_demangle(symbol).ok()?;
        let mut out = Capped::new(Templates::Show);
        match self.rust_hash {
            RustHash::Drop => write!(out, "{symbol:#}"),
            RustHash::Keep => write!(out, "{symbol}"),
        }
        .ok()?;
        match self.detail {
            Detail::Full | Detail::NoParameters => out.finish(),
            Detail::NoTemplates => Some(without_generics(&out.finish()?)),
        }
    }

    fn cpp(&self, symbol: &str) -> Option<String> {
        let parsing = ParseOptions::default().recursion_limit(MAX_NESTING);
        // The tail is what compilers and linkers append, such as `.cold` and `@GLIBC_2.2.5`.
        let (symbol, _) =
            BorrowedSymbol::with_tail_and_options(symbol.as_bytes(), &parsing).ok()?;
        let options = match self.detail {
            Detail::Full => DemangleOptions::new(),
            Detail::NoParameters | Detail::NoTemplates => {
                DemangleOptions::new().no_params().no_return_type()
            }
        };
        let templates = if self.detail == Detail::NoTemplates {
            Templates::Hide
        } else {
            Templates::Show
        };
        let mut out = Capped::new(templates);
        symbol
            .structured_demangle(&mut CppWriter(&mut out), &options)
            .ok()?;
        out.finish()
    }

    fn go(&self, name: &str) -> Option<String> {
        // Only the compiler's own shapes: brackets are operators and array types elsewhere.
        let folds = self.go_generics == GoGenerics::Fold && name.contains("[go.shape.");
        folds.then(|| fold_brackets(name))
    }
}

/// Demangles the names of functions that still have their linker's name: those without a name, and
/// those whose name is the system name. System names stay.
///
/// Laws: totals stay; applied twice it changes nothing more; commutes with merging.
pub fn demangle(profile: &Profile, how: Demangle) -> Profile {
    with_names(profile, |name, system_name| {
        let mangled = name.is_empty() || system_name.is_empty() || name == system_name;
        if mangled {
            how.name(if name.is_empty() { system_name } else { name })
        } else {
            how.go(name)
        }
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Templates {
    Show,
    Hide,
}

/// A string that takes only so much.
struct Capped {
    text: String,
    written: usize,
    templates: Templates,
    /// How many nodes are open from the outermost list of template arguments on.
    depth: usize,
    /// Whether the bracket that closes a hidden list comes next.
    closing: bool,
}

impl Capped {
    fn new(templates: Templates) -> Self {
        Self {
            text: String::new(),
            written: 0,
            templates,
            depth: 0,
            closing: false,
        }
    }

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
        if closes || (self.templates == Templates::Hide && self.depth > 0) {
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
        if out.templates == Templates::Show
            || (out.depth == 0 && node != DemangleNodeType::TemplateArgs)
        {
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

/// What is between outermost brackets becomes three dots.
fn fold_brackets(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut depth = 0usize;
    for c in name.chars() {
        match c {
            '[' => {
                if depth == 0 {
                    out.push_str("[...");
                }
                depth += 1;
            }
            ']' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    out.push(c);
                }
            }
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests;
