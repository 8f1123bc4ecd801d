//! What Linux says of other processes, from `/proc`.

use std::fs;
use std::process::{Command, Stdio};

/// Ticks of processor time a second, which is 100 on every Linux (`USER_HZ`).
const TICKS_A_SECOND: u64 = 100;

/// A process, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(pub u32);

impl Process {
    /// The processes that it started and that have not been waited for.
    pub fn children(self) -> Vec<Process> {
        let entries = fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .filter_map(Result::ok);
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers
            .map(Process)
            .filter(|child| child.parent() == Some(self))
            .collect()
    }

    /// Who started it; `None` when it is gone.
    pub fn parent(self) -> Option<Process> {
        self.stat_field(1)?.parse().ok().map(Process)
    }

    /// Most memory that it has had at once, kilobytes.
    pub fn peak_kilobytes(self) -> Option<u64> {
        self.status_kilobytes("VmHWM:")
    }

    /// Memory that it has now, kilobytes.
    pub fn kilobytes(self) -> Option<u64> {
        self.status_kilobytes("VmRSS:")
    }

    /// Processor time that it has used, in its own code and in the kernel, milliseconds.
    pub fn cpu_millis(self) -> Option<u64> {
        let ticks = |field| self.stat_field(field)?.parse::<u64>().ok();
        Some((ticks(11)? + ticks(12)?) * 1000 / TICKS_A_SECOND)
    }

    /// Ends it at once, as long as `parent` is who started it: its number may be another's by now.
    pub fn kill_child_of(self, parent: Process) -> bool {
        if self.parent() != Some(parent) {
            return false;
        }
        // The standard library signals only its own children; every shell has this one built in.
        let script = format!("kill -s KILL {}", self.0);
        let killed = Command::new("sh")
            .args(["-c", &script])
            .stderr(Stdio::null())
            .status();
        killed.is_ok_and(|status| status.success())
    }

    fn status_kilobytes(self, name: &str) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches("kB").trim().parse().ok()
    }

    /// A field of `/proc/<number>/stat`, counted from the one behind the name, which may have any
    /// characters in it.
    fn stat_field(self, index: usize) -> Option<String> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0)).ok()?;
        let (_, behind) = stat.rsplit_once(')')?;
        behind.split_whitespace().nth(index).map(str::to_owned)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_seen_and_killed_by_its_parent_only() {
        let own = Process(std::process::id());
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let process = Process(child.id());
        assert!(own.children().contains(&process));
        assert!(process.kilobytes().unwrap() <= process.peak_kilobytes().unwrap());
        assert!(process.cpu_millis().unwrap() < 1_000);
        assert!(!process.kill_child_of(Process(1)), "not its parent");
        assert!(child.try_wait().unwrap().is_none());
        assert!(process.kill_child_of(own));
        assert!(!child.wait().unwrap().success());
        assert_eq!(process.parent(), None);
    }
}
