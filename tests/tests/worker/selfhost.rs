//! The folder of `cargo xtask selfhost`, run as on a machine that has nothing else: workerd, a bucket
//! behind S3 in this process, and a clock that fires the schedule.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use pilotlight_core::pprof::{encode, encode_gzip};
use pilotlight_core::store::read_chunk;
use pilotlight_s3::{ACCESS_KEY_ID, BUCKET, SECRET_ACCESS_KEY, Server};
use pilotlight_tests::client::Client;
use pilotlight_tests::clock::machine_millis;
use pilotlight_tests::drawn;
use pilotlight_tests::local::free_port;
use pilotlight_tests::oracle::Oracle;
use sha2::{Digest, Sha256};

use crate::shared::hour_a_week_before;

/// An administrator's token, of the shape that every token has.
const TOKEN: &str = "plt_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

/// The hour of what is pushed, seconds. Nothing moves the clock of `bin/pilotlight`.
static FROM: LazyLock<u64> = LazyLock::new(|| hour_a_week_before(machine_millis()));

/// Pushes: more segments than make a compaction due.
const DUE: u64 = 64;

/// Longest wait for the start, and for the clock, which fires each second here.
const PATIENCE: Duration = Duration::from_secs(150);

fn folder() -> PathBuf {
    PathBuf::from(std::env::var("PILOTLIGHT_SELFHOST").expect(
        "PILOTLIGHT_SELFHOST names a folder that `cargo xtask selfhost` made: cargo xtask test sets it",
    ))
}

/// `bin/pilotlight`; ends when dropped.
struct Running {
    child: Child,
    client: Client,
    url: String,
}

impl Running {
    fn start(server: &Server, state: &Path) -> Self {
        let port = free_port().expect("a port");
        let digest: String = Sha256::digest(TOKEN)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let child = Command::new(folder().join("bin/pilotlight"))
            .env("LISTEN", format!("127.0.0.1:{port}"))
            .env("STATE_DIR", state)
            .env("S3_ENDPOINT", server.endpoint())
            .env("S3_BUCKET", BUCKET)
            .env("S3_ACCESS_KEY_ID", ACCESS_KEY_ID)
            .env("S3_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY)
            .env("ADMIN_TOKEN_SHA256", digest)
            .env("FLUSH_MS", "20")
            .env("SCHEDULE_SECONDS", "1")
            .stdin(Stdio::null())
            .spawn()
            .expect("bin/pilotlight starts");
        let running = Self {
            child,
            // As agents send it: the password of the URL.
            client: Client::new(&format!("http://anonymous:{TOKEN}@127.0.0.1:{port}")),
            url: format!("http://127.0.0.1:{port}"),
        };
        let began = Instant::now();
        while !running
            .client
            .get("/healthz")
            .is_ok_and(|answer| answer.status == 200)
        {
            assert!(began.elapsed() < PATIENCE, "workerd does not answer");
            thread::sleep(Duration::from_millis(50));
        }
        running
    }

    fn push(&self, second: u64) -> String {
        let path = format!(
            "/ingest?name=on.my.own&format=pprof&from={0}&until={0}",
            *FROM + second
        );
        let profile = encode_gzip(&drawn::profile(&format!(
            "cpu/nanoseconds\nmain;work {}\nmain;rest 3",
            second + 1
        )));
        let answer = self
            .client
            .post(&path, "application/octet-stream", &profile)
            .expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.header("x-pilotlight-push").unwrap_or("").to_owned()
    }

    /// The first so many pushes are found, each once.
    fn check(&self, pushes: u64) {
        let query = "query=process_cpu:cpu:nanoseconds::%7Bservice_name%3D%22on.my.own%22%7D";
        let path = format!(
            "/api/v1/profile?{query}&from={}&until={}",
            *FROM * 1000,
            (*FROM + 3600) * 1000
        );
        let answer = self.client.get(&path).expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
        let found = Oracle::read(&encode(
            &read_chunk(&answer.body, |_, _| true).expect("a chunk"),
        ));
        let work: i128 = (1..=i128::from(pushes)).sum();
        assert_eq!(found.total(0), work + 3 * i128::from(pushes));
    }
}

impl Drop for Running {
    /// Without a word of warning, as a machine ends that loses power.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until the clock has fired the schedule and the schedule has compacted.
fn compacted(server: &Server, blocks: usize) -> usize {
    let began = Instant::now();
    loop {
        let keys = server.store().keys();
        let found = keys.iter().filter(|key| key.contains("/l1/")).count();
        if found > blocks {
            return found;
        }
        assert!(
            began.elapsed() < PATIENCE,
            "the clock does not fire: {keys:?}"
        );
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn pushed_compacted_killed_and_started_again() {
    let server = Server::start(0).expect("a free port");
    let state = std::env::temp_dir().join(format!("pilotlight-selfhost-{}", std::process::id()));
    let running = Running::start(&server, &state);
    let contract = running
        .client
        .post("/api/v1/admin/bucket-check", "", b"")
        .expect("an answer");
    assert_eq!(contract.json()["ok"], true, "{:#}", contract.json());
    pages(&running.url);
    locked(&running.url);
    for second in 0..DUE {
        assert_eq!(running.push(second), "stored");
    }
    running.check(DUE);
    let blocks = compacted(&server, 0);
    running.check(DUE);
    let metrics = running.client.get("/metrics").expect("an answer").text();
    assert!(
        metrics.contains("pilotlight_month_bill_dollars 0"),
        "nothing is paid to Cloudflare: {metrics}"
    );
    drop(running);

    let running = Running::start(&server, &state);
    running.check(DUE);
    assert_eq!(running.push(7), "repeated");
    for second in DUE..2 * DUE {
        assert_eq!(running.push(second), "stored");
    }
    compacted(&server, blocks);
    running.check(2 * DUE);
    drop(running);
    let _ = std::fs::remove_dir_all(&state);
}

/// The site, as Cloudflare's static assets answer it: without a token.
fn pages(url: &str) {
    let client = Client::new(url);
    let get = |path: &str| client.get(path).expect("an answer");
    let first = get("/");
    assert_eq!(first.status, 200);
    assert_eq!(
        first.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(first.header("etag").is_some());
    // The client follows to the address without an ending.
    assert_eq!(get("/explore.html?from=now-1h").body, get("/explore").body);
    let html = first.text();
    let asset = html
        .split('"')
        .find_map(|word| word.strip_prefix('.').filter(|path| path.ends_with(".js")));
    let script = get(asset.expect("the page has a script"));
    assert_eq!(
        script.header("content-type"),
        Some("text/javascript; charset=utf-8")
    );
    assert_eq!(get("/assets/").status, 404);
    assert_eq!(get("/worker/shim.js").status, 404);
}

/// Whoever has no token pushes nothing and sees nothing.
fn locked(url: &str) {
    let client = Client::new(url);
    let push = client.post("/ingest?name=a&format=pprof", "", b"x");
    assert_eq!(push.expect("an answer").status, 401);
    for path in ["/metrics", "/api/v1/services", "/api/v1/admin/tokens"] {
        assert_eq!(client.get(path).expect("an answer").status, 401, "{path}");
    }
}

/// What containers are made of is in the folder, and none of the operator's secrets are.
#[test]
fn the_container_has_what_the_folder_has() {
    let text = std::fs::read_to_string(folder().join("Containerfile")).expect("a Containerfile");
    let joined = text.replace("\\\n", " ");
    let lines = joined
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        let (instruction, rest) = line
            .split_once(' ')
            .expect("an instruction and its arguments");
        let known = [
            "FROM",
            "RUN",
            "COPY",
            "USER",
            "ENV",
            "VOLUME",
            "EXPOSE",
            "ENTRYPOINT",
        ];
        assert!(known.contains(&instruction), "{line}");
        if instruction == "COPY" {
            let (from, _) = rest.split_once(' ').expect("from where to where");
            assert!(folder().join(from).exists(), "{line}");
            assert!(!from.contains("env") && from != ".", "{line}");
        }
        if instruction == "ENTRYPOINT" {
            assert_eq!(rest, r#"["/opt/pilotlight/bin/pilotlight"]"#);
        }
    }
}

/// As systemd reads it, where systemd is.
#[test]
fn systemd_takes_the_unit() {
    let unit = std::fs::read_to_string(folder().join("pilotlight.service")).expect("a unit");
    let here = folder().join("bin/pilotlight").display().to_string();
    let placed = std::env::temp_dir().join("pilotlight-selfhost.service");
    std::fs::write(
        &placed,
        unit.replace("/opt/pilotlight/bin/pilotlight", &here),
    )
    .expect("a file");
    match Command::new("systemd-analyze")
        .arg("verify")
        .arg(&placed)
        .output()
    {
        Ok(output) => {
            let says = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                output.status.success() && !says.contains("pilotlight"),
                "{says}"
            );
        }
        Err(error) => println!("skipped: systemd-analyze: {error}"),
    }
    let _ = std::fs::remove_file(&placed);
}

#[test]
fn a_configuration_that_lacks_something_is_refused() {
    let refused = |name: &str, value: &str, says: &str| {
        let output = Command::new(folder().join("bin/pilotlight"))
            .env("LISTEN", "127.0.0.1:0")
            .env(
                "STATE_DIR",
                std::env::temp_dir().join("pilotlight-selfhost-refused"),
            )
            .env("S3_ENDPOINT", "http://127.0.0.1:9")
            .env("S3_BUCKET", BUCKET)
            .env("S3_ACCESS_KEY_ID", ACCESS_KEY_ID)
            .env("S3_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY)
            .env(name, value)
            .output()
            .expect("bin/pilotlight starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && text.contains(says), "{text}");
    };
    refused("S3_BUCKET", "", "S3_BUCKET is not set");
    refused("FLUSH_MS", "soon", "variable FLUSH_MS must be a number");
    refused(
        "SCHEDULE_SECONDS",
        "never",
        "variable SCHEDULE_SECONDS must be a number from 1 (got never",
    );
}
