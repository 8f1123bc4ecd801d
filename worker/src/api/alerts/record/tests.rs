//! Alerts and receivers as they are stored.

use super::*;
use crate::api::alerts::alert::Kind;
use crate::api::alerts::series::Labels;
use crate::api::alerts::state::FiringSeries;
use crate::bucket::record::Record;

fn alert(id: &str, generation: i64) -> Alert {
    Alert {
        id: id.to_owned(),
        generation,
        ..Alert::default()
    }
}

fn receiver(name: &str) -> Receiver {
    Receiver {
        name: name.to_owned(),
        ..Receiver::default()
    }
}

#[test]
fn changes_need_the_current_generation() {
    let mut alerts = Alerts::default();
    assert_eq!(alerts.save(alert("a", 0), 0).unwrap().generation, 1);
    assert_eq!(alerts.save(alert("a", 7), 0).unwrap_err().status, 409);
    assert_eq!(alerts.save(alert("a", 1), 0).unwrap().generation, 2);
    let gone = alerts.save(alert("b", 7), 0).unwrap_err().message;
    assert!(gone.contains("was deleted"), "{gone}");
    alerts.delete("a", 0).unwrap();
    assert_eq!(alerts.delete("a", 0).unwrap_err().status, 404);
    for i in 0..MAX_ALERTS {
        alerts.save(alert(&"x".repeat(i + 1), 0), 0).unwrap();
    }
    assert_eq!(alerts.save(alert("z", 0), 0).unwrap_err().status, 429);
}

#[test]
fn the_state_is_kept_unless_the_condition_changes() {
    let mut alerts = Alerts::default();
    alerts.save(alert("a", 0), 0).unwrap();
    alerts.alerts[0].state.evaluated = 5;
    let named = Alert {
        name: "new name".to_owned(),
        silenced_until: 7,
        ..alert("a", 1)
    };
    alerts.save(named, 0).unwrap();
    assert_eq!(alerts.alerts[0].state.evaluated, 5);
    let other = Alert {
        threshold: 2.0,
        ..alert("a", 2)
    };
    alerts.save(other, 0).unwrap();
    assert_eq!(alerts.alerts[0].state.evaluated, 0);
}

#[test]
fn receivers_in_use_cannot_be_deleted() {
    let mut alerts = Alerts::default();
    let named = Alert {
        receivers: vec!["ops".to_owned()],
        ..alert("a", 0)
    };
    assert_eq!(alerts.save(named.clone(), 0).unwrap_err().status, 400);
    alerts.save_receiver(receiver("ops")).unwrap();
    alerts.save(named, 0).unwrap();
    let refused = alerts.delete_receiver("ops").unwrap_err();
    assert!(refused.message.contains("uses this receiver"));
    alerts.delete("a", 0).unwrap();
    alerts.delete_receiver("ops").unwrap();
    assert_eq!(alerts.delete_receiver("ops").unwrap_err().status, 404);
}

#[test]
fn a_new_receiver_hears_what_fires() {
    let mut alerts = Alerts::default();
    alerts.save_receiver(receiver("first")).unwrap();
    for id in ["a", "b", "c"] {
        let receivers = match id {
            "c" => vec!["first".to_owned()],
            _ => Vec::new(),
        };
        alerts
            .save(
                Alert {
                    receivers,
                    ..alert(id, 0)
                },
                0,
            )
            .unwrap();
    }
    for (at, notified) in [(0, true), (1, false), (2, true)] {
        let instance = Instance {
            labels: Labels::new(),
            since: 0,
            value: 2.0,
            until: None,
        };
        alerts.alerts[at].state.firing.push(FiringSeries {
            instance,
            notified,
            valued: 0,
        });
    }
    let waiting = |alerts: &Alerts, at: usize| -> Vec<(String, Status)> {
        let waiting = &alerts.receivers[at].waiting;
        waiting
            .iter()
            .map(|m| (m.alert.id.clone(), m.status))
            .collect()
    };
    alerts.save_receiver(receiver("ops")).unwrap();
    // Silenced when it began, and for another receiver: nobody else hears of it.
    assert_eq!(waiting(&alerts, 1), [("a".to_owned(), Status::Firing)]);
    alerts.save_receiver(receiver("ops")).unwrap();
    assert_eq!(waiting(&alerts, 1).len(), 1);
    assert_eq!(waiting(&alerts, 0), []);
}

#[test]
fn the_history_has_the_units_of_deleted_alerts_and_what_ended_them() {
    let mut alerts = Alerts::default();
    let grew = Alert {
        kind: Kind::Grew,
        ..alert("a", 0)
    };
    alerts.save(grew, 0).unwrap();
    let state = &mut alerts.alerts[0].state;
    state.unit = "%".to_owned();
    let instance = Instance {
        labels: Labels::new(),
        since: 0,
        value: 39.0,
        until: None,
    };
    state.firing.push(FiringSeries {
        instance,
        notified: true,
        valued: 0,
    });
    alerts.delete("a", 0).unwrap();
    let entry = &alerts.history[0];
    assert_eq!((entry.kind, &*entry.unit), (Some(Kind::Grew), "%"));
    assert!(entry.changed);
}

#[test]
fn stored_form() {
    let mut alerts = Alerts::default();
    alerts.save(alert("a", 0), 0).unwrap();
    alerts.save_receiver(receiver("ops")).unwrap();
    let bytes = alerts.encode().unwrap();
    assert_eq!(Alerts::decode(&bytes).unwrap(), alerts);
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with(r#"{"version":1,"generation":1,"alerts":[{"alert":{"id":"a","#));
}
