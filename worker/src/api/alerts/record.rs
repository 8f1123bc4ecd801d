//! A tenant's alerts, their state, their receivers and the waiting messages, as one object of the
//! bucket, so that a change and its messages are written together.

use pilotlight_core::store::TenantId;
use serde::{Deserialize, Serialize};

use super::alert::Alert;
use super::attempt::Attempt;
use super::history::HistoryEntry;
use super::message::{Instance, Message, Status};
use super::receiver::{Format, Receiver};
use super::state::{Change, Event, State};
use crate::bucket::Bucket;
use crate::bucket::record::{self, JsonRecord};
use crate::platform::errors::Problem;

/// Most alerts of a tenant, one for each of its rules.
const MAX_ALERTS: usize = 25;

/// Most receivers of a tenant.
const MAX_RECEIVERS: usize = 10;

/// Most history entries.
const MAX_HISTORY: usize = 200;

/// The only version there is.
const VERSION: u32 = 1;

/// Where a tenant's alerts are.
pub(crate) fn alerts_key(tenant: &TenantId) -> String {
    format!("alerts/{tenant}")
}

/// Changes the alerts in the object `key`, and returns them as they are stored then. All changes come
/// through here, so that its code is compiled once.
pub(super) async fn change(
    bucket: &impl Bucket,
    key: &str,
    now: &dyn Fn() -> i64,
    change: &dyn Fn(&mut Alerts) -> Result<(), Problem>,
) -> Result<Alerts, Problem> {
    Ok(record::change(bucket, key, now, change).await?.value)
}

/// An alert with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredAlert {
    pub(super) alert: Alert,
    pub(super) state: State,
}

/// All of a tenant's alerts, in the order in which they were added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Alerts {
    version: u32,
    /// The number of changes to alerts so far. Receivers and states don't count.
    generation: i64,
    pub(super) alerts: Vec<StoredAlert>,
    pub(super) receivers: Vec<Receiver>,
    /// Oldest first.
    pub(super) history: Vec<HistoryEntry>,
}

impl Default for Alerts {
    fn default() -> Self {
        Self {
            version: VERSION,
            generation: 0,
            alerts: Vec::new(),
            receivers: Vec::new(),
            history: Vec::new(),
        }
    }
}

impl JsonRecord for Alerts {
    const WHAT: &'static str = "alerts";
    const VERSION: u32 = VERSION;

    fn version(&self) -> u32 {
        self.version
    }
}

impl Alerts {
    /// Stores a checked alert, in place of the one with its ID if there is one. Both must have the
    /// same generation, so that nobody overwrites a change without having seen it. The state is
    /// kept unless the condition has changed.
    pub(super) fn save(&mut self, alert: Alert, now: i64) -> Result<Alert, Problem> {
        let unknown = |name: &&String| self.receivers.iter().all(|there| there.name != **name);
        if let Some(name) = alert.receivers.iter().find(unknown) {
            return Err(Problem::invalid(format!(
                "receivers: {name:?} doesn't exist; add this receiver first"
            )));
        }
        let there = self
            .alerts
            .iter()
            .position(|there| there.alert.id == alert.id);
        let stored = there.map(|at| self.alerts[at].alert.generation);
        record::check_generation("alert", &alert.id, stored, alert.generation)?;
        if there.is_none() && self.alerts.len() >= MAX_ALERTS {
            let message = format!("there are {MAX_ALERTS} alerts, the maximum: delete one");
            return Err(Problem::new(429, "resource_exhausted", message));
        }
        self.generation += 1;
        let alert = Alert {
            generation: self.generation,
            ..alert
        };
        match there {
            Some(at) => {
                if !self.alerts[at].alert.has_same_condition(&alert) {
                    // What fires with the new condition does so after this.
                    let evaluated = self.alerts[at].state.evaluated;
                    self.end(at, evaluated.min(now));
                }
                self.alerts[at].alert = alert.clone();
            }
            None => self.alerts.push(StoredAlert {
                alert: alert.clone(),
                state: State::default(),
            }),
        }
        Ok(alert)
    }

    pub(super) fn delete(&mut self, id: &str, now: i64) -> Result<(), Problem> {
        let at = self.alerts.iter().position(|there| there.alert.id == id);
        let at = at.ok_or_else(|| Problem::not_found(format!("no alert has the id {id:?}")))?;
        self.end(at, now);
        self.alerts.remove(at);
        self.generation += 1;
        Ok(())
    }

    /// Stores a receiver, in place of the one with its name if there is one. The new one gets the
    /// messages that wait for the old one; if there was none, it gets one about each alert that fires.
    pub(super) fn save_receiver(&mut self, mut receiver: Receiver) -> Result<(), Problem> {
        if let Some(there) = self
            .receivers
            .iter_mut()
            .find(|there| there.name == receiver.name)
        {
            let waiting = std::mem::take(&mut there.waiting);
            *there = Receiver {
                waiting,
                ..receiver
            };
            return Ok(());
        }
        if self.receivers.len() >= MAX_RECEIVERS {
            let message = format!("there are {MAX_RECEIVERS} receivers, the maximum: delete one");
            return Err(Problem::new(429, "resource_exhausted", message));
        }
        for StoredAlert { alert, state } in &self.alerts {
            let firing = state.notified();
            if !firing.is_empty() && alert.notifies(&receiver.name) {
                let (status, at) = (Status::Firing, state.evaluated);
                let link = String::new();
                receiver.queue(Message::new(alert, &state.unit, status, at, firing, link));
            }
        }
        self.receivers.push(receiver);
        Ok(())
    }

    pub(super) fn receiver(&self, name: &str) -> Result<&Receiver, Problem> {
        let found = self.receivers.iter().find(|there| there.name == name);
        found.ok_or_else(|| no_receiver(name))
    }

    /// Deletes a receiver that no alert names.
    pub(super) fn delete_receiver(&mut self, name: &str) -> Result<(), Problem> {
        let names =
            |stored: &&StoredAlert| stored.alert.receivers.iter().any(|there| there == name);
        if let Some(StoredAlert { alert, .. }) = self.alerts.iter().find(names) {
            return Err(Problem::invalid(format!(
                "the alert {:?} uses this receiver; remove it from the alert first",
                alert.name
            )));
        }
        let count = self.receivers.len();
        self.receivers.retain(|there| there.name != name);
        match self.receivers.len() == count {
            true => Err(no_receiver(name)),
            false => Ok(()),
        }
    }

    /// Resets the state of an alert that is changed or deleted, or whose rule is changed. Its
    /// receivers get a message that the firing series are resolved.
    pub(super) fn end(&mut self, at: usize, now: i64) {
        let StoredAlert { alert, state } = &mut self.alerts[at];
        let (alert, state) = (alert.clone(), std::mem::take(state));
        let resolved = |instance: Instance| Instance {
            until: Some(now),
            ..instance
        };
        let changes = state.firing.iter().map(|series| Change {
            event: Event::Resolved,
            at: now,
            instance: resolved(series.instance.clone()),
            notify: series.notified,
        });
        self.remember(&alert, &state.unit, &changes.collect::<Vec<_>>(), true);
        let instances: Vec<Instance> = state.notified().into_iter().map(resolved).collect();
        if instances.is_empty() {
            return;
        }
        self.queue(&alert, |_| {
            let (status, instances) = (Status::Resolved, instances.clone());
            let mut message =
                Message::new(&alert, &state.unit, status, now, instances, String::new());
            message.text += ": the alert or its rule was changed or deleted";
            message
        });
    }

    /// Adds changes of an alert to the history, with the unit of its values, and whether a change of
    /// the alert or its rule `ended` it.
    pub(super) fn remember(&mut self, alert: &Alert, unit: &str, changes: &[Change], ended: bool) {
        let new = changes.iter();
        let new = new.filter(|change| change.event != Event::SilenceEnds);
        self.history
            .extend(new.map(|change| HistoryEntry::new(alert, unit, change, ended)));
        let over = self.history.len().saturating_sub(MAX_HISTORY);
        self.history.drain(..over);
    }

    /// Queues a message for each receiver of an alert.
    pub(super) fn queue(&mut self, alert: &Alert, message: impl Fn(&Receiver) -> Message) {
        for receiver in &mut self.receivers {
            if alert.notifies(&receiver.name) {
                let message = message(receiver);
                receiver.queue(message);
            }
        }
    }

    /// Stores what came of an attempt, unless the receiver was replaced meanwhile.
    pub(super) fn record_attempt(&mut self, attempt: &Attempt, now: i64) {
        let same =
            |there: &&mut Receiver| there.name == attempt.receiver && there.url == attempt.url;
        if let Some(receiver) = self.receivers.iter_mut().find(same) {
            receiver.record_attempt(&attempt.message, &attempt.outcome, now);
        }
    }

    /// Queues a message for each Alertmanager among the receivers of an alert.
    pub(super) fn queue_refresh(&mut self, alert: &Alert, message: impl Fn(&Receiver) -> Message) {
        for receiver in &mut self.receivers {
            if receiver.kind == Format::Alertmanager && alert.notifies(&receiver.name) {
                receiver.remove_repeated(&alert.id);
                let message = message(receiver);
                receiver.queue(message);
            }
        }
    }
}

fn no_receiver(name: &str) -> Problem {
    Problem::not_found(format!("no receiver has the name {name:?}"))
}

#[cfg(test)]
mod tests;
