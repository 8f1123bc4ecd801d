//! Running other programs: each has a time limit, and none outlives a Ctrl-C.
//!
//! Every child leads a process group of its own, so that ending it ends what it started too.

mod failure;
mod interrupt;
mod ticker;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use failure::{Context, Failure, Result};
pub(crate) use interrupt::{interrupted, watch_for_interrupt};
use ticker::Ticker;

/// A program to run, what it may read, and for how long.
pub(crate) struct Run {
    command: Command,
    limit: Duration,
}

impl Run {
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program);
        command
            .current_dir(crate::folders::root())
            .stdin(Stdio::null())
            .process_group(0);
        Self {
            command,
            limit: Duration::from_secs(60),
        }
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub(crate) fn args<I: IntoIterator<Item: AsRef<OsStr>>>(mut self, args: I) -> Self {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub(crate) fn dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.command.current_dir(dir);
        self
    }

    pub(crate) fn limit(mut self, seconds: u64) -> Self {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// Runs silently and returns what it wrote to stdout; a failure shows the end of what it wrote.
    pub(crate) fn read(self) -> Result<String> {
        self.read_bytes()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// As `read`, for output that is not text.
    pub(crate) fn read_bytes(mut self) -> Result<Vec<u8>> {
        // Files rather than pipes: no threads, and a grandchild that keeps them open holds nothing
        // up.
        let log = log_path(self.command.get_program());
        let out = log.with_extension("out");
        self.command.stdout(create(&out)?).stderr(create(&log)?);
        let outcome = self.finish(true);
        let bytes = fs::read(&out).unwrap_or_default();
        let errors = fs::read(&log).unwrap_or_default();
        let _ = (fs::remove_file(&out), fs::remove_file(&log));
        match outcome {
            Ok(()) => Ok(bytes),
            Err(mut failure) => {
                failure.cause += &quote_end(&String::from_utf8_lossy(&[bytes, errors].concat()));
                Err(failure)
            }
        }
    }

    /// Runs silently with its output in a file.
    pub(crate) fn log(mut self, path: &Path) -> Result<()> {
        let file = create(path)?;
        let both = file.try_clone().context(path.display())?;
        self.command.stdout(both).stderr(file);
        self.finish(false)
    }

    /// Runs with its output on the terminal.
    pub(crate) fn show(mut self) -> Result<()> {
        self.finish(false)
    }

    /// Runs with its stdout in a file and its stderr on the terminal.
    pub(crate) fn show_errors(mut self, stdout: &Path) -> Result<()> {
        self.command.stdout(create(stdout)?);
        self.finish(false)
    }

    /// Runs with its stdout on the terminal and returned too, whether or not it succeeded.
    pub(crate) fn tee(mut self) -> (Result<()>, String) {
        self.command.stdout(Stdio::piped());
        let mut child = match self.spawn() {
            Ok(child) => child,
            Err(failure) => return (Err(failure), String::new()),
        };
        let stdout = child.stdout.take().expect("stdout is piped");
        let reader = thread::spawn(move || {
            let mut text = String::new();
            for line in BufReader::new(stdout)
                .split(b'\n')
                .map_while(std::result::Result::ok)
            {
                let line = String::from_utf8_lossy(&line);
                println!("{line}");
                text.push_str(&line);
                text.push('\n');
            }
            text
        });
        let outcome = self.wait(&mut child, false);
        // A grandchild that left the group may hold the pipe open for ever; do not wait for it.
        let deadline = Instant::now() + Duration::from_secs(5);
        while !reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        let text = if reader.is_finished() {
            reader.join().unwrap_or_default()
        } else {
            String::new()
        };
        (outcome, text)
    }

    /// Starts a server whose output goes to a file.
    pub(crate) fn serve(mut self, log: &Path) -> Result<Server> {
        let file = create(log)?;
        self.command
            .stdout(file.try_clone().context("the log file")?)
            .stderr(file);
        self.spawn().map(|child| Server {
            child,
            log: log.to_path_buf(),
        })
    }

    fn finish(&mut self, heartbeat: bool) -> Result<()> {
        let mut child = self.spawn()?;
        self.wait(&mut child, heartbeat)
    }

    fn spawn(&mut self) -> Result<Child> {
        self.command.spawn().map_err(|error| {
            Failure::new(
                format!("`{}` did not start: {error}", self.name()),
                "is it installed and on PATH?",
            )
        })
    }

    fn wait(&self, child: &mut Child, heartbeat: bool) -> Result<()> {
        let started = Instant::now();
        let mut ticker = Ticker::new(heartbeat);
        let outcome = loop {
            if let Some(status) = child.try_wait().context("waiting for a program")? {
                break self.outcome(status);
            }
            if interrupted() {
                end_group(child);
                break Err(Failure::new("interrupted", ""));
            }
            if started.elapsed() > self.limit {
                end_group(child);
                let seconds = self.limit.as_secs();
                break Err(Failure::new(
                    format!(
                        "`{}` did not finish within {seconds} s and was stopped",
                        self.name()
                    ),
                    "",
                ));
            }
            ticker.tick(started.elapsed());
            // Short programs answer at once; long ones cost nothing to wait for.
            thread::sleep(Duration::from_millis(
                if started.elapsed().as_millis() < 200 {
                    3
                } else {
                    50
                },
            ));
        };
        ticker.clear();
        outcome
    }

    fn outcome(&self, status: ExitStatus) -> Result<()> {
        if status.success() {
            Ok(())
        } else {
            Err(Failure::new(
                format!("`{}` failed ({status})", self.name()),
                "",
            ))
        }
    }

    fn name(&self) -> String {
        let words = std::iter::once(self.command.get_program()).chain(self.command.get_args());
        let text: Vec<_> = words.map(OsStr::to_string_lossy).collect();
        let text = text.join(" ");
        if text.chars().count() <= 120 {
            text
        } else {
            text.chars().take(119).chain(['…']).collect()
        }
    }
}

/// A child that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Its exit status, once it has ended by itself.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// The last lines it wrote.
    pub(crate) fn log_end(&self) -> String {
        quote_end(&fs::read_to_string(&self.log).unwrap_or_default())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end_group(&mut self.child);
    }
}

/// Asks the child's process group to end, and kills it after five seconds.
fn end_group(child: &mut Child) {
    signal_group(child, "TERM");
    let deadline = Instant::now() + Duration::from_secs(5);
    while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(Duration::from_millis(20));
    }
    signal_group(child, "KILL");
    let _ = child.wait();
}

/// Through the shell's own `kill`, since the standard library signals only single processes.
fn signal_group(child: &Child, signal: &str) {
    let script = format!("kill -s {signal} -- -{}", child.id());
    let _ = Command::new("sh")
        .args(["-c", &script])
        .stderr(Stdio::null())
        .status();
}

/// The last 20 lines, indented, on a line of their own.
fn quote_end(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let end = &lines[lines.len().saturating_sub(20)..];
    end.iter().map(|line| format!("\n  | {line}")).collect()
}

fn create(path: &Path) -> Result<File> {
    fs::create_dir_all(path.parent().expect("a log file is in a folder"))
        .context(path.display())?;
    File::create(path).context(path.display())
}

/// A file that no other run of a program uses, in this process or another.
fn log_path(program: &OsStr) -> PathBuf {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let name = Path::new(program)
        .file_name()
        .map_or_else(OsString::new, OsStr::to_os_string);
    crate::folders::own_dir().join(format!(
        "{}-{}-{}.log",
        name.to_string_lossy(),
        std::process::id(),
        RUNS.fetch_add(1, Ordering::Relaxed)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Run {
        Run::new("sh").args(["-c", script])
    }

    #[test]
    fn a_program_is_ended_with_all_that_it_started_when_its_time_is_over() {
        let started = Instant::now();
        let trace = crate::folders::own_dir().join(format!("grandchild-{}", std::process::id()));
        let script = format!("(sleep 2; touch '{}') & wait", trace.display());
        let failure = sh(&script).limit(1).read().unwrap_err();
        assert!(
            failure.cause.contains("did not finish within 1 s"),
            "{}",
            failure.cause
        );
        assert!(
            started.elapsed() < Duration::from_secs(5),
            "it ended when asked, before we insisted"
        );
        thread::sleep(Duration::from_millis(2500).saturating_sub(started.elapsed()));
        assert!(!trace.exists(), "the grandchild lived on");
    }

    #[test]
    fn a_failure_shows_the_end_of_what_the_program_wrote() {
        let failure = sh("echo to stdout; echo to stderr >&2; exit 3")
            .read()
            .unwrap_err();
        assert!(
            failure.cause.contains("exit status: 3"),
            "{}",
            failure.cause
        );
        assert!(
            failure.cause.contains("\n  | to stdout\n  | to stderr"),
            "{}",
            failure.cause
        );
    }

    #[test]
    fn a_server_ends_when_dropped() {
        let log = crate::folders::own_dir().join(format!("server-test-{}.log", std::process::id()));
        let started = Instant::now();
        let mut server = sh("sleep 600 & wait").serve(&log).unwrap();
        assert!(server.ended().is_none());
        drop(server);
        fs::remove_file(&log).unwrap();
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
