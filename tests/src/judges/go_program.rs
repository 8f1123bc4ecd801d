//! The program of `tests/pgo`: profiled, and built with a profile. Nothing of it needs a network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::go;

/// What the compiler says of the program's hot calls when a profile names them, and else does not.
const GUIDED: [&str; 3] = [
    "PGO devirtualizing interface call how.add to plain.add",
    "inlining call to plain.add",
    // Found by a name with types, which is not shown to people.
    "inlining call to mix[go.shape.uint64]",
];

/// The program, built in a folder.
pub struct Program {
    folder: PathBuf,
    /// Go's own cache.
    cache: PathBuf,
}

impl Program {
    /// Builds go to the folder `name` below `temporary`. `None` on machines without Go.
    pub fn new(temporary: &Path, name: &str) -> Option<Self> {
        let folder = temporary.join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let cache = temporary.join("go-cache");
        go::available().then_some(Self { folder, cache })
    }

    /// The CPU profile of a run.
    pub fn profile(&self) -> Vec<u8> {
        self.build("profiled", &["-tags=profile"]);
        let path = self.path("cpu.pb.gz");
        let mut run = Command::new(self.path("profiled"));
        run.env("CPU_PROFILE", &path);
        said(&mut run);
        fs::read(path).expect("a profile")
    }

    /// Builds and runs the program with a profile: the compiler uses it, and the program does what
    /// it did without.
    pub fn check(&self, profile: &[u8]) {
        let path = self.path("default.pgo");
        fs::write(&path, profile).expect("a file");
        let pgo = format!("-pgo={}", path.display());
        let plain = self.build("plain", &["-pgo=off", "-gcflags=-m=2"]);
        let guided = self.build("guided", &[&pgo, "-gcflags=-m=2"]);
        for expect in GUIDED {
            assert!(!plain.contains(expect), "{expect} without a profile");
            assert!(guided.contains(expect), "no {expect} in:\n{guided}");
        }
        let mut version = self.go();
        version.args(["version", "-m"]).arg(self.path("guided"));
        let output = version.output().expect("go runs");
        let settings = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(settings.contains("-pgo="), "{settings}");
        let sums = ["plain", "guided"].map(|name| said(&mut Command::new(self.path(name))));
        assert!(sums[0].starts_with("sum "), "{sums:?}");
        assert_eq!(sums[0], sums[1]);
    }

    /// The path of a file that a build or a run wrote.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Builds it under a name, and gives what the compiler said.
    fn build(&self, name: &str, options: &[&str]) -> String {
        let mut build = self.go();
        build.arg("build").args(options);
        build.arg("-o").arg(self.path(name)).arg(".");
        said(&mut build)
    }

    /// Go among the program's sources, with what it has on this machine.
    fn go(&self) -> Command {
        let mut go = Command::new("go");
        go.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("pgo"))
            .env("GOCACHE", &self.cache)
            .env("GOFLAGS", "-mod=readonly -buildvcs=false")
            .env("GOPROXY", "off")
            .env("GOTOOLCHAIN", "local");
        go
    }
}

/// What a command that has to succeed writes to stderr.
fn said(command: &mut Command) -> String {
    let Output { status, stderr, .. } = command.output().expect("it runs");
    let text = String::from_utf8_lossy(&stderr).into_owned();
    assert!(status.success(), "{command:?}: {status}\n{text}");
    text
}
