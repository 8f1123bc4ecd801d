//! How large symbol tables are, and how long they take.
#![allow(clippy::disallowed_methods)] // Tests read files; what runs in WASM may not.

use std::time::Instant;

use pilotlight_core::store::SymbolTable;
use pilotlight_symbols::symbol_tables;

/// `PROGRAMS=a:b cargo test --release -p pilotlight-symbols --test sizes -- --ignored --nocapture`
#[test]
#[ignore = "prints figures of the programs that PROGRAMS names"]
fn sizes_of_tables() {
    let programs = std::env::var("PROGRAMS").expect("PROGRAMS names files, with colons between");
    for path in programs.split(':') {
        let program = std::fs::read(path).expect("a file");
        let name = path.rsplit('/').next().unwrap_or(path);
        let begun = Instant::now();
        let tables = symbol_tables(name, &program);
        let made = begun.elapsed();
        let tables = tables.unwrap_or_else(|error| {
            println!("{name}: {} MB, in {made:.1?}: {error}", program.len() >> 20);
            Vec::new()
        });
        for object in tables {
            let begun = Instant::now();
            let table = SymbolTable::decode(&object).expect("as it was written");
            let (read, functions, lines) = (begun.elapsed(), table.functions(), table.has_lines());
            println!(
                "{name}: {} MB, made in {made:.1?}; table {} kB, {functions} functions, lines: {lines}, {} MB in memory, read in {read:.1?}",
                program.len() >> 20,
                object.len() >> 10,
                table.memory() >> 20,
            );
        }
    }
}
