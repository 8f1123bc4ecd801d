//! Protobuf → [`PushRequest`]. Profiles stay where they are in the request.

use std::borrow::Cow;

use super::{MAX_LABELS_KEPT, MAX_PROFILES, PushRequest, PushV1Error, RawSample, RawSeries};
use crate::formats::protobuf::{Value, Wire, WireError};

/// Reads a request. Unknown fields are ignored.
pub fn from_proto(bytes: &[u8]) -> Result<PushRequest<'_>, PushV1Error> {
    let (mut request, mut profiles) = (PushRequest::default(), 0);
    let mut message = Wire::new(bytes);
    while let Some((field, value)) = message.field()? {
        if let (1, Value::Bytes(part)) = (field, value) {
            let one = series(part)?;
            profiles += one.samples.len().max(1);
            if profiles > MAX_PROFILES {
                return Err(PushV1Error::TooMany);
            }
            request.series.push(one);
        }
    }
    Ok(request)
}

fn series(mut message: Wire<'_>) -> Result<RawSeries<'_>, PushV1Error> {
    let mut series = RawSeries::default();
    while let Some((field, value)) = message.field()? {
        match (field, value) {
            (1, Value::Bytes(part)) if series.labels.len() < MAX_LABELS_KEPT => {
                let [name, value] = texts(part)?;
                series.labels.push((name, value));
            }
            (2, Value::Bytes(part)) => {
                if series.samples.len() == MAX_PROFILES {
                    return Err(PushV1Error::TooMany);
                }
                series.samples.push(sample(part)?);
            }
            _ => {}
        }
    }
    Ok(series)
}

fn sample(mut message: Wire<'_>) -> Result<RawSample<'_>, PushV1Error> {
    let mut sample = RawSample::default();
    while let Some((field, value)) = message.field()? {
        match (field, value) {
            (1, Value::Bytes(part)) => sample.profile = Cow::Borrowed(part.bytes()),
            (2, Value::Bytes(part)) => sample.id = text(part)?,
            _ => {}
        }
    }
    Ok(sample)
}

/// Fields 1 and 2.
fn texts(mut message: Wire<'_>) -> Result<[String; 2], PushV1Error> {
    let mut texts = [String::new(), String::new()];
    while let Some((field, value)) = message.field()? {
        if let (1 | 2, Value::Bytes(part)) = (field, value) {
            texts[field as usize - 1] = text(part)?;
        }
    }
    Ok(texts)
}

fn text(message: Wire<'_>) -> Result<String, PushV1Error> {
    match std::str::from_utf8(message.bytes()) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => Err(WireError {
            offset: message.offset() + error.valid_up_to(),
            problem: "text that is not UTF-8",
        }
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
    }

    #[test]
    fn reads_series() {
        let label = [field(1, b"service_name"), field(2, b"shop")].concat();
        let sample = [field(1, &[9, 9]), field(2, b"id")].concat();
        let series = [field(1, &label), field(2, &sample), field(3, b"\x0a\x01x")].concat();
        let bytes = [field(1, &series), field(9, b"unknown"), vec![0x50, 1]].concat();
        let wanted = RawSeries {
            labels: vec![("service_name".to_owned(), "shop".to_owned())],
            samples: vec![RawSample {
                profile: vec![9, 9].into(),
                id: "id".to_owned(),
            }],
        };
        assert_eq!(from_proto(&bytes).map(|r| r.series), Ok(vec![wanted]));
        for cut in 1..field(1, &series).len() {
            assert!(from_proto(&bytes[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn refuses_damage() {
        let message = |bytes: &[u8]| from_proto(bytes).unwrap_err().to_string();
        assert_eq!(
            message(&[0x0a, 0x7f]),
            "push.v1: not a valid PushRequest at byte 0: a length runs past the end"
        );
        let name = field(1, &field(1, &field(1, b"a\xff")));
        assert!(message(&name).contains("byte 7: text that is not UTF-8"));
        assert!(message(&[0xff; 11]).contains("longer than 64 bits"));
        assert_eq!(
            from_proto(&[0x0a, 0].repeat(MAX_PROFILES + 1)),
            Err(PushV1Error::TooMany)
        );
    }
}
