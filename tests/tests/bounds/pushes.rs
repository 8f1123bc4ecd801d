//! Hostile requests to `push.v1` and hostile forms, up to the chunks that they become.

use pilotlight_core::UnixNanos;
use pilotlight_core::ingest::{Push, Sender, ingest, ingest_push_v1};
use pilotlight_core::push_v1::{PushRequest, from_json, from_proto};

use crate::message::Message;
use crate::{Case, SIZE, case};

const NOW: UnixNanos = UnixNanos(1_795_000_000_000_000_000);

/// Requests, whether each is read, and the most that it may allocate for each of its bytes.
pub(crate) static PUSHES: &[Case] = &[
    json("series without anything as JSON", false, || {
        format!(r#"{{"series":[{}]}}"#, list("{}")).into_bytes()
    }),
    json("profiles without anything as JSON", false, || {
        format!(r#"{{"series":[{{"samples":[{}]}}]}}"#, list("{}")).into_bytes()
    }),
    json("labels without anything as JSON", true, || {
        let labels = list("{}");
        format!(r#"{{"series":[{{"labels":[{labels}],"samples":[{{}}]}}]}}"#).into_bytes()
    }),
    json("series of labels as JSON", false, || {
        let series = format!(r#"{{"labels":[{}]}}"#, vec!["{}"; 200].join(","));
        format!(r#"{{"series":[{}]}}"#, list(&series)).into_bytes()
    }),
    json("lists within lists as JSON", false, || {
        format!(r#"{{"new":{}"#, "[".repeat(SIZE)).into_bytes()
    }),
    json("one profile of base64", false, || {
        let profile = "A".repeat(SIZE);
        format!(r#"{{"series":[{{"samples":[{{"rawProfile":"{profile}"}}]}}]}}"#).into_bytes()
    }),
    protobuf("series without anything", false, || {
        Message::default().repeat(1, SIZE, |_| vec![]).0
    }),
    protobuf("labels without anything", true, || {
        let labels = Message::default().repeat(1, SIZE, |_| vec![]);
        Message::default().bytes(1, &labels.bytes(2, b"").0).0
    }),
    protobuf("series of labels without anything", false, || {
        let labels = Message::default().repeat(1, SIZE / 256, |_| vec![]).0;
        Message::default().each(256, |m, _| m.bytes(1, &labels)).0
    }),
    protobuf("profiles of strings that are not UTF-8", true, || {
        series_of(&typed().repeat(6, SIZE / 256, |_| vec![0xff]).0)
    }),
    protobuf("profiles of small samples", true, || {
        series_of(&typed().repeat(2, SIZE / 256, |_| vec![0x10, 1]).0)
    }),
    protobuf("profiles of a series for each sample", true, || {
        let texts = (0..1_000).fold(typed().bytes(6, b"k"), |m, i| {
            m.bytes(6, format!("{i}").as_bytes())
        });
        let label = |i| Message::default().number(1, 3).number(2, 4 + i).0;
        let sample = |i| Message::default().bytes(3, &label(i)).bytes(2, &[1]).0;
        series_of(&texts.each(1_000, |m, i| m.bytes(2, &sample(i))).0)
    }),
    form("a form that never ends", false, || {
        [&b"--X\r\n"[..], &b"\r\n--".repeat(SIZE / 4)].concat()
    }),
    form("a part with a long head", false, || {
        let head = [0xff].repeat(SIZE);
        [b"--X\r\n", &head[..], b"\r\n\r\n\r\n--X--\r\n"].concat()
    }),
    form("parts with long names", false, || {
        let part = parted(&"n".repeat(SIZE / 16), b"");
        [part.repeat(16), b"--X--\r\n".to_vec()].concat()
    }),
    form("parts that are too many", false, || {
        [parted("n", b"").repeat(SIZE / 60), b"--X--\r\n".to_vec()].concat()
    }),
    form("a configuration of many types", true, || {
        let types: Vec<String> = (0..SIZE / 10).map(|i| format!("\"{i:x}\":{{}}")).collect();
        let config = format!("{{{}}}", types.join(","));
        let profile = typed().bytes(2, &[0x10, 1]).0;
        [
            parted("profile", &profile),
            parted("sample_type_config", config.as_bytes()),
            b"--X--\r\n".to_vec(),
        ]
        .concat()
    }),
];

const fn json(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| from_json(bytes).is_ok_and(|request| is_taken(&request)),
        ..case(name, accepted, make)
    }
}

const fn protobuf(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| from_proto(bytes).is_ok_and(|request| is_taken(&request)),
        ..case(name, accepted, make)
    }
}

const fn form(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |body| {
            let push = Push {
                query: "name=app",
                content_type: "multipart/form-data; boundary=X",
                body,
                tenant: "anonymous",
                client: "",
                now: NOW,
                limits: Default::default(),
            };
            ingest(&push).is_ok()
        },
        ..case(name, accepted, make)
    }
}

fn is_taken(request: &PushRequest<'_>) -> bool {
    let sender = Sender {
        tenant: "anonymous",
        client: "",
        now: NOW,
        limits: Default::default(),
    };
    ingest_push_v1(request, &sender).is_ok_and(|pushed| pushed.rejected.is_empty())
}

/// As many of an element as [`SIZE`] has room for.
fn list(element: &str) -> String {
    vec![element; SIZE / (element.len() + 1)].join(",")
}

/// A profile of one sample type with a name.
fn typed() -> Message {
    let sample_type = Message::default().number(1, 1).number(2, 2).0;
    let texts: [&[u8]; 3] = [b"", b"cpu", b"count"];
    let profile = Message::default().bytes(1, &sample_type);
    texts.iter().fold(profile, |m, text| m.bytes(6, text))
}

/// A request of as many series of this profile as it may have.
fn series_of(profile: &[u8]) -> Vec<u8> {
    let sample = Message::default().bytes(1, profile).0;
    let series = Message::default().bytes(2, &sample).0;
    Message::default().each(256, |m, _| m.bytes(1, &series)).0
}

/// A part of a form.
fn parted(name: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
    [head.as_bytes(), body, b"\r\n"].concat()
}
