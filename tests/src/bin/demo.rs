//! Fills a running Pilotlight with an hour of made-up history: `demo http://localhost:4040`.
//! `demo --write FOLDER` writes two of the profiles to files instead, before and after the deploy.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pilotlight_tests::client::Client;
use pilotlight_tests::clock::now_millis;
use pilotlight_tests::demo::{DEPLOY_SECONDS, Kind, Moment, SERVICES, history};

/// Pushes at the same time. They share objects, so more of them cost little and end sooner: the
/// 1,680 profiles are there before the worker takes them for a fleet that can wait.
const PARALLEL: usize = 32;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["--write", folder] => write_files(Path::new(folder)),
        [url] if url.starts_with("http://") => push_all(url.trim_end_matches('/')),
        _ => Err("usage: demo http://HOST:PORT, or demo --write FOLDER".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("demo: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn push_all(url: &str) -> Result<(), String> {
    let client = Client::new(url);
    match client.get("/healthz") {
        Ok(answer) if answer.status == 200 => {}
        Ok(answer) => {
            return Err(format!(
                "{url}/healthz returned {}: is this a Pilotlight?",
                answer.status
            ));
        }
        Err(problem) => {
            return Err(format!(
                "{url} does not answer ({problem}); start it with: cargo xtask run"
            ));
        }
    }
    let started = Instant::now();
    let end = now_millis() / 1_000;
    let moments = history();
    let (next, done, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicU64::new(0));
    let failure = thread::scope(|scope| {
        let worker = || -> Result<(), String> {
            while let Some(moment) = moments.get(next.fetch_add(1, Ordering::Relaxed)) {
                match push(&client, moment, end) {
                    Ok(length) => bytes.fetch_add(length, Ordering::Relaxed),
                    Err(problem) => {
                        // The others stop at their next one.
                        next.store(moments.len(), Ordering::Relaxed);
                        return Err(problem);
                    }
                };
                done.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        };
        let workers: Vec<_> = (0..PARALLEL).map(|_| scope.spawn(worker)).collect();
        while workers.iter().any(|w| !w.is_finished()) {
            print!(
                "\rpushing profiles: {} of {}",
                done.load(Ordering::Relaxed),
                moments.len()
            );
            let _ = std::io::stdout().flush();
            thread::sleep(Duration::from_millis(100));
        }
        println!(
            "\rpushing profiles: {} of {}",
            done.load(Ordering::Relaxed),
            moments.len()
        );
        workers
            .into_iter()
            .filter_map(|w| w.join().expect("a worker does not panic").err())
            .next()
    });
    if let Some(problem) = failure {
        return Err(problem);
    }
    let (seconds, kilobytes) = (started.elapsed().as_secs_f64(), bytes.into_inner() / 1000);
    println!(
        "{} profiles, {kilobytes} kB, in {seconds:.1} s",
        moments.len()
    );
    for service in &SERVICES {
        let versions = if service.version == service.next_version {
            format!("version {}", service.version)
        } else {
            let minutes = DEPLOY_SECONDS / 60;
            let (old, new) = (service.version, service.next_version);
            format!(
                "version {old}, since {minutes} minutes {new}, which is slower: compare the two"
            )
        };
        println!("  {:<14}regions eu and us, {versions}", service.name);
    }
    println!("\nLook at them: {url}/");
    Ok(())
}

/// Pushes one profile, again where the server asks for it; says how many bytes it had.
fn push(client: &Client, moment: &Moment, end: i64) -> Result<u64, String> {
    /// With a pause that grows to two seconds this is half a minute.
    const ATTEMPTS: u32 = 20;
    let (query, body) = moment.push(end);
    let path = format!("/ingest?{query}");
    let mut last = String::new();
    for attempt in 0..ATTEMPTS {
        match client.post(&path, "application/octet-stream", &body) {
            Ok(answer) if answer.status == 200 => return Ok(body.len() as u64),
            Ok(answer) if matches!(answer.status, 429 | 503) => last = answer.text(),
            Ok(answer) => {
                return Err(format!(
                    "the server answered {}: {}",
                    answer.status,
                    answer.text()
                ));
            }
            Err(problem) => last = problem,
        }
        thread::sleep(Duration::from_millis(
            u64::from(100 * (attempt + 1)).min(2000),
        ));
    }
    Err(format!(
        "a push failed {ATTEMPTS} times, at last with: {last}"
    ))
}

fn write_files(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for before_end in [DEPLOY_SECONDS + 60, DEPLOY_SECONDS - 60] {
        let moment = Moment {
            service: &SERVICES[0],
            region: "eu",
            kind: Kind::Cpu,
            before_end,
        };
        let path = folder.join(format!("checkout-{}.pb.gz", moment.version()));
        // A fixed end: the same files every time.
        std::fs::write(&path, moment.push(1_790_000_000).1)
            .map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}
