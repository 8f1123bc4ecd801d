//! JSON → [`PushRequest`].

use std::fmt::{self, Formatter};
use std::marker::PhantomData;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{MAX_LABELS_KEPT, MAX_PROFILES, PushRequest, PushV1Error, RawSample, RawSeries};

/// Writers leave the padding out or not.
const PADDING: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

#[derive(Deserialize)]
struct Request {
    series: Option<AllSeries>,
}

#[derive(Deserialize)]
struct Series {
    labels: Option<First<Label, MAX_LABELS_KEPT>>,
    samples: Option<First<Sample, TOO_MANY>>,
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

/// One more than allowed tells that there are too many.
const TOO_MANY: usize = MAX_PROFILES + 1;

/// Reads a request. Unknown fields are ignored.
pub fn from_json(bytes: &[u8]) -> Result<PushRequest<'static>, PushV1Error> {
    let wrong = |error: serde_json::Error| PushV1Error::Json(error.to_string());
    let request: Request = serde_json::from_slice(bytes).map_err(wrong)?;
    let series = request.series.map_or_else(Vec::new, |series| series.0);
    if series.iter().map(Series::profiles).sum::<usize>() > MAX_PROFILES {
        return Err(PushV1Error::TooMany);
    }
    let series: Result<Vec<_>, _> = series.into_iter().map(raw_series).collect();
    Ok(PushRequest { series: series? })
}

impl Series {
    /// How many profiles it counts as.
    fn profiles(&self) -> usize {
        let samples = self.samples.as_ref();
        samples.map_or(1, |samples| samples.0.len().max(1))
    }
}

/// Series until they have too many profiles.
struct AllSeries(Vec<Series>);

impl<'de> Deserialize<'de> for AllSeries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut profiles = 0;
        let has_room = |series: &Series| {
            profiles += series.profiles();
            profiles < TOO_MANY
        };
        let list = List(has_room, PhantomData);
        deserializer.deserialize_seq(list).map(Self)
    }
}

/// The first elements of a list.
struct First<T, const MOST: usize>(Vec<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for First<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut kept = 0;
        let has_room = |_: &T| {
            kept += 1;
            kept < MOST
        };
        let list = List(has_room, PhantomData);
        deserializer.deserialize_seq(list).map(Self)
    }
}

/// Reads a list as long as there is room behind an element. The rest is passed over: an element
/// takes three bytes of a request and fifty of memory.
struct List<T, HasRoom>(HasRoom, PhantomData<T>);

impl<'de, T: Deserialize<'de>, HasRoom: FnMut(&T) -> bool> Visitor<'de> for List<T, HasRoom> {
    type Value = Vec<T>;

    fn expecting(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            let has_room = (self.0)(&element);
            elements.push(element);
            if !has_room {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                break;
            }
        }
        Ok(elements)
    }
}

fn raw_series(series: Series) -> Result<RawSeries<'static>, PushV1Error> {
    let labels = series.labels.map_or_else(Vec::new, |labels| labels.0);
    let pair = |Label { name, value }| (name.unwrap_or_default(), value.unwrap_or_default());
    let samples = series.samples.map_or_else(Vec::new, |samples| samples.0);
    let samples: Result<Vec<_>, _> = samples.into_iter().map(raw_sample).collect();
    Ok(RawSeries {
        labels: labels.into_iter().map(pair).collect(),
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
    fn keeps_no_more_than_may_be() {
        let list = |element: &str, count| vec![element; count].join(",");
        let parsed = |series: &str| from_json(format!(r#"{{"series":[{series}]}}"#).as_bytes());
        for (series, profiles) in [
            (list("{}", MAX_PROFILES), MAX_PROFILES),
            (list("{}", TOO_MANY), TOO_MANY),
            (list("{}", 5_000), TOO_MANY),
            (
                format!(r#"{{"samples":[{}]}}"#, list("{}", 5_000)),
                TOO_MANY,
            ),
            (list(r#"{"samples":[{},{}]}"#, 128), 256),
            (list(r#"{"samples":[{},{}]}"#, 129), TOO_MANY),
        ] {
            let expect = profiles <= MAX_PROFILES;
            assert_eq!(parsed(&series).is_ok(), expect, "{series:.40}");
            assert!(expect || parsed(&series) == Err(PushV1Error::TooMany));
        }
        let labels = format!(r#"{{"labels":[{}]}}"#, list("{}", 5_000));
        let request = parsed(&labels).expect("one series");
        assert_eq!(request.series[0].labels.len(), MAX_LABELS_KEPT);
        // What is passed over is JSON all the same.
        assert!(matches!(
            parsed(&(list("{}", 5_000) + ",{")),
            Err(PushV1Error::Json(_))
        ));
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
