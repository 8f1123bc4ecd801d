//! The built worker on this machine, under control: it can be killed at any moment and started
//! again over what it left.
//!
//! It runs in workerd, with the bucket and the storage of Durable Objects that `wrangler dev` has
//! too, started by `tests/local/serve.mjs`.

pub mod client;
pub mod clock;
pub mod locked;
pub mod process;
pub mod query;

use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::local::clock::now_millis;
use crate::process::Process;

/// The worker starts within two seconds; a loaded machine may take ten times as long.
const START_LIMIT: Duration = Duration::from_secs(60);
/// Longest wait for the names of all objects, a thousand a page.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// What is to run, and where.
#[derive(Clone, Debug)]
pub struct Place {
    /// Bucket, catalog and the server's log.
    pub state: PathBuf,
    /// Of this machine's loopback.
    pub port: u16,
    /// Variables that are not as in `wrangler.toml`.
    pub variables: Vec<(&'static str, String)>,
    /// Whether the worker has the binding to itself: visits and parts of queries are invocations of
    /// their own.
    pub bound_to_itself: bool,
    /// A JavaScript file that stands for the built core behind the shim.
    pub core: Option<PathBuf>,
    /// A JavaScript file that runs before the shim; `tests/local/clock.js` where there is none.
    pub entry: Option<PathBuf>,
    /// How far the worker's clock is ahead of the tests', milliseconds.
    pub ahead: i64,
}

/// A running worker; ends when dropped.
pub struct Local {
    node: Child,
    /// The script ends when this does.
    orders: Option<ChildStdin>,
    answers: Receiver<Value>,
    workerd: Process,
}

/// An object in the bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name.
    pub key: String,
    /// Its length, bytes.
    pub size: u64,
}

/// Objects in the bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// How many segments.
    pub segments: u64,
    /// How many blocks, of any level.
    pub blocks: u64,
    /// Bytes of all of them.
    pub bytes: u64,
}

impl Place {
    /// A place with an empty bucket, on a port that is free.
    pub fn fresh(state: &Path, variables: &[(&'static str, String)]) -> Result<Self, String> {
        let _ = fs::remove_dir_all(state);
        fs::create_dir_all(state).map_err(|e| format!("{}: {e}", state.display()))?;
        Ok(Self {
            state: state.to_owned(),
            port: free_port()?,
            variables: variables.to_vec(),
            bound_to_itself: false,
            core: None,
            entry: None,
            ahead: 0,
        })
    }

    /// Sets the worker's clock: it shows this time now (milliseconds since the epoch), and runs on, also while no worker runs.
    pub fn at(self, millis: i64) -> Self {
        let ahead = millis - now_millis();
        Self { ahead, ..self }
    }

    /// Where the worker answers.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Starts the worker and waits until it answers.
    pub fn start(&self) -> Result<Local, String> {
        let variables: Value = self
            .variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        let wanted = json!({
            "state": self.state,
            "port": self.port,
            "variables": variables,
            "itself": self.bound_to_itself,
            "core": self.core,
            "entry": self.entry,
            "ahead": self.ahead,
        });
        let log = File::options().create(true).append(true).open(self.log());
        let log = log.map_err(|e| format!("{}: {e}", self.log().display()))?;
        let mut node = Command::new("node")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("local/serve.mjs"))
            .arg(wanted.to_string())
            // wrangler would write its own log into the home folder.
            .env("WRANGLER_LOG_PATH", self.state.join("wrangler-logs"))
            .env("WRANGLER_SEND_METRICS", "false")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log.try_clone().map_err(|e| e.to_string())?)
            .spawn()
            .map_err(|e| format!("node: {e}"))?;
        let (orders, stdout) = (
            node.stdin.take(),
            node.stdout.take().ok_or("node has no stdout")?,
        );
        let answers = listen(stdout, log);
        // From here on whatever goes wrong ends the child.
        let mut local = Local {
            node,
            orders,
            answers,
            workerd: Process(0),
        };
        let started = Instant::now();
        while started.elapsed() < START_LIMIT {
            if let Ok(answer) = local.answers.recv_timeout(Duration::from_millis(50)) {
                if answer["ready"].is_string() {
                    local.workerd = local.find_workerd()?;
                    return Ok(local);
                }
                return Err(format!("the worker did not start: {answer}"));
            }
            if let Ok(Some(status)) = local.node.try_wait() {
                return Err(format!(
                    "the worker did not start ({status}): {}",
                    self.last_words()
                ));
            }
        }
        Err(format!(
            "the worker was not up after {} s: {}",
            START_LIMIT.as_secs(),
            self.last_words()
        ))
    }

    /// What the server wrote.
    pub fn log(&self) -> PathBuf {
        self.state.join("server.log")
    }

    /// The last lines that the server wrote.
    pub fn last_words(&self) -> String {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

/// A free port of loopback, not one of those that the system gives to connections: while the worker is down, a client that
/// tries to reach such a port may be given that very port, be connected to itself, and keep the
/// worker from it.
pub fn free_port() -> Result<u16, String> {
    // Tests of one process start several at once, and each finds the port free until its worker has
    // it.
    static ASKED: AtomicU16 = AtomicU16::new(0);
    let asked = ASKED.fetch_add(1, Ordering::Relaxed) % 100;
    let first = (std::process::id() as u16 % 80 * 100 + asked) % 8_000;
    let ports = (0..8_000).map(|step| 20_000 + (first + step) % 8_000);
    let mut free = ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next()
        .ok_or_else(|| "no port from 20000 to 27999 is free".to_owned())
}

/// Passes on the script's answers, and writes to the log what others wrote to its stdout.
fn listen(stdout: ChildStdout, mut log: File) -> Receiver<Value> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            match line.strip_prefix("answer: ").map(serde_json::from_str) {
                // Who asked may have left.
                Some(Ok(answer)) => drop(sender.send(answer)),
                _ => drop(writeln!(log, "{line}")),
            }
        }
    });
    receiver
}

impl Local {
    /// The process that runs the worker, its bucket and its Durable Objects.
    pub fn workerd(&self) -> Process {
        self.workerd
    }

    /// Kills the worker without a word of warning, with all that keeps it up.
    pub fn kill(mut self) -> Result<(), String> {
        let node = Process(self.node.id());
        if !self.workerd.kill_child_of(node) {
            return Err("workerd had ended by itself".to_owned());
        }
        // Its parent waits for it, or it would stay in the list of processes for ever.
        let patience = Instant::now() + Duration::from_secs(1);
        while self.workerd.parent().is_some() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(1));
        }
        self.end()
    }

    /// All objects in the bucket, in order of name.
    pub fn objects(&mut self) -> Result<Vec<Object>, String> {
        let answer = self.ask("objects")?;
        let list = answer["objects"]
            .as_array()
            .ok_or_else(|| answer.to_string())?;
        let object = |pair: &Value| {
            Some(Object {
                key: pair[0].as_str()?.to_owned(),
                size: pair[1].as_u64()?,
            })
        };
        list.iter()
            .map(|pair| object(pair).ok_or_else(|| pair.to_string()))
            .collect()
    }

    /// The most that the heap of JavaScript in the worker's isolate had, in bytes: what was used, and
    /// what V8 had taken for it. Zeros where the variable `PILOTLIGHT_HEAP` is not set.
    pub fn heap(&mut self) -> Result<(u64, u64), String> {
        let answer = self.ask("heap")?;
        let bytes = |name: &str| answer["heap"][name].as_f64().map(|bytes| bytes as u64);
        Option::zip(bytes("used"), bytes("total")).ok_or_else(|| answer.to_string())
    }

    fn ask(&mut self, what: &str) -> Result<Value, String> {
        let orders = self.orders.as_mut().ok_or("the server has ended")?;
        writeln!(orders, "{what}").map_err(|e| e.to_string())?;
        self.answers
            .recv_timeout(ANSWER_LIMIT)
            .map_err(|e| format!("{what}: {e}"))
    }

    /// workerd is the one child of the script, whatever else it may start later.
    fn find_workerd(&self) -> Result<Process, String> {
        match Process(self.node.id()).children().as_slice() {
            [workerd] => Ok(*workerd),
            others => Err(format!(
                "the script that starts workerd has the children {others:?}"
            )),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        self.orders = None;
        self.node
            .kill()
            .and_then(|()| self.node.wait())
            .map(drop)
            .map_err(|e| format!("ending node: {e}"))
    }
}

impl Levels {
    /// For machines.
    pub fn json(&self) -> Value {
        json!({ "segments": self.segments, "blocks": self.blocks, "bytes": self.bytes })
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} segments and {} blocks, {} bytes",
            self.segments, self.blocks, self.bytes
        )
    }
}

impl From<Vec<Object>> for Levels {
    fn from(objects: Vec<Object>) -> Self {
        let count = |end: &str| {
            objects
                .iter()
                .filter(|object| object.key.ends_with(end))
                .count() as u64
        };
        Self {
            segments: count(".seg"),
            blocks: count(".blk"),
            bytes: objects.iter().map(|object| object.size).sum(),
        }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.orders = None;
        let patience = Instant::now() + Duration::from_secs(5);
        while Instant::now() < patience && matches!(self.node.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(10));
        }
        if matches!(self.node.try_wait(), Ok(None)) {
            let node = Process(self.node.id());
            for child in node.children() {
                child.kill_child_of(node);
            }
            let _ = self.end();
        }
    }
}
