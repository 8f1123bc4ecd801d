//! Stacks as bcc's `profile` and `offcputime` print them without `-f`.
//!
//! Source: `tools/profile.py` and `tools/offcputime.py` of bcc.
//!
//! - A sample is a frame a line, indented by four blanks, with the innermost first; then the line of
//!   its process, `-                bash (12)`, and one of its value. The kernel's frames come first;
//!   with `-d`, the line `--` divides them from those of the program.
//! - The head of a text names the tool and with it the unit. A text without it counts samples.
//! - The name of a thread is the label `thread`; the number is that of a process in `profile`, and
//!   that of a thread in `offcputime`.

use std::borrow::Cow;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::frames::Frame;
use crate::imports::rows::{Rows, lines};
use crate::model::id::{LocationId, StringId};

/// What it is called in messages.
pub(crate) const NAME: &str = "bcc stacks";

/// Fewest digits of an address: a name may look like a shorter one.
const ADDRESS_DIGITS: usize = 12;

/// Whether there is the line of a process and one of a value.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    let any = |test: fn(&str) -> bool| start.texts().any(test);
    any(|line| process(line.trim_start()).is_some()) && any(|line| value(line).is_some())
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut rows = Rows::new(NAME, bytes.len());
    let mut tool = None;
    let mut frames = Vec::new();
    let mut labels = None;
    for (number, line) in lines(bytes) {
        if let Some(named) = Tool::of(&line) {
            tool = Some(named);
            continue;
        }
        let known = tool.unwrap_or(Tool::Profile);
        let indented = line.strip_prefix("    ").filter(|_| labels.is_none());
        if let Some((comm, id)) = indented.and_then(process) {
            let (_, _, key) = known.terms();
            let mut of_sample = [rows.text("thread", comm), rows.number(key, id, "")];
            labels = Some(rows.builder.label_set(&mut of_sample));
        } else if let Some(value) = value(&line).filter(|_| labels.is_some()) {
            let (kind, unit, _) = known.terms();
            let column = rows.sample_type(kind, unit)?;
            let stack = rows.builder.stack_of(frames.drain(..).rev());
            rows.sample(stack, labels.take().flatten(), column, value);
        } else if let Some(frame) = indented.filter(|frame| !frame.starts_with(' ')) {
            if frame != "--" {
                if frames.len() == MAX_STACK_DEPTH {
                    return Err(FormatError::at_line(NAME, number, too_deep()));
                }
                frames.push(location(&mut rows, &text(frame)));
            }
        } else if !line.is_empty() && line != "^C" {
            rows.warn_left_out(number, "not part of a stack", &line);
        }
        rows.check()?;
    }
    if tool.is_none() {
        rows.warnings.add(|| {
            "the line that names the tool and its unit is missing; values are read as samples"
                .to_owned()
        });
    }
    if !frames.is_empty() || labels.is_some() {
        rows.warnings
            .add(|| "the last stack has no value and is left out".to_owned());
    }
    rows.finish()
}

/// What wrote a text.
#[derive(Clone, Copy)]
enum Tool {
    Profile,
    OffCpuTime,
}

impl Tool {
    /// Of the head of a text: `Sampling at 49 Hertz of all threads by user + kernel stack...`, or
    /// `Tracing off-CPU time (us) of all threads by user + kernel stack...`.
    fn of(line: &str) -> Option<Self> {
        let is_head = line.contains(" stack");
        match line {
            _ if !is_head => None,
            _ if line.starts_with("Sampling at ") => Some(Self::Profile),
            _ if line.starts_with("Tracing off-CPU time (us)") => Some(Self::OffCpuTime),
            _ => None,
        }
    }

    /// Sample type and unit, and the label of the number of a sample.
    fn terms(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Profile => ("samples", "count", "process"),
            Self::OffCpuTime => ("off_cpu", "microseconds", "thread_id"),
        }
    }
}

/// Name and number of `-                bash (12)`.
fn process(line: &str) -> Option<(&str, i64)> {
    let rest = line.strip_prefix("-                ")?;
    let (comm, id) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    Some((comm, id.parse().ok()?))
}

fn value(line: &str) -> Option<i64> {
    line.strip_prefix("        ")?.parse().ok()
}

/// The function of a frame, in full: C++ names have blanks and brackets. With `-v` its address stands
/// before it.
fn location(rows: &mut Rows, text: &str) -> LocationId {
    let with_address = text.split_once(' ').and_then(|(word, name)| {
        let address = u64::from_str_radix(word, 16).ok()?;
        (word.len() >= ADDRESS_DIGITS).then_some((address, name.trim_start()))
    });
    let mut frame = Frame::named(StringId::EMPTY);
    match with_address {
        Some((address, "[unknown]")) => frame.address = address,
        Some((_, name)) => frame.name = rows.builder.string(name),
        None => frame.name = rows.builder.string(text),
    }
    frame.location(&mut rows.builder)
}

/// A frame without what Python prints around bytes: `b'do_idle'`.
fn text(frame: &str) -> Cow<'_, str> {
    let bytes = frame
        .strip_prefix("b'")
        .and_then(|text| text.strip_suffix('\''));
    bytes.unwrap_or(frame).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    const STACKS: &str = "    b'finish_task_switch'\n    ffffffff810b1a7d schedule\n    --\n    read\n    main\n\
        \x20   -                my app (v2) (77)\n        12\n\n\
        \x20   [unknown]\n    operator new(unsigned long)\n    -                bash (8)\n        3\n\n\
        \x20   -                idle (0)\n        1\n\n";

    fn read(head: &str) -> (String, Vec<String>) {
        let text = format!("{head}{STACKS}");
        assert!(sniff(Start::of(text.as_bytes())), "{text}");
        let decoded = decode(text.as_bytes()).expect("good");
        (drawn(&decoded.profile), decoded.warnings)
    }

    #[test]
    fn stacks_have_the_unit_of_their_tool() {
        let expect = |kind: &str, id: &str| {
            format!(
                "{kind}\nmain;read;schedule;finish_task_switch thread=my app (v2) {id}=77 12\n\
                 operator new(unsigned long);[unknown] thread=bash {id}=8 3\n \
                 thread=idle {id}=0 1\n"
            )
        };
        let by = "of all threads by user + kernel stack";
        for (head, kind, id) in [
            (
                format!("Sampling at 49 Hertz {by}... Hit Ctrl-C to end.\n^C\n"),
                "samples/count",
                "process",
            ),
            (
                format!("Tracing off-CPU time (us) {by} for 5 secs.\n\n"),
                "off_cpu/microseconds",
                "thread_id",
            ),
        ] {
            assert_eq!(read(&head), (expect(kind, id), vec![]));
        }
        let (drawn, warnings) = read("");
        assert_eq!(drawn, expect("samples/count", "process"));
        assert_eq!(
            warnings,
            ["the line that names the tool and its unit is missing; values are read as samples"]
        );
    }

    #[test]
    fn names_are_kept_in_full() {
        let names = [
            "foo(std::function<void (int)>)",
            "void (anonymous namespace)::work<int>(int)",
            "run<void (*)(int)>(void (*)(int))",
            "facade",
            "operator+",
        ];
        let frames: String = names
            .iter()
            .rev()
            .map(|name| format!("    {name}\n"))
            .collect();
        let text = format!("{frames}    -                a (1)\n        2\n");
        let drawn = drawn(&decode(text.as_bytes()).expect("good").profile);
        assert!(drawn.contains(&names.join(";")), "{drawn}");
    }

    #[test]
    fn what_is_cut_off_is_left_out() {
        let text = format!("Sampling at 49 Hertz of PID 1 by user stack\n{STACKS}    f\n    g\n");
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(decoded.profile.len(), 3);
        assert_eq!(
            decoded.warnings,
            ["the last stack has no value and is left out"]
        );
        for other in [
            "    target:          vmstat\n    ffffffff810df082 f\n    waker:           swapper\n        4\n",
            "- a (1)\n- b (2)\n",
            "    f\n    12\n",
        ] {
            assert!(!sniff(Start::of(other.as_bytes())), "{other}");
        }
    }
}
