//! Requests of S3, built and signed without sending them.
//!
//! The signature is in the URL (a presigned one) and covers every header that we set, but not the
//! body: SHA-256 of 4 MB takes some 20 ms in WASM, which is more than an invocation on the
//! platform's free plan has, and TLS has the body covered.

use std::borrow::Cow;

use base64::{Engine, prelude::BASE64_STANDARD};
use jiff::Timestamp;
use md5::{Digest, Md5};
use rusty_s3::{Method, signing::sign};

use super::config::S3Config;
use crate::bucket::{Condition, List};

/// How long a signed URL may be used, seconds. It bounds what a URL in a log is good for, and how
/// far clocks may be apart.
const VALID_SECONDS: u64 = 300;

/// A request, to be signed each time it is sent.
#[derive(Clone, Debug)]
pub(crate) struct S3Request<'a> {
    pub(crate) method: Method,
    /// `None` asks the bucket itself.
    pub(crate) key: Option<&'a str>,
    /// In order of name.
    query: Vec<(&'static str, Cow<'a, str>)>,
    /// In order of name, all of them signed: what drops a condition on the way gets the request
    /// refused.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Cow<'a, [u8]>,
    pub(crate) repeat: Repeat,
}

/// When a request may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Whenever there was no good answer: twice is the same as once.
    Always,
    /// When the answer says that nothing was done. Else a condition might fail because of
    /// ourselves.
    Undone,
}

impl<'a> S3Request<'a> {
    fn new(method: Method, key: Option<&'a str>) -> Self {
        let (query, headers) = (Vec::new(), Vec::new());
        Self {
            method,
            key,
            query,
            headers,
            body: Cow::Borrowed(&[]),
            repeat: Repeat::Always,
        }
    }

    pub(crate) fn put(key: &'a str, bytes: Vec<u8>, condition: &Condition) -> Self {
        let mut request = Self::new(Method::Put, Some(key));
        // So that nothing between takes it for text and packs it.
        request
            .headers
            .push(("content-type", "application/octet-stream".to_owned()));
        match condition {
            Condition::None => {}
            Condition::Absent => request.headers.push(("if-none-match", "*".to_owned())),
            Condition::Matches(etag) => request.headers.push(("if-match", etag.clone())),
        }
        let repeat = if *condition == Condition::None {
            Repeat::Always
        } else {
            Repeat::Undone
        };
        Self {
            body: Cow::Owned(bytes),
            repeat,
            ..request
        }
    }

    /// Bytes from `start` up to `end`, which is behind it, or the whole object.
    pub(crate) fn get(key: &'a str, range: Option<std::ops::Range<u64>>) -> Self {
        let mut request = Self::new(Method::Get, Some(key));
        request.headers.extend(
            range.map(|range| ("range", format!("bytes={}-{}", range.start, range.end - 1))),
        );
        request
    }

    pub(crate) fn head(key: &'a str) -> Self {
        Self::new(Method::Head, Some(key))
    }

    pub(crate) fn list(
        List {
            prefix,
            delimiter,
            after,
        }: List<'a>,
    ) -> Self {
        let mut request = Self::new(Method::Get, None);
        let some = [
            ("continuation-token", after),
            ("delimiter", delimiter),
            ("list-type", Some("2")),
            ("prefix", Some(prefix).filter(|prefix| !prefix.is_empty())),
        ];
        request.query.extend(
            some.into_iter()
                .filter_map(|(name, value)| Some((name, Cow::Borrowed(value?)))),
        );
        request
    }

    /// Deletes many; the answer names those that could not be deleted.
    pub(crate) fn delete_many(keys: &[String]) -> Self {
        let mut request = Self::new(Method::Post, None);
        request.query.push(("delete", Cow::Borrowed("")));
        let mut body = String::from(
            "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>",
        );
        for key in keys {
            body.push_str("<Object><Key>");
            escape(key, &mut body);
            body.push_str("</Key></Object>");
        }
        body.push_str("</Delete>");
        // Of the checksums that S3 takes for this, one of which there must be, this is the one that
        // all servers know.
        request
            .headers
            .push(("content-md5", BASE64_STANDARD.encode(Md5::digest(&body))));
        request
            .headers
            .push(("content-type", "application/xml".to_owned()));
        Self {
            body: Cow::Owned(body.into_bytes()),
            ..request
        }
    }

    pub(crate) fn delete_one(key: &'a str) -> Self {
        Self::new(Method::Delete, Some(key))
    }

    /// The URL to send it to, signed for the minutes after `now_millis`.
    pub(crate) fn sign(&self, config: &S3Config, now_millis: i64) -> String {
        let S3Config {
            bucket,
            credentials,
        } = config;
        let url = match self.key {
            Some(key) => bucket.object_url(key),
            None => bucket.base_url().clone(),
        };
        let signed = sign(
            &Timestamp::from_millisecond(now_millis).unwrap_or_default(),
            self.method,
            url,
            credentials.key(),
            credentials.secret(),
            credentials.token(),
            bucket.region(),
            VALID_SECONDS,
            self.query
                .iter()
                .map(|(name, value)| (*name, value.as_ref())),
            self.headers
                .iter()
                .map(|(name, value)| (*name, value.as_str())),
        );
        signed.into()
    }
}

/// Whether a URL can name an object of this key: segments of dots mean other things there, and an
/// empty key the bucket.
pub(crate) fn is_nameable(key: &str) -> bool {
    !key.is_empty()
        && key
            .split('/')
            .all(|segment| segment != "." && segment != "..")
}

/// Text as content of an XML element. A line's end would be read as another one, and is written as
/// its number.
fn escape(text: &str, out: &mut String) {
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#13;"),
            '\n' => out.push_str("&#10;"),
            char => out.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::s3::config::Backend;

    fn config() -> S3Config {
        let var = |name: &str| {
            let value = match name {
                "BUCKET_BACKEND" => "s3",
                "S3_ENDPOINT" => "https://s3.amazonaws.com",
                "S3_URL_STYLE" => "virtual",
                "S3_BUCKET" => "examplebucket",
                "S3_REGION" => "us-east-1",
                "S3_ACCESS_KEY_ID" => "AKIAIOSFODNN7EXAMPLE",
                "S3_SECRET_ACCESS_KEY" => "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                _ => return None,
            };
            Some(value.to_owned())
        };
        match Backend::parse(var) {
            Ok(Backend::S3(config)) => *config,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn urls_are_signed_for_a_time_and_with_all_headers() {
        let request = S3Request::put("t/a b!.seg", vec![1], &Condition::Absent);
        let url = request.sign(&config(), 1_369_353_600_000);
        let (path, query) = url.split_once('?').unwrap();
        assert_eq!(
            path,
            "https://examplebucket.s3.amazonaws.com/t/a%20b%21.seg"
        );
        let expect = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2F\
                      aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=300&\
                      X-Amz-SignedHeaders=content-type%3Bhost%3Bif-none-match&X-Amz-Signature=";
        assert_eq!(&query[..query.len() - 64], expect);
        let later = request.sign(&config(), 1_369_353_601_000);
        assert_ne!(url[url.len() - 64..], later[later.len() - 64..]);
    }

    #[test]
    fn queries_of_lists() {
        let query = |list| {
            let url = S3Request::list(list).sign(&config(), 0);
            let pairs = url
                .split_once('?')
                .unwrap()
                .1
                .split('&')
                .filter(|pair| !pair.starts_with("X-Amz"));
            pairs.collect::<Vec<_>>().join("&")
        };
        assert_eq!(query(List::default()), "list-type=2");
        let list = List {
            prefix: "t/é+",
            delimiter: Some("/"),
            after: Some("a=&b"),
        };
        assert_eq!(
            query(list),
            "continuation-token=a%3D%26b&delimiter=%2F&list-type=2&prefix=t%2F%C3%A9%2B"
        );
    }

    #[test]
    fn what_may_be_repeated() {
        let repeat = |condition| S3Request::put("k", Vec::new(), &condition).repeat;
        assert_eq!(repeat(Condition::None), Repeat::Always);
        assert_eq!(repeat(Condition::Absent), Repeat::Undone);
        assert_eq!(
            repeat(Condition::Matches("\"1\"".to_owned())),
            Repeat::Undone
        );
        assert_eq!(S3Request::delete_many(&[]).repeat, Repeat::Always);
    }

    #[test]
    fn a_deletion_names_keys_as_xml_with_a_checksum() {
        let request = S3Request::delete_many(&["a&b<c>\r\n".to_owned(), "d".to_owned()]);
        let body = std::str::from_utf8(&request.body).unwrap();
        let objects = "<Object><Key>a&amp;b&lt;c&gt;&#13;&#10;</Key></Object><Object><Key>d</Key></Object></Delete>";
        assert!(body.ends_with(objects), "{body}");
        assert_eq!(
            request.headers[0].1,
            BASE64_STANDARD.encode(Md5::digest(body))
        );
        assert_eq!(S3Request::delete_many(&[]).headers[0].1.len(), 24);
    }

    #[test]
    fn keys_that_a_url_cannot_name() {
        for key in ["", ".", "a/..", "../a", "a/./b"] {
            assert!(!is_nameable(key), "{key:?}");
        }
        for key in ["a", "a/.b", "...", "a..b/c", "a//b"] {
            assert!(is_nameable(key), "{key:?}");
        }
    }
}
