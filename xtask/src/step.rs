//! Announcing what happens: `[3/9] wasm32 standard library: found in the active toolchain`.

use crate::proc::Result;
use std::io::Write;
use std::time::Instant;

/// Counts the steps of one command.
pub(crate) struct Steps {
    done: Vec<StepTime>,
    total: usize,
}

/// How long a step took.
#[derive(Clone, Debug)]
pub(crate) struct StepTime {
    pub(crate) name: String,
    pub(crate) seconds: f64,
}

/// The step that runs now.
pub(crate) struct Step {
    /// The line with the name is still open: the result can follow on it.
    open: bool,
}

impl Steps {
    pub(crate) fn new(total: usize) -> Self {
        Self {
            done: Vec::new(),
            total,
        }
    }

    /// The steps so far.
    pub(crate) fn into_times(self) -> Vec<StepTime> {
        self.done
    }

    /// Does one step. The text that the work returns is printed behind the name.
    pub(crate) fn run<T>(
        &mut self,
        name: &str,
        work: impl FnOnce(&mut Step) -> Result<(T, String)>,
    ) -> Result<T> {
        print!("[{}/{}] {name}:", self.done.len() + 1, self.total);
        let _ = std::io::stdout().flush();
        let started = Instant::now();
        let mut step = Step { open: true };
        let outcome = work(&mut step);
        self.done.push(StepTime {
            name: name.to_owned(),
            seconds: started.elapsed().as_secs_f64(),
        });
        match outcome {
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
    /// Ends the line with the name: the result gets one of its own.
    pub(crate) fn end_line(&mut self) {
        if self.open {
            println!();
        }
        self.open = false;
    }

    /// A step for another thread; it prints whole lines.
    pub(crate) fn for_thread() -> Self {
        Self { open: false }
    }

    /// Prints a line of its own about what is being tried.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) {
        self.end_line();
        println!("      {}", text.as_ref());
    }
}
