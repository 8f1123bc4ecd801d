//! Protobuf → [`PushRequest`]. Profiles stay where they are in the request.

use std::borrow::Cow;

use super::{MAX_LABELS_KEPT, MAX_PROFILES, PushRequest, PushV1Error, RawSample, RawSeries};

/// Reads a request. Unknown fields are ignored.
pub fn from_proto(bytes: &[u8]) -> Result<PushRequest<'_>, PushV1Error> {
    let (mut request, mut profiles) = (PushRequest::default(), 0);
    let mut message = Message::new(bytes);
    while let Some((field, part)) = message.next()? {
        if let (1, Some(part)) = (field, part) {
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

fn series(mut message: Message<'_>) -> Result<RawSeries<'_>, PushV1Error> {
    let mut series = RawSeries::default();
    while let Some((field, part)) = message.next()? {
        match (field, part) {
            (1, Some(part)) if series.labels.len() < MAX_LABELS_KEPT => {
                let [name, value] = texts(part)?;
                series.labels.push((name, value));
            }
            (2, Some(part)) => {
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

fn sample(mut message: Message<'_>) -> Result<RawSample<'_>, PushV1Error> {
    let mut sample = RawSample::default();
    while let Some((field, part)) = message.next()? {
        match (field, part) {
            (1, Some(part)) => sample.profile = Cow::Borrowed(part.bytes),
            (2, Some(part)) => sample.id = part.text()?,
            _ => {}
        }
    }
    Ok(sample)
}

/// Fields 1 and 2.
fn texts(mut message: Message<'_>) -> Result<[String; 2], PushV1Error> {
    let mut texts = [String::new(), String::new()];
    while let Some((field, part)) = message.next()? {
        if let (1 | 2, Some(part)) = (field, part) {
            texts[field as usize - 1] = part.text()?;
        }
    }
    Ok(texts)
}

/// A message and how far it is read.
#[derive(Clone, Copy)]
struct Message<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where it begins in the request.
    base: usize,
}

impl<'a> Message<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            base: 0,
        }
    }

    /// The next field, and what is in it when it is no number.
    fn next(&mut self) -> Result<Option<(u64, Option<Self>)>, PushV1Error> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let start = self.at;
        let key = self.varint()?;
        let part = match key & 7 {
            0 => {
                self.varint()?;
                None
            }
            1 => self.take(8).map(|_| None)?,
            2 => {
                let length = self.varint()?;
                Some(self.take(length)?)
            }
            5 => self.take(4).map(|_| None)?,
            _ => return Err(self.problem(start, "an unknown wire type")),
        };
        match key >> 3 {
            0 => Err(self.problem(start, "field number 0")),
            field => Ok(Some((field, part))),
        }
    }

    fn take(&mut self, length: u64) -> Result<Self, PushV1Error> {
        let end = usize::try_from(length)
            .ok()
            .and_then(|length| self.at.checked_add(length))
            .filter(|&end| end <= self.bytes.len())
            .ok_or_else(|| self.problem(self.at, "a length goes beyond the end"))?;
        let part = Self {
            bytes: &self.bytes[self.at..end],
            at: 0,
            base: self.base + self.at,
        };
        self.at = end;
        Ok(part)
    }

    fn varint(&mut self) -> Result<u64, PushV1Error> {
        let (start, mut number) = (self.at, 0);
        for shift in (0..64).step_by(7) {
            let byte = *self
                .bytes
                .get(self.at)
                .ok_or_else(|| self.problem(start, "a number goes beyond the end"))?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.problem(start, "a number is longer than 64 bits"))
    }

    fn text(&self) -> Result<String, PushV1Error> {
        let text = std::str::from_utf8(self.bytes)
            .map_err(|error| self.problem(error.valid_up_to(), "text that is not UTF-8"))?;
        Ok(text.to_owned())
    }

    fn problem(&self, at: usize, problem: &'static str) -> PushV1Error {
        PushV1Error::Wire {
            offset: self.base + at,
            problem,
        }
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
            "push.v1: not a valid PushRequest at byte 2: a length goes beyond the end"
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
