//! Requests of our own making, and what stands in their paths and headers.

use pilotlight_core::access::Token;
use pilotlight_core::pprof::{encode, encode_gzip};
use pilotlight_fixtures::otlp::{Profile, Request, Resource, Sample, Style, VERSIONS};
use pilotlight_tests::drawn;
use pilotlight_tests::jfr::{Integers, every_event};

use crate::{Seeds, named};

/// One request in every layout, packed and not, and another as JSON.
pub(super) fn otlp() -> Seeds {
    let sample = |stack: &[u64], attributes: &[u64]| Sample {
        stack: stack.to_vec(),
        values: vec![3],
        attributes: attributes.to_vec(),
        link: 1,
        times: vec![1_700_000_000_000_000_000],
    };
    let request = Request {
        functions: vec!["main", "work"],
        attributes: vec![("service.name", "cart"), ("thread.name", "pool")],
        links: vec![([0xab; 16], [0xcd; 8])],
        resources: vec![Resource {
            attributes: vec![("service.name", "shop")],
            profiles: vec![Profile {
                time: 1_700_000_000_000_000_000,
                duration: 5_000_000_000,
                id: vec![7; 16],
                ..Profile::of_cpu(vec![sample(&[2, 1], &[2]), sample(&[1], &[1])])
            }],
        }],
    };
    let mut seeds: Seeds = VERSIONS
        .into_iter()
        .flat_map(|version| [(version, true), (version, false)])
        .map(|(version, packed)| {
            let style = Style {
                version,
                packed,
                dictionary_first: packed,
            };
            let packed = if packed { "packed" } else { "unpacked" };
            (
                format!("{version:?}-{packed}").to_lowercase(),
                request.encode(style),
            )
        })
        .collect();
    let json = br#"{"resourceProfiles":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},
"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},"timeUnixNano":"1700000000000000000",
"samples":[{"stackIndex":1,"values":["5"],"attributeIndices":[1],"linkIndex":1}],"profileId":"00112233445566778899aabbccddeeff"}]}]}],
"dictionary":{"stringTable":["","cpu","ns","f","k"],"functionTable":[{},{"nameStrindex":3}],"mappingTable":[{}],
"locationTable":[{},{"lines":[{"functionIndex":1,"line":"7"}]}],"stackTable":[{},{"locationIndices":[1]}],
"linkTable":[{},{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00f067aa0ba902b7"}],
"attributeTable":[{},{"keyStrindex":4,"value":{"doubleValue":"NaN"}}]},"later":null}"#;
    seeds.extend(named([("json", json.to_vec())]));
    seeds
}

/// A request of two series, as protobuf and as JSON.
pub(super) fn push_v1() -> Seeds {
    let small = drawn::profile("cpu/nanoseconds\nmain;a 5 region=eu\nmain;b 7");
    let message = |field: u8, parts: &[&[u8]]| {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let head = [
            field << 3 | 2,
            length as u8 | 0x80,
            (length >> 7) as u8 & 0x7f,
        ];
        [&head[..], &parts.concat()].concat()
    };
    let label = |name: &str, value: &str| {
        let pair = [
            message(1, &[name.as_bytes()]),
            message(2, &[value.as_bytes()]),
        ];
        message(1, &[&pair.concat()])
    };
    let uuid = b"6f1a2b3c-0000-4000-8000-0123456789ab";
    let sample =
        |profile: &[u8], id: &[u8]| message(2, &[&message(1, &[profile]), &message(2, &[id])]);
    let named = [
        label("__name__", "process_cpu"),
        label("service_name", "shop"),
    ];
    let protobuf = [
        message(1, &[&named.concat(), &sample(&encode_gzip(&small), uuid)]),
        message(
            1,
            &[&sample(&encode(&small), b""), &sample(b"no profile", b"x")],
        ),
    ];
    let json = br#"{"series":[{"labels":[{"name":"service_name","value":"shop"},{"name":"__name__","value":"memory"}],
"samples":[{"rawProfile":"CgQIARACEggKAQESAQUiACIEGAIgASIDCAEgATIAMgNjcHUyAm5z","ID":"6f1a2b3c-0000-4000-8000-0123456789ab"},
{"raw_profile":"","id":null}]},{"labels":null,"samples":[]}],"annotations":[1]}"#;
    let seeds = [("protobuf", protobuf.concat()), ("json", json.to_vec())];
    crate::named(seeds)
}

/// A content type, and behind it the form.
pub(super) fn forms() -> Seeds {
    let small = drawn::profile("cpu/nanoseconds\nmain;a 5 region=eu\nmain;b 7");
    let labels = b"\x0a\x0a\x08\x07\x12\x06\x0a\x04\x08\x01\x10\x02\x12\x08\x08\x01\x12\x04tier\x12\x08\x08\x02\x12\x04gold";
    let form = |content_type: &str, parts: &[(&str, &[u8])]| {
        let mut bytes = format!("{content_type}\n").into_bytes();
        for (name, part) in parts {
            let head = format!(
                "--X\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"f\"\r\n\r\n"
            );
            bytes.extend([head.as_bytes(), part, b"\r\n"].concat());
        }
        [&bytes[..], b"--X--\r\n"].concat()
    };
    let config = br#"{"cpu":{"units":"samples","display-name":"wall","aggregation":"sum","cumulative":false,"sampled":true}}"#;
    let plain = "multipart/form-data; boundary=X";
    named([
        (
            "profile",
            form(
                plain,
                &[
                    ("profile", &encode_gzip(&small)),
                    ("sample_type_config", config),
                ],
            ),
        ),
        (
            "recording",
            form(
                "Multipart/Form-Data; charset=utf-8; boundary=\"X\"",
                &[
                    ("jfr", &every_event(Integers::Compressed)),
                    ("labels", labels),
                ],
            ),
        ),
        (
            "folded",
            form(plain, &[("profile", b"main;a 5\nmain;b 7\n")]),
        ),
        (
            "previous",
            form(
                plain,
                &[("prev_profile", b"x"), ("profile", &encode(&small))],
            ),
        ),
    ])
}

/// The first line is what is parsed, the others what it is matched with.
pub(super) fn selectors() -> Seeds {
    named([
        ("all", b"{}".to_vec()),
        (
            "type",
            b"process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name=\"shop\"}\nshop".to_vec(),
        ),
        (
            "operators",
            b"{a=\"1\", b!='2',c=~`x|y.*`, d!~\"\\\\d+\\n\\\"\" , }\nxy".to_vec(),
        ),
        (
            "pseudo",
            "{__profile_type__=~\".*cpu.*\",__name__!=\"é\",\"odd name\"=\"\"}\n".into(),
        ),
        ("name", b"shop.cart{region=eu,pod=cart-1}".to_vec()),
        ("regex", b"/^main\\.(a|b)+$/\nmain.abab".to_vec()),
        (
            "repeated",
            b"{a=~\"((x{1,9}){1,9}){1,9}\"}\nxxxxxxxxxxxxx".to_vec(),
        ),
    ])
}

pub(super) fn tokens() -> Seeds {
    let token = Token::from_entropy([7; 32]);
    let digest = token.digest().to_hex();
    let records = format!(
        "{{\"version\":1,\"tokens\":[{{\"id\":\"a\",\"name\":\"\",\"tenant\":\"*\",\"scopes\":[\"push\"],\
         \"sha256\":\"{digest}\",\"created\":1,\"expires\":null,\"revoked\":2}}]}}"
    );
    named([
        ("token", token.expose().into()),
        ("bearer", format!("Bearer {}", token.expose()).into()),
        (
            "basic",
            b"Basic dDE6cGx0X0J3Y0hCd2NIQndjSEJ3Y0hCd2NIQndjSEJ3Y0hCd2NIQndjSEJ3Y0hCd2M=".to_vec(),
        ),
        ("digest", digest.into()),
        ("records", records.into()),
    ])
}
