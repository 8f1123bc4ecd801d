//! Gzip, sniffed and capped. Senders cannot be trusted to declare it: some label bare bytes, some
//! gzip without a word.

use std::io::{Read, Write as _};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use thiserror::Error;

/// The two bytes that begin every gzip member.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Most layers peeled: `Content-Encoding` around a profile that is itself gzip makes two.
const MAX_LAYERS: usize = 2;

/// Why bytes could not be inflated.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GzipError {
    /// The stream is damaged or cut short.
    #[error("gzip: damaged or cut short after {inflated} inflated bytes ({reason})")]
    Damaged {
        /// How far it went.
        inflated: usize,
        /// What inflate says.
        reason: String,
    },
    /// It inflates to more than allowed.
    #[error("gzip: inflates to more than the {cap} bytes allowed")]
    TooLarge {
        /// The limit.
        cap: usize,
    },
}

/// The inflated bytes, or `None` where `bytes` do not begin like gzip. Members set end to end are
/// one stream. Memory stays within `cap`, whatever the stream claims.
pub fn inflate(bytes: &[u8], cap: usize) -> Result<Option<Vec<u8>>, GzipError> {
    let mut inflated: Option<Vec<u8>> = None;
    for _ in 0..MAX_LAYERS {
        let layer = inflated.as_deref().unwrap_or(bytes);
        if !layer.starts_with(&MAGIC) {
            break;
        }
        inflated = Some(inflate_layer(layer, cap)?);
    }
    Ok(inflated)
}

fn inflate_layer(bytes: &[u8], cap: usize) -> Result<Vec<u8>, GzipError> {
    // Profiles shrink three to five times; the first guess saves most of the growing and is bounded
    // by what came in.
    let mut out = Vec::with_capacity(bytes.len().saturating_mul(4).min(cap));
    let result = MultiGzDecoder::new(bytes)
        .take((cap as u64).saturating_add(1))
        .read_to_end(&mut out);
    if out.len() > cap {
        return Err(GzipError::TooLarge { cap });
    }
    match result {
        Ok(_) => Ok(out),
        // Go's reader and ours differ here on purpose: zeros after the last member are padding, not
        // a broken member.
        Err(_) if only_padding_follows(bytes, &out) => Ok(out),
        Err(error) => Err(GzipError::Damaged {
            inflated: out.len(),
            reason: error.to_string(),
        }),
    }
}

/// One gzip member, fast rather than small: for an answer that is read once.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    deflate(bytes, Compression::fast())
}

/// One gzip member without a time, so that equal bytes give equal files.
pub(crate) fn deflate(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    // Writing into a Vec cannot fail; an empty answer would be caught by every reader.
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .unwrap_or_default()
}

/// Whether `bytes` are complete gzip members that inflate to `out`, then nothing but zeros.
fn only_padding_follows(bytes: &[u8], out: &[u8]) -> bool {
    let end = bytes
        .iter()
        .rposition(|&b| b != 0)
        .map_or(0, |last| last + 1);
    // The stream's own last bytes (its length field) may be zeros too.
    (end..bytes.len().min(end + 4)).any(|end| {
        let mut again = Vec::new();
        end < bytes.len()
            && MultiGzDecoder::new(&bytes[..end])
                .take(out.len() as u64 + 1)
                .read_to_end(&mut again)
                .is_ok()
            && again == out
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn peels_what_is_there() {
        assert_eq!(inflate(b"plain", 10), Ok(None));
        assert_eq!(inflate(&gzip(b"one"), 10), Ok(Some(b"one".to_vec())));
        assert_eq!(
            inflate(&[gzip(b"one"), gzip(b"two")].concat(), 10),
            Ok(Some(b"onetwo".to_vec()))
        );
        assert_eq!(
            inflate(&gzip(&gzip(b"inner")), 100),
            Ok(Some(b"inner".to_vec()))
        );
        assert_eq!(
            inflate(&[gzip(b"one"), vec![0; 100]].concat(), 10),
            Ok(Some(b"one".to_vec()))
        );
    }

    #[test]
    fn refuses_bombs_and_damage() {
        let bomb = gzip(&vec![0; 50 << 20]);
        assert!(bomb.len() < 60_000);
        assert_eq!(
            inflate(&bomb, 1 << 20),
            Err(GzipError::TooLarge { cap: 1 << 20 })
        );
        let whole = gzip(b"something longer than nothing");
        for cut in 2..whole.len() {
            assert!(
                matches!(inflate(&whole[..cut], 100), Err(GzipError::Damaged { .. })),
                "cut at {cut}"
            );
        }
    }
}
