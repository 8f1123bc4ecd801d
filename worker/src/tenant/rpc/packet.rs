//! How the stateless worker and the Durable Object talk: a JSON head, then blobs as they are.
//!
//! Directories of catalog rows are binary; base64 inside JSON would cost a third more and a pass
//! over each. Layout: `u32` length of the head, the head, then for each blob a `u32` length and its
//! bytes, little-endian. Both ends are the same build, so there is no version.

use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;

/// Bytes that are not a packet, or not the packet asked for.
#[derive(Debug, Error)]
pub(crate) enum PacketError {
    #[error("packet ends after {0} bytes, in the middle of a part")]
    Short(usize),
    #[error("invalid packet head: {0}")]
    Head(#[from] serde_json::Error),
}

/// A head and its blobs as bytes.
pub(crate) fn encode<H: Serialize, B: AsRef<[u8]>>(
    head: &H,
    blobs: &[B],
) -> Result<Vec<u8>, PacketError> {
    let head = serde_json::to_vec(head)?;
    let length: usize = blobs.iter().map(|blob| blob.as_ref().len() + 4).sum();
    let mut out = Vec::with_capacity(length + head.len() + 4);
    for part in std::iter::once(head.as_slice()).chain(blobs.iter().map(AsRef::as_ref)) {
        out.extend((part.len() as u32).to_le_bytes());
        out.extend(part);
    }
    Ok(out)
}

/// A head and its blobs from bytes.
pub(crate) fn decode<H: DeserializeOwned>(
    mut bytes: &[u8],
) -> Result<(H, Vec<Vec<u8>>), PacketError> {
    let total = bytes.len();
    let head = part(&mut bytes, total)?;
    let head = serde_json::from_slice(head)?;
    let mut blobs = Vec::new();
    while !bytes.is_empty() {
        blobs.push(part(&mut bytes, total)?.to_vec());
    }
    Ok((head, blobs))
}

fn part<'a>(bytes: &mut &'a [u8], total: usize) -> Result<&'a [u8], PacketError> {
    let short = PacketError::Short(total);
    let Some((len, rest)) = bytes.split_first_chunk::<4>() else {
        return Err(short);
    };
    let len = u32::from_le_bytes(*len) as usize;
    let Some((part, rest)) = rest.split_at_checked(len) else {
        return Err(short);
    };
    *bytes = rest;
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let blobs = vec![vec![1, 2, 3], Vec::new(), vec![0; 1000]];
        let bytes = encode(&("head", 7), &blobs).unwrap();
        assert_eq!(
            decode::<(String, u32)>(&bytes).unwrap(),
            (("head".to_owned(), 7), blobs)
        );
    }

    #[test]
    fn cut_short_at_any_byte() {
        let bytes = encode(&7, &[vec![1, 2, 3]]).unwrap();
        let whole = [4 + 1, bytes.len()];
        for len in 0..bytes.len() {
            assert_eq!(
                decode::<u32>(&bytes[..len]).is_ok(),
                whole.contains(&len),
                "at {len}"
            );
        }
    }
}
