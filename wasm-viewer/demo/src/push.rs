//! Pushes of the hour: single profiles to `/ingest`, or several in one request to `push.v1`.

use pilotlight_core::pprof::{encode, encode_gzip};

use crate::moment::Moment;
use crate::profile::profile;

/// The label by which made-up series are known on a server.
pub const MARK: (&str, &str) = ("demo", "true");

impl Moment {
    fn labels(&self) -> [(&'static str, &'static str); 2] {
        [("region", self.region), ("version", self.version())]
    }

    /// Query string and body of a push to `/ingest`, for a history that ends then (seconds since the
    /// epoch). Without [`MARK`].
    pub fn push(&self, end: i64) -> (String, Vec<u8>) {
        let from = end - self.before_end;
        let labels = self.labels().map(|(key, value)| format!("{key}={value}"));
        let name = format!("{}{{{}}}", self.service.name, labels.join(","));
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("name", &name)
            .append_pair("from", &from.to_string())
            .append_pair("until", &(from + self.seconds()).to_string())
            .append_pair("format", "pprof")
            .append_pair("spyName", self.service.spy)
            .finish();
        (query, encode_gzip(&profile(self, from * 1_000_000_000)))
    }

    /// A `RawProfileSeries` with this one profile, not compressed, and with [`MARK`].
    fn series(&self, end: i64) -> Vec<u8> {
        let start = (end - self.before_end) * 1_000_000_000;
        let more = [
            ("service_name", self.service.name),
            ("pyroscope_spy", self.service.spy),
            MARK,
        ];
        let mut series = Vec::new();
        for (key, value) in self.labels().into_iter().chain(more) {
            let mut label = Vec::new();
            field(1, key.as_bytes(), &mut label);
            field(2, value.as_bytes(), &mut label);
            field(1, &label, &mut series);
        }
        let mut sample = Vec::new();
        field(1, &encode(&profile(self, start)), &mut sample);
        field(2, &sample, &mut series);
        series
    }
}

/// A `PushRequest` of some profiles in protobuf, for a history that ends then (seconds since the
/// epoch).
pub fn push_request(moments: &[Moment], end: i64) -> Vec<u8> {
    let mut request = Vec::new();
    for moment in moments {
        field(1, &moment.series(end), &mut request);
    }
    request
}

/// A field of protobuf that has bytes.
fn field(number: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(number << 3 | 2);
    let mut length = bytes.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(bytes);
}
