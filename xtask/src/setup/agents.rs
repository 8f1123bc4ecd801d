//! Published profiling agents and the programs that they profile, for `tests/tests/worker/agents/mod.rs`,
//! and what asks for profiles in Go, for `tests/tests/worker/connect_go.rs`.
//!
//! Versions are pinned in `tests/agents`. An agent whose language is missing on this machine is left
//! out, and the summary of the tests says so: none of them is needed to work on Pilotlight.

use crate::folders::{own_dir, root};
use crate::lanes::two_at_a_time;
use crate::proc::{Context, Failure, Result, Run};
use crate::setup::{npm, system};
use crate::step::Step;
use std::fs;
use std::path::{Path, PathBuf};

/// An agent that could not be set up, and why.
pub(crate) struct Missing {
    pub(crate) language: &'static str,
    pub(crate) cause: String,
}

struct Language {
    name: &'static str,
    /// Sets up in a folder of its own.
    install: fn(&mut Step, &Path) -> Result<()>,
    /// Files of `tests/agents` that the set-up depends on.
    inputs: &'static [&'static str],
}

/// The slowest first.
const LANGUAGES: [Language; 7] = [
    Language {
        name: "collector",
        install: collector,
        inputs: &["collector/go.mod", "collector/go.sum", "collector/main.go"],
    },
    Language {
        name: "rust",
        install: rust,
        inputs: &["rust/Cargo.toml", "rust/Cargo.lock", "rust/src/main.rs"],
    },
    Language {
        name: "python",
        install: python,
        inputs: &["python/requirements.txt"],
    },
    Language {
        name: "node",
        install: |step, _| npm::packages(step, "tests/agents/node").map(drop),
        inputs: &["node/package-lock.json"],
    },
    Language {
        name: "go",
        install: go,
        inputs: &["go/go.mod", "go/go.sum", "go/main.go"],
    },
    Language {
        name: "connect",
        install: connect,
        inputs: &[
            "connect/go.mod",
            "connect/go.sum",
            "connect/datasource_test.go",
            "connect/decode_test.go",
            "connect/main_test.go",
            "connect/names_test.go",
            "connect/pages_test.go",
            "connect/profiles_test.go",
            "connect/pushed_test.go",
            "connect/refusals_test.go",
            "connect/series_test.go",
            "connect/served_test.go",
            "connect/singles_test.go",
        ],
    },
    Language {
        name: "java",
        install: java,
        inputs: &["java/pom.xml", "java/Busy.java"],
    },
];

/// Sets up what this machine allows, two at a time, and returns what it does not.
pub(crate) fn set_up(step: &mut Step) -> Result<(Vec<Missing>, String)> {
    step.end_line();
    let ended = two_at_a_time(&LANGUAGES, |language| {
        (language.name, language.set_up(&mut Step::for_thread()))
    });
    let mut missing = Vec::new();
    let mut ready = Vec::new();
    for (language, result) in ended {
        match result {
            Ok(()) => ready.push(language),
            Err(failure) => {
                let cause = failure.cause.replace('\n', " ");
                step.note(format!("skipping {language}: {cause}"));
                missing.push(Missing { language, cause });
            }
        }
    }
    Ok((missing, format!("ready: {}", ready.join(", "))))
}

impl Language {
    fn set_up(&self, step: &mut Step) -> Result<()> {
        let folder = own_dir().join("agents").join(self.name);
        let stamp = folder.join("made-from");
        let mut inputs = String::new();
        for input in self.inputs {
            let path = sources(input);
            inputs += &fs::read_to_string(&path).context(path.display())?;
        }
        if fs::read_to_string(&stamp).is_ok_and(|noted| noted == inputs) {
            return Ok(());
        }
        // What an earlier attempt left may be half of something.
        let _ = fs::remove_file(&stamp);
        fs::create_dir_all(&folder).context(folder.display())?;
        (self.install)(step, &folder)?;
        fs::write(&stamp, inputs).context(stamp.display())
    }
}

fn sources(below: &str) -> PathBuf {
    root().join("tests/agents").join(below)
}

/// A folder for each section of the requirements: their versions cannot stand beside each other.
fn python(step: &mut Step, folder: &Path) -> Result<()> {
    let pip = || Run::new("python3").args(["-m", "pip"]);
    if pip().args(["--version"]).read().is_err() {
        // Debian keeps pip in a package of its own.
        system::install(step, &["python3-pip"])?;
    }
    let path = sources("python/requirements.txt");
    let requirements = fs::read_to_string(&path).context(path.display())?;
    for section in requirements.split("# ").skip(1) {
        let (name, packages) = section.split_once('\n').unwrap_or((section, ""));
        step.note(format!("pip install for {name} (up to 2 minutes)"));
        let made = folder.join(name);
        let _ = fs::remove_dir_all(&made);
        pip()
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .args(["--no-deps", "--only-binary", ":all:", "--target"])
            .arg(made)
            .args(packages.split_whitespace())
            .limit(120)
            .read()?;
    }
    Ok(())
}

fn go(step: &mut Step, folder: &Path) -> Result<()> {
    go_build(step, "go", &["build"], 3, &folder.join("busy"))
}

/// Not an agent: what agents that speak OTLP send through. It is linked from a thousand packages.
fn collector(step: &mut Step, folder: &Path) -> Result<()> {
    go_build(step, "collector", &["build"], 10, &folder.join("collector"))
}

/// Not an agent either: tests that ask as Grafana's data source does, in a program of their own.
fn connect(step: &mut Step, folder: &Path) -> Result<()> {
    let test = ["test", "-c"];
    go_build(step, "connect", &test, 5, &folder.join("connect.test"))
}

/// Makes `program` of the module in `below`.
fn go_build(
    step: &mut Step,
    below: &str,
    command: &[&str],
    minutes: u64,
    program: &Path,
) -> Result<()> {
    let words = command.join(" ");
    step.note(format!(
        "go {words} in tests/agents/{below} (up to {minutes} minutes)"
    ));
    Run::new("go")
        .args(command)
        .arg("-o")
        .arg(program)
        .arg(".")
        .dir(sources(below))
        .limit(minutes * 60)
        .read()
        .map(drop)
}

fn java(step: &mut Step, folder: &Path) -> Result<()> {
    // Compiled first: without a compiler, maven has nothing to do.
    Run::new("javac").args(["-version"]).read()?;
    step.note("mvn dependency:copy-dependencies in tests/agents/java (up to 3 minutes)");
    Run::new("mvn")
        .args(["--quiet", "--batch-mode"])
        .arg("org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies")
        .arg("-Dmdep.stripVersion=true")
        .arg(format!("-DoutputDirectory={}", folder.display()))
        .dir(sources("java"))
        .limit(180)
        .read()?;
    let agent = folder.join("agent.jar");
    if !agent.is_file() {
        return Err(Failure::new("maven did not copy agent.jar", ""));
    }
    Run::new("javac")
        .arg("-cp")
        .arg(agent)
        .arg("-d")
        .arg(folder)
        .arg(sources("java/Busy.java"))
        .read()
        .map(drop)
}

/// A workspace of its own, so that the agent's dependencies are none of ours.
fn rust(step: &mut Step, folder: &Path) -> Result<()> {
    step.note("cargo build in tests/agents/rust (up to 10 minutes)");
    Run::new("cargo")
        .args(["build", "--quiet", "--locked"])
        .dir(sources("rust"))
        .env("CARGO_TARGET_DIR", folder)
        .limit(600)
        .read()
        .map(drop)
}
