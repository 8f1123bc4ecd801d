//! What the store should hold after some pushes, worked out from the recorded bodies alone.

use std::collections::BTreeMap;

use crate::oracle::{Oracle, OracleSample};
use crate::recorded::Recorded;

/// A service and a profile type id.
pub type Key = (String, String);

/// The samples above zero of each service and type, one value each.
pub fn expected(requests: &[Recorded]) -> BTreeMap<Key, Oracle> {
    let mut series: BTreeMap<Key, Oracle> = BTreeMap::new();
    for request in requests {
        let mut oracle = Oracle::read(request.profile());
        let stacks = oracle.samples.iter_mut().map(|sample| &mut sample.stack);
        stacks.flatten().for_each(|name| *name = of_any_type(name));
        let group = group(&oracle, request.part("sample_type_config"));
        let (period_type, period_unit) = oracle.period_type.clone().unwrap_or_default();
        for (column, (kind, unit)) in oracle.types.iter().enumerate() {
            // CPU time beside wall time has a name of its own.
            let group = match (group, kind.as_str()) {
                ("wall", "cpu") => "process_cpu",
                _ => group,
            };
            let id = format!("{group}:{kind}:{unit}:{period_type}:{period_unit}");
            let positive = oracle.samples.iter().filter(|s| s.values[column] > 0);
            let samples: Vec<OracleSample> = positive
                .map(|s| OracleSample {
                    values: vec![s.values[column]],
                    ..s.clone()
                })
                .collect();
            if !samples.is_empty() {
                let entry = series.entry((request.service(), id)).or_default();
                entry.types = vec![(kind.clone(), unit.clone())];
                entry.samples.extend(samples);
            }
        }
    }
    series
}

/// The first part of a type id. Which words mean what is told by hand: these are the profiles that
/// the agents send.
fn group(oracle: &Oracle, config: Option<&[u8]>) -> &'static str {
    let has = |kind: &str| oracle.types.iter().any(|(k, _)| k == kind);
    let config = String::from_utf8_lossy(config.unwrap_or_default()).into_owned();
    match () {
        () if has("wall") => "wall",
        () if has("cpu") => "process_cpu",
        () if has("inuse_space") => "memory",
        () if has("goroutine") => "goroutines",
        () if has("contentions") && config.contains("block_count") => "block",
        () if has("contentions") && config.contains("mutex_count") => "mutex",
        () => panic!("a profile of an unknown kind: {:?}", oracle.types),
    }
}

/// The name of a generic function of Go without the types that it was compiled for.
fn of_any_type(name: &str) -> String {
    match (name.find("[go.shape."), name.rfind(']')) {
        (Some(start), Some(end)) => format!("{}[...]{}", &name[..start], &name[end + 1..]),
        _ => name.to_owned(),
    }
}
