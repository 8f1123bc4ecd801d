//! Inputs from which the fuzzer starts, in a folder a target: `seeds FOLDER` writes our own (they
//! are in `tests/fuzz/seeds`); `seeds FOLDER --corpus` adds real ones, where they are at hand.

#[allow(dead_code)] // The core's own tests use all of it.
#[path = "../../../shared/tests/otlp/encoder.rs"]
mod encoder;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use pilotlight_core::access::Token;
use pilotlight_core::folded;
use pilotlight_core::pprof::{encode, encode_gzip};
use pilotlight_tests::demo::{Kind, Moment, SERVICES, profile};
use pilotlight_tests::jfr::{Integers, every_event};
use pilotlight_tests::oracle::unzip;
use pilotlight_tests::{corpus, drawn, legacy};

use encoder::{Profile, Request, Resource, Sample, Style, VERSIONS};

/// Larger ones slow the fuzzer down more than they tell it.
const MAX_BYTES: usize = 24_000;

/// Names and contents.
type Seeds = Vec<(String, Vec<u8>)>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.first() else {
        eprintln!("usage: seeds FOLDER [--corpus]");
        return ExitCode::FAILURE;
    };
    let mut targets = BTreeMap::from([
        ("pprof", own_pprof()),
        ("legacy", own_legacy()),
        ("jfr", own_jfr()),
        ("otlp", own_otlp()),
        ("selector", own_selectors()),
        ("token", own_tokens()),
    ]);
    if arguments.iter().any(|argument| argument == "--corpus") && corpus::root().is_some() {
        targets.entry("pprof").or_default().extend(real_pprof());
        targets.entry("legacy").or_default().extend(real_legacy());
        targets.entry("jfr").or_default().extend(real_jfr());
        targets.entry("otlp").or_default().extend(real_otlp());
    }
    for (target, seeds) in targets {
        if let Err(error) = write(&Path::new(folder).join(target), &seeds) {
            eprintln!("{folder}/{target}: {error}");
            return ExitCode::FAILURE;
        }
        println!("{} seeds in {folder}/{target}", seeds.len());
    }
    ExitCode::SUCCESS
}

fn write(folder: &Path, seeds: &Seeds) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    seeds
        .iter()
        .try_for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes))
}

fn own_pprof() -> Seeds {
    let every_field = drawn::every_field();
    let small = drawn::profile("cpu/nanoseconds\nmain;a 5 region=eu\nmain;b;b 7 region=us\nmain 1");
    let demo = |kind| {
        profile(
            &Moment {
                service: &SERVICES[3],
                region: "eu",
                kind,
                before_end: 900,
            },
            1_700_000_000_000_000_000,
        )
    };
    let form = [
        &b"--X\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"p\"\r\n\r\n"[..],
        &encode_gzip(&small),
        b"\r\n--X\r\nContent-Disposition: form-data; name=\"sample_type_config\"\r\n\r\n",
        br#"{"cpu":{"units":"samples","display-name":"cpu"}}"#,
        b"\r\n--X--\r\n",
    ];
    let seeds = [
        ("every-field", encode(&every_field)),
        ("every-field.gz", encode_gzip(&every_field)),
        ("small", encode(&small)),
        ("small.gz", encode_gzip(&small)),
        ("demo-cpu", encode(&demo(Kind::Cpu))),
        ("demo-memory", encode(&demo(Kind::Memory))),
        ("form", form.concat()),
    ];
    named(seeds)
}

fn own_legacy() -> Seeds {
    let files = legacy::drawn().into_iter().enumerate();
    // Names repeat where one way of writing is used for two kinds of content.
    let mut seeds: Seeds = files
        .map(|(i, (name, _, bytes))| (format!("{i:02}-{}", name.replace([' ', ','], "-")), bytes))
        .collect();
    let folded = folded::encode(&drawn::every_field(), 0, 1 << 20).expect("small");
    let wide: Vec<u8> = "\u{feff}a;é 1\r\nb 2"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    seeds.extend(named([
        ("folded", folded.into_bytes()),
        (
            "folded-odd",
            b"# x\n// y\na;;b c 1\r\na;b c 2\n 5\na 1.5\na\t-7\n".to_vec(),
        ),
        ("folded-utf16", wide),
    ]));
    seeds
}

/// A recording, and behind a `|` the labels of its contexts.
fn own_jfr() -> Seeds {
    // contexts {7: {labels {1: 2}}}, strings {1: "tier", 2: "gold", 9: "GET /"}
    let labels = b"|\x0a\x0a\x08\x07\x12\x06\x0a\x04\x08\x01\x10\x02\
        \x12\x08\x08\x01\x12\x04tier\x12\x08\x08\x02\x12\x04gold\x12\x09\x08\x09\x12\x05GET /";
    let [compressed, raw] = [Integers::Compressed, Integers::Raw].map(every_event);
    named([
        ("labels", [&compressed, &labels[..]].concat()),
        ("two-chunks", [&compressed[..], &raw].concat()),
        ("compressed", compressed),
        ("raw", raw),
    ])
}

/// One request in every layout, packed and not, and another as JSON.
fn own_otlp() -> Seeds {
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

/// The first line is what is parsed, the others what it is matched with.
fn own_selectors() -> Seeds {
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

fn own_tokens() -> Seeds {
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

fn real_pprof() -> Seeds {
    let mut seeds: Seeds = corpus::profiles()
        .into_iter()
        .map(|s| (s.name.replace('/', "-"), unzip(&s.bytes)))
        .collect();
    for agent in corpus::AGENTS {
        seeds.extend(
            corpus::recordings(agent)
                .into_iter()
                .map(|r| (format!("{}-body", r.name.replace('/', "-")), r.body)),
        );
    }
    small(seeds)
}

fn real_jfr() -> Seeds {
    let names = ["nativemem", "new_spancontext", "wall_tick_sample"];
    let files = names.map(|name| corpus::read(&format!("jfr/{name}.jfr.gz")));
    small(
        files
            .into_iter()
            .flatten()
            .map(|file| (file.name.replace('/', "-"), unzip(&file.bytes)))
            .collect(),
    )
}

fn real_otlp() -> Seeds {
    let files =
        ["alloc", "itimer"].map(|name| corpus::read(&format!("agents/java/out-{name}.otlp")));
    let files = files.into_iter().flatten();
    small(
        files
            .map(|file| (file.name.replace('/', "-"), file.bytes))
            .collect(),
    )
}

fn real_legacy() -> Seeds {
    let pprof = [
        "cppbench.contention",
        "cppbench.cpu",
        "cppbench.heap",
        "cppbench.thread",
        "go.crc32.cpu",
        "java.contention",
    ]
    .map(|name| format!("pprof/{name}"));
    let folded = [
        "recursion.txt",
        "simple-crlf.txt",
        "simple-utf16-le.txt",
        "simple-with-invalids.txt",
    ]
    .map(|name| format!("speedscope/stackcollapse/{name}"));
    let files = pprof
        .iter()
        .chain(&folded)
        .filter_map(|name| corpus::read(name));
    small(
        files
            .map(|file| (file.name.replace('/', "-"), file.bytes))
            .collect(),
    )
}

fn named<const N: usize>(seeds: [(&str, Vec<u8>); N]) -> Seeds {
    seeds
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .collect()
}

fn small(mut seeds: Seeds) -> Seeds {
    seeds.retain(|(_, bytes)| bytes.len() <= MAX_BYTES);
    seeds
}
