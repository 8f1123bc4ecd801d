//! The messages of remote write 1.0 and 2.0, in Snappy's block format.
//!
//! Sources: <https://prometheus.io/docs/specs/prw/remote_write_spec/> and
//! <https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/>.

use std::collections::HashMap;

use prost::Message;
use snap::raw::Encoder;

use super::target::Version;
use crate::api::rules::metric::Metric;
use crate::platform::errors::Problem;

/// `METRIC_TYPE_GAUGE` of version 2.0.
const GAUGE: i32 = 2;

/// `prometheus.WriteRequest`.
#[derive(Clone, PartialEq, Message)]
struct WriteRequest {
    #[prost(message, repeated, tag = "1")]
    timeseries: Vec<LabelledSeries>,
}

/// `prometheus.TimeSeries`.
#[derive(Clone, PartialEq, Message)]
struct LabelledSeries {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

/// The same in both versions.
#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(double, tag = "1")]
    value: f64,
    /// Milliseconds since the epoch.
    #[prost(int64, tag = "2")]
    timestamp: i64,
}

/// `io.prometheus.write.v2.Request`.
#[derive(Clone, PartialEq, Message)]
struct Request {
    /// Begins with the empty string.
    #[prost(string, repeated, tag = "4")]
    symbols: Vec<String>,
    #[prost(message, repeated, tag = "5")]
    timeseries: Vec<ReferringSeries>,
}

/// `io.prometheus.write.v2.TimeSeries`.
#[derive(Clone, PartialEq, Message)]
struct ReferringSeries {
    /// Names and values in turn.
    #[prost(uint32, repeated, tag = "1")]
    labels_refs: Vec<u32>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
    #[prost(message, optional, tag = "5")]
    metadata: Option<Metadata>,
}

#[derive(Clone, PartialEq, Message)]
struct Metadata {
    #[prost(int32, tag = "1")]
    kind: i32,
    #[prost(uint32, tag = "3")]
    help_ref: u32,
    #[prost(uint32, tag = "4")]
    unit_ref: u32,
}

/// The samples of metrics after `from` until `until`, as the body of a request.
pub(super) fn encode(
    version: Version,
    metrics: &[Metric],
    from: i64,
    until: i64,
) -> Result<Vec<u8>, Problem> {
    let mut written = Written::default();
    for metric in metrics {
        for series in &metric.series {
            let samples = series.samples.iter();
            let samples = samples.filter(|(at, _)| (from + 1..=until).contains(at));
            let samples = samples.map(|&(timestamp, value)| Sample { value, timestamp });
            let samples: Vec<Sample> = samples.collect();
            if samples.is_empty() {
                continue;
            }
            let labels = series.labels.iter();
            let labels = labels.map(|(name, value)| (name.as_str(), value.as_str()));
            let mut labels: Vec<_> = labels.chain([("__name__", &*metric.name)]).collect();
            labels.sort_unstable();
            match version {
                Version::V1 => written.add_labelled(&labels, samples),
                Version::V2 => written.add_referring(&labels, samples, metric),
            }
        }
    }
    let bytes = match version {
        Version::V1 => written.labelled.encode_to_vec(),
        Version::V2 => written.referring.encode_to_vec(),
    };
    Encoder::new()
        .compress_vec(&bytes)
        .map_err(Problem::internal)
}

/// The messages so far, of which one is used.
#[derive(Default)]
struct Written {
    labelled: WriteRequest,
    referring: Request,
    symbols: HashMap<String, u32>,
}

impl Written {
    fn add_labelled(&mut self, labels: &[(&str, &str)], samples: Vec<Sample>) {
        let labels = labels.iter().map(|(name, value)| Label {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        });
        let labels = labels.collect();
        let series = LabelledSeries { labels, samples };
        self.labelled.timeseries.push(series);
    }

    fn add_referring(&mut self, labels: &[(&str, &str)], samples: Vec<Sample>, metric: &Metric) {
        // The first symbol must be empty.
        self.symbol("");
        let labels = labels.iter().flat_map(|(name, value)| [*name, *value]);
        let labels_refs = labels.map(|text| self.symbol(text)).collect();
        let metadata = Some(Metadata {
            kind: GAUGE,
            help_ref: self.symbol(&metric.help),
            unit_ref: self.symbol(&metric.unit),
        });
        self.referring.timeseries.push(ReferringSeries {
            labels_refs,
            samples,
            metadata,
        });
    }

    fn symbol(&mut self, text: &str) -> u32 {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = self.referring.symbols.len() as u32;
        self.referring.symbols.push(text.to_owned());
        self.symbols.insert(text.to_owned(), symbol);
        symbol
    }
}

/// What a request says: series as text with their samples.
#[cfg(test)]
pub(crate) fn decode(version: Version, body: &[u8]) -> Vec<(String, Vec<(i64, f64)>)> {
    let bytes = snap::raw::Decoder::new().decompress_vec(body).unwrap();
    let text = |labels: Vec<(String, String)>| {
        assert!(labels.is_sorted());
        let labels = labels.iter().map(|(n, v)| format!("{n}={v}"));
        labels.collect::<Vec<_>>().join(",")
    };
    let samples = |samples: Vec<Sample>| {
        let samples = samples.into_iter();
        let samples: Vec<_> = samples.map(|s| (s.timestamp, s.value)).collect();
        assert!(samples.is_sorted_by(|a, b| a.0 < b.0));
        samples
    };
    match version {
        Version::V1 => {
            let request = WriteRequest::decode(&*bytes).unwrap();
            let series = request.timeseries.into_iter().map(|series| {
                let labels = series.labels.into_iter().map(|l| (l.name, l.value));
                (text(labels.collect()), samples(series.samples))
            });
            series.collect()
        }
        Version::V2 => {
            let Request {
                symbols,
                timeseries,
            } = Request::decode(&*bytes).unwrap();
            assert_eq!(symbols[0], "");
            let symbol = |&at: &u32| symbols[at as usize].clone();
            let series = timeseries.into_iter().map(|series| {
                let labels = series.labels_refs.chunks(2);
                let labels = labels.map(|pair| (symbol(&pair[0]), symbol(&pair[1])));
                (text(labels.collect()), samples(series.samples))
            });
            series.collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::rules::metric::MetricSeries;

    fn metric() -> Metric {
        Metric {
            name: "m_seconds".to_owned(),
            help: "Sum.".to_owned(),
            unit: "seconds".to_owned(),
            series: vec![MetricSeries {
                labels: [("Z".to_owned(), "z".to_owned())].into(),
                samples: vec![(60_000, 1.5), (120_000, 2.0), (180_000, 3.0)],
            }],
        }
    }

    #[test]
    fn both_versions_say_the_same() {
        for version in [Version::V1, Version::V2] {
            let body = encode(version, &[metric()], 60_000, 180_000).unwrap();
            let expect = (
                "Z=z,__name__=m_seconds".to_owned(),
                vec![(120_000, 2.0), (180_000, 3.0)],
            );
            assert_eq!(decode(version, &body), [expect]);
            let none = encode(version, &[metric()], 180_000, 240_000).unwrap();
            assert_eq!(none, [0], "the message is empty");
        }
    }

    /// The bytes by the tables of the specifications: field number and wire type, length, value.
    #[test]
    fn their_bytes() {
        let bytes = |version| {
            let body = encode(version, &[metric()], 0, 60_000).unwrap();
            snap::raw::Decoder::new().decompress_vec(&body).unwrap()
        };
        let sample = b"\x12\x0d\x09\0\0\0\0\0\0\xf8\x3f\x10\xe0\xd4\x03";
        let labels = b"\x0a\x06\x0a\x01Z\x12\x01z\x0a\x15\x0a\x08__name__\x12\x09m_seconds";
        let v1 = [b"\x0a\x2e", &labels[..], sample].concat();
        assert_eq!(bytes(Version::V1), v1);
        let symbols =
            b"\x22\0\x22\x01Z\x22\x01z\x22\x08__name__\x22\x09m_seconds\x22\x04Sum.\x22\x07seconds";
        let series = b"\x2a\x1d\x0a\x04\x01\x02\x03\x04";
        let metadata = b"\x2a\x06\x08\x02\x18\x05\x20\x06";
        let v2 = [&symbols[..], series, sample, metadata].concat();
        assert_eq!(bytes(Version::V2), v2);
    }
}
