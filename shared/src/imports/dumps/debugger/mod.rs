//! Backtraces of all threads, as debuggers print them: `thread apply all bt` of gdb (pstack and
//! gstack do the same), `bt all` of lldb, and eu-stack.
//!
//! Source: "Backtraces" in the manual of gdb, `thread-format` and `frame-format` of lldb, and
//! `src/stack.c` of elfutils.
//!
//! - Each thread is a sample. Its name, or else its number, is the label `thread`, and its dispatch
//!   queue the label `queue`. Several dumps in a file add up.
//! - A backtrace without the line of a thread is a thread.
//! - Arguments and variables are left out. A function without a name is its address.

mod frame;

use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::dumps::is_number;
use crate::imports::dumps::thread::Thread;
use crate::imports::error::FormatError;
use crate::imports::rows::{Rows, lines};
use crate::model::profile::Label;
use frame::{Brackets, location};

/// What it is called in messages.
pub(crate) const NAME: &str = "backtraces of a debugger";

/// Whether there is a thread's line, and the line of a first frame below it; or a first and a second
/// frame as gdb writes them.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let lines = start.lines().filter_map(|line| str::from_utf8(line).ok());
    let (mut is_thread, mut is_first) = (false, false);
    for line in lines {
        let frame = numbered(line);
        let is_frame = |wanted| frame.is_some_and(|(number, _)| number == wanted);
        let of_gdb = line.starts_with('#')
            && frame.is_some_and(|(_, text)| text.starts_with("0x") && text.contains(" in "));
        if is_thread && is_frame(0) || is_first && of_gdb && is_frame(1) {
            return true;
        }
        is_first = of_gdb && is_frame(0);
        is_thread = head(line).is_some();
    }
    false
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader {
        rows: Rows::new(NAME, bytes.len()),
        threads: 0,
        open: None,
        frame: String::new(),
        brackets: Brackets::default(),
        cut_off: 0,
    };
    reader.threads = reader.rows.sample_type("threads", "count")?;
    for (number, line) in lines(bytes) {
        reader
            .line(&line)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        reader.rows.check()?;
    }
    let result = reader.end();
    result.map_err(|problem| FormatError::new(NAME, problem))?;
    if reader.cut_off > 0 {
        let count = reader.cut_off;
        reader.rows.warnings.add(|| {
            format!(
                "{count} stacks have more frames than were printed; what is left hangs at the root"
            )
        });
    }
    reader.rows.finish()
}

struct Reader {
    rows: Rows,
    threads: usize,
    open: Option<Open>,
    /// The frame that the next lines may belong to; empty for none.
    frame: String,
    /// Those of the frame.
    brackets: Brackets,
    /// Stacks of which the debugger printed the first frames only.
    cut_off: u64,
}

struct Open {
    thread: Thread,
    /// The number that the next frame has.
    next: u64,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(labels) = head(line) {
            self.end()?;
            let labels = labels
                .map(|(key, value)| self.rows.text(key, value))
                .collect();
            self.begin(labels);
        } else if let Some((number, text)) = numbered(line) {
            self.flush()?;
            let next = self.open.as_ref().map(|open| open.next);
            if next.is_none() || number == 0 && next > Some(0) {
                self.end()?;
                self.begin(Vec::new());
            }
            if let Some(open) = &mut self.open {
                open.next = number.saturating_add(1);
            }
            text.clone_into(&mut self.frame);
            self.brackets = Brackets::default();
            self.brackets.read(text);
        } else if line.contains("(More stack frames follow") {
            self.cut_off += 1;
        } else if !self.frame.is_empty() {
            // gdb breaks lines between arguments and before the place; variables begin otherwise.
            let text = line.trim_start();
            let goes_on = text.starts_with("at ") || text.starts_with("from ");
            if line.starts_with("    ") && (goes_on || !self.brackets.are_closed()) {
                self.brackets.read(text);
                self.frame.push(' ');
                self.frame.push_str(text);
            } else {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, labels: Vec<Label>) {
        self.open = Some(Open {
            thread: Thread::new(labels),
            next: 0,
        });
    }

    /// Adds the frame that is read.
    fn flush(&mut self) -> Result<(), String> {
        let text = std::mem::take(&mut self.frame);
        match &mut self.open {
            Some(open) if !text.is_empty() => {
                let location = location(&mut self.rows, &text);
                open.thread.push(location)
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        self.flush()?;
        // Lists of threads have such lines, too, and no frames.
        if let Some(open) = self.open.take().filter(|open| open.next > 0) {
            open.thread.end(&mut self.rows, self.threads);
        }
        Ok(())
    }
}

/// The labels of a thread, of which a line of these is the first:
/// `Thread 2 (Thread 0x7f (LWP 12) "name"):`, `Thread 2 (LWP 12):`, `TID 12:`,
/// `* thread #1, name = 'a', queue = 'b', stop reason = signal SIGSTOP`.
fn head(line: &str) -> Option<impl Iterator<Item = (&'static str, &str)>> {
    let (mut thread, mut queue) = (None, None);
    if let Some(rest) = line.strip_prefix("Thread ") {
        let (number, rest) = rest.strip_suffix(':')?.split_once(" (")?;
        let rest = rest.strip_suffix(')')?;
        let named = rest
            .split_once('"')
            .and_then(|(_, name)| name.strip_suffix('"'));
        let number = is_number(number).then_some(number)?;
        let process = rest.find("LWP ").map(|at| {
            let id = &rest[at..];
            id.find(')').map_or(id, |end| &id[..end])
        });
        thread = named.or(process).or(Some(number));
    } else if let Some(rest) = line.strip_prefix("TID ") {
        let number = rest.strip_suffix(':')?;
        thread = Some(is_number(number).then_some(number)?);
    } else {
        let rest = line
            .trim_start_matches([' ', '*'])
            .strip_prefix("thread #")?;
        for (place, part) in rest.split(", ").enumerate() {
            let quoted = |key: &str| part.strip_prefix(key)?.strip_suffix('\'');
            if place == 0 {
                let number = part.split(':').next().unwrap_or(part);
                thread = Some(is_number(number).then_some(part)?);
            } else if let Some(name) = quoted("name = '") {
                thread = Some(name);
            } else if let Some(name) = quoted("queue = '") {
                queue = Some(name);
            }
        }
    }
    let labels = [("thread", thread), ("queue", queue)];
    Some(
        labels
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?))),
    )
}

/// Number and rest of `#0  main () at a.c:5` or `* frame #0: 0x1 a.out`main + 4`.
fn numbered(line: &str) -> Option<(u64, &str)> {
    let text = match line.strip_prefix('#') {
        Some(text) => text,
        None => line
            .trim_start_matches([' ', '*'])
            .strip_prefix("frame #")?,
    };
    let end = text.find([' ', ':'])?;
    let (number, text) = text.split_at(end);
    let text = text.strip_prefix(':').unwrap_or(text).trim();
    Some((number.parse().ok().filter(|_| !text.is_empty())?, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{check_threads, drawn};

    fn check(text: &str, expect: &str, warnings: &[&str]) {
        check_threads(sniff, decode, text, expect, warnings);
    }

    #[test]
    fn threads_of_gdb() {
        check(
            "[New LWP 12]\n0x01 in pause () at p.c:1\n\n\
             Thread 2 (Thread 0x7f (LWP 12) \"wor\"k (er\"):\n\
             #0  0x00007f in pause () at ../p.c:29\n\
             #1  0x000055 in Box<S>::run (this=0x1, m=std::map with 1 element = {...}, \
             s=0x5 \"str (with) \\\"q\\\" at a:1\") at t.cpp:8\n        x = (1\nNo locals.\n\
             #2  operator() (f=0x5 <(anonymous namespace)::stop()>,\n    n=1)\n    at t.cpp:12\n\
             #3  0x01 in ns::_Invoker<int (*)()>::operator()(void) (this=0x5) at b.h:259\n\
             #4  0x07 in (anonymous namespace)::stop () at t.cpp:10\n\
             #5  <signal handler called>\n\
             #6  0x08 in foo(int) () from /lib/x.so\n#7  0x09 in ?? () from /lib/y.so\n\
             (More stack frames follow...)\n\n\
             Thread 1 (LWP 11):\n#0  main () at a b.c:5\n[Inferior 1 detached]\n",
            "0x9 [y.so];foo(int);<signal handler called>;(anonymous namespace)::stop t.cpp:10;\
             ns::_Invoker<int (*)()>::operator()(void) b.h:259;operator() t.cpp:12;\
             Box<S>::run t.cpp:8;pause ../p.c:29 thread=wor\"k (er 1\n\
             main a b.c:5 thread=LWP 11 1\n",
            &["1 stacks have more frames than were printed; what is left hangs at the root"],
        );
    }

    #[test]
    fn threads_of_lldb() {
        check(
            "(lldb) bt all\n* thread #1, queue = 'com.apple.main-thread', stop reason = signal SIGSTOP\n\
             \x20 * frame #0: 0x00007ff libsystem_kernel.dylib`mach_msg_trap + 10\n\
             \x20   frame #1: 0x0000001 a.out`ns::f(int, char) + 32\n\
             \x20   frame #2: 0x0000002 a.out`ns::T<int>::g(this=0x1, s=\"(\") at main.cpp:12:5 [opt]\n\
             \x20   frame #3: 0x0000003 a.out`main [inlined] at main.cpp:13\n\
             \x20 thread #2, name = 'worker'\n    frame #0: 0x4 a.out`-[A b:] + 3\n",
            "main main.cpp:13;ns::T<int>::g main.cpp:12:5;ns::f(int, char);mach_msg_trap \
             thread=1 queue=com.apple.main-thread 1\n\
             -[A b:] thread=worker 1\n",
            &[],
        );
    }

    #[test]
    fn threads_of_eu_stack_and_of_nobody() {
        check(
            "PID 7 - process\nTID 7:\n#0  0x00007f __poll - /lib/libc.so.6\n#1  0x01 main - /a\n\
             TID 8:\n#0  0x02 f\n",
            "main;__poll thread=7 1\nf thread=8 1\n",
            &[],
        );
        let text = "#0  f () at a.c:1\n#1  main () at a.c:2\n#0  g () at a.c:3\n";
        assert!(!sniff(Start::of(text.as_bytes())));
        let profile = decode(text.as_bytes()).expect("good").profile;
        assert_eq!(
            drawn(&profile),
            "threads/count\nmain a.c:2;f a.c:1 1\ng a.c:3 1\n"
        );
    }

    #[test]
    fn knows_its_own() {
        let is = |text: &str| sniff(Start::of(text.as_bytes()));
        assert!(!is("Thread 2 (LWP 12):\n"));
        assert!(!is("Thread 2 (LWP 12):\n#1  f ()\n"));
        assert!(!is("  thread #1: tid = 7\n  thread #2: tid = 8\n"));
        assert!(is("#0  0x1 in f ()\n#1  0x2 in main ()\n"));
        assert!(!is("#0 {main}\n#1 {main}\n"));
        assert!(!is("a;b 1\n"));
    }
}
