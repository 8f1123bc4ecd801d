//! Finds or installs a compiler that can build for wasm32-unknown-unknown.
//!
//! In order: the active toolchain has the target already; Debian's compiler with a standard library
//! that we built earlier; `rustup target add`; Debian's compiler, with its library built now.

use crate::folders::{TARGET, target_dir};
use crate::proc::{Failure, Result, Run};
use crate::setup::debian;
use crate::step::Step;
use std::path::{Path, PathBuf};

/// Selects the compiler by hand, so that Debian's can be tried where rustup works.
const SWITCH: &str = "PILOTLIGHT_WASM_TOOLCHAIN";

/// `rustup target add` downloads 20 MB. Without a limit it hangs where its server cannot be
/// reached.
const RUSTUP_LIMIT: u64 = 60;

/// Which cargo builds WASM, and with what.
pub(crate) enum Toolchain {
    /// The cargo that runs us.
    Active,
    /// Debian's cargo and rustc with a wasm32 standard library in a sysroot of our own.
    Debian(debian::Sysroot),
}

impl Toolchain {
    /// `cargo`, set up so that `--target wasm32-unknown-unknown` works.
    pub(crate) fn cargo(&self) -> Run {
        match self {
            Self::Active => Run::new("cargo"),
            Self::Debian(sysroot) => sysroot.cargo(),
        }
    }

    /// Where that cargo puts what it builds: two compilers that shared a folder would rebuild
    /// everything each time the other had been there.
    pub(crate) fn target_dir(&self) -> PathBuf {
        match self {
            Self::Active => target_dir(),
            Self::Debian(_) => crate::folders::own_dir().join("debian-target"),
        }
    }
}

pub(crate) fn find_or_make(step: &mut Step) -> Result<(Toolchain, String)> {
    let choice = std::env::var(SWITCH).unwrap_or_else(|_| "auto".to_owned());
    let (rustup, debian) = match choice.as_str() {
        "auto" | "" => (true, true),
        "rustup" => (true, false),
        "debian" => (false, true),
        other => {
            let cause = format!("{SWITCH} is {other:?}");
            return Err(Failure::new(
                cause,
                "set it to auto, rustup or debian, or unset it",
            ));
        }
    };
    if rustup && active_toolchain_has_it() {
        return Ok((
            Toolchain::Active,
            "found in the active toolchain".to_owned(),
        ));
    }
    if debian && let Some(sysroot) = debian::built_before() {
        return Ok((
            Toolchain::Debian(sysroot),
            "found Debian's compiler and the library built earlier".to_owned(),
        ));
    }
    let mut causes = Vec::new();
    if rustup {
        match add_with_rustup(step) {
            Ok(()) => return Ok((Toolchain::Active, "installed with rustup".to_owned())),
            Err(failure) => {
                step.note(format!("not installed with rustup: {}", failure.cause));
                causes.push(failure.cause);
            }
        }
    }
    if debian {
        match debian::make(step) {
            Ok(sysroot) => {
                return Ok((
                    Toolchain::Debian(sysroot),
                    "built with Debian's compiler".to_owned(),
                ));
            }
            Err(failure) if crate::proc::interrupted() => return Err(failure),
            Err(failure) => {
                step.note(format!(
                    "not built with Debian's compiler: {}",
                    failure.cause
                ));
                causes.push(failure.cause);
            }
        }
    }
    Err(Failure::new(
        format!(
            "this machine has no standard library for {TARGET}:\n  - {}",
            causes.join("\n  - ")
        ),
        format!(
            "make sure that `rustup target add {TARGET}` can reach its server (set RUSTUP_DIST_SERVER to use a mirror), \
             or, on Debian 12 or later, `apt-get install {}` and try again",
            debian::PACKAGES.join(" ")
        ),
    ))
}

/// rustup makes the folder last, so a folder means a whole target.
fn active_toolchain_has_it() -> bool {
    let asked = Run::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .read();
    asked.is_ok_and(|libdir| Path::new(libdir.trim()).is_dir())
}

fn add_with_rustup(step: &mut Step) -> Result<()> {
    if Run::new("rustup").args(["--version"]).read().is_err() {
        return Err(Failure::new("rustup is not installed", ""));
    }
    step.note(format!(
        "trying `rustup target add {TARGET}` (up to {RUSTUP_LIMIT} s)"
    ));
    Run::new("rustup")
        .args(["target", "add", TARGET])
        .limit(RUSTUP_LIMIT)
        .read()?;
    if active_toolchain_has_it() {
        Ok(())
    } else {
        Err(Failure::new(
            "rustup added the target to a toolchain that is not the active one",
            "",
        ))
    }
}
