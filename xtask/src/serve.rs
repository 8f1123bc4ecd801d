//! Pilotlight under wrangler: the worker, its embedded bucket and the site, on this machine only.

use crate::folders::root;
use crate::proc::{Context, Failure, Result, Run, Server, interrupted};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// workerd starts within two seconds; a loaded CI machine may take ten times as long.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A running Pilotlight; ends when dropped.
pub(crate) struct Pilotlight {
    server: Server,
    port: u16,
}

impl Pilotlight {
    /// Starts it and waits until it answers. The bucket and the catalog live under `state`; `vars`
    /// stand above those of `wrangler.toml`, as `NAME:VALUE`.
    pub(crate) fn start(port: u16, state: &Path, log: &Path, vars: &[String]) -> Result<Self> {
        check_port(port)?;
        let server = Run::new("node")
            .args([
                "xtask/npm/node_modules/wrangler/bin/wrangler.js",
                "dev",
                "--local",
            ])
            .args([
                "--ip",
                "127.0.0.1",
                "--port",
                &port.to_string(),
                "--inspector-port",
                "0",
            ])
            // The route /__scheduled, by which `fire_cron` reaches the cron handler. (The
            // documented /cdn-cgi/handler/scheduled fails in wrangler 4.86 when a worker has static
            // assets.)
            .args([
                "--test-scheduled",
                "--show-interactive-dev-session=false",
                "--log-level=log",
            ])
            .arg("--persist-to")
            .arg(state)
            // On this machine only: whoever can reach the loopback may do everything.
            .args(["--var", "AUTH:open"])
            // Nobody here takes what others need.
            .args(["--var", "LIMITS:{\"ingestion_rate_mb\":0}"])
            .args(vars.iter().flat_map(|var| ["--var", var]))
            .env("WRANGLER_SEND_METRICS", "false")
            .env("WRANGLER_HIDE_BANNER", "true")
            .env(
                "WRANGLER_LOG_PATH",
                crate::folders::own_dir().join("wrangler-logs"),
            )
            // It would ask a server for the location of this machine.
            .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
            .serve(log)?;
        let mut pilotlight = Self { server, port };
        pilotlight.wait_until_healthy()?;
        Ok(pilotlight)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The reason, once the server has ended by itself.
    pub(crate) fn ended(&mut self) -> Option<Failure> {
        let status = self.server.ended()?;
        Some(Failure::new(
            format!(
                "wrangler exited unexpectedly ({status}):{}",
                self.server.log_end()
            ),
            "",
        ))
    }

    /// What the cron trigger does every minute where this is deployed; wrangler leaves it to us.
    pub(crate) fn fire_cron(&self) -> Result<()> {
        match get(
            self.port,
            "/__scheduled?cron=*+*+*+*+*",
            Duration::from_secs(50),
        ) {
            Ok(200) => Ok(()),
            Ok(status) => Err(Failure::new(
                format!("the cron handler returned {status}"),
                "",
            )),
            Err(error) => Err(Failure::new(
                format!("the cron handler did not answer: {error}"),
                "",
            )),
        }
    }

    fn wait_until_healthy(&mut self) -> Result<()> {
        let started = Instant::now();
        let mut last = String::new();
        while started.elapsed() < START_LIMIT {
            if interrupted() {
                return Err(Failure::new("interrupted", ""));
            }
            if let Some(failure) = self.ended() {
                return Err(failure);
            }
            match get(self.port, "/healthz", Duration::from_secs(5)) {
                Ok(200) => return Ok(()),
                Ok(status) => last = format!("/healthz returned {status}"),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    last = "/healthz did not answer within 5 s".into();
                }
                Err(error) => last = error.to_string(),
            }
            thread::sleep(Duration::from_millis(100));
        }
        let log = self.server.log_end();
        Err(Failure::new(
            format!(
                "the worker was not ready after {} s ({last}):{log}",
                START_LIMIT.as_secs()
            ),
            "",
        ))
    }
}

/// The ports over 1023 that browsers and Node's fetch refuse to connect to:
/// <https://fetch.spec.whatwg.org/#port-blocking>. wrangler cannot reach its own server there.
const BLOCKED_PORTS: [u16; 19] = [
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
    6679, 6697, 10080,
];

/// Fails unless the port is free and browsers open it.
pub(crate) fn check_port(port: u16) -> Result<()> {
    if BLOCKED_PORTS.contains(&port) {
        return Err(Failure::new(
            format!("browsers refuse to open port {port}"),
            "choose another one with --port",
        ));
    }
    TcpListener::bind(("127.0.0.1", port))
        .map(drop)
        .map_err(|error| {
            Failure::new(
                format!("port {port} on this machine is not free: {error}"),
                "stop the program that uses it, or choose another one with --port",
            )
        })
}

/// Serves the built site without the worker, until dropped.
pub(crate) fn pages(port: u16) -> Result<Server> {
    // Without the site's own configuration, which passes calls of the API on to the worker, and
    // without a page for paths that are no file: the site takes a 404 to mean that there is no
    // worker.
    let script = format!(
        "import {{ preview }} from 'vite'; \
         await preview({{ configFile: false, appType: 'mpa', preview: {{ host: '127.0.0.1', port: {port}, strictPort: true }} }});"
    );
    Run::new("node")
        .args(["--input-type=module", "--eval", &script])
        .dir(root().join("site"))
        .serve(&crate::folders::own_dir().join("pages.log"))
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("looking for a free port")?;
    Ok(listener
        .local_addr()
        .context("looking for a free port")?
        .port())
}

/// The status of a GET to this machine. HTTP/1.0, so that the answer ends with the connection.
fn get(port: u16, path: &str, limit: Duration) -> std::io::Result<u16> {
    let mut stream = TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)), limit)?;
    stream.set_read_timeout(Some(limit))?;
    write!(
        stream,
        "GET {path} HTTP/1.0\r\nHost: localhost:{port}\r\n\r\n"
    )?;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer)?;
    let status = std::str::from_utf8(&answer)
        .ok()
        .and_then(|text| text.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok());
    status.ok_or_else(|| std::io::Error::other("the response is not HTTP"))
}

/// Where `cargo xtask run` keeps the bucket between runs.
pub(crate) fn kept_state() -> PathBuf {
    root().join(".wrangler/state")
}
