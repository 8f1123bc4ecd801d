//! Published profiling agents against the worker under workerd: each profiles a program that spends
//! three quarters of its time in one function, and queries find that function with that share.
//!
//! The worker wants a token, which each agent shows in its own way.
//!
//! [`published`] lists them. `cargo xtask setup --test` installs the agents. An agent whose language is missing on this
//! machine is skipped, with a message.

mod published;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use pilotlight_tests::client::Client;
use pilotlight_tests::clock::machine_millis;
use pilotlight_tests::local::Place;
use pilotlight_tests::locked::Locked;
use pilotlight_tests::query::{Merged, array, rpc};
use serde_json::json;

use published::{AGENTS, Agent, Labels};

/// Agents upload every 4 to 10 s.
const SECONDS: u64 = 12;
/// Agents start, run for `SECONDS` and upload the rest, all of them at once on two cores.
const PATIENCE: Duration = Duration::from_secs(90);

#[test]
fn every_agent_shows_the_hot_function() {
    let agents = available();
    if agents.is_empty() {
        return;
    }
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("agents");
    let worker = Locked::start(&state, &[("FLUSH_MS", "1".to_owned())]);
    let push = worker.token("agents", "push");
    let runs: Vec<Run> = agents
        .iter()
        .map(|agent| Run::start(agent, &worker.place, &push))
        .collect();
    let client = worker.client("agents", "read");
    let found: Vec<String> = runs
        .into_iter()
        .filter_map(|run| run.finish().and_then(|agent| check(&client, agent)).err())
        .collect();
    assert!(
        found.is_empty(),
        "{}\n{}",
        found.join("\n"),
        worker.place.last_words()
    );
}

/// The agents that the set-up made; says which are missing.
fn available() -> Vec<&'static Agent> {
    let (there, missing): (Vec<&Agent>, Vec<&Agent>) = AGENTS
        .iter()
        .partition(|agent| made().join(agent.needs).exists());
    for agent in missing {
        let name = agent.name;
        println!(
            "skipped: {name}: cargo xtask setup --test has not made {}",
            agent.needs
        );
    }
    there
}

/// What `xtask/src/setup/agents.rs` made.
fn made() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    target
        .expect("target/tmp has a parent")
        .join("xtask/agents")
}

/// A profiled program under way.
struct Run {
    agent: &'static Agent,
    child: Child,
    log: PathBuf,
}

impl Run {
    fn start(agent: &'static Agent, place: &Place, token: &str) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents");
        let word = |word: &str| {
            word.replace("{made}", &made().to_string_lossy())
                .replace("{here}", &here.to_string_lossy())
        };
        let words: Vec<String> = agent.command.iter().map(|part| word(part)).collect();
        let log = place.state.join(format!("{}.log", agent.application));
        let file = File::create(&log).expect("a log");
        let child = Command::new(&words[0])
            .args(&words[1..])
            // It would move the clock of Node.
            .env_remove("NODE_OPTIONS")
            .env("AGENT_SERVER", place.url())
            .env("AGENT_APPLICATION", agent.application)
            .env("AGENT_SECONDS", SECONDS.to_string())
            .env("AGENT_TOKEN", token)
            .env("PYROSCOPE_AUTH_TOKEN", token)
            .env("PYROSCOPE_SERVER_ADDRESS", place.url())
            .env("PYROSCOPE_APPLICATION_NAME", agent.application)
            .env("PYROSCOPE_UPLOAD_INTERVAL", "4s")
            .envs(
                agent
                    .variables
                    .iter()
                    .map(|(name, value)| (name, word(value))),
            )
            .stdout(file.try_clone().expect("a log"))
            .stderr(file)
            .spawn()
            .unwrap_or_else(|e| panic!("{}: {e}", words[0]));
        Self { agent, child, log }
    }

    /// Waits until the program has ended by itself.
    fn finish(mut self) -> Result<&'static Agent, String> {
        let problem = match self.wait() {
            Some(status) if status.success() => return Ok(self.agent),
            Some(status) => status.to_string(),
            None => format!("still running after {} s", PATIENCE.as_secs()),
        };
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        Err(format!("{}: {problem}\n{log}", self.agent.name))
    }

    fn wait(&mut self) -> Option<ExitStatus> {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(50));
        }
        None
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks for what the agent must have left behind.
fn check(client: &Client, agent: &Agent) -> Result<(), String> {
    let problem = |text: String| format!("{}: {text}", agent.name);
    let service = agent.service;
    let process = match agent.labels {
        Labels::Both => format!("{{service_name=\"{service}\",region=\"eu\"}}"),
        Labels::Lost => format!("{{service_name=\"{service}\"}}"),
    };
    let range = lately();
    for id in agent.types {
        let merged = Merged::ask(client, id, &process, range).map_err(problem)?;
        if merged.total <= 0 {
            let types = types(client, range);
            return Err(problem(format!(
                "no {id} of {process}; there are {types:?}"
            )));
        }
    }
    let time = agent.types[0];
    let all = Merged::ask(client, time, &process, range).map_err(problem)?;
    println!(
        "{}: hot {:.1} %, mild {:.1} % of {} of {time}",
        agent.name,
        share(&all, "hotwork") * 100.0,
        share(&all, "mildwork") * 100.0,
        all.total
    );
    let (hot, mild) = (share(&all, "hotwork"), share(&all, "mildwork"));
    // The rest is the runtime: its start, its compiler, its collector, the agent itself.
    if hot + mild < 0.5 || !(0.6..0.9).contains(&(hot / (hot + mild))) {
        return Err(problem(format!(
            "hot {hot}, mild {mild}: {:?}",
            all.functions
        )));
    }
    if agent.labels == Labels::Lost {
        return Ok(());
    }
    let labelled = process.replace('}', ",step=\"hot\"}");
    let labelled = Merged::ask(client, time, &labelled, range).map_err(problem)?;
    let inside = share(&labelled, "hotwork");
    // A sample may fall between a label and its function.
    if inside < 0.9 || (labelled.total as f64) < 0.9 * hot * all.total as f64 {
        return Err(problem(format!(
            "step=\"hot\" has {} of {}, {inside} of it hot: {:?}",
            labelled.total, all.total, labelled.functions
        )));
    }
    Ok(())
}

/// How much of the total is in functions whose name has this word: `hot_work` in Python and Rust,
/// `hotWork` elsewhere, with the file or the module before it.
fn share(merged: &Merged, word: &str) -> f64 {
    let of = |name: &str| name.to_lowercase().replace('_', "").contains(word);
    let functions = merged.functions.iter().filter(|(name, _)| of(name));
    let sum: i64 = functions.map(|(_, total)| total).sum();
    sum as f64 / merged.total.max(1) as f64
}

/// All types that there are, for messages.
fn types(client: &Client, (start, end): (i64, i64)) -> Vec<String> {
    let answer = rpc(
        client,
        "ProfileTypes",
        &json!({ "start": start, "end": end }),
    );
    let answer = answer.unwrap_or_default();
    let types = array(&answer["profileTypes"]).iter();
    let ids = types.filter_map(|kind| kind["ID"].as_str().map(str::to_owned));
    ids.collect()
}

/// An hour on either side of now by the agents' clock, milliseconds.
fn lately() -> (i64, i64) {
    const HOUR: i64 = 3_600_000;
    let now = machine_millis();
    (now - HOUR, now + HOUR)
}
