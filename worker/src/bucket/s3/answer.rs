//! Answers of S3: what was asked for, or whose mistake it is.

use std::ops::Range;

use jiff::Timestamp;
use roxmltree::{Document, Node};

use super::http::Response;
use super::request::{Repeat, S3Request};
use crate::bucket::{BucketError, Listed, Object, Page};

/// An error as S3 tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct S3Error {
    pub(crate) status: u16,
    /// Empty where the answer was none of S3's.
    pub(crate) code: String,
    pub(crate) message: String,
}

/// What to do about an answer that is no success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There is no such object.
    Absent,
    /// The condition does not hold.
    Precondition,
    /// The server knows no such request.
    Unknown,
    /// Asked for a range behind the end.
    Range,
    /// Nothing was done; the same again may do.
    Throttled,
    /// Something may have been done; the same again may do.
    Trouble,
    /// Ours or the operator's mistake.
    Refused,
    /// No answer of S3.
    Foreign,
}

impl S3Error {
    pub(crate) fn read(response: &Response) -> Self {
        let status = response.status;
        let text = std::str::from_utf8(&response.body).unwrap_or_default();
        let Ok(document) = Document::parse(text) else {
            return Self {
                status,
                ..Self::default()
            };
        };
        let root = document.root_element();
        if root.tag_name().name() != "Error" {
            return Self {
                status,
                ..Self::default()
            };
        }
        Self {
            status,
            code: child(root, "Code").to_owned(),
            message: child(root, "Message").to_owned(),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match (self.status, self.code.as_str()) {
            // Two conditional writes at once: neither's state is known, and this one did nothing.
            (
                _,
                "SlowDown"
                | "ServiceUnavailable"
                | "ConditionalRequestConflict"
                | "OperationAborted",
            ) => Kind::Throttled,
            (429, _) => Kind::Throttled,
            (412, _) => Kind::Precondition,
            (416, _) => Kind::Range,
            (404, "NoSuchKey") => Kind::Absent,
            (501, _) | (405, _) | (_, "NotImplemented" | "MethodNotAllowed") => Kind::Unknown,
            (500.. | 408, _) | (_, "RequestTimeout" | "InternalError") => Kind::Trouble,
            (_, "") => Kind::Foreign,
            _ => Kind::Refused,
        }
    }

    /// Whether a request to which this is the answer should be sent again.
    pub(crate) fn repeats(&self, repeat: Repeat) -> bool {
        match self.kind() {
            Kind::Throttled => true,
            Kind::Trouble => repeat == Repeat::Always,
            _ => false,
        }
    }

    /// As an error of the bucket at `endpoint`, in the words of an operator.
    pub(crate) fn explained(&self, request: &S3Request<'_>, endpoint: &str) -> BucketError {
        let Self {
            status,
            code,
            message,
        } = self;
        let what = match request.key {
            Some(key) => format!("{} {key}", request.method.to_str()),
            None => request.method.to_str().to_owned(),
        };
        let said = match (code.as_str(), message.as_str()) {
            ("", _) => format!("{status} and no S3 error"),
            (code, "") => format!("{status} {code}"),
            (code, message) => format!("{status} {code}: {message}"),
        };
        let hint = self
            .hint()
            .map(|hint| format!(" ({hint})"))
            .unwrap_or_default();
        let message = format!("the S3 endpoint {endpoint} answered {what} with {said}{hint}");
        match self.kind() {
            Kind::Precondition => BucketError::Precondition {
                key: request.key.unwrap_or_default().to_owned(),
            },
            Kind::Throttled | Kind::Trouble => BucketError::Unavailable { message },
            Kind::Foreign => BucketError::Invalid { message },
            Kind::Absent | Kind::Range | Kind::Unknown | Kind::Refused => {
                BucketError::Refused { message }
            }
        }
    }

    /// What an operator may look at.
    fn hint(&self) -> Option<&'static str> {
        Some(match self.code.as_str() {
            "SignatureDoesNotMatch" => "check S3_SECRET_ACCESS_KEY",
            "InvalidAccessKeyId" | "NotSignedUp" => "check S3_ACCESS_KEY_ID",
            "InvalidToken" | "ExpiredToken" => "check S3_SESSION_TOKEN",
            "NoSuchBucket" | "InvalidBucketName" => "check S3_BUCKET and S3_URL_STYLE",
            "AuthorizationHeaderMalformed"
            | "AuthorizationQueryParametersError"
            | "IllegalLocationConstraintException"
            | "InvalidRegionName"
            | "PermanentRedirect"
            | "TemporaryRedirect" => "check S3_REGION and S3_ENDPOINT",
            "RequestTimeTooSkewed" => "the endpoint's clock and this server's are too far apart",
            "AccessDenied" => {
                "the access key needs permission to read, write, list and delete objects in this bucket"
            }
            "NotImplemented" => {
                "the endpoint lacks S3 features that Pilotlight needs: run the bucket check"
            }
            "" => "check that S3_ENDPOINT is the URL of an S3 API",
            _ => return None,
        })
    }
}

/// The entity tag of an answer, as it is to be given back.
pub(crate) fn etag(response: &Response) -> Result<String, String> {
    let etag = response.header("etag");
    if etag.is_empty() {
        Err("no ETag".to_owned())
    } else {
        Ok(etag.to_owned())
    }
}

/// The object, or a part of it.
pub(crate) fn object(response: Response, range: Option<Range<u64>>) -> Result<Object, String> {
    let etag = etag(&response)?;
    let name = response.header("content-range").to_owned();
    let mut body = response.body;
    match (response.status, range) {
        (206, Some(range)) => {
            let size = size_of_part(&name, &range, body.len() as u64);
            let size = size.ok_or_else(|| {
                format!(
                    "asked for bytes {range:?}, got {} bytes with content-range {name:?}",
                    body.len()
                )
            })?;
            Ok(Object {
                bytes: body,
                etag,
                size,
            })
        }
        (200, None) => Ok(Object {
            size: body.len() as u64,
            bytes: body,
            etag,
        }),
        // A server may ignore ranges, and then sends everything.
        (200, Some(range)) => {
            let size = body.len() as u64;
            body.truncate(range.end.min(size) as usize);
            body.drain(..range.start.min(body.len() as u64) as usize);
            Ok(Object {
                bytes: body,
                etag,
                size,
            })
        }
        (status, _) => Err(format!("unexpected status {status}")),
    }
}

/// The whole object's size, if `bytes FIRST-LAST/SIZE` is what was asked for as far as the object
/// has it.
fn size_of_part(name: &str, range: &Range<u64>, length: u64) -> Option<u64> {
    let (part, size) = name.strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = part.split_once('-')?;
    let (first, last, size): (u64, u64, u64) =
        (first.parse().ok()?, last.parse().ok()?, size.parse().ok()?);
    let end = range.end.min(size);
    (first == range.start && last.checked_add(1)? == end && length == end.checked_sub(first)?)
        .then_some(size)
}

/// An object without its bytes, of an answer to HEAD.
pub(crate) fn head(response: &Response) -> Result<Object, String> {
    let size = response.header("content-length");
    let size = size
        .parse()
        .map_err(|_| format!("invalid content-length {size:?}"))?;
    Ok(Object {
        bytes: Vec::new(),
        etag: etag(response)?,
        size,
    })
}

/// A page of a list.
pub(crate) fn page(response: &Response) -> Result<Page, String> {
    let text = std::str::from_utf8(&response.body).map_err(|e| e.to_string())?;
    let document = Document::parse(text).map_err(|e| e.to_string())?;
    let root = root(&document, "ListBucketResult")?;
    let mut page = Page::default();
    for node in root.children().filter(Node::is_element) {
        match node.tag_name().name() {
            "Contents" => page.objects.push(listed(node)?),
            "CommonPrefixes" => page.prefixes.push(child(node, "Prefix").to_owned()),
            _ => {}
        }
    }
    if child(root, "IsTruncated") == "true" {
        let next = child(root, "NextContinuationToken");
        if next.is_empty() {
            return Err("a list is truncated but has no continuation token".to_owned());
        }
        page.next = Some(next.to_owned());
    }
    Ok(page)
}

fn listed(node: Node<'_, '_>) -> Result<Listed, String> {
    let key = child(node, "Key").to_owned();
    let (size, modified) = (child(node, "Size"), child(node, "LastModified"));
    let size = size
        .parse()
        .map_err(|_| format!("invalid size of {key:?}: {size:?}"))?;
    let modified: Timestamp = modified
        .parse()
        .map_err(|_| format!("invalid time of {key:?}: {modified:?}"))?;
    Ok(Listed {
        key,
        size,
        uploaded_millis: modified.as_millisecond(),
    })
}

/// What could not be deleted, of an answer to a deletion of many: the first of it.
pub(crate) fn undeleted(response: &Response) -> Result<Option<S3Error>, String> {
    let text = std::str::from_utf8(&response.body).map_err(|e| e.to_string())?;
    let document = Document::parse(text).map_err(|e| e.to_string())?;
    let root = root(&document, "DeleteResult")?;
    let errors = root
        .children()
        .filter(|node| node.tag_name().name() == "Error");
    let mut errors = errors.map(|node| S3Error {
        status: response.status,
        code: child(node, "Code").to_owned(),
        message: format!("{}: {}", child(node, "Key"), child(node, "Message")),
    });
    Ok(errors.find(|error| error.code != "NoSuchKey"))
}

fn root<'a, 'input>(
    document: &'a Document<'input>,
    name: &str,
) -> Result<Node<'a, 'input>, String> {
    let root = document.root_element();
    let found = root.tag_name().name();
    if found == name {
        Ok(root)
    } else {
        Err(format!("expected <{name}>, got <{found}>"))
    }
}

/// The text of an element, empty where there is none.
fn child<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.children()
        .find(|child| child.tag_name().name() == name)
        .and_then(|child| child.text())
        .unwrap_or_default()
}
