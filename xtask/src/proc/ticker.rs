//! Progress of quiet programs.

use std::io::{IsTerminal, Write};
use std::time::Duration;

/// A counter of seconds on a terminal, else a line every 30 s.
pub(super) struct Ticker {
    on: bool,
    terminal: bool,
    shown: u64,
}

impl Ticker {
    pub(super) fn new(on: bool) -> Self {
        Self {
            on,
            terminal: std::io::stdout().is_terminal(),
            shown: 0,
        }
    }

    pub(super) fn tick(&mut self, elapsed: Duration) {
        let seconds = elapsed.as_secs();
        if !self.on || seconds == self.shown {
            return;
        }
        if self.terminal {
            self.shown = seconds;
            print!("\x1b7 {seconds} s\x1b8");
            let _ = std::io::stdout().flush();
        } else if seconds >= self.shown + 30 {
            self.shown = seconds;
            println!("      … {seconds} s");
        }
    }

    pub(super) fn clear(&self) {
        if self.on && self.terminal && self.shown > 0 {
            print!("\x1b[K");
            let _ = std::io::stdout().flush();
        }
    }
}
