//! Whether the value of a rule grew, by more than it varies by chance.
//!
//! For a function or a call site, the value is its share of all profiles that the rule selects, so
//! a change in load doesn't make a function grow. For entire profiles it is the amount per minute.

use std::collections::BTreeMap;

use super::alert::Alert;
use super::ratio::{Part, Ratio};
use super::series::{Labels, Matches, Minutes, at_each, check_work, matches, series};
use crate::api::query::Queries;
use crate::api::rules::points::{MINUTE, Series};
use crate::api::rules::rule::{Measure, Point, Rule, metric_label};
use crate::platform::errors::Problem;

/// The rate of false alarms per evaluation: one in a hundred thousand. An alert is evaluated 1,440
/// times a day, so a series without a change fires at most once in ten weeks if its parts vary
/// independently.
const FALSE_ALARMS: f64 = 1e-5;

/// Parts of a window: ten if it can be cut into ten of whole minutes, otherwise 11 to 19.
const PARTS: i64 = 10;

/// How long after the beginning of the range a version must begin to be new: agents may miss a few
/// minutes.
const THERE_BEFORE: i64 = 5 * MINUTE;

/// Largest growth that is reported, in percent; growth from 0 is reported as this.
pub(super) const MAX_GROWTH: f64 = 1e6;

/// The parts of a series, by the end of their minute.
type Minutely = BTreeMap<i64, Part>;

pub(super) async fn evaluate(
    alert: &Alert,
    rule: &Rule,
    measure: &Measure,
    minutes: Minutes,
    runner: &impl Queries,
) -> Result<Vec<Matches>, Problem> {
    let (mut rule, window, version) = (rule.clone(), alert.window(), &alert.version_label);
    if !version.is_empty() && !rule.group_by.contains(version) {
        rule.group_by.push(version.clone());
    }
    let windows = 2 * window;
    let read = minutes.extended_back(windows);
    let values = series(&rule, measure, read, runner).await?;
    check_work(values.len(), minutes, windows)?;
    let wholes = match measure.stacks.is_all() {
        true => Vec::new(),
        false => {
            let entire = rule.of_entire_profiles();
            series(&entire, &entire.measure()?, read, runner).await?
        }
    };
    let mut all = minutely(values, wholes, measure);
    let versions = match version.is_empty() {
        true => BTreeMap::new(),
        false => by_version(std::mem::take(&mut all), &metric_label(version)),
    };
    let grew = |growth: &f64| *growth > alert.threshold;
    let in_time = all.into_iter().map(|(labels, parts)| {
        let growth = |minute| growth_in_time(&parts, minute, window).filter(grew);
        (labels, at_each(minutes, growth))
    });
    let by_version = versions.into_iter().map(|(labels, versions)| {
        let growth = |minute| growth_by_version(&versions, minute, window).filter(grew);
        (labels, at_each(minutes, growth))
    });
    Ok(matches(in_time.chain(by_version)))
}

/// The parts of each series. A part's whole is the value of entire profiles (`wholes`). A rule of
/// entire profiles has none: there it is 1, a minute, or for gauges the number of profiles.
fn minutely(
    values: Vec<Series>,
    wholes: Vec<Series>,
    measure: &Measure,
) -> BTreeMap<Labels, Minutely> {
    let whole_of = |point: &Point| match measure.is_gauge {
        true => point.profiles as f64,
        false => 1.0,
    };
    let is_share = !measure.stacks.is_all();
    let mut all: BTreeMap<Labels, Minutely> = BTreeMap::new();
    for Series { labels, points } in wholes {
        let of_series = all.entry(labels).or_default();
        for (minute, point) in points {
            of_series.entry(minute).or_default().whole += point.sum as f64;
        }
    }
    for Series { labels, points } in values {
        let of_series = all.entry(labels).or_default();
        for (minute, point) in points {
            let part = of_series.entry(minute).or_default();
            part.value += point.sum as f64;
            if !is_share {
                part.whole += whole_of(&point);
            }
        }
    }
    all
}

/// The versions of each series: series that differ only in the label `label`.
fn by_version(all: BTreeMap<Labels, Minutely>, label: &str) -> BTreeMap<Labels, Vec<Minutely>> {
    let mut versions: BTreeMap<Labels, Vec<Minutely>> = BTreeMap::new();
    for (mut labels, parts) in all {
        if labels.remove(label).is_some() {
            versions.entry(labels).or_default().push(parts);
        }
    }
    versions
}

/// By how many percent a window grew over the one before it.
fn growth_in_time(parts: &Minutely, minute: i64, window: i64) -> Option<f64> {
    let length = part_length(window);
    let middle = minute - window;
    let before = ratio(parts, middle - window, middle, middle, length)?;
    let after = ratio(parts, middle, minute, minute, length)?;
    growth(&before, &after)
}

/// By how many percent the value of the newest version in two windows exceeds that of the version
/// before it. A version is newer if it began later.
fn growth_by_version(versions: &[Minutely], minute: i64, window: i64) -> Option<f64> {
    let (from, length) = (minute - 2 * window, part_length(window));
    let extent = |parts: &Minutely| {
        let mut ends = parts.range(from + 1..=minute).map(|(end, _)| *end);
        let first = ends.next()?;
        Some((first, ends.next_back().unwrap_or(first)))
    };
    let there = versions
        .iter()
        .filter_map(|parts| Some((extent(parts)?, parts)));
    let mut there: Vec<_> = there.collect();
    there.sort_by_key(|(extent, _)| *extent);
    let [.., (before, older), (after, newest)] = there.as_slice() else {
        return None;
    };
    // What began with the range may have been there before it, with a gap.
    if after.0 == before.0 || after.0 <= from + THERE_BEFORE {
        return None;
    }
    // The parts of a version that has ended stay the same: parts that move with the minute would be
    // enough in one evaluation and too few in the next.
    let ratio = |parts| ratio(parts, from, minute, 0, length);
    growth(&ratio(older)?, &ratio(newest)?)
}

fn part_length(window: i64) -> i64 {
    (window / PARTS / MINUTE).max(1) * MINUTE
}

/// The ratio over the minutes after `from` up to `until`, cut into parts of `length`, of which one
/// ends at `origin`.
fn ratio(parts: &Minutely, from: i64, until: i64, origin: i64, length: i64) -> Option<Ratio> {
    let mut sums: BTreeMap<i64, Part> = BTreeMap::new();
    for (end, part) in parts.range(from + 1..=until) {
        let sum = sums.entry((origin - end).div_euclid(length)).or_default();
        sum.value += part.value;
        sum.whole += part.whole;
    }
    Ratio::of(sums.into_values())
}

/// By how many percent the ratio grew, if that isn't chance.
fn growth(before: &Ratio, after: &Ratio) -> Option<f64> {
    if before.chance_of_growth(after) > FALSE_ALARMS {
        return None;
    }
    let percent = (after.ratio / before.ratio - 1.0) * 100.0;
    Some(percent.min(MAX_GROWTH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::random;

    fn parts(values: impl IntoIterator<Item = (i64, f64)>) -> Minutely {
        let part = |(minute, value)| {
            (
                minute * MINUTE,
                Part {
                    value,
                    whole: 100.0,
                },
            )
        };
        values.into_iter().map(part).collect()
    }

    #[test]
    fn a_jump_is_found_while_it_is_in_the_windows() {
        let noise = |minute: i64| (minute * 7 % 5) as f64 / 10.0;
        let step = |minute: i64| if minute > 100 { 30.0 } else { 20.0 } + noise(minute);
        let parts = parts((0..200).map(|minute| (minute, step(minute))));
        let found = |minute: i64| growth_in_time(&parts, minute * MINUTE, 20 * MINUTE);
        assert_eq!((found(100), found(141)), (None, None));
        assert!((45.0..50.0).contains(&found(120).unwrap()));
    }

    /// The docs and the site name this tenth.
    #[test]
    fn it_ends_when_a_tenth_of_the_earlier_time_has_the_new_level() {
        let seed = &mut 17;
        let step = |minute: i64| if minute > 100 { 48.6 } else { 30.0 };
        let parts = parts((0..300).map(|minute| (minute, step(minute) + noise(seed))));
        for window in [10, 30, 60] {
            let grows =
                |minute: &i64| growth_in_time(&parts, minute * MINUTE, window * MINUTE).is_some();
            let begin = (100..300).find(grows).unwrap();
            let end = (begin..300).find(|minute| !grows(minute)).unwrap();
            let earlier = end - window - 100;
            assert!(
                (0..=window / 5).contains(&earlier),
                "{window}: {begin} to {end}"
            );
        }
    }

    #[test]
    fn growth_from_zero_is_the_largest() {
        let parts = parts((0..40).map(|minute| (minute, if minute < 20 { 0.0 } else { 5.0 })));
        assert_eq!(
            growth_in_time(&parts, 39 * MINUTE, 20 * MINUTE),
            Some(MAX_GROWTH)
        );
    }

    #[test]
    fn the_newest_version_against_the_one_before() {
        let old = parts((0..60).map(|minute| (minute, 20.0 + (minute % 3) as f64)));
        let new = parts((30..60).map(|minute| (minute, 30.0 + (minute % 3) as f64)));
        let gone = parts((0..5).map(|minute| (minute, 90.0)));
        let at = |versions: &[Minutely], minute: i64| {
            growth_by_version(versions, minute * MINUTE, 30 * MINUTE)
        };
        let versions = [new.clone(), gone, old.clone()];
        assert!((40.0..50.0).contains(&at(&versions, 55).unwrap()));
        // Too few parts of the new one, to know how they vary.
        assert_eq!(at(&versions, 45), None);
        assert_eq!(at(&versions, 20), None);
        // Both began before the two windows.
        assert_eq!(at(&[old.clone(), old.clone()], 59), None);
        assert_eq!(at(&[old], 59), None);
        assert_eq!(at(&[], 59), None);
    }

    #[test]
    fn a_version_that_ran_for_a_while_fires_once_at_most() {
        for length in 18..26 {
            let (begin, end) = (101, 101 + length);
            let level = |minute: i64| (minute, 20.0 + (minute % 3) as f64);
            let old = parts((0..200).filter(|m| *m < begin || *m >= end).map(level));
            let new = parts((begin..end).map(|minute| (minute, 40.0 + (minute % 3) as f64)));
            let versions = [old, new];
            let fires: Vec<bool> = (90..200)
                .map(|minute| growth_by_version(&versions, minute * MINUTE, 30 * MINUTE).is_some())
                .collect();
            let begins = fires.windows(2).filter(|both| both == &[false, true]);
            assert!(begins.count() <= 1, "{length}: {fires:?}");
        }
    }

    /// About normal, with the variance 1.
    fn noise(seed: &mut u64) -> f64 {
        let uniform = |_| random(seed) as f64 / u64::MAX as f64;
        (0..12).map(uniform).sum::<f64>() - 6.0
    }

    /// How often an alert fires for a series in which nothing changes, with the window in minutes.
    fn alarms(parts: &Minutely, window: i64, threshold: f64) -> usize {
        let last = parts.keys().next_back().unwrap() / MINUTE;
        let fires = |minute: i64| {
            let growth = growth_in_time(parts, minute * MINUTE, window * MINUTE);
            growth.is_some_and(|growth| growth > threshold)
        };
        let mut before = false;
        let begins = (2 * window..last).filter(|minute| {
            let fires = fires(*minute);
            fires && !std::mem::replace(&mut before, fires)
        });
        begins.count()
    }

    /// A month of independent minutes.
    #[test]
    fn nothing_fires_by_chance() {
        let seed = &mut 11;
        let parts = parts((0..43_200).map(|minute| (minute, 20.0 + noise(seed))));
        for window in [10, 30] {
            assert_eq!(alarms(&parts, window, 0.0), 0, "{window}");
        }
    }

    /// A fortnight of a load that swings slowly by a fifth: parts are alike, so that chance has more
    /// say than it seems. Docs and decision 0043 name the figure.
    #[test]
    fn a_load_that_swings_slowly_fires_seldom() {
        let seed = &mut 13;
        let (mut state, correlation) = (0.0, 0.9f64);
        let parts = parts((0..20_160).map(|minute| {
            state = correlation * state + (1.0 - correlation * correlation).sqrt() * noise(seed);
            (minute, 20.0 * (1.0 + 0.2 * state))
        }));
        let found = alarms(&parts, 30, 20.0);
        assert!(found <= 1, "{found}");
    }
}
