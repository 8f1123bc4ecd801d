//! The parts of the tests, in the order in which they run.

use super::fixtures::{Fixtures, SELFHOST};
use super::part::{Outcome, Part};
use super::{failures, programs, quick, rust, times, wrangler};
use crate::folders::{own_dir, root};
use crate::proc::{Result, Run};
use crate::step::StepTime;
use crate::{build, package};
use std::time::Instant;
use std::{fs, thread};

/// All of them, one after the other: each uses all cores itself.
pub(super) const PARTS: [Part; 9] = [
    FORMAT,
    Part {
        name: "build",
        after: &[],
        run: build,
    },
    SITE_LINT,
    SITE,
    Part {
        name: "rust",
        after: &["build"],
        run: |fixtures| rust::run(fixtures, &[]),
    },
    Part {
        name: "browser",
        after: &["build"],
        run: |fixtures| browser(fixtures, ""),
    },
    Part {
        name: "wrangler",
        after: &["build"],
        run: |_| Outcome::counted(wrangler::test()),
    },
    Part {
        name: "doc tests",
        after: &["build"],
        run: |_| Outcome::counted(programs::doc_tests()),
    },
    Part {
        name: "release",
        after: &["build"],
        run: |_| Outcome::one(release()),
    },
];

/// What `--quick` runs.
pub(super) const QUICK: [Part; 7] = [
    FORMAT,
    Part {
        name: "clippy",
        after: &[],
        run: |_| Outcome::one(quick::lint()),
    },
    Part {
        name: "core",
        after: &[],
        run: |fixtures| quick::core_tests(&fixtures.since),
    },
    Part {
        name: "unit tests",
        after: &[],
        run: |fixtures| quick::unit_tests(&fixtures.since),
    },
    Part {
        name: "build",
        after: &[],
        run: |fixtures| {
            let needed = quick::needs_modules(&fixtures.since);
            Outcome::built(needed.and_then(|needed| match needed {
                true => build::for_site_checks(&fixtures.tools),
                false => Ok(Vec::new()),
            }))
        },
    },
    SITE_LINT,
    SITE,
];

const FORMAT: Part = Part {
    name: "format",
    after: &[],
    run: |_| {
        let rust = Run::new("cargo")
            .args(["fmt", "--all", "--check"])
            .limit(120)
            .show();
        Outcome::one(rust.and_then(|()| npm("format").show()))
    },
};

/// Builds the Rust programs and everything else at the same time, because each has stretches that use only one core.
fn build(fixtures: &mut Fixtures) -> Outcome {
    let (programs, site) = thread::scope(|scope| {
        let programs = scope.spawn(|| {
            let began = Instant::now();
            let programs = programs::build(&["--all-targets"]);
            (programs, began.elapsed().as_secs_f64())
        });
        let site = site_build(fixtures);
        (programs.join().expect("no panic"), site)
    });
    let (programs, seconds) = programs;
    Outcome::built(match (programs, site) {
        (Ok(programs), Ok(mut steps)) => {
            fixtures.programs = programs;
            steps.push(StepTime {
                name: "Rust programs".to_owned(),
                seconds,
            });
            Ok(steps)
        }
        (Err(rust), Err(site)) => {
            println!("{rust}");
            Err(site)
        }
        (Err(failure), _) | (_, Err(failure)) => Err(failure),
    })
}

/// Builds every module of WASM, the site, and the folder for machines without Cloudflare.
pub(super) fn site_build(fixtures: &Fixtures) -> Result<Vec<StepTime>> {
    let steps = build::for_tests(&fixtures.tools, fixtures.profile)?;
    package::selfhost(&Fixtures::empty(SELFHOST))?;
    Ok(steps)
}

/// Type checks and lints of the site, and lints of the JavaScript tests.
const SITE_LINT: Part = Part {
    name: "site types",
    after: &["build"],
    run: |_| Outcome::one(npm("lint").show().and_then(|()| npm("check").show())),
};

const SITE: Part = Part {
    name: "site",
    after: &["build"],
    run: |fixtures| site(fixtures, ""),
};

/// Lints and compiles targets of the workspace.
pub(super) fn rust_build(fixtures: &mut Fixtures, targets: &[&str]) -> Outcome {
    Outcome::built(programs::build(targets).map(|programs| {
        fixtures.programs = programs;
        Vec::new()
    }))
}

/// Tests of the site: of one file, or of all for an empty name.
pub(super) fn site(fixtures: &Fixtures, file: &str) -> Outcome {
    Outcome::counted(
        fixtures
            .provide(npm("test").args(["--", file]))
            .limit(300)
            .tee(),
    )
}

/// Tests in browsers: of one file, or of all for an empty name.
pub(super) fn browser(fixtures: &Fixtures, file: &str) -> Outcome {
    let noted = own_dir().join("browser-times.json");
    let _ = fs::remove_file(&noted);
    let run = Run::new("node").args(["tests/browser/run.mjs", file]);
    let run = fixtures.provide(run).env("PILOTLIGHT_TIMES", &noted);
    let mut outcome = Outcome::counted(run.limit(2400).tee());
    // Without the file, nothing was noted.
    let noted = fs::read_to_string(&noted).unwrap_or_default();
    let noted = serde_json::from_str(&noted).unwrap_or_default();
    (outcome.files, outcome.tests) = times::of_browser(&noted, "browser");
    outcome.failures = failures::of_browser(&noted);
    outcome
}

fn npm(script: &str) -> Run {
    Run::new("npm")
        .args(["run", "--silent", script])
        .dir(root().join("site"))
        .limit(300)
}

/// Checks the sizes of what is deployed, and has wrangler check and bundle each preset as it would
/// for a deployment.
fn release() -> Result<()> {
    println!("{}", build::sizes()?.1);
    package::check_presets()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workflow_runs_every_part() {
        let workflow =
            fs::read_to_string(root().join(".github/workflows/test.yml")).expect("the workflow");
        let lists = workflow.lines().filter_map(|line| {
            let line = line.trim();
            line.strip_prefix("- parts: ").or_else(|| {
                line.strip_prefix("- run: cargo xtask test --only \"")?
                    .strip_suffix('"')
            })
        });
        let named: Vec<&str> = lists.flat_map(|list| list.split(',')).collect();
        for part in PARTS {
            assert!(named.contains(&part.name), "{} is not run", part.name);
        }
    }
}
