//! When series fire and are resolved, and of which changes receivers get messages.

use super::*;

fn held(minutes: &[i64]) -> Vec<Matches> {
    vec![Matches {
        labels: Labels::new(),
        minutes: minutes.iter().map(|m| (m * MINUTE, *m as f64)).collect(),
    }]
}

fn advance(
    state: &mut State,
    for_minutes: i64,
    after: i64,
    until: i64,
    minutes: &[i64],
) -> Vec<(Status, i64)> {
    let alert = Alert {
        for_minutes,
        ..Alert::default()
    };
    let of = Minutes {
        after: after * MINUTE,
        until: until * MINUTE,
    };
    let changes = state.advance(&alert, of, &held(minutes));
    changes
        .iter()
        .map(|change| (change.event.status(), change.at / MINUTE))
        .collect()
}

#[test]
fn it_fires_and_is_resolved() {
    let state = &mut State::default();
    let found = advance(state, 1, 0, 10, &[3, 4, 5, 8]);
    use Status::{Firing, Resolved};
    assert_eq!(
        found,
        [(Firing, 3), (Resolved, 6), (Firing, 8), (Resolved, 9)]
    );
    assert_eq!((state.evaluated, state.firing.len()), (10 * MINUTE, 0));
}

#[test]
fn firing_and_resolving_need_as_many_minutes() {
    let state = &mut State::default();
    let found = advance(state, 3, 0, 20, &[2, 3, 5, 6, 7, 9, 12]);
    // The three minutes up to 10 and up to 11 include 9; those up to 12, 13 and 14 include 12.
    assert_eq!(found, [(Status::Firing, 7), (Status::Resolved, 15)]);
}

#[test]
fn receivers_get_what_still_fires_after_a_silence() {
    let alert = Alert {
        silenced_until: 5 * MINUTE,
        ..Alert::default()
    };
    let minutes = Minutes {
        after: 0,
        until: 8 * MINUTE,
    };
    let found = |held: &[i64]| -> Vec<_> {
        let changes = State::default().advance(&alert, minutes, &self::held(held));
        let of = |change: &Change| (change.event, change.at / MINUTE, change.notify);
        changes.iter().map(of).collect()
    };
    use Event::{Fires, Resolved, SilenceEnds};
    assert_eq!(found(&[2, 3]), [(Fires, 2, false), (Resolved, 4, false)]);
    assert_eq!(
        found(&[4, 5, 6]),
        [
            (Fires, 4, false),
            (SilenceEnds, 5, true),
            (Resolved, 7, true)
        ]
    );
}

#[test]
fn changes_of_a_minute_are_one_message() {
    let change = |event, at, notify| Change {
        event,
        at,
        instance: Instance {
            labels: Labels::new(),
            since: 0,
            value: 0.0,
            until: None,
        },
        notify,
    };
    use Event::{Fires, Resolved, SilenceEnds};
    let found = notifications(vec![
        change(Fires, 1, true),
        change(SilenceEnds, 1, true),
        change(Resolved, 1, true),
        change(Fires, 2, false),
        change(Fires, 3, true),
    ]);
    let found: Vec<_> = found
        .iter()
        .map(|n| (n.status, n.at, n.instances.len()))
        .collect();
    use Status::{Firing, Resolved as Ended};
    assert_eq!(found, [(Firing, 1, 2), (Ended, 1, 1), (Firing, 3, 1)]);
}

/// The changes don't depend on how the minutes are split into evaluations.
#[test]
fn it_does_not_matter_when_it_is_evaluated() {
    let minutes: Vec<i64> = (0..100).filter(|m| m % 23 < 11 || m % 7 == 0).collect();
    for hold in [1, 2, 5] {
        let whole = advance(&mut State::default(), hold, 0, 100, &minutes);
        assert!(whole.len() > 2);
        let (mut parts, mut state, mut after) = (Vec::new(), State::default(), 0);
        for length in [1, 7, 2, 30, 1, 1, 58] {
            parts.extend(advance(&mut state, hold, after, after + length, &minutes));
            after += length;
        }
        assert_eq!(parts, whole, "{hold}");
    }
}

#[test]
fn it_begins_now_and_catches_up_for_an_hour() {
    let begins = |evaluated: i64, until: i64| {
        let state = State {
            evaluated: evaluated * MINUTE,
            ..State::default()
        };
        state.minutes(&Alert::default(), until * MINUTE).after / MINUTE
    };
    assert_eq!(
        (begins(0, 100), begins(90, 100), begins(5, 100)),
        (99, 90, 40)
    );
    // Another visit has evaluated it in the meantime.
    assert_eq!(begins(100, 100), 100);
    let new_function = Alert {
        kind: Kind::NewFunction,
        ..Alert::default()
    };
    let of = |evaluated: i64| {
        let state = State {
            evaluated: evaluated * MINUTE,
            ..State::default()
        };
        let Minutes { after, until } = state.minutes(&new_function, 107 * MINUTE);
        (after / MINUTE, until / MINUTE)
    };
    assert_eq!((of(0), of(90), of(100)), ((99, 100), (99, 100), (100, 100)));
}

#[test]
fn the_first_evaluation_looks_back_as_far_as_the_preview() {
    let of = |kind, until: i64| {
        let alert = Alert {
            kind,
            ..Alert::default()
        };
        let Minutes { after, until } = State::first_minutes(&alert, until * MINUTE);
        (after / MINUTE, until / MINUTE)
    };
    assert_eq!(of(Kind::Silent, 2_007), (567, 2_007));
    assert_eq!(of(Kind::NewFunction, 2_007), (1_880, 2_000));
    let rule = |generation| Rule {
        generation,
        ..Rule::default()
    };
    let state = State {
        evaluated: 5 * MINUTE,
        rule_generation: 2,
        ..State::default()
    };
    assert!(!state.is_first(&rule(2)) && state.is_first(&rule(3)));
    assert!(State::default().is_first(&rule(0)));
}

#[test]
fn only_what_still_fires_begins() {
    let begin = |silenced_until: i64, held: &[i64]| {
        let alert = Alert {
            silenced_until: silenced_until * MINUTE,
            ..Alert::default()
        };
        let minutes = Minutes {
            after: 0,
            until: 10 * MINUTE,
        };
        let mut state = State::default();
        let changes = state.begin(&alert, minutes, &self::held(held));
        assert_eq!(state.evaluated, 10 * MINUTE);
        assert_eq!(state.firing.len(), changes.len());
        let of = |change: &Change| {
            let Instance { since, value, .. } = change.instance;
            assert_eq!(change.event, Event::Fires);
            (change.at / MINUTE, since / MINUTE, value, change.notify)
        };
        changes.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(begin(0, &[2, 3]), []);
    let held = [2, 3, 7, 8, 9, 10];
    assert_eq!(begin(0, &held), [(10, 7, 10.0, true)]);
    // A silence that has ended changes nothing; in one that lasts, receivers get no message.
    assert_eq!(begin(9, &held), [(10, 7, 10.0, true)]);
    assert_eq!(begin(20, &held), [(10, 7, 10.0, false)]);
}

#[test]
fn at_most_fifty_series_fire() {
    let held: Vec<Matches> = (0..80)
        .map(|i| Matches {
            labels: [("i".to_owned(), i.to_string())].into(),
            minutes: [(MINUTE, 1.0)].into(),
        })
        .collect();
    let mut state = State::default();
    let minutes = Minutes {
        after: 0,
        until: MINUTE,
    };
    let changes = state.advance(&Alert::default(), minutes, &held);
    assert_eq!(
        (changes.len(), state.firing.len()),
        (MAX_FIRING, MAX_FIRING)
    );
}
