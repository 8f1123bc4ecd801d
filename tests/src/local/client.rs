//! Requests to a running Pilotlight on this machine.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Longest wait for an answer.
const LIMIT: Duration = Duration::from_secs(60);
/// Most bytes read of an answer.
const MAX_ANSWER: u64 = 256 << 20;

/// Names the tenant of a request.
const TENANT: &str = "x-scope-orgid";

/// A server. Each request has a connection of its own: workerd closes an idle one after five seconds, also when a request is on
/// its way that it was too busy to read.
pub struct Client {
    url: String,
    /// What every request says of its sender.
    headers: Vec<(&'static str, String)>,
    agent: ureq::Agent,
}

/// An answer, of any status.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Client {
    /// A client of the server at that URL, which has no slash at its end.
    pub fn new(url: &str) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(LIMIT))
            .max_idle_connections(0);
        Self {
            url: url.to_owned(),
            headers: Vec::new(),
            agent: config.build().into(),
        }
    }

    /// The same server, for a tenant of its own.
    pub fn of_tenant(&self, tenant: &str) -> Self {
        self.with_header(TENANT, tenant.to_owned())
    }

    /// The same server, with a token.
    pub fn with_token(&self, token: &str) -> Self {
        self.with_header("authorization", format!("Bearer {token}"))
    }

    /// The same server, with a header.
    pub fn with_header(&self, name: &'static str, value: String) -> Self {
        Self {
            url: self.url.clone(),
            headers: [&self.headers[..], &[(name, value)]].concat(),
            agent: self.agent.clone(),
        }
    }

    /// GET.
    pub fn get(&self, path: &str) -> Result<Answer, String> {
        let request = self.agent.get(format!("{}{path}", self.url));
        Answer::read(self.signed(request).call())
    }

    /// HEAD.
    pub fn head(&self, path: &str) -> Result<Answer, String> {
        let request = self.agent.head(format!("{}{path}", self.url));
        Answer::read(self.signed(request).call())
    }

    /// DELETE.
    pub fn delete(&self, path: &str) -> Result<Answer, String> {
        let request = self.agent.delete(format!("{}{path}", self.url));
        Answer::read(self.signed(request).call())
    }

    /// PUT of JSON.
    pub fn put(&self, path: &str, json: &str) -> Result<Answer, String> {
        let request = self.agent.put(format!("{}{path}", self.url));
        let request = request.header("content-type", "application/json");
        Answer::read(self.signed(request).send(json))
    }

    /// POST with a content type, none where it is empty.
    pub fn post(&self, path: &str, content_type: &str, body: &[u8]) -> Result<Answer, String> {
        let request = self.agent.post(format!("{}{path}", self.url));
        let request = if content_type.is_empty() {
            request
        } else {
            request.header("content-type", content_type)
        };
        Answer::read(self.signed(request).send(body))
    }

    fn signed<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        let add = |request: ureq::RequestBuilder<B>, (name, value): &(&str, String)| {
            request.header(*name, value)
        };
        self.headers.iter().fold(request, add)
    }

    /// Sends a recorded request, byte for byte as its client sent it.
    pub fn replay(&self, head: &[u8], body: &[u8]) -> Result<Answer, String> {
        self.exchange(head, body).map_err(|e| e.to_string())
    }

    fn exchange(&self, head: &[u8], body: &[u8]) -> std::io::Result<Answer> {
        let authority = self.url.strip_prefix("http://").unwrap_or(&self.url);
        let mut stream = TcpStream::connect(authority)?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.write_all(head)?;
        stream.write_all(body)?;
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head);
        let mut lines = head.lines();
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1)?.parse().ok())
            .unwrap_or(0);
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers
            .iter()
            .find(|(name, _)| name == "content-length")
            .and_then(|(_, value)| value.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        stream.read_exact(&mut body)?;
        Ok(Answer {
            status,
            headers,
            body,
        })
    }
}

impl Answer {
    fn read(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Self, String> {
        let mut answer = answer.map_err(|e| e.to_string())?;
        let body = answer
            .body_mut()
            .with_config()
            .limit(MAX_ANSWER)
            .read_to_vec()
            .map_err(|e| e.to_string())?;
        let text = |value: &ureq::http::HeaderValue| {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        let headers = answer
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), text(value)))
            .collect();
        Ok(Self {
            status: answer.status().as_u16(),
            headers,
            body,
        })
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; null when it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or(serde_json::Value::Null)
    }
}
