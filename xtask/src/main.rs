//! The project's commands: `cargo xtask run`, `cargo xtask test` and the steps they are made of.
//!
//! In scope: install what a build needs, build, serve locally, test, deploy.

mod build;
mod folders;
mod fuzz;
mod lanes;
mod load;
mod package;
mod proc;
mod run;
mod serve;
mod setup;
mod step;
mod test;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask <command>

  run [--port 4040]       set up, build (quickly) and serve Pilotlight at http://localhost:4040;
                          ALLOWED_HOSTS=host.docker.internal lets containers push, too
  demo [--url URL]        fill the running server with an hour of made-up history
  test                    set up and run all tests; writes times to target/test-times.json
  test NAME               run the test files with this name, such as `replay` or `labels`
  test --only PART[,PART] run some parts, such as `rust,browser`; an unknown name lists all parts
  test --quick [--since COMMIT]
                          run formatters, lints, site tests, and unit tests of changed packages
                          (uncommitted changes, or all since COMMIT)
  build                   build the worker, the viewer and the site for a deployment, and check their sizes
  fuzz [--seconds 30] [--target NAME]
                          fuzz the readers of untrusted input, for this many seconds in total
  load [--processes 100] [--minutes 10] [--interval 15] [--flush-ms 6000] [--seed N]
                          push like a fleet of agents, and check that every profile arrived
  kills [--count 200] [--processes 20] [--pause-ms 200] [--uptime-ms 1200] [--seed N]
                          kill the worker repeatedly during pushes, and check that each push counts once
  deploy [--preset paid] [--name pilotlight] [--bucket pilotlight] [--domain HOST] [--new-token]
                          deploy to Cloudflare (docs/deploy.md), or upgrade; presets: free, paid
  deploy --dry-run [...]  list the commands that deploy would run, and check them without an account
  deploy --rollback       go back to the previous version
  selfhost [--built] --out FOLDER
                          make a folder for running Pilotlight without Cloudflare (docs/selfhost.md);
                          --built uses the last build
  export --url URL [--query Q] [--from T] [--until T] [--out FOLDER|FILE.zip|FILE.html]
                          save profiles from a server as pages that can be queried (docs/bundles.md)
  package                 write the npm package (the viewer, and all commands that need no Rust) as a tarball
  token create --tenant T --scope push[,read,admin] [--expires 90d] [--name N] [--url URL]
  token list [--url URL]
  token revoke ID [--url URL]
                          create, list and revoke tokens; asks for the administrator's token unless
                          PILOTLIGHT_TOKEN is set
  setup [--test]          only find or install what the commands above need

Environment:
  PILOTLIGHT_WASM_TOOLCHAIN   auto (default), rustup or debian: where the wasm32 standard library comes from
  CHROMIUM, FIREFOX           the browsers for the tests, if they are not found automatically
";

fn main() -> ExitCode {
    proc::watch_for_interrupt();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["setup"] => setup::setup(setup::Purpose::Running).map(drop),
        ["setup", "--test"] => setup::setup(setup::Purpose::Testing).map(drop),
        ["build"] => setup::setup(setup::Purpose::Running).and_then(|tools| build::release(&tools)),
        ["run", rest @ ..] => option(rest, "--port", "4040").and_then(run::run),
        ["demo", rest @ ..] => option(rest, "--url", "http://localhost:4040").and_then(run::demo),
        [program @ ("load" | "kills"), rest @ ..] => load::run(program, rest),
        ["deploy", rest @ ..] => match package::deploy(rest) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
        ["selfhost", "--out", out] => setup::setup(setup::Purpose::Running)
            .and_then(|tools| build::release(&tools))
            .and_then(|_| package::selfhost(Path::new(out))),
        ["selfhost", "--built", "--out", out] => package::selfhost(Path::new(out)),
        ["export", rest @ ..] => package::export(rest),
        ["package"] => package::tarball(),
        ["token", rest @ ..] => return package::command("token", rest),
        ["test"] => return test::all(),
        ["test", "--quick"] => return test::quick("HEAD"),
        ["test", "--quick", "--since", commit] => return test::quick(commit),
        ["test", "--only", part] => return test::only(part),
        ["test", name] if !name.starts_with('-') => return test::named(name),
        ["fuzz", rest @ ..] => fuzz::Options::parse(rest).and_then(|options| fuzz::fuzz(&options)),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        words => {
            eprint!(
                "`cargo xtask {}` is not a command.\n\n{USAGE}",
                words.join(" ")
            );
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

/// The value of the one option a command takes, or its default.
fn option<'a>(args: &[&'a str], name: &str, default: &'a str) -> proc::Result<&'a str> {
    match args {
        [] => Ok(default),
        [given, value] if *given == name => Ok(value),
        _ => Err(proc::Failure::new(
            format!("unexpected option {:?}", args.join(" ")),
            format!(
                "this command's only option is {name} VALUE; `cargo xtask help` lists all commands"
            ),
        )),
    }
}
