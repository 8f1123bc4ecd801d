//! Why pushes are discarded, in a word each: few, so that they can be counted.

use serde::{Deserialize, Serialize};

use super::error::IngestError;
use crate::formats::gzip::GzipError;
use crate::formats::otlp::OtlpError;
use crate::formats::pprof::PprofError;
use crate::model::labels::LabelError;

/// Why a push, or a part of one, is discarded. The names are those of Pyroscope's
/// `discarded_samples_total` where it has one for the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiscardReason {
    /// The body is larger than allowed.
    BodySizeLimitExceeded,
    /// The profile is larger than allowed, compression undone.
    ProfileSizeLimit,
    /// It makes too many series.
    SeriesLimit,
    /// A label of its samples has too many values. The label is left out, the samples are stored.
    LabelValuesLimit,
    /// A series or sample has too many labels, or too much text in them.
    MaxLabelNamesPerSeries,
    /// The name or value of a label is too long.
    LabelTooLong,
    /// A label is given twice.
    DuplicateLabelNames,
    /// Nothing says what the profile is of.
    MissingLabels,
    /// Labels or sample types that no query could name.
    InvalidLabels,
    /// It starts or lasts when no profile can.
    NotInIngestionWindow,
    /// A format or compression that is not read.
    UnsupportedFormat,
    /// The request around the profile is not what its protocol says.
    InvalidRequest,
    /// The profile is damaged, or breaks a rule of its format.
    MalformedProfile,
    /// The body broke off on its way.
    BodyIncomplete,
    /// Too much came at once. The same push may be taken later.
    RateLimited,
    /// The server could not store it. The same push may be taken later.
    Unavailable,
}

impl DiscardReason {
    /// All, in order.
    pub const ALL: [Self; 16] = [
        Self::BodySizeLimitExceeded,
        Self::ProfileSizeLimit,
        Self::SeriesLimit,
        Self::LabelValuesLimit,
        Self::MaxLabelNamesPerSeries,
        Self::LabelTooLong,
        Self::DuplicateLabelNames,
        Self::MissingLabels,
        Self::InvalidLabels,
        Self::NotInIngestionWindow,
        Self::UnsupportedFormat,
        Self::InvalidRequest,
        Self::MalformedProfile,
        Self::BodyIncomplete,
        Self::RateLimited,
        Self::Unavailable,
    ];

    /// Its name in metrics, answers and stored counts.
    pub fn name(self) -> &'static str {
        match self {
            Self::BodySizeLimitExceeded => "body_size_limit_exceeded",
            Self::ProfileSizeLimit => "profile_size_limit",
            Self::SeriesLimit => "series_limit",
            Self::LabelValuesLimit => "label_values_limit",
            Self::MaxLabelNamesPerSeries => "max_label_names_per_series",
            Self::LabelTooLong => "label_too_long",
            Self::DuplicateLabelNames => "duplicate_label_names",
            Self::MissingLabels => "missing_labels",
            Self::InvalidLabels => "invalid_labels",
            Self::NotInIngestionWindow => "not_in_ingestion_window",
            Self::UnsupportedFormat => "unsupported_format",
            Self::InvalidRequest => "invalid_request",
            Self::MalformedProfile => "malformed_profile",
            Self::BodyIncomplete => "body_incomplete",
            Self::RateLimited => "rate_limited",
            Self::Unavailable => "unavailable",
        }
    }

    /// Of an answer that gives no closer one.
    pub fn of_status(status: u16) -> Self {
        match status {
            408 => Self::BodyIncomplete,
            413 => Self::BodySizeLimitExceeded,
            415 => Self::UnsupportedFormat,
            422 => Self::MalformedProfile,
            429 => Self::RateLimited,
            500.. => Self::Unavailable,
            _ => Self::InvalidRequest,
        }
    }
}

impl IngestError {
    /// The reason under which it is counted.
    pub fn reason(&self) -> DiscardReason {
        match self {
            Self::NoName => DiscardReason::MissingLabels,
            Self::UnnamedLabel(_) => DiscardReason::InvalidLabels,
            Self::NoProfiles => DiscardReason::InvalidRequest,
            Self::Name(error) | Self::SampleLabels(error) => of_labels(error),
            Self::TooManySeries => DiscardReason::SeriesLimit,
            Self::TooManyLabelBytes | Self::LabelNames { .. } => {
                DiscardReason::MaxLabelNamesPerSeries
            }
            Self::JfrLabels(_) | Self::Type(_) | Self::TypeTwice(_) => DiscardReason::InvalidLabels,
            Self::Start(_) | Self::Duration(_) | Self::OutsideWindow { .. } => {
                DiscardReason::NotInIngestionWindow
            }
            Self::Format(_) | Self::JoinedLines | Self::Unsupported(_) | Self::PreviousProfile => {
                DiscardReason::UnsupportedFormat
            }
            Self::Time { .. } | Self::Multipart(_) | Self::Config(_) => {
                DiscardReason::InvalidRequest
            }
            Self::ProfileSize { .. }
            | Self::Gzip(GzipError::TooLarge { .. })
            | Self::Profile(
                PprofError::TooLarge { .. } | PprofError::Gzip(GzipError::TooLarge { .. }),
            )
            | Self::Otlp(OtlpError::TooLarge { .. } | OtlpError::Unfolds { .. }) => {
                DiscardReason::ProfileSizeLimit
            }
            Self::OtlpSamples { error, .. } => error.reason(),
            Self::Compression(error) if error.is_too_large() => DiscardReason::ProfileSizeLimit,
            Self::Compression(_) if self.status() == 415 => DiscardReason::UnsupportedFormat,
            Self::Compression(_)
            | Self::Gzip(_)
            | Self::Profile(_)
            | Self::Folded(_)
            | Self::Preorder(_)
            | Self::Speedscope(_)
            | Self::Jfr(_)
            | Self::Otlp(_)
            | Self::OtlpProfile(_)
            | Self::Store(_) => DiscardReason::MalformedProfile,
        }
    }
}

fn of_labels(error: &LabelError) -> DiscardReason {
    match error {
        LabelError::TooMany(_) => DiscardReason::MaxLabelNamesPerSeries,
        LabelError::TooLong { .. } => DiscardReason::LabelTooLong,
        LabelError::Twice(_) => DiscardReason::DuplicateLabelNames,
        LabelError::NoApplication(_) => DiscardReason::MissingLabels,
        LabelError::Character { .. }
        | LabelError::NotAPair(_)
        | LabelError::Unclosed(_)
        | LabelError::Reserved(_) => DiscardReason::InvalidLabels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_name_and_is_stored_under_it() {
        for (place, reason) in DiscardReason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, place);
            let stored = serde_json::to_string(&reason).unwrap();
            assert_eq!(stored, format!("{:?}", reason.name()));
        }
    }

    #[test]
    fn reasons_of_errors() {
        let too_large = GzipError::TooLarge { cap: 1 };
        for (error, expect) in [
            (IngestError::NoName, "missing_labels"),
            (
                IngestError::Name(LabelError::TooMany(31)),
                "max_label_names_per_series",
            ),
            (
                IngestError::SampleLabels(LabelError::Twice("a".to_owned())),
                "duplicate_label_names",
            ),
            (IngestError::Start(-1), "not_in_ingestion_window"),
            (IngestError::Gzip(too_large.clone()), "profile_size_limit"),
            (
                IngestError::Compression(too_large.into()),
                "profile_size_limit",
            ),
            (IngestError::Profile(PprofError::Empty), "malformed_profile"),
        ] {
            assert_eq!(error.reason().name(), expect, "{error}");
        }
    }

    #[test]
    fn reasons_of_statuses() {
        for (status, expect) in [
            (400, "invalid_request"),
            (408, "body_incomplete"),
            (413, "body_size_limit_exceeded"),
            (429, "rate_limited"),
            (503, "unavailable"),
        ] {
            assert_eq!(DiscardReason::of_status(status).name(), expect);
        }
    }
}
