//! What makes two pushes one.

use pilotlight_core::store::ChunkId;

use super::*;

/// A multipart body with or without a `sample_type_config`.
fn form(config: Option<&str>) -> Vec<u8> {
    let profile = profile(
        &[("contentions", "count"), ("delay", "nanoseconds")],
        NOW.0,
        0,
    );
    let part = |name: &str, body: &[u8]| {
        let head = format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        [head.as_bytes(), body, b"\r\n"].concat()
    };
    let config = config
        .map(|config| part("sample_type_config", config.as_bytes()))
        .unwrap_or_default();
    [part("profile", &profile), config, b"--X--\r\n".to_vec()].concat()
}

/// Identity of a multipart push with this `sample_type_config`.
fn identity(config: &str) -> ChunkId {
    push(
        "name=app",
        "multipart/form-data; boundary=X",
        &form(Some(config)),
    )
    .expect("a chunk")
    .id
}

#[test]
fn a_push_is_told_from_another_by_all_that_is_stored_of_it() {
    let block = r#"{"contentions":{"display-name":"block_count"},"delay":{"display-name":"block_duration"}}"#;
    let mutex = r#"{"contentions":{"display-name":"mutex_count"},"delay":{"display-name":"mutex_duration"}}"#;
    assert_ne!(
        identity(block),
        identity(mutex),
        "the same bytes are two profiles"
    );
    let other_order = r#"{"delay":{"display-name":"block_duration"}, "contentions":{"display-name":"block_count","units":"x"}}"#;
    assert_eq!(
        identity(block),
        identity(other_order),
        "said in another way"
    );
    assert_ne!(identity("{}"), identity(r#"{"contentions":{}}"#));
    let plain = push("name=app", "multipart/form-data; boundary=X", &form(None))
        .expect("a chunk")
        .id;
    assert_ne!(
        identity("{}"),
        plain,
        "without a configuration the names are others"
    );
}
