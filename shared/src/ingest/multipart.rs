//! `multipart/form-data` (RFC 7578) over a body that is wholly in memory.
//!
//! The libraries for this parse asynchronous streams; a push is a few kilobytes that have already
//! arrived.

use thiserror::Error;

/// Most parts read; agents send one or two.
const MAX_PARTS: usize = 16;

/// Why a body is not the multipart message it claims to be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MultipartError {
    /// The content type lacks its boundary.
    #[error("multipart: the Content-Type {0:?} has no boundary")]
    NoBoundary(String),
    /// A boundary is missing.
    #[error(
        "multipart: the body does not end with its closing boundary; it was cut short, or the Content-Type names another boundary"
    )]
    Unclosed,
    /// A part without headers, or without a name.
    #[error("multipart: part {0} has no name")]
    NoName(usize),
    /// Too many parts.
    #[error("multipart: at most {MAX_PARTS} parts are allowed")]
    TooMany,
    /// A part that must be there.
    #[error("multipart: there is no part named {name:?}")]
    NoPart {
        /// Its name.
        name: &'static str,
    },
}

/// One field of a form.
pub(super) struct Part<'a> {
    pub(super) name: String,
    pub(super) body: &'a [u8],
}

/// The boundary, when the content type is multipart.
pub(super) fn boundary(content_type: &str) -> Result<Option<String>, MultipartError> {
    let mut words = content_type.split(';').map(str::trim);
    if !words
        .next()
        .unwrap_or("")
        .eq_ignore_ascii_case("multipart/form-data")
    {
        return Ok(None);
    }
    let found = words.find_map(|word| {
        let (key, value) = word.split_once('=')?;
        key.trim()
            .eq_ignore_ascii_case("boundary")
            .then(|| value.trim().trim_matches('"').to_owned())
    });
    match found {
        Some(boundary) if !boundary.is_empty() => Ok(Some(boundary)),
        _ => Err(MultipartError::NoBoundary(content_type.to_owned())),
    }
}

/// The parts of a body, in order.
pub(super) fn parts<'a>(body: &'a [u8], boundary: &str) -> Result<Vec<Part<'a>>, MultipartError> {
    let delimiter = format!("--{boundary}");
    let separator = format!("\r\n{delimiter}");
    let mut rest = match body.strip_prefix(delimiter.as_bytes()) {
        Some(rest) => rest,
        // A preamble may stand before the first boundary.
        None => {
            &body[find(body, separator.as_bytes()).ok_or(MultipartError::Unclosed)?
                + separator.len()..]
        }
    };
    let mut parts = Vec::new();
    while !rest.starts_with(b"--") {
        if parts.len() == MAX_PARTS {
            return Err(MultipartError::TooMany);
        }
        let end = find(rest, separator.as_bytes()).ok_or(MultipartError::Unclosed)?;
        let (head, body) =
            split_head(&rest[..end]).ok_or(MultipartError::NoName(parts.len() + 1))?;
        let name = part_name(head).ok_or(MultipartError::NoName(parts.len() + 1))?;
        parts.push(Part { name, body });
        rest = &rest[end + separator.len()..];
    }
    Ok(parts)
}

fn split_head(part: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = find(part, b"\r\n\r\n")?;
    Some((&part[..end], &part[end + 4..]))
}

fn part_name(head: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(head);
    let disposition = head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim()
            .eq_ignore_ascii_case("content-disposition")
            .then_some(value)
    })?;
    disposition.split(';').find_map(|word| {
        let (key, value) = word.trim().split_once('=')?;
        key.eq_ignore_ascii_case("name")
            .then(|| value.trim_matches('"').to_owned())
    })
}

/// Where `needle` first stands. Bodies are small and boundaries long, so testing its first byte is
/// enough of a filter.
fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let (first, last) = (*needle.first()?, haystack.len().checked_sub(needle.len())?);
    let mut at = 0;
    while at <= last {
        at += haystack[at..=last].iter().position(|&b| b == first)?;
        if haystack[at..].starts_with(needle) {
            return Some(at);
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_parts() {
        let body = b"--X\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"p\"\r\n\r\n\x1f\r\n--\r\n--X\r\n\
            content-disposition: form-data; name=config\r\nContent-Type: text/plain\r\n\r\n{}\r\n--X--\r\n";
        let read: Vec<_> = parts(body, "X")
            .unwrap()
            .into_iter()
            .map(|p| (p.name, p.body.to_vec()))
            .collect();
        assert_eq!(
            read,
            [
                ("profile".to_owned(), b"\x1f\r\n--".to_vec()),
                ("config".to_owned(), b"{}".to_vec())
            ]
        );
        for cut in 0..body.len() - 4 {
            assert!(parts(&body[..cut], "X").is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn reads_boundaries() {
        assert_eq!(boundary("application/octet-stream"), Ok(None));
        assert_eq!(
            boundary("multipart/form-data; charset=utf-8; Boundary=\"a b\""),
            Ok(Some("a b".to_owned()))
        );
        assert!(boundary("multipart/form-data").is_err());
    }
}
