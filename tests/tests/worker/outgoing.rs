//! What the built worker asks of hosts that an operator names: files of source code, and a language
//! model. The host is one on this machine.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use pilotlight_tests::local::Place;
use pilotlight_tests::local::client::Client;
use serde_json::{Value, json};

/// Largest file that the worker passes on.
const MAX_FILE: usize = 1 << 20;

/// Answers requests by their paths, and tells each request whole.
fn host() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (tell, told) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let request = read_request(&mut stream);
            let path = request.split(' ').nth(1).unwrap_or("").to_owned();
            let _ = tell.send(request);
            let (status, body) = answer(&path);
            let head = format!(
                "HTTP/1.1 {status} x\r\ncontent-length: {}\r\nlocation: /raw/acme/shop/v1/main.go\r\nconnection: close\r\n\r\n",
                body.len()
            );
            // Whoever has read enough goes away.
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&body);
        }
    });
    (format!("http://{address}"), told)
}

fn read_request(stream: &mut impl Read) -> String {
    let (mut request, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return text,
            Ok(read) => request.extend_from_slice(&part[..read]),
        }
    }
}

fn answer(path: &str) -> (u16, Vec<u8>) {
    match path {
        "/raw/acme/shop/v1/main.go" => (200, b"package main // \xc3\xa9\n".to_vec()),
        "/raw/acme/shop/v1/whole" => (200, vec![b'x'; MAX_FILE]),
        "/raw/acme/shop/v1/large" => (200, vec![b'x'; MAX_FILE + 1]),
        "/raw/acme/shop/v1/picture" => (200, vec![0xff, 0xfe]),
        "/raw/acme/shop/v1/moved" => (302, Vec::new()),
        "/raw/acme/private/v1/main.go" => (403, b"no".to_vec()),
        "/model" => {
            let said = json!({ "choices": [{ "message": { "role": "assistant", "content": "Regular expressions." } }] });
            (200, said.to_string().into_bytes())
        }
        _ => (404, b"nothing".to_vec()),
    }
}

#[test]
fn files_of_source_code_and_a_model() {
    let (url, told) = host();
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outgoing");
    let variables = [
        (
            "SOURCE_URL",
            format!("{url}/raw/{{repository}}/{{ref}}/{{path}}"),
        ),
        ("SOURCE_TOKEN", "s3cret".to_owned()),
        ("MODEL_URL", format!("{url}/model")),
        ("MODEL", "sage".to_owned()),
        ("MODEL_TOKEN", "t0ken".to_owned()),
    ];
    let place = Place::fresh(&state, &variables).expect("a place");
    let _worker = place.start().expect("a worker");
    let client = Client::new(&place.url());

    let file = |repository: &str, path: &str| {
        let asked =
            format!("/api/v1/source?repository=https://github.com/{repository}&ref=v1&path={path}");
        client.get(&asked).expect("an answer")
    };
    let found = file("acme/shop", "main.go");
    assert_eq!(
        (found.status, found.text().as_str()),
        (200, "package main // é\n")
    );
    assert_eq!(
        found.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    let asked = told.recv().expect("a request").to_lowercase();
    assert!(asked.contains("authorization: bearer s3cret"), "{asked}");
    assert_eq!(file("acme/shop", "whole").body.len(), MAX_FILE);
    for (repository, path, status, says) in [
        (
            "acme/shop",
            "none.go",
            404,
            "none.go not found in https://github.com/acme/shop at v1",
        ),
        (
            "acme/shop",
            "large",
            413,
            "the file is larger than 1048576 bytes",
        ),
        ("acme/shop", "picture", 400, "not UTF-8 text"),
        // The token goes to nobody else.
        ("acme/shop", "moved", 502, "it returned status 302"),
        (
            "acme/private",
            "main.go",
            502,
            "SOURCE_TOKEN may be missing",
        ),
        ("acme/shop", "../../x", 400, "has an empty, . or .. segment"),
    ] {
        let answer = file(repository, path);
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        assert!(answer.text().contains(says), "{path}: {}", answer.text());
        assert!(!answer.text().contains("s3cret"), "{}", answer.text());
    }
    let elsewhere = client.get("/api/v1/source?repository=https://gitlab.com/a/b&ref=v1&path=x");
    assert_eq!(elsewhere.expect("an answer").status, 400);
    while told.try_recv().is_ok() {}

    let which = client.get("/api/v1/explain").expect("an answer").json();
    assert_eq!(which, json!({ "model": "sage" }));
    let ask = |body: &str| client.post("/api/v1/explain", "application/json", body.as_bytes());
    let explained = ask(&json!({ "text": "main takes 80 %" }).to_string()).expect("an answer");
    assert_eq!(
        explained.json(),
        json!({ "model": "sage", "text": "Regular expressions." })
    );
    let asked = told.recv().expect("a request");
    let (head, body) = asked.split_once("\r\n\r\n").expect("a body");
    assert!(
        head.to_lowercase().contains("authorization: bearer t0ken"),
        "{head}"
    );
    let body: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(body["model"], "sage");
    assert_eq!(
        body["messages"][1],
        json!({ "role": "user", "content": "main takes 80 %" })
    );
    for (body, status) in [("{}", 400), (r#"{"text":" "}"#, 400), ("", 400)] {
        assert_eq!(ask(body).expect("an answer").status, status, "{body}");
    }
    let long = json!({ "text": "x".repeat(40_000) }).to_string();
    assert_eq!(ask(&long).expect("an answer").status, 413);
}

#[test]
fn without_a_model_and_with_source_off() {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outgoing-off");
    let place = Place::fresh(&state, &[("SOURCE_URL", String::new())]).expect("a place");
    let _worker = place.start().expect("a worker");
    let client = Client::new(&place.url());
    let asked = "/api/v1/source?repository=https://github.com/a/b&ref=v1&path=x.go";
    let explain = "/api/v1/explain";
    let which = client.get(explain).expect("an answer").json();
    assert_eq!(which, json!({ "model": null }));
    let source = client.get(asked);
    let explained = client.post(explain, "application/json", br#"{"text":"x"}"#);
    for (answer, says) in [
        (source, "SOURCE_URL is empty"),
        (explained, "MODEL_URL is not set"),
    ] {
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 501);
        assert!(answer.text().contains(says), "{}", answer.text());
    }
}
