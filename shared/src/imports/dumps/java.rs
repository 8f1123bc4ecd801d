//! Dumps of Java's threads: of `jstack`, `jcmd PID Thread.print` and SIGQUIT, and the texts and JSON
//! of `jcmd PID Thread.dump_to_file`.
//!
//! Source: `Thread::print_on` and `java_lang_Throwable::print_stack_element` of HotSpot,
//! `jdk/internal/vm/ThreadDumper.java`, versions 8 to 25.
//!
//! - Each thread of each dump in a file is a sample. Its name is the label `thread`, its state the
//!   label `state`; a thread of the VM without a state has the word of its first line.
//! - Threads of a deadlock are printed twice and count once.
//! - Locks and what a compiler works on are left out.

use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::imports::dumps::is_number;
use crate::imports::dumps::thread::Thread;
use crate::imports::error::FormatError;
use crate::imports::json::reader::{Problem, Reader};
use crate::imports::rows::{Rows, lines};

/// What it is called in messages.
pub(crate) const NAME: &str = "Java thread dump";

/// What stands before the state of a thread, and before the first thread of a dump.
const STATE: &str = "java.lang.Thread.State: ";
const BEGIN: &str = "Full thread dump ";
/// Begins the stacks of a deadlock.
const DEADLOCK: &str = "Java stack information for the threads listed above";

/// Whether a line says so, or the file begins as `Thread.dump_to_file` writes it; and a thread.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let any = |test: fn(&str) -> bool| {
        let mut lines = start.lines();
        lines.any(|line| str::from_utf8(line).is_ok_and(test))
    };
    start.json == Some(JsonFormat::JavaThreads)
        || (any(|line| line.starts_with(BEGIN) || line.trim_start().starts_with(STATE))
            || is_dumped_to_file(start))
            && any(|line| Head::of(line).is_some())
}

/// A process, a time and a version.
fn is_dumped_to_file(start: Start<'_>) -> bool {
    let mut lines = start.lines();
    let process = lines.next().unwrap_or(b"");
    let time = lines.next().unwrap_or(b"");
    process.iter().all(u8::is_ascii_digit) && time.ends_with(b"Z") && time.contains(&b'T')
}

/// Reads a text, or JSON.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reading {
        rows: Rows::new(NAME, bytes.len()),
        threads: 0,
        open: None,
        is_deadlock: false,
        homeless: 0,
        unread: 0,
    };
    reader.threads = reader.rows.sample_type("threads", "count")?;
    if Start::of(bytes).text.starts_with(b"{") {
        let mut json = Reader::of(bytes, NAME)?;
        reader.json(&mut json).map_err(|problem| problem.of(NAME))?;
        return reader.rows.finish();
    }
    for (number, line) in lines(bytes) {
        reader
            .line(&line)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        reader.rows.check()?;
    }
    reader.end();
    for (count, what) in [
        (reader.homeless, "frames outside of threads are left out"),
        (
            reader.unread,
            "lines in threads are unrecognized and left out",
        ),
    ] {
        reader.rows.warnings.count(count, what);
    }
    reader.rows.finish()
}

struct Reading {
    rows: Rows,
    threads: usize,
    /// The thread whose frames come, and its state.
    open: Option<(Thread, String)>,
    is_deadlock: bool,
    /// Frames outside of threads.
    homeless: u64,
    /// Lines in threads that are no frames.
    unread: u64,
}

impl Reading {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(head) = Head::of(line) {
            self.end();
            self.is_deadlock = false;
            self.begin(head.name, head.state);
            return Ok(());
        }
        let text = line.trim_start();
        if text.is_empty() {
            self.end();
            return Ok(());
        }
        let is_frame = text.starts_with("at ");
        let Some((thread, state)) = &mut self.open else {
            self.is_deadlock =
                (self.is_deadlock || text.starts_with(DEADLOCK)) && !text.starts_with(BEGIN);
            self.homeless += u64::from(is_frame && !self.is_deadlock);
            return Ok(());
        };
        if let Some(text) = text.strip_prefix(STATE) {
            text.clone_into(state);
        } else if let Some((name, file, number)) = frame(text) {
            return push(&mut self.rows, thread, &name, file, number);
        } else {
            // Locks and more are indented or have a dash.
            let is_detail = line.starts_with([' ', '\t', '-']) && text != "...";
            self.unread += u64::from(is_frame || !is_detail);
        }
        Ok(())
    }

    fn begin(&mut self, name: &str, state: &str) {
        let name = (!name.is_empty()).then(|| self.rows.text("thread", name));
        let thread = Thread::new(name.into_iter().collect());
        self.open = Some((thread, state.to_owned()));
    }

    fn end(&mut self) {
        if let Some((mut thread, state)) = self.open.take() {
            if !state.is_empty() {
                thread.labels.push(self.rows.text("state", &state));
            }
            thread.end(&mut self.rows, self.threads);
        }
    }

    /// Reads the lists of threads in lists of containers.
    fn json(&mut self, json: &mut Reader<'_>) -> Result<(), Problem> {
        json.object(&mut |json, key| match key {
            "threadDump" => json.object(&mut |json, key| match key {
                "threadContainers" => json.list(&mut |json| {
                    json.object(&mut |json, key| match key {
                        "threads" => json.list(&mut |json| self.json_thread(json)),
                        _ => json.skip(),
                    })
                }),
                _ => json.skip(),
            }),
            _ => json.skip(),
        })
    }

    fn json_thread(&mut self, json: &mut Reader<'_>) -> Result<(), Problem> {
        self.begin("", "");
        json.object(&mut |json, key| {
            let Some((thread, state)) = &mut self.open else {
                return json.skip();
            };
            let rows = &mut self.rows;
            match key {
                "name" => {
                    let name = json.text()?;
                    if !name.is_empty() {
                        thread.labels.push(rows.text("thread", &name));
                    }
                }
                "state" => *state = json.text()?.into_owned(),
                "stack" => json.list(&mut |json| {
                    let text = json.text()?;
                    match frame(&text) {
                        Some((name, file, line)) => push(rows, thread, &name, file, line),
                        None => push(rows, thread, &text, "", 0),
                    }
                    .map_err(|problem| json.problem(problem))
                })?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        self.end();
        self.rows
            .check()
            .map_err(|error| json.problem(error.problem))
    }
}

fn push(
    rows: &mut Rows,
    thread: &mut Thread,
    name: &str,
    file: &str,
    line: i64,
) -> Result<(), String> {
    let function = rows.function(name, file);
    let location = rows.location(None, function, line);
    thread.push(location)
}

/// The first line of a thread.
struct Head<'a> {
    name: &'a str,
    /// Empty where it has none.
    state: &'a str,
}

impl<'a> Head<'a> {
    fn of(line: &'a str) -> Option<Self> {
        // `#12 "name" virtual RUNNABLE 2026-01-01T00:00:00Z`
        if let Some(rest) = line.strip_prefix('#') {
            let (number, rest) = rest.split_once(" \"")?;
            let (name, rest) = rest.rsplit_once('"')?;
            let mut words = rest.split_ascii_whitespace();
            let is_state = |word: &&str| word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
            let state = words.find(is_state).unwrap_or("");
            return is_number(number).then_some(Self { name, state });
        }
        // `"name" #12 daemon prio=5 os_prio=0 tid=0x1 nid=0x2 runnable  [0x3]`
        let (name, rest) = line.strip_prefix('"')?.rsplit_once('"')?;
        let mut words = rest.split(' ');
        let is_head = rest.starts_with(' ')
            && words.any(|word| word.starts_with("prio=") || word.starts_with("os_prio="));
        let state = rest
            .split_once(" nid=")
            .and_then(|(_, rest)| rest.split_once(' '))
            .map_or("", |(_, rest)| rest.split(" [0x").next().unwrap_or(rest));
        let state = state.trim();
        is_head.then_some(Self { name, state })
    }
}

/// Name, file and line of `at java.base@17/java.lang.Thread.run(Thread.java:840)` in the ways that
/// it is written, and of `- java.lang.Thread.run() @bci=1, line=840 (Interpreted frame)`.
fn frame(text: &str) -> Option<(String, &str, i64)> {
    if let Some((call, rest)) = text
        .strip_prefix("- ")
        .and_then(|text| text.split_once(" @bci="))
    {
        let name = call.split('(').next().unwrap_or(call);
        let line = rest.split_once("line=").map_or("", |(_, line)| line);
        let digits = line.split(|c: char| !c.is_ascii_digit()).next();
        let line = digits.and_then(|digits| digits.parse().ok()).unwrap_or(0);
        return Some((name.to_owned(), "", line));
    }
    let text = text.strip_prefix("at ").unwrap_or(text);
    let (name, place) = text.strip_suffix(')')?.split_once('(')?;
    if name.is_empty() || name.contains(' ') {
        return None;
    }
    let place = place.rsplit('/').next().unwrap_or(place);
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (file, line.parse().unwrap_or(0)),
        None if matches!(place, "Native Method" | "Unknown Source") => ("", 0),
        None => (place, 0),
    };
    Some((without_module(name).to_owned(), file, line))
}

/// Less loader and module: `java.base/a.B.c` and `app//a.B.c` are `a.B.c`. Classes that are hidden
/// have an address behind a slash, too: `a.B$$Lambda/0x12.run`.
fn without_module(name: &str) -> &str {
    let class = match name.find("/0x") {
        Some(address) => &name[..address],
        None => name,
    };
    match class.rfind('/') {
        Some(slash) => &name[slash + 1..],
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::check_threads;

    fn check(text: &str, expect: &str, warnings: &[&str]) {
        check_threads(sniff, decode, text, expect, warnings);
    }

    #[test]
    fn threads_of_two_dumps() {
        check(
            "7:\n2026-01-01 00:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n\
             \"a \"b\" #1\" #12 daemon prio=5 os_prio=0 tid=0x1 nid=0x2 runnable  [0x3]\n\
             \x20  java.lang.Thread.State: RUNNABLE\n\
             \tat T.spin(T.java:5)\n\t- locked <0x1> (a java.lang.Object)\n\
             \tat T$$Lambda$1/0x00a8.run(Unknown Source)\n\
             \tat java.lang.Thread.run(java.base@17/Thread.java:840)\n\n\
             \x20  Locked ownable synchronizers:\n\t- None\n\n\
             \"VM Thread\" os_prio=0 tid=0x4 nid=0x5 waiting on condition  \n\n\
             JNI global refs: 4\n\n\
             Found one Java-level deadlock:\n=====\n\"x\":\n  waiting to lock monitor 0x1,\n\n\
             Java stack information for the threads listed above:\n====\n\"x\":\n\tat X.y(X.java:1)\n\n\
             8:\nFull thread dump OpenJDK\n\n\"c\" #2 [9] prio=5 os_prio=0 tid=0x1  [0x3]\n\
             \x20  Carrying virtual thread #4\n\tat jdk.A.park(java.base@21/Native Method)\n\t...\n",
            "java.lang.Thread.run Thread.java:840;T$$Lambda$1/0x00a8.run;T.spin T.java:5 \
             thread=a \"b\" #1 state=RUNNABLE 1\n \
             thread=VM Thread state=waiting on condition 1\n\
             jdk.A.park thread=c 1\n",
            &["1 lines in threads are unrecognized and left out"],
        );
    }

    #[test]
    fn dumps_to_a_file() {
        check(
            "7\n2026-01-01T00:00:00.1Z\n25+9\n\n#3 \"main\" TIMED_WAITING 2026-01-01T00:00:00Z\n\
             \x20   at java.base/java.lang.Thread.sleep(Thread.java:540)\n\
             \x20   - waiting on <java.lang.Object@6f>\n    at V.main(V.java:10)\n\n\
             #27 \"\" virtual RUNNABLE 2026-01-01T00:00:00Z\n    at app//V.f(V.java:7)\n\n\
             #28 \"v 1\" virtual\n      java.base/java.lang.VirtualThread.park(Native Method)\n",
            "V.main V.java:10;java.lang.Thread.sleep Thread.java:540 \
             thread=main state=TIMED_WAITING 1\n\
             V.f V.java:7 state=RUNNABLE 1\n\
             java.lang.VirtualThread.park thread=v 1 1\n",
            &[],
        );
        check(
            r#"{"threadDump":{"processId":"7","threadContainers":[{"container":"<root>","threads":[
            {"tid":"3","name":"main","state":"WAITING","stack":["java.base\/java.lang.A.b(A.java:5)",
            "V.main(V.java:10)"]},{"tid":"4","name":"","stack":[]}]},{"threads":null}]}}"#,
            "V.main V.java:10;java.lang.A.b A.java:5 thread=main state=WAITING 1\n 1\n",
            &[],
        );
    }

    #[test]
    fn frames_of_the_debugger_and_without_a_thread() {
        check(
            "Full thread dump X\n\tat a.B.c(B.java:1)\n\
             \"main\" #1 prio=5 tid=0x1 nid=0x2 runnable [0x0]\n   java.lang.Thread.State: RUNNABLE\n\
             \x20  JavaThread state: _thread_blocked\n\
             \x20- java.lang.Thread.sleep(long) @bci=0 (Interpreted frame)\n\
             \x20- T.main(java.lang.String[]) @bci=71, line=16 (Interpreted frame)\nodd\n",
            "T.main:16;java.lang.Thread.sleep thread=main state=RUNNABLE 1\n",
            &[
                "1 frames outside of threads are left out",
                "1 lines in threads are unrecognized and left out",
            ],
        );
    }

    #[test]
    fn knows_its_own() {
        let is = |text: &str| sniff(Start::of(text.as_bytes()));
        assert!(!is("Full thread dump\n"));
        assert!(!is("7\n2026-01-01T00:00:00Z\n1\n"));
        assert!(!is("\"a\" #1 prio=5\n\tat a.B.c(B.java)\n"));
        assert!(!is("#3 \"main\"\n"));
        assert!(!is(
            "Exception in thread \"main\" X\n\tat a.B.c(B.java:1)\n"
        ));
    }
}
