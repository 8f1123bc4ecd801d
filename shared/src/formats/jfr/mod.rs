//! JDK Flight Recorder: what JDK and async-profiler record, and Pyroscope's Java agent sends.
//!
//! A file is a row of chunks. Each has a header, events, pools of constants and metadata that
//! describes the classes of both, so layouts are bound by name for each chunk; events that nobody
//! asks for are passed over by their size. A chunk's settings hold for its own events, and for chunks
//! after it that have none: recordings may be joined, and a recorder may go on in another chunk. Sources: the parser of JDK (`jdk.jfr.internal.consumer`),
//! the writer of async-profiler, and what Pyroscope's parser makes of the events.
//!
//! | events | columns |
//! |---|---|
//! | `jdk.ExecutionSample`, `jdk.CPUTimeSample` | `process_cpu`; `wall` too when the recording is of `wall` |
//! | `profiler.WallClockSample` | `wall`; of threads that ran `process_cpu` too when it is of `wall` |
//! | `jdk.ObjectAllocation…`, `profiler.LiveObject`, `profiler.Malloc` | `memory` |
//! | `jdk.JavaMonitorEnter`, `profiler.NativeLock` | `mutex` |
//! | `jdk.ThreadPark` | `block` |

mod budget;
mod clock;
mod constants;
mod decode;
mod error;
mod event_labels;
mod events;
mod header;
mod labels;
mod layout;
mod metadata;
mod reader;
mod samples;
mod settings;
mod stacks;
mod symbols;
mod threads;

pub use decode::{decode, decode_with_times};
pub use error::{JfrError, JfrProblem};
pub use labels::{LabelsError, LabelsSnapshot};

use crate::formats::decoded::Decoded;
use crate::model::profile::Profile;
use crate::model::profile_type::ProfileType;

/// Time between two samples where nobody says: 10 ms, the default of async-profiler and of
/// Pyroscope.
const DEFAULT_PERIOD_NANOS: i64 = 10_000_000;

/// What is known of a recording beside its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Time for which a sample of a thread stands, in nanoseconds. Without, it is what the
    /// recording says, or 10 ms.
    pub period_nanos: Option<i64>,
    /// Labels of the contexts that events name.
    pub labels: Option<&'a LabelsSnapshot<'a>>,
    /// Each event is a sample of its own, with its time and the label `thread`. Without, events
    /// are added up by stack and labels.
    pub times: bool,
}

/// A decoded recording.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its samples. Two columns may have one sample type: locks and parked threads both have
    /// `contentions`.
    pub profile: Profile,
    /// The full type of each column of the profile.
    pub types: Vec<ProfileType>,
    /// The event that async-profiler sampled, such as `itimer`; empty for JDK's recordings,
    /// and where chunks differ.
    pub event: String,
    /// Oddities, in words for people.
    pub warnings: Vec<String>,
}

/// Whether bytes are a recording, by their first bytes.
pub fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(header::MAGIC)
}

impl Recording {
    /// For a viewer, which knows columns by their sample type alone: `contentions` becomes
    /// `mutex_contentions` and `block_contentions`.
    pub fn for_viewer(self) -> Decoded {
        let Self {
            mut profile,
            types,
            warnings,
            ..
        } = self;
        for (column, of) in types.iter().enumerate() {
            if matches!(of.name.as_str(), "mutex" | "block") {
                let kind = format!("{}_{}", of.name, of.sample_type);
                profile.sample_types[column].kind = profile.strings.push(&kind);
            }
        }
        Decoded { profile, warnings }
    }
}
