//! The wasm32 standard library from Debian's own compiler and library sources, for machines where
//! rustup cannot download. Takes half a minute, once per user and compiler version; changes nothing in the system.

use crate::folders::TARGET;
use crate::folders::own_dir;
use crate::proc::{Context, Failure, Result, Run};
use crate::setup::system;
use crate::step::Step;
use std::fs;
use std::path::{Path, PathBuf};

/// Always the same version among the first three, new enough for the workspace since they are what
/// Debian builds Firefox and Chromium with. lld only helps where there is no rust-lld.
pub(crate) const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld"];

/// By full path: the first `rustc` on PATH is usually rustup's.
const RUSTC: &str = "/usr/bin/rustc";
const CARGO: &str = "/usr/bin/cargo";
const SOURCES: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";

/// A wasm32 standard library that Debian's rustc takes as installed.
pub(crate) struct Sysroot {
    dir: PathBuf,
    linker: PathBuf,
}

impl Sysroot {
    pub(crate) fn cargo(&self) -> Run {
        let flags = [
            format!("--sysroot={}", self.dir.display()),
            format!("-Clinker={}", self.linker.display()),
        ];
        // The encoded form may hold spaces. With --target, these flags do not reach build scripts
        // and macros: those use Debian's own library for the host.
        debian_cargo().env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
    }
}

/// The sysroot of an earlier `make`, in any clone, of the same compiler.
pub(crate) fn built_before() -> Option<Sysroot> {
    let dir = sysroot_dir(&version().ok()?);
    if !dir.is_dir() {
        return None;
    }
    Some(Sysroot {
        linker: linker()?,
        dir,
    })
}

pub(crate) fn make(step: &mut Step) -> Result<Sysroot> {
    if version().is_err()
        || !Path::new(CARGO).exists()
        || !Path::new(SOURCES).exists()
        || linker().is_none()
    {
        step.note(format!(
            "installing Debian's {} with apt",
            PACKAGES.join(", ")
        ));
        system::install(step, &PACKAGES)?;
    }
    let version = version()?;
    let linker =
        linker().ok_or_else(|| Failure::new("rust-lld and wasm-ld are not installed", ""))?;
    step.note("building the wasm32 standard library from its sources (about half a minute)");
    let dir = sysroot_dir(&version);
    build_library(&dir)?;
    Ok(Sysroot { dir, linker })
}

/// Builds an empty crate with `-Zbuild-std`, and keeps the libraries that came with it. The folder appears only when it is complete.
fn build_library(sysroot: &Path) -> Result<()> {
    let empty = own_dir().join("empty");
    let target = own_dir().join("empty-target");
    let _ = fs::remove_dir_all(&target);
    fs::create_dir_all(empty.join("src")).context(empty.display())?;
    fs::write(empty.join("src/lib.rs"), "").context("writing an empty crate")?;
    fs::write(
        empty.join("Cargo.toml"),
        "[package]\nname = \"empty\"\nedition = \"2024\"\n[workspace]\n",
    )
    .context("writing an empty crate")?;
    debian_cargo()
        .args([
            "build",
            "--release",
            "--target",
            TARGET,
            "-Zbuild-std=std,panic_abort,proc_macro,test",
        ])
        .dir(&empty)
        .env("CARGO_TARGET_DIR", &target)
        // -Z on a stable compiler; only for this one build.
        .env("RUSTC_BOOTSTRAP", "1")
        // Without bitcode a later LTO build says "failed to get bitcode from object file".
        .env("CARGO_ENCODED_RUSTFLAGS", "-Cembed-bitcode=yes")
        .limit(600)
        .read()?;
    let begun = PathBuf::from(format!("{}.{}", sysroot.display(), std::process::id()));
    let libraries = begun.join("lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&libraries).context(libraries.display())?;
    let built = target.join(TARGET).join("release/deps");
    for entry in fs::read_dir(&built).context(built.display())? {
        let entry = entry.context(built.display())?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libempty-") {
            fs::copy(entry.path(), libraries.join(&name)).context(&name)?;
        }
    }
    let _ = fs::remove_dir_all(&target);
    // Another clone may have put it there meanwhile.
    let renamed = fs::rename(&begun, sysroot);
    let _ = fs::remove_dir_all(&begun);
    if sysroot.is_dir() {
        return Ok(());
    }
    renamed.context(sysroot.display())
}

/// Debian's cargo with Debian's rustc. rustup's cargo, which runs us, has left its own choice in
/// the environment; none of it may reach the other compiler.
fn debian_cargo() -> Run {
    Run::new(CARGO)
        .env("RUSTC", RUSTC)
        .without_env("RUSTUP_TOOLCHAIN")
        .without_env("LD_LIBRARY_PATH")
        .without_env("RUSTFLAGS")
        .without_env("RUSTC_WRAPPER")
        .without_env("RUSTDOC")
}

/// Such as `rustc 1.90.0 (1159e78c4 2025-09-14) (built from a source tarball)`.
fn version() -> Result<String> {
    Run::new(RUSTC)
        .args(["-V"])
        .without_env("LD_LIBRARY_PATH")
        .read()
}

/// rustup's rust-lld is newer than Debian's wasm-ld, so it goes first.
fn linker() -> Option<PathBuf> {
    let sysroot = Run::new("rustc")
        .args(["--print", "sysroot"])
        .read()
        .unwrap_or_default();
    let in_toolchain = fs::read_dir(Path::new(sysroot.trim()).join("lib/rustlib"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|host| host.path().join("bin/rust-lld"));
    let in_system = ["rust-lld", "wasm-ld"].into_iter().filter_map(system::find);
    in_toolchain.chain(in_system).find(|path| path.is_file())
}

/// Of that compiler, in the user's folder for caches, so that the next clone finds it.
fn sysroot_dir(version: &str) -> PathBuf {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let caches = variable("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| variable("HOME").map(|home| Path::new(&home).join(".cache")))
        .unwrap_or_else(own_dir);
    let words = version
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '.')
        .filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-");
    caches.join("pilotlight").join(format!("{name}-{TARGET}"))
}
