//! Messages of both generations, and what is none.

use serde_json::json;

use super::*;

/// The era of a message, or status and code of its refusal.
fn read_with(headers: &Headers, body: &Value) -> Result<Option<Era>, (u16, i32)> {
    match read(headers, body.to_string().as_bytes()) {
        Ok(call) => Ok(call.map(|call| call.era)),
        Err(refusal) => Err((refusal.status, refusal.error.code)),
    }
}

fn headers(version: Option<&str>, method: &str, name: &str) -> Headers {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Headers {
        version: version.map(str::to_owned),
        method: given(method),
        name: given(name),
    }
}

fn stateless(method: &str, version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {
        "name": "top_functions", "_meta": {VERSION_KEY: version, CAPABILITIES_KEY: {}}
    }})
}

#[test]
fn messages_that_are_none() {
    let none = Headers::default();
    let code = |body: &[u8]| read(&none, body).map(|_| ()).unwrap_err().error.code;
    assert_eq!(code(b""), PARSE_ERROR);
    assert_eq!(code(b"\xff"), PARSE_ERROR);
    assert_eq!(code(b"7"), INVALID_REQUEST);
    for body in [
        json!([]),
        json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]),
        json!({"id": 1, "method": "ping"}),
        json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": [], "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}),
        json!({"jsonrpc": "2.0", "id": 1, "method": 7}),
    ] {
        assert_eq!(
            read_with(&none, &body),
            Err((400, INVALID_REQUEST)),
            "{body}"
        );
    }
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(code(deep.as_bytes()), PARSE_ERROR);
}

#[test]
fn clients_with_a_handshake() {
    let ping = json!({"jsonrpc": "2.0", "id": "a", "method": "ping"});
    let with = |version| read_with(&headers(version, "", ""), &ping);
    assert_eq!(with(None), Ok(Some(Era::WithHandshake)));
    for version in VERSIONS_WITH_HANDSHAKE {
        assert_eq!(with(Some(version)), Ok(Some(Era::WithHandshake)));
    }
    assert_eq!(with(Some("1999-01-01")), Err((400, UNSUPPORTED_VERSION)));
    assert_eq!(with(Some(STATELESS)), Err((400, INVALID_PARAMS)));
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(read_with(&Headers::default(), &told), Ok(None));
}

#[test]
fn clients_without() {
    let call = stateless("tools/call", STATELESS);
    let with = |headers: &Headers| read_with(headers, &call);
    let right = headers(Some(STATELESS), "tools/call", "top_functions");
    assert_eq!(with(&right), Ok(Some(Era::Stateless)));
    for wrong in [
        headers(None, "tools/call", "top_functions"),
        headers(Some("2025-11-25"), "tools/call", "top_functions"),
        headers(Some(STATELESS), "", "top_functions"),
        headers(Some(STATELESS), "tools/list", "top_functions"),
        headers(Some(STATELESS), "tools/call", ""),
        headers(Some(STATELESS), "tools/call", "other"),
    ] {
        assert_eq!(with(&wrong), Err((400, HEADER_MISMATCH)), "{wrong:?}");
    }
    let list = headers(Some(STATELESS), "tools/list", "");
    let found = read_with(&list, &stateless("tools/list", STATELESS));
    assert_eq!(found, Ok(Some(Era::Stateless)));
    let later = read_with(&list, &stateless("tools/list", "2027-01-01"));
    assert_eq!(later, Err((400, UNSUPPORTED_VERSION)));
    for meta in [
        json!({VERSION_KEY: STATELESS}),
        json!({VERSION_KEY: STATELESS, CAPABILITIES_KEY: 1}),
        json!({VERSION_KEY: 1, CAPABILITIES_KEY: {}}),
    ] {
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
        assert_eq!(
            read_with(&list, &body),
            Err((400, INVALID_PARAMS)),
            "{body}"
        );
    }
}
