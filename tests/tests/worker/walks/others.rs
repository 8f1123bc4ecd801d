//! The queries that no walk makes: every call, with every field that changes what is read.

use pilotlight_tests::client::Client;
use serde_json::{Value, json};

const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const SAMPLES: &str = "process_cpu:samples:count:cpu:nanoseconds";
const SPACE: &str = "memory:alloc_space:bytes:space:bytes";
const SPAN: &str = "00f067aa0ba902b7";
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

const HOUR: i64 = 3_600_000;

/// Bytes of an answer that has something in it.
const LEAST: usize = 40;

/// Milliseconds; both ends are inside.
type Range = (i64, i64);

/// What was asked, and what was answered.
struct Asker<'a> {
    client: &'a Client,
    answers: Vec<(String, Vec<u8>)>,
}

/// Asks all of them, over the whole range, hours, and parts of hours.
pub(crate) fn ask(client: &Client, [from, until]: [i64; 2]) -> Vec<(String, Vec<u8>)> {
    let mut asker = Asker {
        client,
        answers: Vec::new(),
    };
    let whole = [(from, until), (from + HOUR, from + 3 * HOUR - 1)];
    let parts = [
        (from + 1_234_567, from + 2_345_678),
        (until - 90_061_000, until - 61_000),
    ];
    // Of a part of an hour, they are the names of that hour.
    whole.into_iter().for_each(|range| asker.names(range));
    for range in whole.into_iter().chain(parts) {
        asker.calls(range);
        asker.older(range);
    }
    asker.post("GetProfileStats", &json!({}));
    let empty: Vec<&str> = asker
        .answers
        .iter()
        .filter(|(_, answer)| answer.len() < LEAST)
        .map(|(asked, _)| asked.as_str())
        .collect();
    // Nothing is equal to nothing: what is asked for is there, but for a few short ranges.
    assert!(
        empty.len() * 10 < asker.answers.len(),
        "{} of {} answers are empty: {empty:#?}",
        empty.len(),
        asker.answers.len()
    );
    asker.answers
}

impl Asker<'_> {
    fn names(&mut self, range: Range) {
        let (start, end) = range;
        self.post("ProfileTypes", &json!({ "start": start, "end": end }));
        for matchers in [
            json!([]),
            json!(["{region!=\"eu\"}", "{service_name=\"mail\"}"]),
        ] {
            let of = json!({ "start": start, "end": end, "matchers": matchers });
            self.post("LabelNames", &of);
            self.post("Series", &of);
            for name in ["region", "service_name", "k8s.pod", "__profile_type__"] {
                self.post("LabelValues", &with(&of, json!({ "name": name })));
            }
        }
        let us = ("query", "{region=\"us\"}");
        self.get(range, "/pyroscope/label-values", &[("label", "k8s.pod")]);
        self.get(
            range,
            "/pyroscope/label-values",
            &[("label", "__name__"), us],
        );
        self.get(range, "/api/v1/labels", &[us]);
    }

    fn calls(&mut self, (start, end): Range) {
        for (id, selector) in [
            (CPU, "{}"),
            (SAMPLES, "{service_name=\"shop\",region=~\"u.\"}"),
            (SPACE, "{\"k8s.pod\"=\"shop-0\"}"),
        ] {
            let of = json!({ "profileTypeID": id, "labelSelector": selector, "start": start, "end": end });
            for format in ["UNSPECIFIED", "FLAMEGRAPH", "TREE", "DOT", "PPROF"] {
                let format = json!({ "format": format!("PROFILE_FORMAT_{format}") });
                self.post("SelectMergeStacktraces", &with(&of, format));
            }
            for more in [
                json!({ "maxNodes": 3 }),
                json!({ "spanSelector": [SPAN] }),
                json!({ "traceIdSelector": [TRACE] }),
                json!({ "stackTraceSelector": { "callSite": [{ "name": "main" }] } }),
            ] {
                self.post("SelectMergeStacktraces", &with(&of, more));
            }
            let go = json!({ "stackTraceSelector": { "goPgo": { "keepLocations": 3 } } });
            self.post("SelectMergeProfile", &with(&of, go));
            for step in [15, 60, 1_000, 3_600, 86_400] {
                for aggregation in ["SUM", "AVERAGE"] {
                    let aggregation = format!("TIME_SERIES_AGGREGATION_TYPE_{aggregation}");
                    let groups = json!({ "groupBy": ["k8s.pod", "service_name"], "limit": 3 });
                    let points = json!({ "step": step, "aggregation": aggregation });
                    self.post("SelectSeries", &with(&with(&of, points), groups));
                }
            }
            let site = json!({ "callSite": [{ "name": "main" }] });
            let singles = json!({ "step": 600, "exemplarType": "EXEMPLAR_TYPE_INDIVIDUAL" });
            let of_site = json!({ "stackTraceSelector": site, "groupBy": ["region"] });
            self.post("SelectSeries", &with(&of, singles.clone()));
            self.post("SelectSeries", &with(&with(&of, singles.clone()), of_site));
            self.post("SelectHeatmap", &with(&of, singles));
            let spans = json!({ "queryType": "HEATMAP_QUERY_TYPE_SPAN", "exemplarType": "EXEMPLAR_TYPE_SPAN" });
            self.post(
                "SelectHeatmap",
                &with(&with(&of, spans), json!({ "step": 60 })),
            );
            let other = with(&of, json!({ "labelSelector": "{service_name=\"mail\"}" }));
            self.post("Diff", &json!({ "left": of, "right": other }));
        }
    }

    /// The older HTTP API and our own.
    fn older(&mut self, range: Range) {
        let query = format!("{CPU}{{service_name=\"shop\"}}");
        let of = ("query", query.as_str());
        let average = [of, ("groupBy", "k8s.pod"), ("aggregation", "avg")];
        let dot = [of, ("max-nodes", "4"), ("format", "dot")];
        self.get(range, "/pyroscope/render", &[of, ("groupBy", "region")]);
        self.get(range, "/pyroscope/render", &average);
        self.get(range, "/pyroscope/render", &dot);
        self.get(range, "/pgo/shop", &[]);
        self.get(range, "/api/v1/services", &[("points", "24")]);
        self.get(range, "/api/v1/timeline", &[of, ("points", "60")]);
        self.get(range, "/api/v1/profile", &[of]);
        self.get(range, "/api/v1/profile", &[of, ("span", SPAN)]);
    }

    fn get(&mut self, (from, until): Range, path: &str, pairs: &[(&str, &str)]) {
        let (from, until) = (from.to_string(), until.to_string());
        let range = [("from", from.as_str()), ("until", until.as_str())];
        let mut query = form_urlencoded::Serializer::new(String::new());
        let query = query.extend_pairs(range.iter().chain(pairs)).finish();
        let path = format!("{path}?{query}");
        let answer = self.client.get(&path).expect("an answer");
        let status = answer.status;
        assert!(matches!(status, 200 | 204), "{path}: {}", answer.text());
        self.answers.push((path, answer.body));
    }

    fn post(&mut self, call: &str, message: &Value) {
        let path = format!("/querier.v1.QuerierService/{call}");
        let body = message.to_string();
        let answer = self.client.post(&path, "application/json", body.as_bytes());
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 200, "{call} {message}: {}", answer.text());
        self.answers
            .push((format!("{call} {message}"), answer.body));
    }
}

/// A message with more fields.
fn with(message: &Value, more: Value) -> Value {
    let mut message = message.clone();
    for (name, value) in more.as_object().expect("fields") {
        message[name] = value.clone();
    }
    message
}
