//! Messages as requests, in the format of each kind of receiver.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::message::{Instance, Message, REFRESH, Status, value_text};
use super::receiver::Format;
use crate::api::rules::points::MINUTE;
use crate::platform::errors::Problem;

/// How long Alertmanager takes an alert to fire that isn't sent again: it is three times as often.
const FIRES_FOR: i64 = 3 * REFRESH;

/// A request to a receiver.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReceiverRequest {
    pub(super) url: String,
    pub(super) json: String,
}

impl ReceiverRequest {
    pub(super) fn new(form: Format, url: &str, message: &Message) -> Result<Self, Problem> {
        let json = match form {
            Format::Webhook => serde_json::to_string(message),
            Format::Slack => serde_json::to_string(&slack(message)),
            Format::Alertmanager => serde_json::to_string(&alertmanager(message)),
        };
        let url = match form {
            Format::Webhook | Format::Slack => url.to_owned(),
            Format::Alertmanager => format!("{}/api/v2/alerts", url.trim_end_matches('/')),
        };
        let json = json.map_err(|error| Problem::internal(error.to_string()))?;
        Ok(Self { url, json })
    }
}

#[derive(Serialize)]
struct Slack {
    text: String,
}

fn slack(message: &Message) -> Slack {
    let escaped = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        text.replace('>', "&gt;")
    };
    let mut text = escaped(&message.text);
    if !message.link.is_empty() {
        text = format!("{text}\n<{}|Open in Pilotlight>", escaped(&message.link));
    }
    Slack { text }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PostableAlert {
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<&'static str, String>,
    starts_at: String,
    ends_at: String,
    #[serde(rename = "generatorURL", skip_serializing_if = "String::is_empty")]
    generator_url: String,
}

/// One alert per series: Alertmanager groups them.
fn alertmanager(message: &Message) -> Vec<PostableAlert> {
    let of_instance = |instance: &Instance| {
        let mut labels = instance.labels.clone();
        labels.insert("alertname".to_owned(), message.alert.name.clone());
        labels.insert("pilotlight_alert".to_owned(), message.alert.id.clone());
        PostableAlert {
            labels,
            annotations: [
                ("summary", message.text.clone()),
                (
                    "value",
                    value_text(message.alert.kind, &message.alert.unit, instance.value),
                ),
            ]
            .into(),
            starts_at: time(instance.since),
            ends_at: time(instance.until.unwrap_or(message.at + FIRES_FOR)),
            generator_url: message.link.clone(),
        }
    };
    let test = Instance {
        labels: BTreeMap::new(),
        since: message.at,
        value: 0.0,
        until: Some(message.at + MINUTE),
    };
    match message.status {
        Status::Test => vec![of_instance(&test)],
        _ => message.instances.iter().map(of_instance).collect(),
    }
}

fn time(millis: i64) -> String {
    Timestamp::from_millisecond(millis)
        .unwrap_or_default()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::alerts::alert::Alert;

    fn message(status: Status) -> Message {
        let alert = Alert {
            id: "abc".to_owned(),
            name: "A <b> & c".to_owned(),
            minutes: 5,
            ..Alert::default()
        };
        let instance = Instance {
            labels: [("region".to_owned(), "eu".to_owned())].into(),
            since: 60_000,
            value: 2.5,
            until: (status == Status::Resolved).then_some(180_000),
        };
        Message::new(
            &alert,
            "cores",
            status,
            120_000,
            vec![instance],
            "https://x/?a&b".to_owned(),
        )
    }

    fn body(form: Format, message: &Message) -> ReceiverRequest {
        ReceiverRequest::new(form, "https://hooks.example.com/a/", message).unwrap()
    }

    #[test]
    fn webhook_request() {
        let ReceiverRequest { url, json } = body(Format::Webhook, &message(Status::Firing));
        assert_eq!(url, "https://hooks.example.com/a/");
        assert_eq!(
            json,
            r#"{"id":"abc-0-firing-2","status":"firing","alert":{"id":"abc","name":"A <b> & c","kind":"above","threshold":0.0,"unit":"cores"},"instances":[{"labels":{"region":"eu"},"since":60000,"value":2.5,"until":null}],"text":"A <b> & c: above 0 cores on average over 5 min (region=eu: 2.5 cores)","link":"https://x/?a&b","at":120000}"#
        );
    }

    #[test]
    fn slack_request() {
        assert_eq!(
            body(Format::Slack, &message(Status::Resolved)).json,
            r#"{"text":"Resolved: A &lt;b&gt; &amp; c (region=eu)\n<https://x/?a&amp;b|Open in Pilotlight>"}"#
        );
    }

    #[test]
    fn alertmanager_request() {
        let ReceiverRequest { url, json } = body(Format::Alertmanager, &message(Status::Firing));
        assert_eq!(url, "https://hooks.example.com/a/api/v2/alerts");
        assert_eq!(
            json,
            r#"[{"labels":{"alertname":"A <b> & c","pilotlight_alert":"abc","region":"eu"},"annotations":{"summary":"A <b> & c: above 0 cores on average over 5 min (region=eu: 2.5 cores)","value":"2.5 cores"},"startsAt":"1970-01-01T00:01:00Z","endsAt":"1970-01-01T00:32:00Z","generatorURL":"https://x/?a&b"}]"#
        );
        let resolved = body(Format::Alertmanager, &message(Status::Resolved)).json;
        assert!(resolved.contains(r#""endsAt":"1970-01-01T00:03:00Z""#));
        let test = body(Format::Alertmanager, &Message::test("", 0)).json;
        assert!(
            test.contains(r#""alertname":"Test""#) && !test.contains("generatorURL"),
            "{test}"
        );
    }
}
