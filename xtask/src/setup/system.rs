//! What comes from the operating system: a clang for wasm32, a C++ compiler, a browser, and apt.

use crate::folders::{own_dir, root};
use crate::proc::{Context, Failure, Result, Run};
use crate::step::Step;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// zstd is C, also in WASM. Only a real compile tells: Apple's clang, for one, knows no wasm32.
pub(crate) fn clang(step: &mut Step) -> Result<((), String)> {
    find_or_install(
        step,
        "clang for wasm32",
        compiles_for_wasm,
        &["clang"],
        CLANG_REMEDY,
    )
}

const CLANG_REMEDY: &str = "install clang 14 or later with your package manager (on a Mac: `brew install llvm`), \
    or set CC_wasm32_unknown_unknown to its path";

fn compiles_for_wasm() -> Result<String> {
    let variable = "CC_wasm32_unknown_unknown";
    let compiler = std::env::var(variable).unwrap_or_else(|_| "clang".to_owned());
    let (source, object) = (own_dir().join("try.c"), own_dir().join("try.o"));
    fs::create_dir_all(own_dir()).context(own_dir().display())?;
    fs::write(&source, "int twice(int x) { return 2 * x; }\n").context(source.display())?;
    Run::new(&compiler)
        .args(["--target=wasm32-unknown-unknown", "-c", "-o"])
        .args([&object, &source])
        .read()
        .map(|_| compiler)
}

/// libFuzzer is C++.
pub(crate) fn cpp(step: &mut Step) -> Result<((), String)> {
    let check = || {
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        Run::new(&compiler)
            .args(["--version"])
            .read()
            .map(|_| compiler)
    };
    find_or_install(
        step,
        "a C++ compiler",
        check,
        &["g++"],
        "install g++ or clang++ with your package manager",
    )
}

fn find_or_install(
    step: &mut Step,
    what: &str,
    check: impl Fn() -> Result<String>,
    packages: &[&str],
    remedy: &str,
) -> Result<((), String)> {
    if let Ok(found) = check() {
        return Ok(((), format!("found {found}")));
    }
    step.note(format!(
        "not found; installing {} with apt",
        packages.join(" ")
    ));
    let installed = install(step, packages).and_then(|()| check());
    match installed {
        Ok(found) => Ok(((), format!("installed {found}"))),
        Err(failure) => Err(Failure::new(
            format!("{what} is missing on this machine, and {}", failure.cause),
            remedy,
        )),
    }
}

/// The browser of nearly all tests: named in CHROMIUM, on PATH, from apt, or playwright's own
/// download.
pub(crate) fn chromium(step: &mut Step) -> Result<(PathBuf, String)> {
    let first = match CHROMIUM.find_or_install(step) {
        Ok(found) => return Ok(found),
        Err(failure) => failure,
    };
    if std::env::var_os(CHROMIUM.variable).is_some() {
        return Err(first);
    }
    step.note(format!("browser not installed: {}", first.cause));
    step.note("trying playwright's own download (up to 5 minutes)");
    by_playwright().map_err(|second| {
        let cause = format!(
            "{}; and playwright's download failed: {}",
            first.cause, second.cause
        );
        Failure::new(cause, CHROMIUM.remedy)
    })
}

/// The browser of one walk through the viewer: named in FIREFOX, on PATH, or from apt.
pub(crate) fn firefox(step: &mut Step) -> Result<(PathBuf, String)> {
    FIREFOX.find_or_install(step)
}

/// Where a browser may be.
struct Browser {
    variable: &'static str,
    names: &'static [&'static str],
    on_a_mac: &'static str,
    /// Of Debian.
    package: &'static str,
    remedy: &'static str,
}

const CHROMIUM: Browser = Browser {
    variable: "CHROMIUM",
    names: &[
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ],
    on_a_mac: "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    package: "chromium-headless-shell",
    remedy: "install Chromium or Chrome, or set CHROMIUM to its path",
};

const FIREFOX: Browser = Browser {
    variable: "FIREFOX",
    names: &["firefox-esr", "firefox"],
    on_a_mac: "/Applications/Firefox.app/Contents/MacOS/firefox",
    package: "firefox-esr",
    remedy: "install Firefox 140 or later, or set FIREFOX to its path",
};

impl Browser {
    fn find_or_install(&self, step: &mut Step) -> Result<(PathBuf, String)> {
        let Self {
            variable, package, ..
        } = self;
        if let Some(named) = std::env::var_os(variable) {
            let path = PathBuf::from(&named);
            return match Run::new(&path).args(["--version"]).read() {
                Ok(version) => Ok((path, format!("found {}", version.trim()))),
                Err(failure) => Err(Failure::new(
                    format!("{variable} is set, but {}", failure.cause),
                    self.remedy,
                )),
            };
        }
        if let Some(found) = self.working() {
            return Ok(found);
        }
        step.note(format!("not found; installing {package} with apt"));
        let by_apt = install(step, &[*package]).and_then(|()| {
            self.working()
                .ok_or_else(|| Failure::new("the version from apt does not start", ""))
        });
        match by_apt {
            Ok((path, version)) => Ok((path, version.replace("found", "installed"))),
            Err(failure) => Err(Failure::new(
                format!("{package} is not available: {}", failure.cause),
                self.remedy,
            )),
        }
    }

    /// `--version` starts the binary, which a stub for another package format would not survive.
    fn working(&self) -> Option<(PathBuf, String)> {
        self.names
            .iter()
            .filter_map(|name| find(name))
            .chain([PathBuf::from(self.on_a_mac)])
            .find_map(|path| {
                let version = Run::new(&path).args(["--version"]).read().ok()?;
                Some((path, format!("found {}", version.trim())))
            })
    }
}

fn by_playwright() -> Result<(PathBuf, String)> {
    let tests = root().join("tests");
    Run::new("node")
        .args(["node_modules/playwright-core/cli.js", "install", "chromium"])
        .dir(&tests)
        .limit(300)
        .read()?;
    let script = "console.log(require('playwright-core').chromium.executablePath())";
    let path = PathBuf::from(
        Run::new("node")
            .args(["-e", script])
            .dir(&tests)
            .read()?
            .trim(),
    );
    let version = Run::new(&path).args(["--version"]).read()?;
    Ok((path, format!("downloaded {}", version.trim())))
}

/// Package lists are fetched once per command, before the first package.
static LISTS_ARE_FRESH: AtomicBool = AtomicBool::new(false);

/// Installs Debian packages, as root or with a sudo that does not ask.
pub(crate) fn install(step: &mut Step, packages: &[&str]) -> Result<()> {
    let apt = apt()?;
    if !LISTS_ARE_FRESH.swap(true, Ordering::Relaxed) {
        step.note("apt-get update (up to 2 minutes)");
        // Lists of last week may still do: the install decides.
        if let Err(failure) = apt(&["update"]).limit(120).read() {
            step.note(format!(
                "apt-get update failed ({}); continuing",
                failure.cause
            ));
        }
    }
    step.note(format!(
        "apt-get install {} (up to 10 minutes)",
        packages.join(" ")
    ));
    let arguments: Vec<&str> = ["install", "-y", "--no-install-recommends"]
        .iter()
        .chain(packages)
        .copied()
        .collect();
    apt(&arguments).limit(600).read().map(drop)
}

fn apt() -> Result<impl Fn(&[&str]) -> Run> {
    let by_hand = "install the packages by hand";
    if find("apt-get").is_none() {
        return Err(Failure::new("this machine has no apt-get", by_hand));
    }
    let root = Run::new("id").args(["-u"]).read()?.trim() == "0";
    if !root && Run::new("sudo").args(["-n", "true"]).read().is_err() {
        return Err(Failure::new(
            "apt-get needs root, and sudo asks for a password or is missing",
            by_hand,
        ));
    }
    Ok(move |arguments: &[&str]| {
        let prefix: &[&str] = if root { &[] } else { &["sudo", "-n"] };
        // Through env, so that the variable survives sudo.
        let command = [
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            "-q",
            "-o",
            "DPkg::Lock::Timeout=60",
        ];
        let limits = [
            "-o",
            "Acquire::http::Timeout=20",
            "-o",
            "Acquire::https::Timeout=20",
            "-o",
            "Acquire::Retries=2",
        ];
        let words: Vec<&str> = prefix
            .iter()
            .chain(&command)
            .chain(&limits)
            .chain(arguments)
            .copied()
            .collect();
        Run::new(words[0]).args(&words[1..])
    })
}

/// The first executable of that name on PATH.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|path| path.is_file())
}
