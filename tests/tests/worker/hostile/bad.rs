//! Bad requests to push.

use pilotlight_tests::jfr::{self, Chunk, FREE, Integers, TEXT, every_event};
use pilotlight_tests::preorder::{node, varint};

use super::*;

const FORM: &str = "multipart/form-data; boundary=X";

/// A request to `/ingest`, and how it must be refused.
pub(super) struct Bad {
    pub(super) what: &'static str,
    pub(super) query: &'static str,
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
    pub(super) status: u16,
    /// The message must say this.
    pub(super) says: &'static str,
}

fn bad(what: &'static str, body: Vec<u8>, status: u16, says: &'static str) -> Bad {
    Bad {
        what,
        query: "name=hostile&format=pprof&from=1790000000",
        content_type: BINARY,
        body,
        status,
        says,
    }
}

fn form(what: &'static str, body: &[&[u8]], status: u16, says: &'static str) -> Bad {
    let query = "name=hostile&from=1790000000";
    Bad {
        what,
        query,
        content_type: FORM,
        body: body.concat(),
        status,
        says,
    }
}

pub(super) fn all_bad() -> Vec<Bad> {
    const PART: &[u8] =
        b"--X\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"p\"\r\n\r\n";
    const CONFIG: &[u8] =
        b"\r\n--X\r\nContent-Disposition: form-data; name=\"sample_type_config\"\r\n\r\n{not json";
    const PREVIOUS: &[u8] =
        b"\r\n--X\r\nContent-Disposition: form-data; name=\"prev_profile\"\r\n\r\nabc";
    let zeros = vec![0; 200 << 20];
    let bomb = gzip(&zeros);
    let query = |what, query, status, says| Bad {
        what,
        query,
        content_type: BINARY,
        body: small(),
        status,
        says,
    };
    // Field 2 (sample) and field 6 (string) that claim 2^60 bytes; a sample whose packed ids claim
    // 2^31.
    let claim = |key: u8| {
        [
            &[key][..],
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10],
            b"abc",
        ]
        .concat()
    };
    vec![
        bad("text", b"hello, this is no profile".to_vec(), 422, "pprof"),
        bad(
            "a page",
            b"<!doctype html><title>proxy error</title>".to_vec(),
            422,
            "pprof",
        ),
        bad("a zip bomb", bomb.clone(), 413, "inflates"),
        bad("a zip bomb in a gzip", gzip(&bomb), 413, "inflates"),
        bad(
            "a sample that claims 2^60 bytes",
            claim(0x12),
            422,
            "byte 0",
        ),
        bad(
            "a string that claims 2^60 bytes",
            claim(0x32),
            422,
            "byte 0",
        ),
        bad(
            "packed ids that claim 2^31",
            vec![0x0a, 0x00, 0x12, 0x06, 0x0a, 0xff, 0xff, 0xff, 0xff, 0x07],
            422,
            "byte",
        ),
        bad(
            "a sample of a location that does not exist",
            gzip(&[0x0a, 0x00, 0x12, 0x05, 0x0a, 0x01, 0x09, 0x12, 0x00]),
            422,
            "",
        ),
        bad(
            "a sample type with a colon",
            encode_gzip(&drawn::profile("a:b/count\nmain 1")),
            422,
            "':' in",
        ),
        bad(
            "a unit with a brace",
            encode_gzip(&drawn::profile("cpu/c{d}\nmain 1")),
            422,
            "'{' in",
        ),
        bad(
            "a type that comes twice",
            encode_gzip(&drawn::profile("cpu/ns cpu/ns\nmain 1 2")),
            422,
            "twice",
        ),
        Bad {
            query: "name=hostile&format=pprof&from=9223372036",
            ..bad(
                "a start at the end of time",
                small(),
                422,
                "between the years 1970 and 2200",
            )
        },
        query("no name", "format=pprof", 400, "name"),
        query(
            "a name without an application",
            "name=%7Ba%3Db%7D&format=pprof",
            400,
            "application",
        ),
        query(
            "a name that does not close",
            "name=hostile%7Ba%3Db&format=pprof",
            400,
            "brace",
        ),
        query(
            "a reserved label",
            "name=hostile%7B__name__%3Db%7D&format=pprof",
            400,
            "reserved",
        ),
        query(
            "a time that is none",
            "name=hostile&format=pprof&from=yesterday",
            400,
            "from",
        ),
        query(
            "a format not understood",
            "name=hostile&format=perf",
            415,
            "perf",
        ),
        query(
            "a recording that is none",
            "name=hostile&format=jfr",
            422,
            "JFR, chunk 1, byte 0",
        ),
        query("an unknown format", "name=hostile&format=perf", 415, "perf"),
        query(
            "speedscope that is none",
            "name=hostile&format=speedscope",
            422,
            "speedscope: ",
        ),
        Bad {
            query: "name=hostile&format=speedscope",
            ..bad(
                "events that do not match",
                br#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},
                "profiles":[{"type":"evented","name":"p","unit":"none","events":[{"type":"C","frame":0,"at":1}]}]}"#
                    .to_vec(),
                422,
                "event 0 closes the frame \"a\"",
            )
        },
        Bad {
            query: "name=hostile&format=trie",
            ..bad(
                "a trie that announces 2^60 nodes",
                node(b"", 0, 1 << 60),
                422,
                "trie, byte 0: 1152921504606846976 more nodes expected",
            )
        },
        Bad {
            query: "name=hostile&format=tree",
            ..bad(
                "a tree of a million frames",
                [node(b"a", 0, 1).repeat(1_000_000), node(b"a", 1, 0)].concat(),
                422,
                "tree, byte 65536: a stack has more than 16384 frames",
            )
        },
        Bad {
            query: "name=hostile",
            content_type: "binary/octet-stream+trie",
            ..bad(
                "a name that claims 2^40 bytes",
                [&varint(1 << 40)[..], b"abc"].concat(),
                422,
                "trie, byte 0: a name of 1099511627776 bytes",
            )
        },
        Bad {
            query: "name=hostile&format=jfr",
            ..bad("a recording cut short", every_event(Integers::Raw)[..500].to_vec(), 422, "JFR")
        },
        Bad {
            query: "name=hostile&format=jfr",
            ..bad("a recording of one text again and again", repeated_text(), 422, "too many steps")
        },
        form(
            "a form of too many parts",
            &[&[PART, &small(), b"\r\n"].concat().repeat(17), b"--X--\r\n"],
            400,
            "at most 16 parts",
        ),
        form(
            "a form of a recording with damaged labels",
            &[
                b"--X\r\nContent-Disposition: form-data; name=\"jfr\"\r\n\r\n",
                &every_event(Integers::Compressed),
                b"\r\n--X\r\nContent-Disposition: form-data; name=\"labels\"\r\n\r\n\x0a\x7f\r\n--X--\r\n",
            ],
            422,
            "JFR push labels",
        ),
        Bad {
            content_type: "multipart/form-data",
            ..form(
                "a form without a boundary",
                &[PART, &small(), b"\r\n--X--\r\n"],
                400,
                "boundary",
            )
        },
        Bad {
            content_type: "multipart/form-data; boundary=Y",
            ..form(
                "another boundary",
                &[PART, &small(), b"\r\n--X--\r\n"],
                400,
                "boundary",
            )
        },
        form(
            "a form that is cut short",
            &[PART, &small()],
            400,
            "boundary",
        ),
        form("an empty form", &[b"--X--\r\n"], 400, "profile"),
        form(
            "a form without a profile",
            &[b"--X\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--X--\r\n"],
            400,
            "profile",
        ),
        form(
            "a part without a name",
            &[b"--X\r\nContent-Type: text/plain\r\n\r\nx\r\n--X--\r\n"],
            400,
            "name",
        ),
        form(
            "a configuration that is no JSON",
            &[PART, &small(), CONFIG, b"\r\n--X--\r\n"],
            422,
            "sample_type_config",
        ),
        form(
            "an old client",
            &[PART, &small(), PREVIOUS, b"\r\n--X--\r\n"],
            422,
            "upgrade",
        ),
        form(
            "a form with a damaged profile",
            &[PART, &small()[..40], b"\r\n--X--\r\n"],
            422,
            "gzip",
        ),
    ]
}

/// A recording whose settings are all of one long text.
fn repeated_text() -> Vec<u8> {
    let mut chunk = Chunk::new(Integers::Compressed);
    let text = [&[5, 0x80, 0x80, 4][..], &[b'x'; 1 << 16]].concat();
    chunk.pools = vec![vec![(TEXT, vec![(1, vec![jfr::Value::Bytes(text)])])]];
    let fields = ["name", "value"].map(|name| (name, TEXT, &[][..]));
    chunk
        .classes
        .push((FREE, "jdk.ActiveSetting", fields.to_vec()));
    let setting = (FREE, vec![jfr::Value::TextOf(1), jfr::Value::TextOf(1)]);
    chunk.events = vec![setting; 10_000];
    chunk.write()
}
