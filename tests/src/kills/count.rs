//! Looks for each push in what queries answer.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use pilotlight_core::pprof::encode;
use pilotlight_core::store::read_chunk;

use super::process::{COMMON, Push, SERVICE, TYPES, common_name, push_name};
use super::report::Outcomes;
use super::{Problem, Stage};
use crate::client::Client;
use crate::clock::now_millis;
use crate::demo::random::Random;
use crate::oracle::Oracle;

/// Longest run that is looked at, milliseconds: two days.
const RANGE: i64 = 2 * 24 * 3_600_000;

/// Counts by name of the leaf.
type Counts = BTreeMap<String, i128>;

/// Queries while pushes and kills go on: what was acknowledged before a query began must be in its
/// answer, and nothing twice.
pub(super) fn read_until_the_end(stage: &Stage, mut random: Random) {
    while !stage.ending.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(300));
        let tenant = stage.some_tenant(&mut random);
        let known: Vec<Push> = stage
            .pushes_of(tenant)
            .into_iter()
            .filter(|push| push.acknowledged)
            .collect();
        let counts = match leaves(&stage.of_tenant(tenant), TYPES[0]) {
            Ok(counts) => counts,
            // The worker is down, or died under way.
            Err(Unread::Broken(_)) => continue,
            Err(Unread::Answered(text)) => {
                stage
                    .refused_reads
                    .lock()
                    .expect("no thread panics while it holds this")
                    .push(text);
                continue;
            }
        };
        stage.reads.fetch_add(1, Ordering::Relaxed);
        for push in known {
            match counts.get(&push_name(push.number)) {
                Some(_) => {}
                None => stage.report(Problem::lost(&push, "in a query while it ran")),
            }
        }
        for (name, count) in &counts {
            if name.starts_with("push_") && *count != 1 {
                stage.report(Problem::Several {
                    name: name.clone(),
                    count: *count,
                    when: "in a query while it ran",
                });
            }
        }
    }
}

/// Counts every push of every tenant, by both types and in the totals, and reports what is not as
/// it must be.
pub(super) fn count_all(stage: &Stage, tenants: u64, when: &'static str) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for tenant in 0..tenants {
        let (client, pushes) = (stage.of_tenant(tenant), stage.pushes_of(tenant));
        let mut present = 0;
        for (place, kind) in TYPES.into_iter().enumerate() {
            let mut counts = match leaves(&client, kind) {
                Ok(counts) => counts,
                Err(Unread::Broken(text) | Unread::Answered(text)) => {
                    stage.report(Problem::Unanswered { tenant, text, when });
                    continue;
                }
            };
            let found = outcomes_of(stage, &pushes, &mut counts, when);
            present = found.present;
            for name in (0..COMMON).map(common_name) {
                let count = counts.remove(&name).unwrap_or(0);
                if count != i128::from(present) {
                    stage.report(Problem::Common {
                        name,
                        tenant,
                        count,
                        present,
                        when,
                    });
                }
            }
            counts
                .into_iter()
                .for_each(|(name, count)| stage.report(Problem::Unknown { name, count, when }));
            if place == 0 {
                outcomes += found;
            }
        }
        check_totals(stage, &client, tenant, present, when);
    }
    outcomes
}

/// What became of a tenant's pushes; takes them out of the counts.
fn outcomes_of(
    stage: &Stage,
    pushes: &[Push],
    counts: &mut Counts,
    when: &'static str,
) -> Outcomes {
    let mut outcomes = Outcomes {
        pushes: pushes.len() as u64,
        ..Outcomes::default()
    };
    for push in pushes {
        outcomes.retried += u64::from(push.attempts > 1);
        outcomes.acknowledged += u64::from(push.acknowledged);
        let name = push_name(push.number);
        let count = counts.remove(&name).unwrap_or(0);
        outcomes.present += u64::try_from(count).unwrap_or(0);
        match (count, push.acknowledged) {
            (1, true) => {}
            (0, false) => outcomes.unacknowledged_absent += 1,
            (1, false) => outcomes.unacknowledged_present += 1,
            (0, true) => {
                outcomes.lost += 1;
                stage.report(Problem::lost(push, when));
            }
            _ => {
                outcomes.duplicates += 1;
                stage.report(Problem::Several { name, count, when });
            }
        }
    }
    outcomes
}

/// The list of services answers from other parts of the store than the merged profile does.
fn check_totals(stage: &Stage, client: &Client, tenant: u64, present: u64, when: &'static str) {
    let until = now_millis() + 3_600_000;
    let path = format!(
        "/api/v1/services?from={}&until={until}&points=60",
        until - RANGE
    );
    let answer = match client.get(&path) {
        Ok(answer) if answer.status == 200 => answer.json(),
        Ok(answer) => {
            return stage.report(Problem::Unanswered {
                tenant,
                text: answer.text(),
                when,
            });
        }
        Err(text) => return stage.report(Problem::Unanswered { tenant, text, when }),
    };
    for (id, value) in TYPES {
        let types = answer["services"][0]["types"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let total = types
            .iter()
            .find(|t| t["id"] == id)
            .and_then(|t| t["total"].as_str()?.parse().ok())
            .unwrap_or(0);
        let expected = i128::from(present) * i128::from(COMMON + 1) * i128::from(value);
        if total != expected {
            stage.report(Problem::Total {
                tenant,
                id,
                total,
                expected,
                when,
            });
        }
    }
}

/// Why a query has no counts.
enum Unread {
    /// No answer came.
    Broken(String),
    /// An answer came that has none.
    Answered(String),
}

/// How often each leaf was sampled, over all time.
fn leaves(client: &Client, (id, value): (&str, i64)) -> Result<Counts, Unread> {
    let until = now_millis() + 3_600_000;
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("query", &format!("{id}{{service_name=\"{SERVICE}\"}}"))
        .append_pair("from", &(until - RANGE).to_string())
        .append_pair("until", &until.to_string())
        .finish();
    let answer = client
        .get(&format!("/api/v1/profile?{query}"))
        .map_err(Unread::Broken)?;
    match answer.status {
        200 => {}
        204 => return Ok(Counts::new()),
        status => return Err(Unread::Answered(format!("{status}: {}", answer.text()))),
    }
    let profile =
        read_chunk(&answer.body, |_, _| true).map_err(|e| Unread::Answered(e.to_string()))?;
    let mut counts = Counts::new();
    for sample in Oracle::read(&encode(&profile)).samples {
        let leaf = sample.stack.last().cloned().unwrap_or_default();
        let sum = i128::from(sample.values[0]);
        if sum % i128::from(value) != 0 {
            return Err(Unread::Answered(format!(
                "{leaf} has {sum}, which is not a multiple of {value}"
            )));
        }
        *counts.entry(leaf).or_default() += sum / i128::from(value);
    }
    Ok(counts)
}

impl Stage {
    fn pushes_of(&self, tenant: u64) -> Vec<Push> {
        let pushes = self
            .pushes
            .lock()
            .expect("no thread panics while it holds this");
        pushes
            .iter()
            .filter(|push| push.tenant == tenant)
            .copied()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_seen() {
        let stage = Stage::new(Client::new("http://127.0.0.1:1"));
        let push = |number, acknowledged| Push {
            number,
            tenant: 0,
            acknowledged,
            attempts: 1,
            sent: 0,
            done: 0,
        };
        let pushes = [
            push(0, true),
            push(1, false),
            push(2, false),
            push(3, true),
            push(4, false),
            push(5, true),
        ];
        let counted = [
            ("push_0", 1),
            ("push_1", 1),
            ("push_4", 2),
            ("push_5", 3),
            ("push_6", 1),
        ];
        let mut counts: Counts = counted.map(|(name, count)| (name.to_owned(), count)).into();
        let found = outcomes_of(&stage, &pushes, &mut counts, "now");
        let expect = Outcomes {
            pushes: 6,
            acknowledged: 3,
            present: 7,
            unacknowledged_present: 1,
            unacknowledged_absent: 1,
            lost: 1,
            duplicates: 2,
            ..Outcomes::default()
        };
        assert_eq!(found, expect);
        assert_eq!(counts.into_keys().collect::<Vec<_>>(), ["push_6"]);
        assert_eq!(stage.problems.lock().unwrap().len(), 3);
    }
}
