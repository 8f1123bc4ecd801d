//! What OTLP's senders compress with. Gzip and zstd are told by their first bytes, whatever a
//! header says; zlib has no such bytes and is believed.

use std::io::Read;

use flate2::read::ZlibDecoder;
use thiserror::Error;

use crate::formats::gzip::{self, GzipError};

/// The bytes that begin a frame of zstd.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Largest window of a zstd frame: 2^23, the 8 MiB that RFC 8878 wants every reader to have. A
/// larger one would be memory that the sender asks for.
const MAX_WINDOW_LOG: u32 = 23;

/// What a `Content-Encoding` header asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentEncoding {
    /// None, gzip or zstd.
    Sniffed,
    /// `deflate`, which is zlib's format, and `zlib`, as the collector calls it too.
    Zlib,
}

/// Why a body could not be inflated.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CompressionError {
    /// An encoding that is not read.
    #[error("content-encoding {0:?} is not supported; send gzip, zstd, deflate or none")]
    Unknown(String),
    /// Broken gzip, or too much of it.
    #[error(transparent)]
    Gzip(#[from] GzipError),
    /// Another format, broken.
    #[error("{format}: damaged or cut short ({reason})")]
    Damaged {
        /// Which.
        format: &'static str,
        /// What its reader says.
        reason: String,
    },
    /// It inflates to more than allowed.
    #[error("the body inflates to more than the {cap} bytes allowed")]
    TooLarge {
        /// The limit.
        cap: usize,
    },
}

impl CompressionError {
    pub(crate) fn is_too_large(&self) -> bool {
        matches!(
            self,
            Self::TooLarge { .. } | Self::Gzip(GzipError::TooLarge { .. })
        )
    }
}

impl ContentEncoding {
    /// Of a header, which may be empty.
    pub(crate) fn of(header: &str) -> Result<Self, CompressionError> {
        match header.trim().to_ascii_lowercase().as_str() {
            "" | "none" | "identity" | "gzip" | "x-gzip" | "zstd" => Ok(Self::Sniffed),
            "zlib" | "deflate" => Ok(Self::Zlib),
            other => Err(CompressionError::Unknown(other.chars().take(64).collect())),
        }
    }
}

/// [`inflate`] without a header.
pub(crate) fn inflate_sniffed(
    bytes: &[u8],
    cap: usize,
) -> Result<Option<Vec<u8>>, CompressionError> {
    inflate(bytes, ContentEncoding::Sniffed, cap)
}

/// The inflated bytes, or `None` where they are not compressed. Memory stays within `cap` and a
/// window.
pub(crate) fn inflate(
    bytes: &[u8],
    encoding: ContentEncoding,
    cap: usize,
) -> Result<Option<Vec<u8>>, CompressionError> {
    if bytes.starts_with(&ZSTD) {
        return read(zstd_decoder(bytes)?, cap, zstd_damaged).map(Some);
    }
    if let Some(inflated) = gzip::inflate(bytes, cap)? {
        return Ok(Some(inflated));
    }
    match encoding {
        ContentEncoding::Sniffed => Ok(None),
        ContentEncoding::Zlib => {
            let damaged = |error: std::io::Error| CompressionError::Damaged {
                format: "deflate",
                reason: error.to_string(),
            };
            read(ZlibDecoder::new(bytes), cap, damaged).map(Some)
        }
    }
}

/// The inflated bytes of a stream of zstd that may end anywhere, as one that was flushed and never
/// ended. Memory stays within `cap` and a window.
pub(crate) fn inflate_zstd_stream(bytes: &[u8], cap: usize) -> Result<Vec<u8>, CompressionError> {
    read(Unended(zstd_decoder(bytes)?), cap, zstd_damaged)
}

/// A reader for which an end too early is an end.
struct Unended<Inner>(Inner);

impl<Inner: Read> Read for Unended<Inner> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(into) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(0),
            read => read,
        }
    }
}

type ZstdDecoder<'a> = zstd::stream::read::Decoder<'static, std::io::BufReader<&'a [u8]>>;

fn zstd_decoder(bytes: &[u8]) -> Result<ZstdDecoder<'_>, CompressionError> {
    let mut decoder = zstd::stream::read::Decoder::new(bytes).map_err(zstd_damaged)?;
    decoder
        .window_log_max(MAX_WINDOW_LOG)
        .map_err(zstd_damaged)?;
    Ok(decoder)
}

fn zstd_damaged(error: std::io::Error) -> CompressionError {
    CompressionError::Damaged {
        format: "zstd",
        reason: error.to_string(),
    }
}

fn read(
    decoder: impl Read,
    cap: usize,
    damaged: impl Fn(std::io::Error) -> CompressionError,
) -> Result<Vec<u8>, CompressionError> {
    let mut out = Vec::new();
    let result = decoder.take(cap as u64 + 1).read_to_end(&mut out);
    if out.len() > cap {
        return Err(CompressionError::TooLarge { cap });
    }
    result.map_err(damaged)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_senders_compress_with() {
        let text = b"profiles ".repeat(100);
        let zlib = {
            let mut encoder =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(&text).unwrap();
            encoder.finish().unwrap()
        };
        let zstd = zstd::stream::encode_all(text.as_slice(), 1).unwrap();
        let check = |bytes: &[u8], header: &str, cap| {
            ContentEncoding::of(header).and_then(|encoding| inflate(bytes, encoding, cap))
        };
        assert_eq!(check(&text, "identity", 10), Ok(None));
        assert_eq!(check(&zlib, "deflate", 900), Ok(Some(text.clone())));
        assert_eq!(check(&zstd, "zstd", 900), Ok(Some(text.clone())));
        assert_eq!(check(&zstd, "", 900), Ok(Some(text)));
        for (bytes, header) in [(&zlib, "zlib"), (&zstd, "zstd")] {
            assert!(check(bytes, header, 899).unwrap_err().is_too_large());
            let cut = check(&bytes[..bytes.len() / 2], header, 900);
            assert!(
                matches!(cut, Err(CompressionError::Damaged { .. })),
                "{header}: {cut:?}"
            );
        }
        assert_eq!(
            check(b"", "snappy", 1),
            Err(CompressionError::Unknown("snappy".to_owned()))
        );
    }

    #[test]
    fn a_stream_that_never_ends_is_read_as_far_as_it_goes() {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.write_all(b"flushed").unwrap();
        encoder.flush().unwrap();
        let stream = encoder.get_ref().clone();
        assert_eq!(inflate_zstd_stream(&stream, 7), Ok(b"flushed".to_vec()));
        assert!(inflate_zstd_stream(&stream, 6).unwrap_err().is_too_large());
        assert!(inflate_sniffed(&stream, 7).is_err());
        assert!(inflate_zstd_stream(b"no zstd at all", 99).is_err());
    }
}
