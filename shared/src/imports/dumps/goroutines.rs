//! Dumps of all goroutines, as a Go program prints them when it panics and as
//! `/debug/pprof/goroutine?debug=2` answers.
//!
//! Each goroutine is a sample. Its state is the label `state`, how long it has been in it the label
//! `wait`, and the function that began it the label `created_by`.

use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::dumps::is_number;
use crate::imports::dumps::thread::Thread;
use crate::imports::error::FormatError;
use crate::imports::rows::{Rows, lines};
use crate::model::profile::Label;

/// What it is called in messages.
pub(crate) const NAME: &str = "goroutine dump";

/// Whether a goroutine is near the beginning: below what the program said when it ended, and before.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.texts().any(|line| head(line).is_some())
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    let goroutine = rows.sample_type("goroutine", "count")?;
    let mut open: Option<Goroutine> = None;
    let mut outside = 0u64;
    for (number, line) in lines(bytes) {
        let error = |problem: String| FormatError::at_line(NAME, number, problem);
        if let Some(state) = head(&line) {
            end(&mut rows, goroutine, open.take());
            open = Some(begin(&mut rows, state));
        } else if line.is_empty() {
            end(&mut rows, goroutine, open.take());
        } else if let Some(current) = &mut open {
            read(&mut rows, current, number, &line).map_err(error)?;
        } else if !rows.builder.profile().is_empty() {
            // Before the first goroutine stands why the program ended.
            outside += 1;
        }
        rows.check()?;
    }
    end(&mut rows, goroutine, open);
    if outside > 0 {
        rows.warnings
            .add(|| format!("{outside} lines outside of goroutines are left out"));
    }
    rows.finish()
}

struct Goroutine {
    thread: Thread,
    /// The function whose place the next line has.
    function: Option<String>,
}

/// What stands between the brackets of `goroutine 7 [chan receive, 5 minutes]:`.
fn head(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("goroutine ")?.strip_suffix(':')?;
    let (number, rest) = rest.split_once(' ')?;
    let (_, state) = rest.split_once('[')?;
    let (state, _) = state.rsplit_once(']')?;
    is_number(number).then_some(state)
}

fn begin(rows: &mut Rows, state: &str) -> Goroutine {
    let mut parts = state.split(", ");
    let mut labels = vec![rows.text("state", parts.next().unwrap_or(""))];
    for part in parts {
        let minutes = part.strip_suffix(" minutes");
        if let Some(minutes) = minutes.and_then(|minutes| minutes.parse().ok()) {
            labels.push(rows.number("wait", minutes, "minutes"));
            break;
        }
    }
    Goroutine {
        thread: Thread::new(labels),
        function: None,
    }
}

fn read(
    rows: &mut Rows,
    goroutine: &mut Goroutine,
    number: usize,
    line: &str,
) -> Result<(), String> {
    if let Some(place) = line.strip_prefix(['\t', ' ']) {
        // Without a function it is where the goroutine was created.
        if let Some(function) = goroutine.function.take() {
            let (file, line) = file_and_line(place.trim());
            add(rows, goroutine, &function, file, line)?;
        }
        return Ok(());
    }
    let creator = line.strip_prefix("created by ");
    let call = line.rsplit_once('(').filter(|_| line.ends_with(')'));
    if creator.is_none() && call.is_none() {
        rows.warn_left_out(number, "not a call", line);
        return Ok(());
    }
    if let Some(function) = goroutine.function.take() {
        add(rows, goroutine, &function, "", 0)?;
    }
    if let Some(creator) = creator {
        let creator = creator.split(" in goroutine ").next().unwrap_or(creator);
        let labels = &mut goroutine.thread.labels;
        if labels.iter().all(|label| !is(rows, label, "created_by")) {
            labels.push(rows.text("created_by", creator));
        }
    } else if let Some((function, _)) = call {
        goroutine.function = Some(function.to_owned());
    }
    Ok(())
}

fn is(rows: &Rows, label: &Label, key: &str) -> bool {
    rows.builder.profile().text(label.key) == key
}

fn add(
    rows: &mut Rows,
    goroutine: &mut Goroutine,
    function: &str,
    file: &str,
    line: i64,
) -> Result<(), String> {
    let function = rows.function(function, file);
    let location = rows.location(None, function, line);
    goroutine.thread.push(location)
}

/// Of `/src/main.go:12 +0x1d`.
fn file_and_line(place: &str) -> (&str, i64) {
    let place = match place.rsplit_once(" +0x") {
        Some((place, _)) => place,
        None => place,
    };
    match place.rsplit_once(':') {
        Some((file, line)) => match line.parse() {
            Ok(line) => (file, line),
            Err(_) => (place, 0),
        },
        None => (place, 0),
    }
}

fn end(rows: &mut Rows, sample_type: usize, goroutine: Option<Goroutine>) {
    let Some(mut goroutine) = goroutine else {
        return;
    };
    if let Some(function) = goroutine.function.take() {
        // A stack as deep as is allowed leaves it out.
        let _ = add(rows, &mut goroutine, &function, "", 0);
    }
    goroutine.thread.end(rows, sample_type);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::limits::MAX_STACK_DEPTH;
    use crate::imports::testing::samples;

    #[test]
    fn each_goroutine_is_a_sample() {
        let text = "panic: no\n\ngoroutine 1 [running]:\nmain.(*T[...]).f(0x1, {0x2, 0x3})\n\
            \t/src/a b.go:12 +0x1d\nmain.main()\n\t/src/main.go:5 +0x2\n\n\
            goroutine 7 gp=0xc0 m=nil [chan receive (nil chan), 5 minutes, locked to thread]:\n\
            main.g(...)\n\tC:/x.go:7\n...12 frames elided...\ncreated by main.main in goroutine 1\n\
            \t/src/main.go:4 +0x3\n\ngoroutine 8 [idle]:\nruntime.goexit({})\nexit status 2\n";
        let decoded = decode(text.as_bytes()).expect("good");
        let profile = &decoded.profile;
        assert_eq!(
            samples(profile),
            [
                "main.main;main.(*T[...]).f [1] state=running",
                "main.g [1] created_by=main.main state=chan receive (nil chan) wait=5minutes",
                "runtime.goexit [1] state=idle",
            ]
        );
        let line = profile.lines(profile.samples().stacks[0].map_or_else(
            || panic!("a stack"),
            |stack| profile.stacks()[stack.index()].location,
        ))[0];
        let function = profile.functions()[line.function.expect("one").index()];
        assert_eq!(
            (profile.text(function.file), line.line),
            ("/src/a b.go", 12)
        );
        assert_eq!(
            decoded.warnings,
            [
                "line 12 is not a call and was skipped: \"...12 frames elided...\"",
                "line 18 is not a call and was skipped: \"exit status 2\"",
            ]
        );
    }

    #[test]
    fn knows_its_own() {
        let is = |text: &str| sniff(Start::of(text.as_bytes()));
        assert!(is("goroutine 1 [running]:\nmain.main()\n"));
        assert!(is("fatal error: x\n\ngoroutine 1 [running]:\n"));
        assert!(!is("goroutine profile: total 5\n1 @ 0x1\n"));
        assert!(!is("panic: x\n"));
        assert!(!is("see goroutine 1 [running]:\n"));
        let deep = format!("goroutine 1 [x]:\n{}", "f()\n".repeat(MAX_STACK_DEPTH + 2));
        assert_eq!(
            decode(deep.as_bytes()).expect_err("deep").to_string(),
            "goroutine dump, line 16387: a stack has more than 16384 frames (the maximum)"
        );
    }
}
