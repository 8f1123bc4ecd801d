//! `cargo xtask run` and `cargo xtask demo`.

use crate::build::{self, Profile};
use crate::folders::root;
use crate::proc::{Failure, Result, Run, interrupted};
use crate::serve::{self, Pilotlight, kept_state};
use crate::setup::{Purpose, setup};
use crate::step::Steps;
use std::thread;
use std::time::{Duration, Instant};

/// Sets up, builds, serves, and fires the cron every minute until Ctrl-C. While the worker is being
/// built, the pages are there for files of the visitor's own.
pub(crate) fn run(port: &str) -> Result<()> {
    let port: u16 = port.parse().map_err(|_| {
        Failure::new(
            format!("--port must be a port number (got {port:?})"),
            "give a number from 1 to 65535, as in --port 4040",
        )
    })?;
    serve::check_port(port)?;
    let tools = setup(Purpose::Running)?;
    println!("Building");
    let mut steps = Steps::new(build::PAGES_STEPS + build::WORKER_STEPS);
    build::pages(&mut steps, &tools, Profile::Local)?;
    let pages = serve::pages(port)?;
    println!(
        "      http://localhost:{port} opens files now; it accepts pushes when the worker is built"
    );
    build::worker(&mut steps, &tools, Profile::Local)?;
    // The worker takes over the port, and serves the same pages.
    drop(pages);
    println!("Starting");
    let log = crate::folders::own_dir().join("server.log");
    let mut pilotlight = Pilotlight::start(port, &kept_state(), &log, &allowed_hosts())?;
    println!(
        "\n\
         Pilotlight is at http://localhost:{port} (Ctrl-C stops it; data stays in .wrangler/state)\n\
         \n\
         Push a profile:   curl --data-binary @cpu.pprof 'http://localhost:{port}/ingest?name=my.app%7Benv=dev%7D&format=pprof'\n\
         Push demo data:   cargo xtask demo{}\n\
         The server's log: {}\n",
        if port == 4040 {
            String::new()
        } else {
            format!(" --url http://localhost:{port}")
        },
        log.display(),
    );
    let mut last_cron = Instant::now();
    let mut cron_works = true;
    while !interrupted() {
        if let Some(failure) = pilotlight.ended() {
            return Err(failure);
        }
        if last_cron.elapsed() >= Duration::from_secs(60) {
            last_cron = Instant::now();
            let fired = pilotlight.fire_cron();
            // Once is enough: the next minute would say the same.
            if let Err(failure) = &fired
                && cron_works
            {
                println!("{failure}");
            }
            cron_works = fired.is_ok();
        }
        thread::sleep(Duration::from_millis(100));
    }
    println!("\nStopping");
    Ok(())
}

/// The names under which containers reach this machine, if there are some: the server answers as
/// `localhost` without.
fn allowed_hosts() -> Vec<String> {
    let names = std::env::var("ALLOWED_HOSTS");
    names
        .map(|names| format!("ALLOWED_HOSTS:{names}"))
        .into_iter()
        .collect()
}

/// Fills a running server with an hour of made-up history, by the command of the npm package. `run`
/// has built what that needs.
pub(crate) fn demo(url: &str) -> Result<()> {
    Run::new("node")
        .arg(root().join("site/package/pilotlight.mjs"))
        .args(["demo", url])
        .limit(300)
        .show()
        .map_err(|failure| failure.advise("do what the message above says"))
}
