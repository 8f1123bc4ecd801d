//! JSON → [`PushRequest`].

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;

use super::{MAX_PROFILES, PushRequest, PushV1Error, RawSample, RawSeries};

/// Writers leave the padding out or not.
const PADDING: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

#[derive(Deserialize)]
struct Request {
    series: Option<Vec<Series>>,
}

#[derive(Deserialize)]
struct Series {
    labels: Option<Vec<Label>>,
    samples: Option<Vec<Sample>>,
}

#[derive(Deserialize)]
struct Label {
    name: Option<String>,
    value: Option<String>,
}

#[derive(Deserialize)]
struct Sample {
    #[serde(alias = "raw_profile", rename = "rawProfile")]
    profile: Option<String>,
    #[serde(alias = "id", rename = "ID")]
    id: Option<String>,
}

/// Reads a request. Unknown fields are ignored.
pub fn from_json(bytes: &[u8]) -> Result<PushRequest<'static>, PushV1Error> {
    let wrong = |error: serde_json::Error| PushV1Error::Json(error.to_string());
    let request: Request = serde_json::from_slice(bytes).map_err(wrong)?;
    let series = request.series.unwrap_or_default();
    let profiles = |series: &Series| series.samples.as_ref().map_or(1, |s| s.len().max(1));
    if series.iter().map(profiles).sum::<usize>() > MAX_PROFILES {
        return Err(PushV1Error::TooMany);
    }
    let series: Result<Vec<_>, _> = series.into_iter().map(raw_series).collect();
    Ok(PushRequest { series: series? })
}

fn raw_series(series: Series) -> Result<RawSeries<'static>, PushV1Error> {
    let labels = series.labels.unwrap_or_default().into_iter();
    let pair = |Label { name, value }| (name.unwrap_or_default(), value.unwrap_or_default());
    let samples = series.samples.unwrap_or_default().into_iter();
    let samples: Result<Vec<_>, _> = samples.map(raw_sample).collect();
    Ok(RawSeries {
        labels: labels.map(pair).collect(),
        samples: samples?,
    })
}

fn raw_sample(sample: Sample) -> Result<RawSample<'static>, PushV1Error> {
    let text = sample.profile.unwrap_or_default();
    // Protobuf's JSON takes both alphabets.
    let alphabet = if text.contains(['-', '_']) {
        URL_SAFE
    } else {
        STANDARD
    };
    let profile = GeneralPurpose::new(&alphabet, PADDING)
        .decode(text)
        .map_err(|error| PushV1Error::Json(format!("rawProfile: {error}")))?;
    Ok(RawSample {
        profile: profile.into(),
        id: sample.id.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings() {
        for text in [
            r#"{"series":[{"labels":[{"name":"a","value":"b"}],"samples":[{"rawProfile":"+/8=","ID":"x"}]}]}"#,
            r#"{"series":[{"labels":[{"name":"a","value":"b"}],"samples":[{"raw_profile":"-_8","id":"x"}],"new":1}]}"#,
        ] {
            let request = from_json(text.as_bytes()).expect(text);
            let series = &request.series[0];
            assert_eq!(series.labels, [("a".to_owned(), "b".to_owned())]);
            assert_eq!(series.samples[0].profile.as_ref(), [0xfb, 0xff]);
            assert_eq!(series.samples[0].id, "x");
        }
        assert_eq!(from_json(b"{}"), Ok(PushRequest::default()));
        assert_eq!(from_json(br#"{"series":null}"#), Ok(PushRequest::default()));
    }

    #[test]
    fn refuses_what_is_none() {
        for text in [
            "",
            "[]",
            r#"{"series":{}}"#,
            r#"{"series":[{"samples":[{"rawProfile":"?"}]}]}"#,
        ] {
            assert!(
                matches!(from_json(text.as_bytes()), Err(PushV1Error::Json(_))),
                "{text}"
            );
        }
    }
}
