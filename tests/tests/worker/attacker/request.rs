//! Requests byte by byte, as no client would send them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use pilotlight_tests::local::Place;
use pilotlight_tests::local::client::Answer;

/// One request on a connection of its own, with an empty body where the method may have one.
pub(crate) fn raw(place: &Place, method: &str, path: &str, headers: &[&str]) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", place.port)).expect("a connection");
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .expect("a timeout");
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|header| header.starts_with("Host:")) {
        head.push_str("Host: localhost\r\n");
    }
    if !["GET", "HEAD"].contains(&method) {
        head.push_str("Content-Length: 0\r\n");
    }
    for header in headers {
        head.push_str(&format!("{header}\r\n"));
    }
    stream
        .write_all(format!("{head}\r\n").as_bytes())
        .expect("sent");
    let (mut head, mut byte) = (Vec::new(), [0]);
    // A server that ends the connection without an answer has refused too: status 0.
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count > 0) {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head);
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let headers: Vec<(String, String)> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, length)| length.parse().ok());
    // The server lingers before it closes; what has come in chunks, no test looks at.
    let mut body = vec![0; length.filter(|_| method != "HEAD").unwrap_or(0)];
    stream.read_exact(&mut body).expect("a body");
    Answer {
        status: status.unwrap_or(0),
        headers,
        body,
    }
}

pub(crate) fn base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = text.as_bytes().chunks(3).map(|group| {
        let bits = group
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        let digit = |n: usize| match n <= group.len() {
            true => char::from(DIGITS[(bits >> (18 - 6 * n) & 63) as usize]),
            false => '=',
        };
        [0, 1, 2, 3].map(digit).into_iter().collect::<String>()
    });
    groups.collect()
}
