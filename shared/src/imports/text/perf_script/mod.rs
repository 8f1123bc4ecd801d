//! What `perf script` prints: a line for each sample, below it a line for each frame, the innermost
//! first, and a blank line. simpleperf's `report_sample.py` writes the same.
//!
//! Source: the manual page perf-script(1).
//!
//! - Each event is a sample type. Its values are the periods; a sample without one counts once.
//! - The name of a thread (its comm) is the label `thread`, its number `thread_id`, that of its
//!   process `process`.
//! - Inlined frames belong to the location of the frame that they were inlined into.
//! - A frame without a symbol keeps its address and its module. `[unknown]` is no name.

mod line;

use crate::base::limits::{MAX_INLINED, MAX_STACK_DEPTH};
use crate::base::warnings::cut;
use crate::formats::decoded::Decoded;
use crate::formats::detect::unsupported::perf_script;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::imports::rows::{Rows, line_of, lines};
use crate::model::id::{LabelSetId, LocationId};
use crate::model::profile::Line;
use line::{Frame, Header, frame, header};

/// What it is called in messages.
pub(crate) const NAME: &str = "perf script";

/// Whether a text begins with a sample.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    perf_script(start)
}

/// Reads a text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut reader = Reader {
        rows: Rows::new(NAME, bytes.len()),
        sample: None,
        frames: Vec::new(),
        inlined: Vec::new(),
    };
    for (number, line) in lines(bytes) {
        reader
            .read(number, &line)
            .map_err(|problem| FormatError::at_line(NAME, number, problem))?;
        reader.rows.check()?;
    }
    reader.end_sample();
    reader.rows.finish()
}

struct Reader {
    rows: Rows,
    /// The sample whose frames are read.
    sample: Option<Sample>,
    /// Its frames, the innermost first.
    frames: Vec<LocationId>,
    /// Inlined calls whose frame is yet to come.
    inlined: Vec<Line>,
}

struct Sample {
    time: i64,
    labels: Option<LabelSetId>,
    sample_type: usize,
    value: i64,
}

impl Reader {
    fn read(&mut self, number: usize, line: &str) -> Result<(), String> {
        if line.is_empty() {
            self.end_sample();
        } else if let Some(comment) = line.strip_prefix('#') {
            self.comment(comment);
        } else if let Some(header) = header(line) {
            self.end_sample();
            self.begin_sample(&header)?;
            if header.rest.ends_with(')')
                && let Some(frame) = frame(header.rest)
            {
                self.add(&frame)?;
            }
        } else {
            match frame(line).filter(|_| self.sample.is_some()) {
                Some(frame) => self.add(&frame)?,
                None => self.rows.warnings.add(|| {
                    format!(
                        "line {number} is no sample and no frame and is left out: {:?}",
                        cut(line)
                    )
                }),
            }
        }
        Ok(())
    }

    /// The head of the file says how it was recorded.
    fn comment(&mut self, comment: &str) {
        if let Some((" cmdline ", command)) = comment.split_once(':')
            && self.rows.builder.profile().is_empty()
        {
            let command = self.rows.builder.string(command.trim());
            let header = self.rows.builder.header();
            if header.comments.is_empty() {
                header.comments.push(command);
            }
        }
    }

    fn begin_sample(&mut self, header: &Header<'_>) -> Result<(), String> {
        let rows = &mut self.rows;
        let mut labels = Vec::with_capacity(3);
        let thread = if header.comm.is_empty() {
            header.thread
        } else {
            header.comm
        };
        labels.push(rows.text("thread", thread));
        if let Ok(id) = header.thread.parse() {
            labels.push(rows.number("thread_id", id, ""));
        }
        if let Some(process) = header.process {
            labels.push(rows.text("process", process));
        }
        let labels = rows.builder.label_set(&mut labels);
        let (kind, unit) = header.sample_type();
        let sample_type = rows
            .sample_type(kind, unit)
            .map_err(|error| error.problem)?;
        self.sample = Some(Sample {
            time: header.time,
            labels,
            sample_type,
            value: header.period.unwrap_or(1),
        });
        Ok(())
    }

    fn add(&mut self, frame: &Frame<'_>) -> Result<(), String> {
        if self.frames.len() == MAX_STACK_DEPTH {
            return Err(format!(
                "a stack of more than {MAX_STACK_DEPTH} frames, which are the most allowed"
            ));
        }
        let rows = &mut self.rows;
        if !frame.name.is_empty() {
            let function = rows.function(frame.name, "");
            self.inlined.push(line_of(function, 0));
        }
        if frame.module == "inlined" {
            if self.inlined.len() > MAX_INLINED {
                return Err(format!(
                    "more than {MAX_INLINED} inlined calls at one place"
                ));
            }
            return Ok(());
        }
        let module = rows.module(frame.module);
        let location = rows
            .builder
            .location(module, frame.address, false, &self.inlined);
        self.inlined.clear();
        self.frames.push(location);
        Ok(())
    }

    fn end_sample(&mut self) {
        let Some(sample) = self.sample.take() else {
            return;
        };
        let builder = &mut self.rows.builder;
        if !self.inlined.is_empty() {
            let location = builder.location(None, 0, false, &self.inlined);
            self.inlined.clear();
            self.frames.push(location);
        }
        let mut stack = None;
        for location in self.frames.drain(..).rev() {
            stack = Some(builder.stack(stack, location));
        }
        let Sample {
            time,
            labels,
            sample_type,
            value,
        } = sample;
        self.rows.sample_at(time, stack, labels, sample_type, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::{samples, type_names};

    #[test]
    fn samples_have_threads_times_and_types() {
        let text = "# ========\n# cmdline : /usr/bin/perf record -g\n#\n\
            Web Content 7/9 [001] 1.000000500:  25 cycles:u: \n\
            \t  10 leaf+0x1 (/bin/a b)\n\t  20 main (/bin/a b)\n\n\
            \x20         dd   11 0.5: 3000 task-clock:ppp:\n\
            \t 30 [unknown] ([unknown])\n\t ffff40 [unknown] ([kernel.kallsyms])\n\n\
            dd 11 2.5: sched:sched_switch: prev_comm=dd\n";
        let decoded = decode(text.as_bytes()).expect("good");
        let profile = &decoded.profile;
        assert_eq!(
            type_names(profile),
            [
                "cycles/count",
                "task-clock/nanoseconds",
                "sched:sched_switch/count"
            ]
        );
        assert_eq!(
            samples(profile),
            [
                "500000500 main;leaf [25, 0, 0] process=7 thread=Web Content thread_id=9",
                "0 0xffff40 [[kernel.kallsyms]];0x30 [0, 3000, 0] thread=dd thread_id=11",
                "2000000000  [0, 0, 1] thread=dd thread_id=11",
            ]
        );
        assert_eq!(
            profile.text(profile.header().comments[0]),
            "/usr/bin/perf record -g"
        );
        assert_eq!(decoded.warnings, Vec::<String>::new());
    }

    #[test]
    fn a_frame_may_stand_beside_its_sample() {
        let text = "a 1 1.5: 7 cycles:  40 f(int, char) (/x (deleted))\n\
            a 1 1.6: 8 cycles: 50 g (inlined)\nlost\n";
        let decoded = decode(text.as_bytes()).expect("good");
        assert_eq!(
            samples(&decoded.profile),
            [
                "0 f(int, char) [7] thread=a thread_id=1",
                "100000000 g [8] thread=a thread_id=1"
            ]
        );
        assert_eq!(
            decoded.warnings,
            ["line 3 is no sample and no frame and is left out: \"lost\""]
        );
        let mappings = decoded.profile.mappings();
        assert_eq!(decoded.profile.text(mappings[0].file), "/x (deleted)");
    }

    #[test]
    fn inlined_calls_share_a_location() {
        let text = "a 1 1.5: c:\n 5 in (inlined)\n 5 mid (inlined)\n 5 out (/x)\n 9 main (/x)\n";
        let profile = decode(text.as_bytes()).expect("good").profile;
        assert_eq!(profile.locations().len(), 2);
        assert_eq!(
            samples(&profile),
            ["0 main;out;mid;in [1] thread=a thread_id=1"]
        );
    }

    #[test]
    fn deep_stacks_are_refused() {
        let text = format!("a 1 1.5: c:\n{}", " 5 f (/x)\n".repeat(MAX_STACK_DEPTH + 1));
        let error = decode(text.as_bytes()).expect_err("too deep").to_string();
        assert_eq!(
            error,
            "perf script, line 16386: a stack of more than 16384 frames, which are the most allowed"
        );
        assert_eq!(
            decode(b"\n").expect_err("nothing").to_string(),
            "perf script: there are no samples"
        );
    }
}
