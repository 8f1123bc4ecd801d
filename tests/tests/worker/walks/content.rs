//! Answers read as a front end reads them, and held against what they should say.

use std::collections::{BTreeMap, BTreeSet};

use pilotlight_tests::client::Answer;
use pilotlight_tests::oracle::Oracle;
use pilotlight_tests::query::{array, number};
use serde_json::{Value, json};

/// What each stack has itself.
type Stacks = BTreeMap<String, i64>;

/// Whether an answer says everything that is expected of it.
pub(crate) fn check(answer: &Answer, expect: &Value) -> Result<(), String> {
    let message = answer.json();
    let expect = expect.as_object().ok_or("nothing is expected")?;
    if let Some(refusal) = expect.get("refused") {
        return same(&json!([answer.status, message["code"]]), refusal);
    }
    if answer.status != 200 {
        return Err(format!("status {}", answer.status));
    }
    for (kind, expect) in expect {
        match kind.as_str() {
            "stacks" => same(&json!(stacks(&message, 1)?[0]), expect)?,
            "sides" => same(&json!(stacks(&message, 2)?), expect)?,
            "pprof" => same(&json!(pprof(&answer.body)), expect)?,
            "stacks of pprof" => same(&json!(pprof_in_json(&message)), expect)?,
            "lines" => same(&json!(lines(&message)), expect)?,
            "names" => same(&message["names"], expect)?,
            "sets" => same(&json!(sets(&message)), expect)?,
            "series" => same(&json!(series(&message)), expect)?,
            "answer" => same(&message, expect)?,
            "sorted" => same(&sorted(&message), &sorted(expect))?,
            "queried" => {
                let found = number(&message["queryImpact"]["totalQueriedSeries"]);
                same(&json!(found), expect)?;
            }
            "timeline" => {
                let samples = array(&message["timeline"]["samples"]).iter();
                same(&json!(samples.filter_map(number).sum::<i64>()), expect)?;
            }
            "flag" => {
                let flag = json!({ "name": expect, "enabled": true });
                if !array(&message["featureFlags"]).contains(&flag) {
                    return Err(format!("no {flag}"));
                }
            }
            "dot" => dot(&answer.text(), expect)?,
            other => return Err(format!("nobody knows how to look at {other}")),
        }
    }
    Ok(())
}

fn same(found: &Value, expect: &Value) -> Result<(), String> {
    if found == expect {
        return Ok(());
    }
    Err(format!("found  {found}\nwanted {expect}"))
}

/// A flame graph of any call, of one side or two. Boxes have to lie in their parents, one after the
/// other, as Grafana's data source relies on.
fn stacks(message: &Value, sides: usize) -> Result<Vec<Stacks>, String> {
    let graph = match &message["flamegraph"] {
        Value::Null => &message["flamebearer"],
        graph => graph,
    };
    let names: Vec<&str> = array(&graph["names"])
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut own = vec![Stacks::new(); sides];
    let mut parents: Vec<(i64, i64, String)> = vec![(0, i64::MAX, String::new())];
    let levels = array(&graph["levels"]);
    if levels.is_empty() {
        return Err("a flame graph without a root".to_owned());
    }
    for (depth, level) in levels.iter().enumerate() {
        let values = if level.is_array() {
            array(level)
        } else {
            array(&level["values"])
        };
        let values: Vec<i64> = values.iter().filter_map(number).collect();
        let (mut at, mut boxes) = (0, Vec::new());
        let mut above = parents.iter();
        let mut parent = above.next();
        for values in values.chunks(3 * sides + 1) {
            let [of_sides @ .., name] = values else {
                return Err(format!("level {depth} is cut short"));
            };
            let name = names
                .get(*name as usize)
                .ok_or("a box without a name")?
                .to_string();
            let sum = |place: usize| of_sides.chunks(3).map(|side| side[place]).sum::<i64>();
            at += sum(0);
            while parent.is_some_and(|(_, end, _)| at >= *end && depth > 0) {
                parent = above.next();
            }
            let (start, end, path) = parent.ok_or_else(|| format!("{name} lies in no box"))?;
            if at < *start || at + sum(1) > *end {
                return Err(format!("{name} at {at} is not within {path}"));
            }
            let path = match depth {
                0 => String::new(),
                1 => name,
                _ => format!("{path};{name}"),
            };
            for (own, side) in own.iter_mut().zip(of_sides.chunks(3)) {
                if side[2] != 0 && own.insert(path.clone(), side[2]).is_some() {
                    return Err(format!("{path} is there twice"));
                }
            }
            boxes.push((at, at + sum(1), path));
            at += sum(1);
        }
        parents = boxes;
    }
    let total: i64 = own.iter().flat_map(BTreeMap::values).sum();
    let most = own.iter().flat_map(BTreeMap::values).max().copied();
    let named = |names: [&str; 2]| names.iter().find_map(|name| number(&graph[name]));
    let (found, largest) = (named(["total", "numTicks"]), named(["maxSelf", "maxSelf"]));
    if (found.unwrap_or(0), largest.unwrap_or(0)) != (total, most.unwrap_or(0)) {
        return Err(format!("a total of {found:?} and a largest of {largest:?}"));
    }
    Ok(own)
}

/// A profile in protobuf, read by another reader.
fn pprof(body: &[u8]) -> Stacks {
    let stacks = Oracle::read(body).stacks(0);
    let stack = |(frames, value): (Vec<String>, i128)| (frames.join(";"), value as i64);
    stacks.into_iter().map(stack).collect()
}

/// The same in JSON.
fn pprof_in_json(profile: &Value) -> Stacks {
    let names = functions(profile);
    let location = |id: &Value| -> String {
        let all = array(&profile["location"]);
        let found = all.iter().find(|location| location["id"] == *id);
        let function = &found.expect("a location")["line"][0]["functionId"];
        names[&number(function).expect("a number")].0.clone()
    };
    let stack = |sample: &Value| {
        let frames = array(&sample["locationId"]).iter().rev().map(location);
        let value = number(&sample["value"][0]).expect("a value");
        (frames.collect::<Vec<_>>().join(";"), value)
    };
    array(&profile["sample"]).iter().map(stack).collect()
}

/// Name, file and first line of each function.
fn functions(profile: &Value) -> BTreeMap<i64, (String, String, i64)> {
    let text = |index: &Value| {
        let index = number(index).unwrap_or(0) as usize;
        profile["stringTable"][index]
            .as_str()
            .unwrap_or("")
            .to_owned()
    };
    let function = |function: &Value| {
        let start = number(&function["startLine"]).unwrap_or(0);
        let names = (text(&function["name"]), text(&function["filename"]), start);
        (number(&function["id"]).unwrap_or(0), names)
    };
    array(&profile["function"]).iter().map(function).collect()
}

/// File, first line and line of each function.
fn lines(profile: &Value) -> BTreeMap<String, (String, i64, i64)> {
    let functions = functions(profile);
    let of_location = |location: &Value| {
        let line = &location["line"][0];
        let (name, file, start) = &functions[&number(&line["functionId"]).unwrap_or(0)];
        let line = number(&line["line"]).unwrap_or(0);
        (name.clone(), (file.clone(), *start, line))
    };
    array(&profile["location"])
        .iter()
        .map(of_location)
        .collect()
}

/// Sets of labels, in an order of ours.
fn sets(message: &Value) -> Vec<Value> {
    let pair = |pair: &Value| {
        let text = |name: &str| pair[name].as_str().unwrap_or("").to_owned();
        (text("name"), text("value"))
    };
    let set =
        |set: &Value| -> Vec<(String, String)> { array(&set["labels"]).iter().map(pair).collect() };
    let mut sets: Vec<BTreeMap<String, String>> = array(&message["labelsSet"])
        .iter()
        .map(|labels| set(labels).into_iter().collect())
        .collect();
    sets.sort_by_key(|set| (set.get("service_name").cloned(), set.clone()));
    sets.iter().map(|set| json!(set)).collect()
}

/// Labels and points of each line.
fn series(message: &Value) -> Vec<Value> {
    let line = |line: &Value| {
        let labels = array(&line["labels"]).iter();
        let labels: Vec<Value> = labels
            .map(|pair| json!([pair["name"], pair["value"]]))
            .collect();
        let points = array(&line["points"]).iter();
        let points: Vec<Value> = points
            .map(|point| json!([number(&point["timestamp"]), point["value"].as_f64()]))
            .collect();
        json!([labels, points])
    };
    array(&message["series"]).iter().map(line).collect()
}

/// A call graph for Graphviz has a box for each function.
fn dot(text: &str, expect: &Value) -> Result<(), String> {
    let boxes = text.lines().filter_map(|line| {
        let (_, label) = line.split_once("[label=\"")?;
        Some(label.split_once("\\n")?.0.to_owned())
    });
    let found: BTreeSet<String> = boxes.collect();
    same(&json!(found), expect)
}

/// The same value with its arrays in an order of ours.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(all) => {
            let mut all: Vec<Value> = all.iter().map(sorted).collect();
            all.sort_by_key(Value::to_string);
            Value::Array(all)
        }
        Value::Object(all) => {
            let all = all
                .iter()
                .map(|(name, value)| (name.clone(), sorted(value)));
            Value::Object(all.collect())
        }
        other => other.clone(),
    }
}
