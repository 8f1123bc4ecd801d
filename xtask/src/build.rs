//! Building what is served: the viewer's WASM, the site, the worker's WASM; and checking their
//! sizes.

use crate::folders::TARGET;
use crate::folders::root;
use crate::proc::{Context, Failure, Result, Run};
use crate::setup::Tools;
use crate::step::{Step, Steps};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{fs, io};

/// How a crate is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// What is deployed and what tests use: optimised as a whole, and not larger than its budget.
    Release,
    /// What `cargo xtask run` serves on this machine: quick to build.
    Local,
}

impl Profile {
    /// Its name in Cargo.toml, and that of the folder below cargo's target folder.
    fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Local => "local",
        }
    }
}

/// A crate that becomes WASM with a JavaScript module around it.
struct Module {
    package: &'static str,
    /// How pilotlight-bindgen writes the module: for workerd, or for a browser.
    kind: &'static str,
    /// Where the site or the worker's shim imports it from; `pilotlight.js` and
    /// `pilotlight_bg.wasm`.
    out: &'static str,
    /// Largest gzipped size, in bytes.
    budget: u64,
}

/// A Worker of the free plan may have 3 MB gzipped. V8 compiles functions when they are first
/// called, so a larger worker does not start later (docs/performance.md, "Cold start").
const WORKER: Module = Module {
    package: "pilotlight-worker",
    kind: "edge",
    out: "worker/build",
    budget: 2_200_000,
};

/// 420 kB are three seconds on a slow (1.2 Mbit/s) line: what a first visit should wait for a viewer that opens the
/// most common formats.
const VIEWER: Module = Module {
    package: "pilotlight-viewer",
    kind: "web",
    out: "site/src/wasm/viewer",
    budget: 460_000,
};

/// The formats that few open, which the viewer fetches when a file is of none of its own.
const IMPORTS: Module = Module {
    package: "pilotlight-imports",
    kind: "web",
    out: "site/src/wasm/imports",
    budget: 505_000,
};

/// Queries over a bucket without a server, which the pages fetch when they have its address.
const BUCKET: Module = Module {
    package: "pilotlight-bucket",
    kind: "web",
    out: "site/src/wasm/bucket",
    budget: 330_000,
};

/// Bundles of profiles, in the npm package.
const BUNDLER: Module = Module {
    package: "pilotlight-bundler",
    kind: "web",
    out: "site/src/wasm/bundler",
    budget: 610_000,
};

/// Names for addresses, which the viewer fetches when a program is dropped beside a profile.
const SYMBOLS: Module = Module {
    package: "pilotlight-symbols",
    kind: "web",
    out: "site/src/wasm/symbols",
    budget: 400_000,
};

/// Steps of [`pages`].
pub(crate) const PAGES: usize = 6;
/// Steps of a build: those of [`pages`], then [`worker`].
pub(crate) const STEPS: usize = PAGES + 1;

/// Builds all that is deployed.
pub(crate) fn build(tools: &Tools) -> Result<()> {
    println!("Building");
    let mut steps = Steps::new(STEPS);
    pages(&mut steps, tools, Profile::Release)?;
    worker(&mut steps, tools, Profile::Release)
}

/// The viewer and the site, which open files without the worker.
pub(crate) fn pages(steps: &mut Steps, tools: &Tools, profile: Profile) -> Result<()> {
    steps.run("viewer", |step| module(step, tools, &VIEWER, profile))?;
    steps.run("formats", |step| module(step, tools, &IMPORTS, profile))?;
    steps.run("symbols", |step| module(step, tools, &SYMBOLS, profile))?;
    steps.run("bucket", |step| module(step, tools, &BUCKET, profile))?;
    steps.run("bundler", |step| module(step, tools, &BUNDLER, profile))?;
    steps.run("site", |_| site())
}

pub(crate) fn worker(steps: &mut Steps, tools: &Tools, profile: Profile) -> Result<()> {
    steps.run("worker", |step| module(step, tools, &WORKER, profile))
}

/// Its WASM alone, which the site's types and tests need.
pub(crate) fn viewer(tools: &Tools) -> Result<()> {
    let modules = [
        ("viewer", &VIEWER),
        ("formats", &IMPORTS),
        ("symbols", &SYMBOLS),
        ("bucket", &BUCKET),
        ("bundler", &BUNDLER),
    ];
    let mut steps = Steps::new(modules.len());
    for (name, wanted) in modules {
        steps.run(name, |step| module(step, tools, wanted, Profile::Local))?;
    }
    Ok(())
}

fn module(
    step: &mut Step,
    tools: &Tools,
    module: &Module,
    profile: Profile,
) -> Result<((), String)> {
    step.note(format!(
        "cargo build --profile {} --package {}",
        profile.name(),
        module.package
    ));
    tools
        .wasm
        .cargo()
        .args([
            "build",
            "--quiet",
            "--profile",
            profile.name(),
            "--target",
            TARGET,
            "--package",
            module.package,
        ])
        .env("CARGO_TARGET_DIR", tools.wasm.target_dir())
        .limit(1200)
        .show()
        .map_err(|failure| failure.advise("the compiler says above what it did not like"))?;
    let name = format!("{}.wasm", module.package.replace('-', "_"));
    let compiled = tools
        .wasm
        .target_dir()
        .join(TARGET)
        .join(profile.name())
        .join(name);
    let out = root().join(module.out);
    // The bindings depend on the compiled crate and on the tool that makes them.
    let inputs = [compiled.clone(), tools.bindgen.clone()];
    if_changed(&inputs, "", &out.join("pilotlight_bg.wasm"), || {
        let _ = fs::remove_dir_all(&out);
        Run::new(&tools.bindgen)
            .arg(module.kind)
            .arg(&compiled)
            .arg(&out)
            .arg("pilotlight")
            .read()
            .map(drop)
    })?;
    let built = out.join("pilotlight_bg.wasm");
    match profile {
        Profile::Release => check_size(&built, module.budget),
        Profile::Local => Ok(((), format!("built ({} kB)", bytes(&built)? / 1000))),
    }
}

/// Fails when a WASM file is over its budget.
fn check_size(path: &Path, budget: u64) -> Result<((), String)> {
    let plain = bytes(path)?;
    let gzipped = Run::new("gzip")
        .args(["-9", "-c"])
        .arg(path)
        .read_bytes()?
        .len() as u64;
    let sizes = format!(
        "{} kB, gzipped {} kB of at most {} kB",
        plain / 1000,
        gzipped / 1000,
        budget / 1000
    );
    if gzipped <= budget {
        return Ok(((), format!("built ({sizes})")));
    }
    let cause = format!(
        "{} is too large: {sizes}",
        path.strip_prefix(root()).unwrap_or(path).display()
    );
    Err(Failure::new(
        cause,
        "find what grew (`cargo tree`, `twiggy top`) and make it smaller",
    ))
}

fn bytes(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).context(path.display())?.len())
}

fn site() -> Result<((), String)> {
    let site = root().join("site");
    let mut inputs = Vec::new();
    files(&site, &mut inputs).context(site.display())?;
    // What the page may fetch from, and which pages may hold it, are inputs too (docs/viewer.md).
    let origins = ["PROFILE_ORIGINS", "FRAME_ORIGINS"]
        .map(|name| std::env::var(name).unwrap_or_default())
        .join(" ");
    let built = if_changed(&inputs, &origins, &site.join("dist/index.html"), || {
        Run::new("npm")
            .args(["run", "--silent", "build"])
            .dir(&site)
            .limit(300)
            .read()
            .map(drop)
    })?;
    Ok(((), if built { "built" } else { "up to date" }.to_owned()))
}

/// Does the work unless the inputs and the setting are unchanged since it last succeeded. Returns
/// whether it did it.
fn if_changed(
    inputs: &[PathBuf],
    setting: &str,
    output: &Path,
    work: impl FnOnce() -> Result<()>,
) -> Result<bool> {
    let now = fingerprint(inputs).context("looking at the inputs")?;
    let now = format!("{now} {setting}").trim_end().to_owned();
    let name = output
        .strip_prefix(root())
        .unwrap_or(output)
        .to_string_lossy()
        .replace('/', "-");
    let stamp = crate::folders::own_dir().join(format!("built-{name}"));
    if output.exists() && fs::read_to_string(&stamp).is_ok_and(|noted| noted == now) {
        return Ok(false);
    }
    work()?;
    fs::write(&stamp, now).context(stamp.display())?;
    Ok(true)
}

/// A hash of names, sizes and times: cheap enough to take at every start.
fn fingerprint(paths: &[PathBuf]) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        let data = fs::metadata(path)?;
        let changed = data
            .modified()?
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        (path, data.len(), changed).hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// All files under a folder in a fixed order, less what npm and the build put there.
fn files(dir: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(dir)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            if !path.ends_with("node_modules") && !path.ends_with("dist") {
                files(&path, found)?;
            }
        } else {
            found.push(path);
        }
    }
    Ok(())
}
