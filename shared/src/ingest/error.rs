//! Why a push is refused, and the status that says so.

use thiserror::Error;

use super::multipart::MultipartError;
use crate::base::limits::{MAX_LABEL_BYTES_A_PUSH, MAX_SERIES_A_PUSH};
use crate::base::units::UnixNanos;
use crate::formats::compression::CompressionError;
use crate::formats::detect::UnsupportedFormat;
use crate::formats::folded::FoldedError;
use crate::formats::gzip::GzipError;
use crate::formats::jfr::{JfrError, LabelsError};
use crate::formats::otlp::{OtlpError, ProfileError, Stop};
use crate::formats::pprof::PprofError;
use crate::formats::preorder::PreorderError;
use crate::formats::speedscope::SpeedscopeError;
use crate::model::labels::LabelError;
use crate::model::profile_type::UnusableType;
use crate::store::StoreError;

/// Why a push was refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum IngestError {
    /// The required parameter `name` is missing.
    #[error(
        "the query parameter \"name\" is missing; it names the application, as in ?name=my.app{{env=dev}}"
    )]
    NoName,
    /// `name` is not an application with labels.
    #[error(transparent)]
    Name(#[from] LabelError),
    /// A label of a series without a name.
    #[error("a series label with the value {0:?} has no name")]
    UnnamedLabel(String),
    /// A request without a profile.
    #[error("no profiles received")]
    NoProfiles,
    /// The labels of a sample are too many or too long.
    #[error("invalid sample labels: {0}")]
    SampleLabels(LabelError),
    /// `from` or `until` is not a time.
    #[error("{parameter}: {value:?} is not a time; use now-1h or Unix seconds")]
    Time {
        /// Which of them.
        parameter: &'static str,
        /// What it says.
        value: String,
    },
    /// A format that is not understood.
    #[error(
        "format {0:?} is not supported; send pprof (format=pprof, or multipart/form-data with a \"profile\" part), JFR (format=jfr), speedscope (format=speedscope) or stacks (format=groups, lines, trie or tree)"
    )]
    Format(String),
    /// Lines of stacks that a form was made of, which removes line feeds: two frames become one.
    #[error(
        "the stacks have no line feeds: `curl -d @file` removes them; send the file with `--data-binary @file`, and end its last line with a line feed"
    )]
    JoinedLines,
    /// The sender says pprof and sends something else.
    #[error("the body is {}", unsupported(.0))]
    Unsupported(UnsupportedFormat),
    /// The body is not the multipart message it says it is.
    #[error(transparent)]
    Multipart(#[from] MultipartError),
    /// Damaged compression around the body, or too much behind it.
    #[error(transparent)]
    Gzip(#[from] GzipError),
    /// The `sample_type_config` part is not the JSON object it should be.
    #[error("sample_type_config: {0}")]
    Config(String),
    /// The old client that sends two cumulative profiles to be subtracted.
    #[error(
        "prev_profile is not supported: this client is too old and sends cumulative values; upgrade it"
    )]
    PreviousProfile,
    /// More series than one push may make.
    #[error(
        "the profile would create more than {MAX_SERIES_A_PUSH} series, one for each sample type and set of text labels; \
         send labels with fewer values"
    )]
    TooManySeries,
    /// More text in the labels of its series than one push may have.
    #[error(
        "the labels of the profile's series have more than {MAX_LABEL_BYTES_A_PUSH} bytes in total; send fewer or shorter labels"
    )]
    TooManyLabelBytes,
    /// A sample type that no query could name.
    #[error(transparent)]
    Type(#[from] UnusableType),
    /// Two columns of values with one type.
    #[error("the profile has the type {0} twice, so its values can't be told apart")]
    TypeTwice(String),
    /// A start before 1970 or after 2200.
    #[error(
        "the profile starts at {0} nanoseconds since 1970; it must start between the years 1970 and 2200"
    )]
    Start(i64),
    /// A profile that is too long.
    #[error("the profile covers {0} nanoseconds; at most a year is allowed")]
    Duration(i64),
    /// A profile that is larger than the tenant's may be.
    #[error(
        "the profile exceeds the size limit (max_profile_size_bytes, actual: {actual}, limit: {limit})"
    )]
    ProfileSize {
        /// Its size, compression undone.
        actual: usize,
        /// The limit.
        limit: usize,
    },
    /// More labels than a tenant's series may have.
    #[error(
        "a profile series has {actual} label names (max_label_names_per_series, limit: {limit})"
    )]
    LabelNames {
        /// How many it has.
        actual: usize,
        /// The limit.
        limit: usize,
    },
    /// A start before or after what the tenant may push now.
    #[error(
        "the profile is outside of the ingestion window (profile timestamp: {}, the ingestion window starts at {} and ends at {})",
        .time.to_rfc3339(), bound(.from), bound(.until)
    )]
    OutsideWindow {
        /// Its start.
        time: UnixNanos,
        /// The first start that is taken.
        from: UnixNanos,
        /// The last start that is taken.
        until: UnixNanos,
    },
    /// The profile itself.
    #[error(transparent)]
    Profile(#[from] PprofError),
    /// The folded stacks themselves.
    #[error(transparent)]
    Folded(#[from] FoldedError),
    /// The trie or tree itself.
    #[error(transparent)]
    Preorder(#[from] PreorderError),
    /// The JSON of speedscope itself.
    #[error(transparent)]
    Speedscope(#[from] SpeedscopeError),
    /// The recording itself.
    #[error(transparent)]
    Jfr(#[from] JfrError),
    /// The labels beside a recording.
    #[error(transparent)]
    JfrLabels(#[from] LabelsError),
    /// A whole request of OTLP.
    #[error(transparent)]
    Otlp(#[from] OtlpError),
    /// One profile of it.
    #[error(transparent)]
    OtlpProfile(#[from] ProfileError),
    /// Some samples of a profile. The others are stored.
    #[error("{left_out} of {samples} samples are left out; the first: {error}")]
    OtlpSamples {
        /// How many are left out.
        left_out: u64,
        /// How many there are.
        samples: u64,
        /// Why the first is.
        error: Box<IngestError>,
    },
    /// Compression that is not read, or broken.
    #[error(transparent)]
    Compression(#[from] CompressionError),
    /// The profile cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl IngestError {
    /// The HTTP status: 400 for the request around the profile, 413, 415, and 422 for the profile.
    pub fn status(&self) -> u16 {
        match self {
            Self::NoName
            | Self::Name(_)
            | Self::UnnamedLabel(_)
            | Self::NoProfiles
            | Self::Time { .. }
            | Self::Multipart(_) => 400,
            Self::Gzip(GzipError::TooLarge { .. })
            | Self::Profile(
                PprofError::TooLarge { .. } | PprofError::Gzip(GzipError::TooLarge { .. }),
            )
            | Self::Otlp(OtlpError::TooLarge { .. } | OtlpError::Unfolds { .. }) => 413,
            Self::Compression(error) if error.is_too_large() => 413,
            Self::OtlpSamples { error, .. } => error.status(),
            Self::Format(_)
            | Self::JoinedLines
            | Self::Compression(CompressionError::Unknown(_)) => 415,
            // OTLP knows no other status for what is wrong with a request.
            Self::Otlp(_) | Self::OtlpProfile(_) | Self::Compression(_) => 400,
            Self::Unsupported(_)
            | Self::Gzip(_)
            | Self::Config(_)
            | Self::PreviousProfile
            | Self::SampleLabels(_)
            | Self::TooManySeries
            | Self::TooManyLabelBytes
            | Self::Type(_)
            | Self::TypeTwice(_)
            | Self::Start(_)
            | Self::Duration(_)
            | Self::ProfileSize { .. }
            | Self::LabelNames { .. }
            | Self::OutsideWindow { .. }
            | Self::Profile(_)
            | Self::Folded(_)
            | Self::Preorder(_)
            | Self::Speedscope(_)
            | Self::Jfr(_)
            | Self::JfrLabels(_)
            | Self::Store(_) => 422,
        }
    }

    /// Whether it inflates to more than the caller allowed, who may allow more.
    pub fn is_too_large_inflated(&self) -> bool {
        match self {
            Self::Gzip(GzipError::TooLarge { .. })
            | Self::Profile(
                PprofError::TooLarge { .. } | PprofError::Gzip(GzipError::TooLarge { .. }),
            )
            | Self::Otlp(OtlpError::TooLarge { .. }) => true,
            Self::Compression(error) => error.is_too_large(),
            _ => false,
        }
    }

    /// Connect's name of the error.
    pub fn code(&self) -> &'static str {
        match self.status() {
            413 => "resource_exhausted",
            415 => "unimplemented",
            _ => "invalid_argument",
        }
    }
}

/// What a body is, and what to do.
fn unsupported(format: &UnsupportedFormat) -> String {
    match format {
        UnsupportedFormat::Imported(name) => {
            format!(
                "{name}, which the server does not accept; open it in the viewer, or send pprof"
            )
        }
        format => format!("{format}; send pprof"),
    }
}

/// An end of the ingestion window.
fn bound(time: &UnixNanos) -> String {
    match time.0 {
        i64::MIN | i64::MAX => "any time".to_owned(),
        _ => time.to_rfc3339(),
    }
}

impl From<Stop> for IngestError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Request(error) => error.into(),
            Stop::Profile(error) => error.into(),
        }
    }
}
