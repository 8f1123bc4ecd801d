//! Labels of events: those of their contexts, and their spans and traces.

use std::ops::Range;

use hashbrown::HashMap;

use super::budget::{self, Budget};
use super::error::JfrProblem;
use super::labels::LabelsSnapshot;
use crate::base::sort::insertion_sort;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LabelSetId, StringId};
use crate::model::profile::{Label, LabelValue};

/// What an event says of its labels; zeros and `None` say nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LabelIds {
    pub(super) context: u64,
    pub(super) span: u64,
    pub(super) span_name: u64,
    pub(super) trace_high: u64,
    pub(super) trace_low: u64,
    /// The name of its thread.
    pub(super) thread: Option<StringId>,
}

/// The label sets of a recording. Each text and each context is looked at once: any number of events
/// may name them.
pub(super) struct EventLabels<'l> {
    snapshot: Option<&'l LabelsSnapshot<'l>>,
    texts: HashMap<u64, StringId>,
    /// Where the labels of each context are.
    contexts: HashMap<u64, Range<usize>>,
    /// Labels of contexts, of each in order and no key twice.
    labels: Vec<Label>,
    /// What was made last: samples of a span come one after the other.
    last: Option<(LabelIds, Option<LabelSetId>)>,
}

impl<'l> EventLabels<'l> {
    pub(super) fn new(snapshot: Option<&'l LabelsSnapshot<'l>>) -> Self {
        Self {
            snapshot,
            texts: HashMap::new(),
            contexts: HashMap::new(),
            labels: Vec::new(),
            last: None,
        }
    }

    /// The label set of an event; none without labels.
    pub(super) fn set(
        &mut self,
        ids: LabelIds,
        builder: &mut ProfileBuilder,
        budget: &mut Budget,
    ) -> Result<Option<LabelSetId>, JfrProblem> {
        if ids == LabelIds::default() {
            return Ok(None);
        }
        if let Some((_, set)) = self.last.filter(|(last, _)| *last == ids) {
            return Ok(set);
        }
        let own = self.own(ids, builder, budget)?;
        let context = self.context(ids.context, builder, budget)?;
        budget.work(own.len() + context.len())?;
        let of_context = self.labels[context]
            .iter()
            .filter(|label| own.iter().all(|own| own.key != label.key));
        let mut labels: Vec<Label> = of_context.copied().collect();
        labels.extend(&own);
        let before = builder.profile().label_sets().len();
        let set = builder.label_set(&mut labels);
        if builder.profile().label_sets().len() > before {
            budget.take(labels.len(), budget::LABEL)?;
        }
        self.last = Some((ids, set));
        Ok(set)
    }

    /// The labels of a span and its trace.
    fn own(
        &mut self,
        ids: LabelIds,
        builder: &mut ProfileBuilder,
        budget: &mut Budget,
    ) -> Result<Vec<Label>, JfrProblem> {
        let LabelIds {
            span,
            span_name,
            trace_high,
            trace_low,
            thread,
            ..
        } = ids;
        let mut labels = Vec::new();
        if let Some(thread) = thread {
            let key = intern(builder, "thread", budget)?;
            let value = LabelValue::Text(thread);
            labels.push(Label { key, value });
        }
        let mut add = |key: &str, value: &str, budget: &mut Budget| {
            let key = intern(builder, key, budget)?;
            let value = LabelValue::Text(intern(builder, value, budget)?);
            labels.push(Label { key, value });
            Ok(())
        };
        if span != 0 {
            add("span_id", &format!("{span:016x}"), budget)?;
        }
        if (trace_high, trace_low) != (0, 0) {
            add(
                "trace_id",
                &format!("{trace_high:016x}{trace_low:016x}"),
                budget,
            )?;
        }
        let name = self.text(span_name, builder, budget)?;
        if name != StringId::EMPTY {
            let key = intern(builder, "span_name", budget)?;
            let value = LabelValue::Text(name);
            labels.push(Label { key, value });
        }
        Ok(labels)
    }

    /// Where the labels of a context are; nowhere for an unknown one.
    fn context(
        &mut self,
        id: u64,
        builder: &mut ProfileBuilder,
        budget: &mut Budget,
    ) -> Result<Range<usize>, JfrProblem> {
        if let Some(known) = self.contexts.get(&id) {
            return Ok(known.clone());
        }
        let Some(pairs) = self.snapshot.and_then(|snapshot| snapshot.context(id)) else {
            return Ok(0..0);
        };
        let start = self.labels.len();
        budget.take(pairs.len(), budget::LABEL)?;
        budget.take(1, budget::CONTEXT)?;
        for &(key, value) in pairs {
            let key = self.text(key as u64, builder, budget)?;
            let value = self.text(value as u64, builder, budget)?;
            let is_new = self.labels[start..].iter().all(|label| label.key != key);
            if key != StringId::EMPTY && value != StringId::EMPTY && is_new {
                let value = LabelValue::Text(value);
                self.labels.push(Label { key, value });
            }
        }
        // In order, so that a few more are put into their places soon.
        insertion_sort(&mut self.labels[start..], Label::order);
        let range = start..self.labels.len();
        self.contexts.insert(id, range.clone());
        Ok(range)
    }

    /// A text of the snapshot; empty for an unknown one.
    fn text(
        &mut self,
        id: u64,
        builder: &mut ProfileBuilder,
        budget: &mut Budget,
    ) -> Result<StringId, JfrProblem> {
        if let Some(&known) = self.texts.get(&id) {
            return Ok(known);
        }
        let text = self.snapshot.map_or("", |snapshot| snapshot.text(id));
        if text.is_empty() {
            return Ok(StringId::EMPTY);
        }
        budget.take(1, budget::CONSTANT)?;
        let string = intern(builder, text, budget)?;
        self.texts.insert(id, string);
        Ok(string)
    }
}

/// A text as a string of the profile, which is accounted for when it is new.
pub(super) fn intern(
    builder: &mut ProfileBuilder,
    text: &str,
    budget: &mut Budget,
) -> Result<StringId, JfrProblem> {
    let before = builder.profile().strings.len();
    let string = builder.string(text);
    if builder.profile().strings.len() > before {
        budget.take_text(text)?;
    }
    Ok(string)
}
