//! Flame charts: what a thread did when, of profiles whose samples have times.

use std::collections::{BTreeMap, BTreeSet};

use pilotlight_core::heatmap::{self, Idle};
use pilotlight_core::verbs;
use pilotlight_core::{LabelSetId, LabelValue, Profile};

use crate::answers::{HeatmapInfo, Thread, TreeInfo};
use crate::error::SessionError;
use crate::session::{Session, type_info};
use crate::steps::{derive, first_time};
use crate::view::View;

/// Labels that tell apart what runs side by side, from the outside in.
const LABELS: [&str; 3] = ["profile_name", "process", "thread"];
/// Tells apart threads of one name.
const ID: &str = "thread_id";

impl Session {
    /// What ran side by side in a profile, the largest first; those that computed most where CPU
    /// time is known, since of wall time all threads have as much. One without a name is what has
    /// no such label.
    pub fn threads(&self, id: u32, sample_type: u32) -> Result<Vec<Thread>, SessionError> {
        let profile = self.profile(id)?;
        let values = profile.samples().values.get(sample_type as usize);
        let values = values.ok_or(SessionError::NoType(sample_type))?;
        let names = names(profile, profile);
        let mut types = profile.sample_types().iter();
        let cpu = types.position(|of| profile.text(of.kind) == "cpu");
        let cpu = cpu.map_or(values, |column| &profile.samples().values[column]);
        let mut threads: BTreeMap<&str, [i128; 2]> = BTreeMap::new();
        let rows = profile.samples().labels.iter().zip(values.iter().zip(cpu));
        for (&labels, (&value, &cpu)) in rows.filter(|(_, (value, _))| **value != 0) {
            let [total, computed] = threads.entry(name(&names, labels)).or_default();
            *total += i128::from(value);
            *computed += i128::from(cpu);
        }
        let mut threads: Vec<(&str, [i128; 2])> = threads.into_iter().collect();
        threads.sort_by_key(|&(_, [total, computed])| std::cmp::Reverse((computed, total)));
        let threads = threads.into_iter().map(|(name, [total, _])| Thread {
            name: name.to_owned(),
            total: total as f64,
        });
        Ok(threads.collect())
    }

    /// The chart of a thread after some steps, as a tree in the order of time; just the root where
    /// they leave nothing of it.
    pub fn chart(
        &mut self,
        id: u32,
        sample_type: u32,
        steps: &[String],
        thread: &str,
    ) -> Result<TreeInfo, SessionError> {
        let (profile, column) = (self.profile(id)?, sample_type as usize);
        if profile.samples().values.len() <= column {
            return Err(SessionError::NoType(sample_type));
        }
        let derived = derive(profile, steps)?;
        let names = names(&derived.profile, profile);
        let keep = |labels: Option<LabelSetId>| name(&names, labels) == thread;
        let chart = verbs::chart(&derived.profile, column, keep)?;
        let chart = chart.ok_or(SessionError::NoTimes)?;
        let first = first_time(profile).unwrap_or(0);
        // Its own values are durations of one thread.
        let left = Some(type_info(&derived.profile, column));
        let view = View::chart(chart, first).derived(profile.total(column), derived.unmatched);
        Ok(TreeInfo {
            left,
            ..self.add_tree(view)
        })
    }

    /// How much of a profile there is at each moment, of what ran or of all; nothing of one without
    /// times.
    pub fn heatmap(
        &self,
        id: u32,
        sample_type: u32,
        with_idle: bool,
    ) -> Result<Option<HeatmapInfo>, SessionError> {
        let profile = self.profile(id)?;
        let idle = if with_idle {
            Idle::Counted
        } else {
            Idle::LeftOut
        };
        let map = heatmap::heatmap(profile, sample_type as usize, idle);
        let first = first_time(profile).unwrap_or(0);
        Ok(map.map(|map| HeatmapInfo {
            start: seconds(map.start.saturating_sub(first)),
            end: seconds(map.end.saturating_sub(first)),
            column: seconds(map.column),
            rows: heatmap::ROWS as u32,
            cells: map.cells,
            has_idle: map.has_idle,
        }))
    }
}

fn seconds(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}

/// The thread of each set of labels. Of several with one name in `whole`, of which the profile is a
/// part, each has its ID, too.
fn names(profile: &Profile, whole: &Profile) -> Vec<String> {
    let mut ids: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut several = BTreeSet::new();
    for set in whole.label_sets().ids() {
        let (name, id) = (plain_name(whole, set), text(whole, set, ID));
        if *ids.entry(name.clone()).or_insert_with(|| id.clone()) != id {
            several.insert(name);
        }
    }
    let name = |set| {
        let name = plain_name(profile, set);
        match text(profile, set, ID).filter(|_| several.contains(&name)) {
            Some(id) if name.is_empty() => format!("thread {id}"),
            Some(id) => format!("{name} ({id})"),
            None => name,
        }
    };
    profile.label_sets().ids().map(name).collect()
}

fn plain_name(profile: &Profile, set: LabelSetId) -> String {
    let parts = LABELS.iter().filter_map(|key| text(profile, set, key));
    parts.collect::<Vec<_>>().join(" / ")
}

fn text(profile: &Profile, set: LabelSetId, key: &str) -> Option<String> {
    let mut labels = profile.labels(Some(set)).iter();
    let label = labels.find(|label| profile.text(label.key) == key)?;
    Some(match label.value {
        LabelValue::Text(text) => profile.text(text).to_owned(),
        LabelValue::Number(number, _) => number.to_string(),
    })
}

fn name(names: &[String], labels: Option<LabelSetId>) -> &str {
    labels.map_or("", |set| &names[set.index()])
}
