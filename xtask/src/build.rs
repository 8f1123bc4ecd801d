//! Building what is served: the viewer's WASM, the site, the worker's WASM; and checking their
//! sizes.

use crate::folders::TARGET;
use crate::folders::root;
use crate::proc::{Context, Failure, Result, Run};
use crate::setup::Tools;
use crate::step::{Step, StepTime, Steps};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{fs, io};

/// How a crate is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// What is deployed, and what a whole run of the tests uses: optimised as a whole, and not larger than its budget.
    Release,
    /// What `cargo xtask run` serves on this machine, and what tests of one name use: quick to build.
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
    budget: 2_350_000,
};

/// 420 kB are three seconds on a slow (1.2 Mbit/s) line: what a first visit should wait for a viewer that opens the
/// most common formats.
const VIEWER: Module = Module {
    package: "pilotlight-viewer",
    kind: "web",
    out: "site/src/wasm/viewer",
    budget: 482_000,
};

/// The formats that few open, which the viewer fetches when a file is of none of its own.
const IMPORTS: Module = Module {
    package: "pilotlight-imports",
    kind: "web",
    out: "site/src/wasm/imports",
    budget: 645_000,
};

/// Queries over a bucket without a server, which the pages fetch when they have its address.
const BUCKET: Module = Module {
    package: "pilotlight-bucket",
    kind: "web",
    out: "site/src/wasm/bucket",
    budget: 334_000,
};

/// Bundles of profiles, in the npm package.
const BUNDLER: Module = Module {
    package: "pilotlight-bundler",
    kind: "web",
    out: "site/src/wasm/bundler",
    budget: 630_000,
};

/// Names for addresses, which the viewer fetches when a program is dropped beside a profile.
const SYMBOLS: Module = Module {
    package: "pilotlight-symbols",
    kind: "web",
    out: "site/src/wasm/symbols",
    budget: 400_000,
};

/// Made-up profiles, in the npm package and for the front page of an empty server.
const DEMO: Module = Module {
    package: "pilotlight-demo",
    kind: "web",
    out: "site/src/wasm/demo",
    budget: 80_000,
};

/// What the pages load.
const PAGES: [&Module; 6] = [&VIEWER, &IMPORTS, &SYMBOLS, &BUCKET, &BUNDLER, &DEMO];

/// The core alone, which tests run in wasmtime and in the browser.
const GUEST: &str = "pilotlight-guest-module";

/// Steps of [`served`].
const SERVED_STEPS: usize = 3;
/// Steps of [`pages`].
pub(crate) const PAGES_STEPS: usize = 3;
/// Steps of [`worker`].
pub(crate) const WORKER_STEPS: usize = 2;

/// Builds all that is deployed, and checks its sizes.
pub(crate) fn release(tools: &Tools) -> Result<()> {
    println!("Building");
    let mut steps = Steps::new(SERVED_STEPS + 1);
    served(&mut steps, tools, Profile::Release, None)?;
    steps.run("sizes", |_| sizes())
}

/// Builds everything that tests use.
pub(crate) fn for_tests(tools: &Tools, profile: Profile) -> Result<Vec<StepTime>> {
    let mut steps = Steps::new(SERVED_STEPS);
    served(&mut steps, tools, profile, Some(GUEST))?;
    Ok(steps.into_times())
}

fn all() -> Vec<&'static Module> {
    [&PAGES[..], &[&WORKER]].concat()
}

/// Builds the worker and the pages it serves, and compiles another package together with them. One cargo run compiles shared crates once
/// and uses all cores.
fn served(
    steps: &mut Steps,
    tools: &Tools,
    profile: Profile,
    extra: Option<&'static str>,
) -> Result<()> {
    let all = all();
    steps.run("WASM modules", |step| {
        let packages = all.iter().map(|module| module.package).chain(extra);
        compile(step, tools, packages, profile)
    })?;
    steps.run("bindings", |_| bindings(tools, &all, profile))?;
    steps.run("site", |_| site())
}

/// Where [`for_tests`] leaves the core's module.
pub(crate) fn guest(tools: &Tools, profile: Profile) -> PathBuf {
    compiled(tools, GUEST, profile)
}

/// The viewer and the site, which open files without the worker.
pub(crate) fn pages(steps: &mut Steps, tools: &Tools, profile: Profile) -> Result<()> {
    page_modules(steps, tools, profile)?;
    steps.run("site", |_| site())
}

fn page_modules(steps: &mut Steps, tools: &Tools, profile: Profile) -> Result<()> {
    let packages = PAGES.iter().map(|module| module.package);
    steps.run("WASM for the pages", |step| {
        compile(step, tools, packages, profile)
    })?;
    steps.run("bindings for the pages", |_| {
        bindings(tools, &PAGES, profile)
    })
}

/// Builds the WASM modules that the type checks and tests of the site import.
pub(crate) fn for_site_checks(tools: &Tools) -> Result<Vec<StepTime>> {
    let mut steps = Steps::new(PAGES_STEPS - 1);
    page_modules(&mut steps, tools, Profile::Local)?;
    Ok(steps.into_times())
}

pub(crate) fn worker(steps: &mut Steps, tools: &Tools, profile: Profile) -> Result<()> {
    steps.run("worker", |step| {
        compile(step, tools, [WORKER.package], profile)
    })?;
    steps.run("bindings for the worker", |_| {
        bindings(tools, &[&WORKER], profile)
    })
}

/// Compiles packages to WASM in one run of cargo, so that what they share is compiled once.
fn compile(
    step: &mut Step,
    tools: &Tools,
    packages: impl IntoIterator<Item = &'static str>,
    profile: Profile,
) -> Result<((), String)> {
    let packages = packages.into_iter().flat_map(|name| ["--package", name]);
    let words: Vec<&str> = ["build", "--profile", profile.name()]
        .into_iter()
        .chain(packages)
        .collect();
    step.note(format!("cargo {}", words.join(" ")));
    tools
        .wasm
        .cargo()
        .args(words)
        .args(["--quiet", "--target", TARGET])
        .env("CARGO_TARGET_DIR", tools.wasm.target_dir())
        .limit(1800)
        .show()
        .map_err(|failure| failure.advise("see the compiler's messages above"))?;
    Ok(((), "compiled".to_owned()))
}

fn compiled(tools: &Tools, package: &str, profile: Profile) -> PathBuf {
    let name = format!("{}.wasm", package.replace('-', "_"));
    let target = tools.wasm.target_dir().join(TARGET);
    target.join(profile.name()).join(name)
}

/// Writes the JavaScript around compiled modules.
fn bindings(tools: &Tools, modules: &[&Module], profile: Profile) -> Result<((), String)> {
    let mut sizes = Vec::new();
    for module in modules {
        let compiled = compiled(tools, module.package, profile);
        let out = root().join(module.out);
        let built = module.built();
        // The bindings depend on the compiled crate and on the tool that makes them.
        let inputs = [compiled.clone(), tools.bindgen.clone()];
        if_changed(&inputs, "", &built, || {
            let _ = fs::remove_dir_all(&out);
            Run::new(&tools.bindgen)
                .arg(module.kind)
                .arg(&compiled)
                .arg(&out)
                .arg("pilotlight")
                .read()
                .map(drop)
        })?;
        sizes.push(format!("{} {} kB", module.package, bytes(&built)? / 1000));
    }
    Ok(((), format!("written\n      {}", sizes.join("\n      "))))
}

/// The sizes of what [`Profile::Release`] built; fails when a module is over its budget.
pub(crate) fn sizes() -> Result<((), String)> {
    let sizes = all().into_iter().map(Module::check_size);
    let sizes = sizes.collect::<Result<Vec<_>>>()?;
    Ok((
        (),
        format!("within budgets\n      {}", sizes.join("\n      ")),
    ))
}

impl Module {
    /// The WASM file behind its bindings.
    fn built(&self) -> PathBuf {
        root().join(self.out).join("pilotlight_bg.wasm")
    }

    fn check_size(&self) -> Result<String> {
        let Self {
            package, budget, ..
        } = *self;
        let path = self.built();
        let plain = bytes(&path)?;
        let gzipped = Run::new("gzip")
            .args(["-9", "-c"])
            .arg(&path)
            .read_bytes()?
            .len() as u64;
        let sizes = format!(
            "{package} {} kB, gzipped {} kB of at most {} kB",
            plain / 1000,
            gzipped / 1000,
            budget / 1000
        );
        if gzipped <= budget {
            return Ok(sizes);
        }
        Err(Failure::new(
            format!("{package} is too large: {sizes}"),
            "find what grew (`cargo tree`, `twiggy top`) and make it smaller",
        ))
    }
}

fn bytes(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).context(path.display())?.len())
}

fn site() -> Result<((), String)> {
    let site = root().join("site");
    let mut inputs = Vec::new();
    files(&site, &mut inputs).context(site.display())?;
    let docs = root().join("docs");
    files(&docs, &mut inputs).context(docs.display())?;
    // What the page may fetch from, and which pages may hold it, are inputs too (docs/viewer.md).
    let origins = ["PROFILE_ORIGINS", "FRAME_ORIGINS"]
        .map(|name| std::env::var(name).unwrap_or_default())
        .join(" ");
    // The documentation is written last, and goes when Vite alone builds the site.
    let built = if_changed(
        &inputs,
        &origins,
        &site.join("dist/docs/index.html"),
        || {
            Run::new("npm")
                .args(["run", "--silent", "build"])
                .dir(&site)
                .limit(300)
                .read()
                .map(drop)
        },
    )?;
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
    let now = fingerprint(inputs).context("reading the inputs")?;
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
