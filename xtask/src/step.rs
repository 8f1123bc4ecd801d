//! Announcing what happens: `[3/9] wasm32 standard library: found in the active toolchain`.

use crate::proc::Result;
use std::io::Write;
use std::time::Instant;

/// Counts the steps of one command.
pub(crate) struct Steps {
    done: usize,
    total: usize,
}

/// The step that runs now.
pub(crate) struct Step {
    /// The line with the name is still open: the result can follow on it.
    open: bool,
}

impl Steps {
    pub(crate) fn new(total: usize) -> Self {
        Self { done: 0, total }
    }

    /// Does one step. The text that the work returns is printed behind the name.
    pub(crate) fn run<T>(
        &mut self,
        name: &str,
        work: impl FnOnce(&mut Step) -> Result<(T, String)>,
    ) -> Result<T> {
        self.done += 1;
        print!("[{}/{}] {name}:", self.done, self.total);
        let _ = std::io::stdout().flush();
        let started = Instant::now();
        let mut step = Step { open: true };
        match work(&mut step) {
            Ok((value, text)) => {
                let seconds = started.elapsed().as_secs();
                let time = if seconds == 0 {
                    String::new()
                } else {
                    format!(" in {seconds} s")
                };
                println!("{}{text}{time}", if step.open { " " } else { "      " });
                Ok(value)
            }
            Err(mut failure) => {
                println!("{}failed", if step.open { " " } else { "      " });
                failure.step.get_or_insert_with(|| name.to_owned());
                Err(failure)
            }
        }
    }
}

impl Step {
    /// Prints a line of its own about what is being tried.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) {
        if self.open {
            println!();
        }
        self.open = false;
        println!("      {}", text.as_ref());
    }
}
