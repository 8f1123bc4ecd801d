//! What parts of the tests share: what is built, and the servers that run.

use crate::folders::{TARGET, own_dir, root, target_dir};
use crate::proc::{Result, Run};
use crate::serve::{Pilotlight, free_port};
use crate::setup::Tools;
use crate::{build, selfhost};
use std::fs;
use std::path::PathBuf;

/// What the parts share.
pub(super) struct Fixtures {
    pub(super) tools: Tools,
    pub(super) server: Option<Pilotlight>,
    /// A second worker with a bucket behind S3, and the port where it expects that. A test plays
    /// the bucket.
    pub(super) on_s3: Option<(Pilotlight, u16)>,
    pub(super) core_wasm: Option<PathBuf>,
    /// The folder for machines without Cloudflare.
    pub(super) selfhost: Option<PathBuf>,
    /// The part "rust" also builds the programs that tests start. Cargo builds them alone with
    /// other features, which takes a minute more.
    pub(super) programs_are_built: bool,
}

impl Fixtures {
    /// Builds all and starts the worker on a free port with an empty bucket.
    pub(super) fn serve(&mut self) -> Result<()> {
        build::build(&self.tools)?;
        self.core_wasm = Some(self.guest()?);
        let folder = own_dir().join("test-selfhost");
        let _ = fs::remove_dir_all(&folder);
        selfhost::folder(&folder)?;
        self.selfhost = Some(folder);
        self.server = Some(Self::start("test", &[])?);
        let port = free_port()?;
        let vars = [
            "BUCKET_BACKEND:s3".to_owned(),
            format!("S3_ENDPOINT:http://127.0.0.1:{port}"),
            "S3_BUCKET:profiles".to_owned(),
            "S3_ACCESS_KEY_ID:pilotlight-tests".to_owned(),
            "S3_SECRET_ACCESS_KEY:not-a-secret-on-loopback".to_owned(),
        ];
        self.on_s3 = Some((Self::start("test-s3", &vars)?, port));
        Ok(())
    }

    /// Starts a worker with nothing stored. Tests push for minutes, one profile after the other: as
    /// a fleet they would wait.
    fn start(name: &str, vars: &[String]) -> Result<Pilotlight> {
        let vars = [&["FLUSH_MS:100".to_owned()], vars].concat();
        let state = own_dir().join(format!("{name}-state"));
        let _ = fs::remove_dir_all(&state);
        Pilotlight::start(
            free_port()?,
            &state,
            &own_dir().join(format!("{name}-server.log")),
            &vars,
        )
    }

    /// The core alone as a WASM module, for wasmtime.
    fn guest(&self) -> Result<PathBuf> {
        let wasm = &self.tools.wasm;
        let manifest = root().join("tests/guest/Cargo.toml");
        wasm.cargo()
            .args([
                "rustc",
                "--release",
                "--quiet",
                "--target",
                TARGET,
                "--crate-type",
                "cdylib",
                "--manifest-path",
            ])
            .arg(manifest)
            .env("CARGO_TARGET_DIR", wasm.target_dir())
            .limit(1200)
            .show()?;
        Ok(wasm
            .target_dir()
            .join(TARGET)
            .join("release/pilotlight_guest.wasm"))
    }

    /// Tells tests where the server, the browser and the core's WASM are.
    pub(super) fn with_server(&self, run: Run) -> Run {
        let port = self.server.as_ref().map_or(0, Pilotlight::port);
        let mut run = run.env("PILOTLIGHT_URL", format!("http://127.0.0.1:{port}"));
        if let Some((server, port)) = &self.on_s3 {
            run = run.env(
                "PILOTLIGHT_S3_URL",
                format!("http://127.0.0.1:{}", server.port()),
            );
            run = run.env("PILOTLIGHT_S3_PORT", port.to_string());
        }
        if let Some(path) = &self.core_wasm {
            run = run.env("PILOTLIGHT_CORE_WASM", path);
        }
        if let Some(path) = &self.selfhost {
            run = run.env("PILOTLIGHT_SELFHOST", path);
        }
        if let Some(path) = &self.tools.chromium {
            run = run.env("CHROMIUM", path);
        }
        if let Some(path) = &self.tools.firefox {
            run = run.env("FIREFOX", path);
        }
        if self.programs_are_built {
            run = run.env("PILOTLIGHT_BINARIES", target_dir().join("debug"));
        }
        run.limit(1200)
    }
}
