//! Dumps of what all threads of a program do at a moment. Each thread is a sample.

pub(crate) mod debugger;
pub(crate) mod goroutines;
pub(crate) mod java;
mod thread;

/// Whether a text is a number without a sign.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
