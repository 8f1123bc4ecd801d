//! Sends the minutes that are due.

use std::collections::BTreeMap;

use pilotlight_core::store::TenantId;

use super::messages::encode;
use super::progress::{Progress, progress_key};
use super::target::{Target, Version};
use crate::api::query::Queries;
use crate::api::rules::metric::{Metric, metrics};
use crate::api::rules::points::{MINUTE, Steps, last_minute};
use crate::api::rules::rule::Rule;
use crate::bucket::{Bucket, record};
use crate::http::outgoing::{Outgoing, Post, PostResponse};
use crate::platform::Platform;
use crate::platform::errors::Problem;

/// Most minutes of a visit: an hour.
const MAX_MINUTES: i64 = 60;

/// Most requests of a visit: 20. An hour of 25 rules with 20 series each needs 15.
const MAX_REQUESTS: usize = 20;

/// Most samples of a request, unless a minute has more: 2,000, which is what Prometheus sends.
const MAX_SAMPLES: usize = 2_000;

/// Longest wait that a server can ask for: an hour.
const MAX_WAIT: i64 = 60 * MINUTE;

/// What sends a tenant's points.
pub(crate) struct Sender<'a, B, Q, O> {
    pub(crate) tenant: &'a TenantId,
    pub(crate) target: &'a Target,
    pub(crate) rules: &'a [Rule],
    /// Where the progress is.
    pub(crate) bucket: &'a B,
    pub(crate) runner: &'a Q,
    pub(crate) outgoing: &'a O,
}

/// Why points were not accepted.
enum Failed {
    /// The server can't take some of the samples.
    Refused(String),
    /// Anything else, with the wait that the server asks for in milliseconds.
    Retry(String, Option<i64>),
}

impl<B: Bucket, Q: Queries, O: Outgoing> Sender<'_, B, Q, O> {
    /// Sends what is due, in order, until a request fails.
    pub(crate) async fn run(&self) -> Result<(), Problem> {
        let progress: Progress = record::read(self.bucket, &progress_key(self.tenant)).await?;
        let mut visit = Visit {
            now: self.runner.platform().now_millis(),
            stored: progress.clone(),
            progress,
        };
        if self.rules.is_empty() {
            // Rules that come later must not find a backlog.
            visit.progress.forget();
        } else if visit.progress.is_waiting(visit.now) {
            return Ok(());
        } else if let Err(problem) = self.send(&mut visit).await {
            visit.progress.fail(problem.message, visit.now);
        }
        self.store(&mut visit).await
    }

    async fn send(&self, visit: &mut Visit) -> Result<(), Problem> {
        let from = visit.progress.begin(visit.now);
        let Some(from) = self.retry_refused(visit, from).await? else {
            return Ok(());
        };
        let until = last_minute(visit.now).min(from + MAX_MINUTES * MINUTE);
        if from >= until {
            return Ok(());
        }
        let (metrics, until) = self.metrics(from, until).await?;
        self.send_range(visit, &metrics, from, until).await
    }

    /// Tries the first of the refused minutes again: the server may be in order now. Returns after
    /// which minute to go on, unless a request failed.
    async fn retry_refused(&self, visit: &mut Visit, from: i64) -> Result<Option<i64>, Problem> {
        let Some(refused_until) = visit.progress.refused_until() else {
            return Ok(Some(from));
        };
        let end = from + MINUTE;
        let (metrics, _) = self.metrics(from, end).await?;
        if counts(&metrics).is_empty() {
            visit.progress.retried(end, false);
            return Ok(Some(refused_until));
        }
        match self.post(&metrics, from, end).await {
            Ok(()) => {
                visit.progress.retried(end, true);
                self.store(visit).await?;
                Ok(Some(end))
            }
            Err(Failed::Refused(_)) => Ok(Some(refused_until)),
            Err(Failed::Retry(message, wait)) => {
                visit.wait(message, wait);
                Ok(None)
            }
        }
    }

    /// The metrics after `from`, and the time up to which they go. If a rule has too much in a long
    /// range, a shorter one is tried. If one can't be computed in any range, the others don't wait
    /// for it, and the page of rules shows the error: the longest range with most of them counts.
    async fn metrics(&self, from: i64, until: i64) -> Result<(Vec<Metric>, i64), Problem> {
        let mut minutes = (until - from) / MINUTE;
        let mut most: Option<(Vec<Metric>, i64)> = None;
        loop {
            let until = from + minutes * MINUTE;
            let steps = Steps::covering(from, until, MINUTE)?;
            match metrics(self.rules, steps, self.runner).await {
                Ok(found) if found.problem.is_none() => return Ok((found.metrics, until)),
                Ok(found) => {
                    let before = most.take();
                    let longer = before.filter(|(longer, _)| longer.len() >= found.metrics.len());
                    let best = longer.unwrap_or((found.metrics, until));
                    if minutes == 1 {
                        return Ok(best);
                    }
                    most = Some(best);
                }
                Err(problem) if !problem.is_permanent() || minutes == 1 => return Err(problem),
                Err(_) => {}
            }
            minutes = (minutes / 4).max(1);
        }
    }

    async fn send_range(
        &self,
        visit: &mut Visit,
        metrics: &[Metric],
        mut from: i64,
        until: i64,
    ) -> Result<(), Problem> {
        let counts = counts(metrics);
        let mut is_single = visit.progress.refused_until().is_some();
        let mut requests = 0;
        while from < until && requests < MAX_REQUESTS {
            let end = match is_single {
                true => from + MINUTE,
                false => batch_end(&counts, from, until),
            };
            if counts.range(from + 1..=end).next().is_none() {
                visit.progress.skip(end);
                from = end;
                continue;
            }
            requests += 1;
            match self.post(metrics, from, end).await {
                Ok(()) => {
                    visit.progress.accept(end);
                    self.store(visit).await?;
                }
                // Which minute is it?
                Err(Failed::Refused(_)) if end - from > MINUTE => {
                    is_single = true;
                    continue;
                }
                Err(Failed::Refused(message)) => {
                    visit.progress.fail(message, visit.now);
                    is_single = true;
                    if !visit.progress.refuse(end, visit.now) {
                        break;
                    }
                }
                Err(Failed::Retry(message, wait)) => {
                    visit.wait(message, wait);
                    break;
                }
            }
            from = end;
        }
        Ok(())
    }

    /// Sends the samples after `from` until `until`.
    async fn post(&self, metrics: &[Metric], from: i64, until: i64) -> Result<(), Failed> {
        let Target {
            url,
            version,
            authorization,
        } = self.target;
        let body = encode(*version, metrics, from, until);
        let body = body.map_err(|problem| Failed::Retry(problem.message, None))?;
        let mut headers = version.headers().to_vec();
        headers.push(("x-scope-orgid", self.tenant.as_str()));
        headers.extend(
            authorization
                .iter()
                .map(|value| ("authorization", &**value)),
        );
        let post = Post {
            url,
            headers: &headers,
            body,
        };
        let response = self.outgoing.post(post).await;
        judged(
            response.map_err(|error| Failed::Retry(error, None))?,
            *version,
        )
    }

    /// Stores the progress if it has changed, unless another visit has got further.
    async fn store(&self, visit: &mut Visit) -> Result<(), Problem> {
        let progress = &visit.progress;
        if *progress == visit.stored {
            return Ok(());
        }
        let now = || self.runner.platform().now_millis();
        let stored = &visit.stored;
        let set = |there: &mut Progress| {
            // A clock that is set back sets back the progress, too.
            let is_same = there == stored;
            if is_same || progress.sent_until.is_none() || there.sent_until <= progress.sent_until {
                *there = progress.clone();
            }
            Ok(())
        };
        record::change(self.bucket, &progress_key(self.tenant), now, set).await?;
        visit.stored = progress.clone();
        Ok(())
    }
}

/// What a visit works on.
struct Visit {
    now: i64,
    progress: Progress,
    /// As it was read or written last.
    stored: Progress,
}

impl Visit {
    fn wait(&mut self, message: String, wait: Option<i64>) {
        self.progress.fail(message, self.now);
        self.progress.retry_at = wait.map(|wait| self.now + wait);
    }
}

/// Whether the server has accepted the samples.
fn judged(response: PostResponse, version: Version) -> Result<(), Failed> {
    let PostResponse {
        status,
        retry_after,
        samples_written,
        text,
    } = response;
    let is_v2 = version == Version::V2;
    let message = match status {
        // A server of version 1.0 finds nothing in such a message, and accepts that.
        200..=299 if is_v2 && samples_written.is_none() => {
            "the server does not support version 2.0; set REMOTE_WRITE_VERSION to 1.0".to_owned()
        }
        200..=299 => return Ok(()),
        415 if is_v2 => "the server returned 415; set REMOTE_WRITE_VERSION to 1.0".to_owned(),
        _ if text.trim().is_empty() => format!("the server returned {status}"),
        _ => format!("the server returned {status}: {}", text.trim()),
    };
    match status {
        400 => Err(Failed::Refused(message)),
        _ => {
            let wait = retry_after.map(|seconds| i64::from(seconds) * 1_000);
            Err(Failed::Retry(message, wait.map(|wait| wait.min(MAX_WAIT))))
        }
    }
}

/// How many samples each minute has.
fn counts(metrics: &[Metric]) -> BTreeMap<i64, usize> {
    let mut counts = BTreeMap::new();
    let series = metrics.iter().flat_map(|metric| &metric.series);
    for (at, _) in series.flat_map(|series| &series.samples) {
        *counts.entry(*at).or_default() += 1;
    }
    counts
}

/// The end of the longest whole minutes after `from` that fit into a request.
fn batch_end(counts: &BTreeMap<i64, usize>, from: i64, until: i64) -> i64 {
    let mut samples = 0;
    let too_many = counts.range(from + 1..=until).find(|&(&at, count)| {
        samples += count;
        samples > MAX_SAMPLES && at > from + MINUTE
    });
    too_many.map_or(until, |(at, _)| at - MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_whole_minutes() {
        let check = |of: &[(i64, usize)], from: i64, expect: i64| {
            let counts = of.iter().map(|(at, count)| (at * MINUTE, *count)).collect();
            assert_eq!(
                batch_end(&counts, from * MINUTE, 10 * MINUTE),
                expect * MINUTE
            );
        };
        check(&[], 0, 10);
        check(&[(1, 1_000), (2, 1_000)], 0, 10);
        check(&[(1, 1_000), (2, 1_000), (5, 1)], 0, 4);
        check(&[(1, 1_000), (2, 1_000), (5, 1)], 1, 10);
        check(&[(1, 3_000), (2, 1)], 0, 1);
    }

    #[test]
    fn what_responses_mean() {
        let check = |status, written, version, expect: Option<&str>| {
            let response = PostResponse {
                status,
                retry_after: Some(7_200),
                samples_written: written,
                text: "no\n".to_owned(),
            };
            let found = match judged(response, version) {
                Ok(()) => None,
                Err(Failed::Refused(message)) => Some(format!("refused, {message}")),
                Err(Failed::Retry(message, wait)) => {
                    assert_eq!(wait, Some(MAX_WAIT));
                    Some(message)
                }
            };
            assert_eq!(found.as_deref(), expect);
        };
        check(204, None, Version::V1, None);
        check(204, Some(0), Version::V2, None);
        let unsupported =
            "the server does not support version 2.0; set REMOTE_WRITE_VERSION to 1.0";
        check(204, None, Version::V2, Some(unsupported));
        check(
            400,
            None,
            Version::V1,
            Some("refused, the server returned 400: no"),
        );
        check(301, None, Version::V1, Some("the server returned 301: no"));
        check(415, None, Version::V1, Some("the server returned 415: no"));
        let other = "the server returned 415; set REMOTE_WRITE_VERSION to 1.0";
        check(415, None, Version::V2, Some(other));
    }
}
