//! The messages that receivers get, in the format of the generic webhook. The other formats are
//! made from it.

use serde::{Deserialize, Serialize};

use super::alert::{Alert, Kind};
use super::growth::MAX_GROWTH;
use super::series::Labels;
use crate::api::rules::points::MINUTE;

/// The end of the ID of a message that says that an alert still fires.
const REPEATED: &str = "-again";

/// How often the state is written if nothing changes, and how often Alertmanager gets the alerts
/// that still fire.
pub(super) const REFRESH: i64 = 10 * MINUTE;

/// Most series that a text names.
const MAX_NAMED: usize = 5;

/// What a message reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Firing,
    Resolved,
    /// Someone tests a receiver.
    Test,
}

/// A series for which an alert fires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Instance {
    pub(crate) labels: Labels,
    /// The minute at which it began to fire, in milliseconds since the epoch.
    pub(crate) since: i64,
    /// The value at the minute of the message; if it is resolved, the last one while it fired.
    pub(crate) value: f64,
    /// The minute at which it was resolved.
    #[serde(default)]
    pub(crate) until: Option<i64>,
}

/// The alert in a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AlertSummary {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) threshold: f64,
    pub(crate) unit: String,
}

/// A message, as it is stored until it is sent, and as a webhook gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Message {
    /// The same each time this message is sent.
    pub(crate) id: String,
    pub(crate) status: Status,
    pub(crate) alert: AlertSummary,
    pub(crate) instances: Vec<Instance>,
    /// The message as one sentence.
    pub(crate) text: String,
    /// The page that shows the profiles; empty if the URL of the site isn't known.
    pub(crate) link: String,
    /// The minute that the message is about, in milliseconds since the epoch.
    pub(crate) at: i64,
}

impl Message {
    pub(super) fn new(
        alert: &Alert,
        unit: &str,
        status: Status,
        at: i64,
        instances: Vec<Instance>,
        link: String,
    ) -> Self {
        let text = text(alert, unit, status, &instances);
        Self {
            // A changed alert can end in a minute in which it has ended before.
            id: format!(
                "{}-{}-{}-{}",
                alert.id,
                alert.generation,
                status.name(),
                at / MINUTE
            ),
            status,
            alert: AlertSummary {
                id: alert.id.clone(),
                name: alert.name.clone(),
                kind: alert.kind,
                threshold: alert.threshold,
                unit: unit.to_owned(),
            },
            instances,
            text,
            link,
            at,
        }
    }

    /// The same as a message of its own, for receivers that want to hear again what still fires.
    pub(super) fn repeated(self) -> Self {
        let id = self.id + REPEATED;
        Self { id, ..self }
    }

    pub(super) fn is_repeated(&self) -> bool {
        self.id.ends_with(REPEATED)
    }

    /// A message that shows that a receiver works.
    pub(super) fn test(site: &str, at: i64) -> Self {
        let alert = Alert {
            id: "test".to_owned(),
            name: "Test".to_owned(),
            ..Alert::default()
        };
        let text = "This is a test message from Pilotlight. Alerts will arrive here.".to_owned();
        let link = match site {
            "" => String::new(),
            site => format!("{site}/alerts"),
        };
        Self {
            text,
            ..Self::new(&alert, "", Status::Test, at, Vec::new(), link)
        }
    }
}

impl Status {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Firing => "firing",
            Self::Resolved => "resolved",
            Self::Test => "test",
        }
    }
}

/// "Checkout is slow: above 1.5 cores on average over 5 min (region=eu: 2.12 cores)".
fn text(alert: &Alert, unit: &str, status: Status, instances: &[Instance]) -> String {
    let name = &alert.name;
    let mut of_series: Vec<String> = instances
        .iter()
        .take(MAX_NAMED)
        .map(|one| {
            let labels = one
                .labels
                .iter()
                .map(|(name, value)| format!("{name}={value}"));
            let labels = labels.collect::<Vec<_>>().join(", ");
            let what = match status {
                Status::Resolved => String::new(),
                // The condition says for how long at least.
                _ if alert.kind == Kind::Silent => match one.value > alert.minutes as f64 {
                    true => format!("for {} min", number(one.value)),
                    false => String::new(),
                },
                _ => value_text(alert.kind, unit, one.value),
            };
            match (what.is_empty(), labels.is_empty()) {
                (_, true) => what,
                (true, false) => labels,
                (false, false) => format!("{labels}: {what}"),
            }
        })
        .filter(|text| !text.is_empty())
        .collect();
    if instances.len() > MAX_NAMED {
        of_series.push(format!("{} more series", instances.len() - MAX_NAMED));
    }
    let details = match of_series.is_empty() {
        true => String::new(),
        false => format!(" ({})", of_series.join("; ")),
    };
    match status {
        Status::Resolved => format!("Resolved: {name}{details}"),
        _ => format!("{name}: {}{details}", condition_text(alert, unit)),
    }
}

/// The condition in words.
fn condition_text(alert: &Alert, unit: &str) -> String {
    let (threshold, minutes) = (number(alert.threshold), alert.minutes);
    let level = || amount(alert.threshold, unit);
    let against = match alert.version_label.as_str() {
        "" => format!("compared with the {minutes} min before"),
        label => format!("compared with the previous {label}"),
    };
    match alert.kind {
        Kind::Above => format!("above {} on average over {minutes} min", level()),
        Kind::Below => format!("below {} on average over {minutes} min", level()),
        Kind::Grew => format!("grew by more than {threshold} % {against}"),
        Kind::NewFunction => format!("a new function has at least {threshold} % of the total"),
        Kind::Silent => format!("no profiles for {minutes} min"),
    }
}

/// A value of an alert: "+12 %", "2.12 cores".
pub(super) fn value_text(kind: Kind, unit: &str, value: f64) -> String {
    match kind {
        Kind::Grew if value >= MAX_GROWTH => "up from about 0".to_owned(),
        Kind::Grew => format!("+{} %", number(value)),
        _ => amount(value, unit),
    }
}

/// "2.12 cores", "1 core", "1.5 GiB", "340 KiB/s".
fn amount(value: f64, unit: &str) -> String {
    let (counted, rate) = match unit.strip_suffix("/s") {
        Some(counted) => (counted, "/s"),
        None => (unit, ""),
    };
    if counted == "bytes" {
        let (mut size, mut name) = (value, "B");
        for next in ["KiB", "MiB", "GiB", "TiB"] {
            // What rounds to 1,024 of one is 1 of the next.
            if size.abs().round() < 1024.0 {
                break;
            }
            (size, name) = (size / 1024.0, next);
        }
        return format!("{} {name}{rate}", number(size));
    }
    match (number(value).as_str(), unit) {
        ("1", "cores") => "1 core".to_owned(),
        (number, _) => format!("{number} {unit}"),
    }
}

/// A number with three significant digits, or more if it has more before the point.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = 2 - value.abs().log10().floor() as i32;
    if digits <= 0 {
        return format!("{value:.0}");
    }
    let text = format!("{value:.*}", digits.min(12) as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(labels: &[(&str, &str)], value: f64) -> Instance {
        let labels = labels
            .iter()
            .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
        Instance {
            labels: labels.collect(),
            since: 0,
            value,
            until: None,
        }
    }

    #[test]
    fn texts() {
        let alert = Alert {
            name: "Checkout is slow".to_owned(),
            threshold: 1.5,
            minutes: 5,
            ..Alert::default()
        };
        let one = [instance(&[("region", "eu")], 2.123)];
        let say = |alert: &Alert, unit, status| text(alert, unit, status, &one);
        assert_eq!(
            say(&alert, "cores", Status::Firing),
            "Checkout is slow: above 1.5 cores on average over 5 min (region=eu: 2.12 cores)"
        );
        assert_eq!(
            say(&alert, "cores", Status::Resolved),
            "Resolved: Checkout is slow (region=eu)"
        );
        let grew = Alert {
            kind: Kind::Grew,
            threshold: 20.0,
            ..alert
        };
        assert_eq!(
            text(&grew, "%", Status::Firing, &[instance(&[], 37.04)]),
            "Checkout is slow: grew by more than 20 % compared with the 5 min before (+37 %)"
        );
        assert!(
            text(&grew, "%", Status::Firing, &[instance(&[], MAX_GROWTH)])
                .ends_with("(up from about 0)")
        );
        let many = vec![instance(&[("a", "b")], 1.0); 7];
        assert!(text(&grew, "%", Status::Resolved, &many).ends_with("; a=b; 2 more series)"));
        assert_eq!(
            text(&grew, "%", Status::Resolved, &[]),
            "Resolved: Checkout is slow"
        );
        let silent = Alert {
            kind: Kind::Silent,
            ..grew
        };
        let say = |value| {
            let one = [instance(&[("region", "eu")], value)];
            text(&silent, "min", Status::Firing, &one)
        };
        assert_eq!(
            say(5.0),
            "Checkout is slow: no profiles for 5 min (region=eu)"
        );
        assert_eq!(
            say(80.0),
            "Checkout is slow: no profiles for 5 min (region=eu: for 80 min)"
        );
    }

    #[test]
    fn numbers() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.012_34, "0.0123"),
            (1234.5, "1234"),
            (99.96, "100"),
            (2e9, "2000000000"),
        ];
        for (value, expect) in cases {
            assert_eq!(number(value), expect);
        }
    }

    #[test]
    fn amounts() {
        let cases = [
            (1.0, "cores", "1 core"),
            (1.004, "cores", "1 core"),
            (2.123, "cores", "2.12 cores"),
            (0.0, "bytes", "0 B"),
            (1023.4, "bytes", "1023 B"),
            (1023.6, "bytes", "1 KiB"),
            (1_610_612_736.0, "bytes", "1.5 GiB"),
            (350_000.0, "bytes/s", "342 KiB/s"),
            (1e17, "bytes", "90949 TiB"),
            (1200.0, "objects/s", "1200 objects/s"),
        ];
        for (value, unit, expect) in cases {
            assert_eq!(amount(value, unit), expect);
        }
    }

    #[test]
    fn repeats_have_the_same_id() {
        let alert = Alert {
            id: "abc".to_owned(),
            ..Alert::default()
        };
        let message =
            |status| Message::new(&alert, "", status, 120_000, Vec::new(), String::new()).id;
        assert_eq!(message(Status::Firing), "abc-0-firing-2");
        assert_ne!(message(Status::Firing), message(Status::Resolved));
        assert_eq!(Message::test("https://x", 0).link, "https://x/alerts");
    }
}
