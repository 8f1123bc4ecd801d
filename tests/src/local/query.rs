//! Questions to a running Pilotlight in Pyroscope's words, and their answers in plain types.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::client::Client;

/// Calls the querier; what is not an answer is an error.
pub fn rpc(client: &Client, call: &str, ask: &Value) -> Result<Value, String> {
    let path = format!("/querier.v1.QuerierService/{call}");
    let answer = client.post(&path, "application/json", ask.to_string().as_bytes())?;
    match answer.status {
        200 => Ok(answer.json()),
        status => Err(format!("{call} {ask}: {status} {}", answer.text())),
    }
}

/// A merged profile of one type: its total and those of its functions.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// The sum of all samples.
    pub total: i64,
    /// What each function has below it. A recursive one counts once a frame.
    pub functions: BTreeMap<String, i64>,
}

impl Merged {
    /// Asks for the samples of the series that the selector matches, between two times in
    /// milliseconds.
    pub fn ask(
        client: &Client,
        id: &str,
        selector: &str,
        (start, end): (i64, i64),
    ) -> Result<Self, String> {
        let ask = json!({ "profileTypeID": id, "labelSelector": selector, "start": start, "end": end, "maxNodes": 100_000 });
        let graph = rpc(client, "SelectMergeStacktraces", &ask)?["flamegraph"].take();
        let names = array(&graph["names"]).iter().filter_map(Value::as_str);
        let names: Vec<&str> = names.collect();
        let mut functions = BTreeMap::new();
        for level in array(&graph["levels"]) {
            let numbers: Vec<i64> = array(&level["values"]).iter().filter_map(number).collect();
            // A box: its distance from the one before it, total, self, and the index of its name.
            for numbers in numbers.chunks_exact(4) {
                let name = names
                    .get(numbers[3] as usize)
                    .ok_or("a box without a name")?;
                *functions.entry((*name).to_owned()).or_default() += numbers[1];
            }
        }
        Ok(Self {
            total: number(&graph["total"]).unwrap_or(0),
            functions,
        })
    }
}

/// The labels of each series between two times, those of its type among them.
pub fn series(
    client: &Client,
    (start, end): (i64, i64),
) -> Result<Vec<BTreeMap<String, String>>, String> {
    let answer = rpc(client, "Series", &json!({ "start": start, "end": end }))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pair = |pair: &Value| (text(&pair["name"]), text(&pair["value"]));
    let labels = |set: &Value| array(&set["labels"]).iter().map(pair).collect();
    Ok(array(&answer["labelsSet"]).iter().map(labels).collect())
}

/// The members of an array; none where a field is left out.
pub fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Protobuf's JSON gives numbers of 64 bits as text.
pub fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}
