//! A stripped program of our own, and its debug file: its addresses get the frames that the
//! compilers' own tools find, frame by frame.
#![allow(clippy::disallowed_methods)] // Tests read files; what runs in WASM may not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};
use pilotlight_core::store::SymbolTable;
use pilotlight_core::verbs::programs::{Fit, name_addresses};
use pilotlight_core::{Mapping, Profile, ProfileBuilder, SymbolFlags};
use pilotlight_symbols::{Symbolized, SymbolsError, symbol_tables, symbolize};

/// Where the program is mapped: not where its file says.
const BIAS: u64 = 0x5555_0000_0000;

/// A program, compiled and split.
struct Program {
    folder: PathBuf,
    build_id: String,
    /// Addresses of its code in the file.
    code: Vec<u64>,
    /// Start, limit and offset of its executable mapping, and what is added to its addresses.
    mapping: [u64; 3],
    bias: u64,
}

/// Runs a command; `None` where there is none of this name.
fn run(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .ok()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    Some(String::from_utf8(output.stdout).expect("text"))
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

impl Program {
    /// Compiled with the first compiler there is, and these options; `None` where there is none.
    fn compile(name: &str, options: &[&str]) -> Option<Self> {
        // What clang writes, addr2line doesn't always read right.
        let has_llvm = has("llvm-symbolizer");
        let compilers = match has_llvm {
            true => ["clang", "gcc"],
            false => ["gcc", "clang"],
        };
        let compiler = compilers.into_iter().find(|name| has(name));
        let Some(compiler) = compiler.filter(|_| has("objcopy") && has("strip")) else {
            println!("skipped: there is no C compiler");
            return None;
        };
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program");
        let [main, work] = ["main.c", "work.c"].map(|file| source.join(file));
        let mut arguments = vec!["-g", "-O2", "-Wl,--build-id", "-o", "whole"];
        arguments.extend(options);
        arguments.extend([main.to_str().expect("text"), work.to_str().expect("text")]);
        run(compiler, &arguments, &folder)?;
        run(
            "objcopy",
            &["--only-keep-debug", "whole", "part.debug"],
            &folder,
        )?;
        run("strip", &["--strip-all", "-o", "part", "whole"], &folder)?;

        let bytes = fs::read(folder.join("whole")).expect("the program");
        let file = object::File::parse(&*bytes).expect("a program");
        let text = file.section_by_name(".text").expect("code");
        let mut segments = file.segments();
        let segment = segments.find(|s| s.permissions().executable());
        let segment = segment.expect("code");
        let page = |address: u64| address & !0xfff;
        let (offset, size) = segment.file_range();
        let bias = match file.kind() {
            object::ObjectKind::Dynamic => BIAS,
            _ => 0,
        };
        let start = bias + page(segment.address());
        let build_id = file.build_id().expect("notes").expect("a build id");
        let addresses = text.address()..text.address() + text.size();
        // To addr2line, what lies between two functions belongs to the first.
        let is_judged = |address: u64| {
            let mut symbols = file.symbols();
            has_llvm
                || symbols.any(|symbol| {
                    (symbol.address()..symbol.address() + symbol.size()).contains(&address)
                })
        };
        Some(Self {
            build_id: build_id.iter().map(|b| format!("{b:02x}")).collect(),
            code: addresses.filter(|&address| is_judged(address)).collect(),
            mapping: [
                start,
                start + page(segment.address() - page(segment.address()) + size + 0xfff),
                page(offset),
            ],
            bias,
            folder,
        })
    }

    fn file(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.join(name)).expect("a file of the program")
    }

    /// A profile of all its addresses.
    fn profile(&self, build_id: &str) -> Profile {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let file = builder.string("/usr/bin/part");
        let build_id = builder.string(build_id);
        let [start, limit, offset] = self.mapping;
        let mapping = builder.mapping(Mapping {
            start,
            limit,
            offset,
            file,
            build_id,
            symbols: SymbolFlags::default(),
        });
        for address in &self.code {
            let location = builder.location(Some(mapping), address + self.bias, false, &[]);
            let stack = builder.stack(None, location);
            builder.sample(Some(stack), None, &[1]);
        }
        builder.finish()
    }

    /// Names all addresses with one of its files.
    fn named(&self, file: &str) -> Symbolized {
        let profiles = [self.profile(&self.build_id)];
        let mut named = symbolize(file, &self.file(file), &profiles).expect("a program");
        named.remove(0)
    }

    /// Names all addresses with the stored table of one of its files.
    fn named_by_table(&self, file: &str) -> Profile {
        let tables = symbol_tables(file, &self.file(file)).expect("a program");
        let [table] = &tables[..] else {
            panic!("{} tables", tables.len());
        };
        let table = SymbolTable::decode(table).expect("as it was written");
        assert!(table.has_lines());
        let profile = self.profile(&self.build_id);
        let fit = Fit::of(&table.identity(), &profile);
        name_addresses(&profile, &fit, &table.head().layout, &table).0
    }

    /// The frames of all addresses, as a tool of the compilers says.
    fn judged(&self) -> Vec<Vec<String>> {
        let (tool, options): (_, &[&str]) = match has("llvm-symbolizer") {
            true => (
                "llvm-symbolizer",
                &["--obj=whole", "-a", "--output-style=GNU"],
            ),
            false => ("addr2line", &["-e", "whole", "-a", "-i", "-f"]),
        };
        let addresses: Vec<String> = self.code.iter().map(|a| format!("{a:#x}")).collect();
        let mut arguments = options.to_vec();
        arguments.extend(addresses.iter().map(String::as_str));
        let text = run(tool, &arguments, &self.folder).expect("it is there");
        // Each address, and below it two lines for each frame.
        let mut lines = text.lines().filter(|line| !line.is_empty()).peekable();
        let mut judged: Vec<Vec<String>> = Vec::new();
        while let Some(line) = lines.next() {
            if line.starts_with("0x") {
                judged.push(Vec::new());
                continue;
            }
            let place = place(lines.next().expect("a place"));
            let frames = judged.last_mut().expect("an address comes first");
            frames.push(format!("{line} {place}"));
        }
        assert_eq!(
            judged.len(),
            self.code.len(),
            "{tool} answers for each address"
        );
        judged
    }
}

/// A file and a line: `/src/a.c:7 (discriminator 2)` and `/src/a.c:7:3` are `a.c:7`. Without a line
/// the file is a guess, and left out.
fn place(text: &str) -> String {
    let path = text.split(' ').next().unwrap_or("");
    let name = path.rsplit('/').next().unwrap_or("");
    let mut parts = name.split(':');
    let (file, line) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let line = line.parse::<u32>().unwrap_or(0);
    let file = if line == 0 { "" } else { file };
    format!("{file}:{line}")
}

/// The frames of each location; one that has none is `??`.
fn frames(profile: &Profile) -> Vec<Vec<String>> {
    let text = |location| {
        let lines = profile.lines(location).iter().map(|line| {
            let function = &profile.functions()[line.function.expect("a function").index()];
            let file = profile.text(function.file);
            let name = profile.text(function.name);
            format!("{name} {}", place(&format!("{file}:{}", line.line)))
        });
        let lines: Vec<String> = lines.collect();
        if lines.is_empty() {
            vec!["?? :0".to_owned()]
        } else {
            lines
        }
    };
    profile.location_ids().map(text).collect()
}

fn check_frames(name: &str, options: &[&str]) {
    let Some(program) = Program::compile(name, options) else {
        return;
    };
    let judged = program.judged();
    let inlined = judged.iter().filter(|frames| frames.len() > 2).count();
    assert!(
        inlined > 5,
        "{inlined} addresses have calls within inlined calls"
    );
    for file in ["whole", "part.debug"] {
        let named = program.named(file);
        assert!(named.fits && named.warnings.is_empty());
        assert_eq!(named.addresses as usize, program.code.len());
        let by_table = program.named_by_table(file);
        for profile in [named.profile.as_ref().expect("names"), &by_table] {
            let found = frames(profile);
            for ((address, found), judged) in program.code.iter().zip(&found).zip(&judged) {
                assert_eq!(found, judged, "{name}, {file}, {address:#x}");
            }
        }
    }
}

#[test]
fn frames_of_a_program_that_is_loaded_anywhere() {
    check_frames("pie", &["-fPIE", "-pie"]);
}

#[test]
fn frames_of_a_program_that_is_loaded_where_it_says() {
    check_frames("fixed", &["-fno-pie", "-no-pie"]);
}

#[test]
fn frames_of_old_debug_information_in_compressed_sections() {
    check_frames("old", &["-fPIE", "-pie", "-gdwarf-4", "-gz=zlib"]);
}

#[test]
fn frames_of_mach_o() {
    if !has("clang") || !has("llvm-symbolizer") {
        println!("skipped: there is no clang, which compiles for another system");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mach-o");
    fs::create_dir_all(&folder).expect("a folder");
    let work = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/work.c");
    // Not linked: that needs the libraries of the other system.
    let options = [
        "--target=x86_64-apple-macos",
        "-g",
        "-O2",
        "-c",
        "-o",
        "whole",
    ];
    let arguments = [&options[..], &[work.to_str().expect("text")]].concat();
    run("clang", &arguments, &folder).expect("it is there");
    fs::copy(folder.join("whole"), folder.join("part")).expect("a copy");
    let bytes = fs::read(folder.join("whole")).expect("the program");
    let file = object::File::parse(&*bytes).expect("a program");
    let text = file.section_by_name(".text").expect("code");
    let program = Program {
        build_id: String::new(),
        code: (1..text.size()).collect(),
        mapping: [0; 3],
        bias: 0,
        folder,
    };
    let named = program.named("part");
    assert_eq!(named.warnings.len(), 1, "it is told by its name");
    assert_eq!(named.named as usize, program.code.len());
    let found = frames(named.profile.as_ref().expect("names"));
    for ((address, found), judged) in program.code.iter().zip(&found).zip(&program.judged()) {
        assert_eq!(found, judged, "{address:#x}");
    }
}

#[test]
fn a_program_without_debug_information_has_the_names_of_its_symbols() {
    let Some(program) = Program::compile("symbols", &["-fPIE", "-pie", "-g0"]) else {
        return;
    };
    let profile = program.named("whole").profile.expect("names");
    let found = frames(&profile).concat();
    assert!(found.contains(&"work :0".to_owned()) && found.contains(&"main :0".to_owned()));
    let (name, bytes) = ("part", program.file("part"));
    let profiles = [program.profile(&program.build_id)];
    match symbolize(name, &bytes, &profiles) {
        Ok(named) => assert_eq!(
            named[0].named, 0,
            "what others export does not name its code"
        ),
        Err(error) => assert_eq!(error, SymbolsError::Stripped),
    }
}

#[test]
fn a_build_id_decides() {
    let Some(program) = Program::compile("ids", &["-fPIE", "-pie"]) else {
        return;
    };
    let bytes = program.file("whole");
    let profiles = [
        program.profile("00ff"),
        program.profile(""),
        program.profile(&program.build_id.to_uppercase()),
    ];
    let named = symbolize("part.debug", &bytes, &profiles).expect("a program");
    assert_eq!(
        named.iter().map(|n| n.fits).collect::<Vec<_>>(),
        [false, true, true]
    );
    assert!(named[0].profile.is_none());
    assert_eq!(named[0].wanted, ["part (00ff)"]);
    assert_eq!(named[0].ids, std::slice::from_ref(&program.build_id));
    assert_eq!(
        named[1].warnings,
        ["part.debug is matched only by name: the profile has no build ID for it"]
    );
    assert!(named[2].warnings.is_empty());
    let again = symbolize("part", &bytes, &[named[2].profile.clone().expect("names")]);
    let left = named[2].addresses - named[2].named;
    assert_eq!(again.expect("a program")[0].addresses, left, "names stay");
}

#[test]
fn what_is_damaged_is_an_error_and_no_panic() {
    let Some(program) = Program::compile("damaged", &["-fPIE", "-pie"]) else {
        return;
    };
    let bytes = program.file("whole");
    let mut code = program.code.iter().step_by(37).copied().collect();
    let mut program = program;
    std::mem::swap(&mut program.code, &mut code);
    let profiles = [program.profile(&program.build_id)];
    for end in (0..bytes.len()).step_by(61) {
        let _ = symbolize("part", &bytes[..end], &profiles);
    }
    for at in (0..bytes.len()).step_by(7) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        let _ = symbolize("part", &flipped, &profiles);
    }
    assert_eq!(
        symbolize("part", b"hello", &profiles).expect_err("is nothing"),
        SymbolsError::Unknown
    );
}
