//! A duty: a task of a visit, with when it is due, what it needs and what it did.
//!
//! No duty starves: one that is due waits at most as many visits as there are duties before it in
//! the list. That holds as long as a duty that leaves too little for a later one is not due again in
//! so many visits that follow, whether it ended or failed. Publications are half an hour apart, a
//! sweep that failed is begun again after 15 minutes, and a shard is mostly visited every minute.

use std::fmt;

use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};

use crate::meter::{DutyCounts, Outcome};
use crate::platform::errors::Problem;

/// What a visit may use, or a duty needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Requests to the bucket and to the shard.
    pub(crate) requests: u64,
    pub(crate) millis: i64,
}

impl Budget {
    fn covers(self, needs: Self) -> bool {
        self.requests >= needs.requests && self.millis >= needs.millis
    }
}

/// A task of a visit `V`.
pub(crate) struct Duty<V> {
    /// Its name in logs and metrics.
    pub(crate) name: &'static str,
    pub(crate) is_due: fn(&V) -> bool,
    /// It begins only if this much of the visit's budget is left, and counts as having used the
    /// requests when it fails.
    pub(crate) needs: Budget,
    pub(crate) run: for<'v> fn(&'v V) -> LocalBoxFuture<'v, Result<Done, Problem>>,
}

/// What a duty did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Done {
    /// Requests that it counts as having used.
    pub(crate) requests: u64,
    /// Objects, days or jobs, as the duty says.
    pub(crate) items: u64,
    /// Whether it may be due again at once.
    pub(crate) is_more_due: bool,
}

/// What a visit did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VisitReport {
    /// The duties that ran, by name.
    pub(crate) done: Vec<(String, Done)>,
    /// The duties that were due and did not fit.
    pub(crate) postponed: Vec<String>,
}

impl VisitReport {
    /// Whether another visit would find something to do.
    pub(crate) fn is_more_due(&self) -> bool {
        !self.postponed.is_empty() || self.done.iter().any(|(_, done)| done.is_more_due)
    }

    /// Whether any duty had something to do: most visits find nothing.
    pub(crate) fn did_something(&self) -> bool {
        !self.postponed.is_empty() || self.done.iter().any(|(_, done)| done.items > 0)
    }
}

impl fmt::Display for VisitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = self.done.iter();
        let mut parts: Vec<String> = done
            .map(|(duty, done)| format!("{duty}: {}", done.items))
            .collect();
        parts.extend(
            self.postponed
                .iter()
                .map(|duty| format!("{duty}: postponed")),
        );
        f.write_str(&parts.join(", "))
    }
}

/// Runs the duties that are due and fit into the budget, in order. A duty that fails does not keep
/// the later ones from running; its problem is returned with its name.
pub(crate) async fn run_duties<V>(
    duties: &[Duty<V>],
    visit: &V,
    budget: Budget,
    elapsed_millis: impl Fn() -> i64,
    counts: &DutyCounts,
) -> (VisitReport, Vec<(&'static str, Problem)>) {
    let (mut report, mut problems) = (VisitReport::default(), Vec::new());
    let mut requests = budget.requests;
    for duty in duties.iter().filter(|duty| (duty.is_due)(visit)) {
        let left = Budget {
            requests,
            millis: budget.millis - elapsed_millis(),
        };
        if !left.covers(duty.needs) {
            report.postponed.push(duty.name.to_owned());
            counts.count(duty.name, Outcome::Postponed);
            continue;
        }
        let used = match (duty.run)(visit).await {
            Ok(done) => {
                report.done.push((duty.name.to_owned(), done));
                counts.count(duty.name, Outcome::Done);
                done.requests
            }
            Err(problem) => {
                problems.push((duty.name, problem));
                counts.count(duty.name, Outcome::Failed);
                duty.needs.requests
            }
        };
        requests = requests.saturating_sub(used);
    }
    (report, problems)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures_util::FutureExt;

    use super::*;
    use crate::simulation::random;

    const DUTIES: usize = 5;

    const VISIT: Budget = Budget {
        requests: 100,
        millis: 1_000,
    };

    /// A visit that duties of a test find, each at its place in the list.
    #[derive(Default)]
    struct Scripted {
        is_due: [Cell<bool>; DUTIES],
        /// Requests that it uses; it fails when there is none.
        uses: [Cell<Option<u64>>; DUTIES],
        millis: [Cell<i64>; DUTIES],
        elapsed: Cell<i64>,
    }

    impl Scripted {
        fn run(&self, duties: &[Duty<Self>]) -> (VisitReport, Vec<(&'static str, Problem)>) {
            self.elapsed.set(0);
            run_duties(
                duties,
                self,
                VISIT,
                || self.elapsed.get(),
                &DutyCounts::default(),
            )
            .now_or_never()
            .expect("nothing to wait for")
        }
    }

    fn duty<const PLACE: usize>(requests: u64, millis: i64) -> Duty<Scripted> {
        Duty {
            name: ["a", "b", "c", "d", "e"][PLACE],
            is_due: |visit| visit.is_due[PLACE].get(),
            needs: Budget { requests, millis },
            run: |visit| {
                visit
                    .elapsed
                    .set(visit.elapsed.get() + visit.millis[PLACE].get());
                let done = visit.uses[PLACE].get().map(|requests| Done {
                    requests,
                    ..Done::default()
                });
                async move { done.ok_or_else(|| Problem::unavailable("broken")) }.boxed_local()
            },
        }
    }

    #[test]
    fn what_runs_in_a_visit() {
        let duties = [duty::<0>(10, 0), duty::<1>(30, 0), duty::<2>(60, 500)];
        let check = |uses: [Option<u64>; 2], millis: i64, expect: &str, failed: &[&str]| {
            let visit = Scripted::default();
            for place in 0..3 {
                visit.is_due[place].set(true);
                visit.uses[place].set(*uses.get(place).unwrap_or(&Some(1)));
            }
            visit.millis[1].set(millis);
            let (report, problems) = visit.run(&duties);
            let names: Vec<&str> = problems.iter().map(|(name, _)| *name).collect();
            assert_eq!((report.to_string().as_str(), &names[..]), (expect, failed));
            assert_eq!(report.is_more_due(), expect.contains("postponed"));
        };
        check([Some(10), Some(30)], 0, "a: 0, b: 0, c: 0", &[]);
        check([Some(10), Some(31)], 0, "a: 0, b: 0, c: postponed", &[]);
        check(
            [Some(71), Some(1)],
            0,
            "a: 0, b: postponed, c: postponed",
            &[],
        );
        check([Some(10), Some(30)], 500, "a: 0, b: 0, c: 0", &[]);
        check([Some(10), Some(30)], 501, "a: 0, b: 0, c: postponed", &[]);
        // One that fails counts as what it needs.
        check([None, Some(30)], 0, "b: 0, c: 0", &["a"]);
        check([None, Some(31)], 0, "b: 0, c: postponed", &["a"]);
    }

    #[test]
    fn no_duty_starves() {
        let (mut state, mut longest) = (0x9e37_79b9_7f4a_7c15, 0);
        for _ in 0..2_000 {
            let mut needs = || {
                (
                    random(&mut state) % (VISIT.requests + 1),
                    (random(&mut state) % (VISIT.millis as u64 + 1)) as i64,
                )
            };
            let needs = [(); DUTIES].map(|()| needs());
            let duties = [
                duty::<0>(needs[0].0, needs[0].1),
                duty::<1>(needs[1].0, needs[1].1),
                duty::<2>(needs[2].0, needs[2].1),
                duty::<3>(needs[3].0, needs[3].1),
                duty::<4>(needs[4].0, needs[4].1),
            ];
            let visit = Scripted::default();
            let (mut due_from, mut waited) = ([0; DUTIES], [0; DUTIES]);
            for now in 0..50 {
                for (place, from) in due_from.iter().enumerate() {
                    visit.is_due[place].set(*from <= now);
                    let used = random(&mut state) % (2 * VISIT.requests);
                    visit.uses[place].set((used > 20).then_some(used));
                    visit.millis[place].set((random(&mut state) % 2_000) as i64);
                }
                let (report, _) = visit.run(&duties);
                for (place, duty) in duties.iter().enumerate() {
                    if report.postponed.iter().any(|name| name == duty.name) {
                        waited[place] += 1;
                        assert!(waited[place] <= place, "{needs:?}: {} waits", duty.name);
                        longest = longest.max(waited[place]);
                    } else if due_from[place] <= now {
                        let is_last = place == DUTIES - 1;
                        let pause = if is_last { 1 } else { DUTIES as u64 };
                        due_from[place] = now + pause + random(&mut state) % 10;
                        waited[place] = 0;
                    }
                }
            }
        }
        assert!(longest > 1, "nothing ever waited for two visits");
    }
}
