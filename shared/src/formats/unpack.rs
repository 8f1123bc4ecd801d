//! What is around a file: layers of compression, and UTF-16.

use std::borrow::Cow;

use super::compression::{CompressionError, inflate_sniffed};

/// Most layers of zstd, with gzip around each: a file that was compressed is compressed again when it
/// is uploaded or archived. A file may inflate to itself for ever.
const MAX_LAYERS: usize = 3;

/// A file as its readers want it.
pub(crate) struct Unpacked<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    /// Whether it was UTF-16, and some of it was not.
    pub(crate) is_damaged: bool,
}

/// What is said of a text with such a part.
pub(crate) const DAMAGED_TEXT: &str = "some bytes are not valid text and are read as \u{fffd}";

impl Unpacked<'_> {
    /// Says first of all what was not text.
    pub(crate) fn note(&self, warnings: &mut Vec<String>) {
        if self.is_damaged {
            warnings.insert(0, DAMAGED_TEXT.to_owned());
        }
    }
}

/// Undoes gzip and zstd, each layer of at most `cap` bytes, and makes UTF-16 behind a byte order mark
/// UTF-8. Memory stays within three times `cap` and a window.
pub(crate) fn unpack(bytes: &[u8], cap: usize) -> Result<Unpacked<'_>, CompressionError> {
    let mut bytes = Cow::Borrowed(bytes);
    for _ in 0..MAX_LAYERS {
        let Some(inflated) = inflate_sniffed(&bytes, cap)? else {
            break;
        };
        bytes = Cow::Owned(inflated);
    }
    if bytes.len() <= cap
        && let Some((text, is_damaged)) = utf16(&bytes)
    {
        let bytes = Cow::Owned(text.into_bytes());
        return Ok(Unpacked { bytes, is_damaged });
    }
    Ok(Unpacked {
        bytes,
        is_damaged: false,
    })
}

/// UTF-16 behind a byte order mark, and whether some of it was not.
pub(crate) fn utf16(bytes: &[u8]) -> Option<(String, bool)> {
    let mut text = String::with_capacity(utf16_length(bytes)?);
    let mut is_damaged = bytes.len() % 2 == 1;
    for c in utf16_chars(bytes)? {
        is_damaged |= c.is_none();
        text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    Some((text, is_damaged))
}

/// How many bytes [`utf16`] gives: up to half as many again.
pub(crate) fn utf16_length(bytes: &[u8]) -> Option<usize> {
    let length = |c: Option<char>| c.unwrap_or(char::REPLACEMENT_CHARACTER).len_utf8();
    Some(utf16_chars(bytes)?.map(length).sum())
}

/// `None` among them is a unit that is no character.
fn utf16_chars(bytes: &[u8]) -> Option<impl Iterator<Item = Option<char>>> {
    let (unit, bytes): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return None,
    };
    let units = bytes.as_chunks().0.iter().map(move |&pair| unit(pair));
    Some(char::decode_utf16(units).map(Result::ok))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let level = flate2::Compression::fast();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn pack(bytes: &[u8]) -> Vec<u8> {
        zstd::stream::encode_all(bytes, 1).expect("memory")
    }

    fn wide(text: &str) -> Vec<u8> {
        let units = format!("\u{feff}{text}");
        units.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn layers_are_undone() {
        let text = b"main;a 1\n";
        let zstd = pack(text);
        for packed in [
            text.to_vec(),
            gzip(text),
            zstd.clone(),
            gzip(&zstd),
            gzip(&gzip(&zstd)),
            pack(&gzip(text)),
            pack(&pack(text)),
            gzip(&wide("main;a 1\n")),
        ] {
            let unpacked = unpack(&packed, 1 << 10).expect("whole");
            assert_eq!(&*unpacked.bytes, text);
            assert!(!unpacked.is_damaged);
        }
        let four = pack(&pack(&pack(&zstd)));
        assert_eq!(&*unpack(&four, 1 << 10).expect("whole").bytes, zstd);
        let inner = gzip(&pack(&[0; 1 << 10]));
        let error = unpack(&inner, 1000).err().expect("is too large");
        assert!(error.is_too_large(), "{error}");
    }

    #[test]
    fn utf16_becomes_utf8() {
        assert_eq!(utf16(b"main 1"), None);
        assert_eq!(utf16(&wide("é𝄞")), Some(("é𝄞".to_owned(), false)));
        assert_eq!(utf16(b"\xfe\xff\0a\0"), Some(("a".to_owned(), true)));
        assert_eq!(
            utf16(b"\xff\xfe\0\xd8"),
            Some(("\u{fffd}".to_owned(), true))
        );
        let cut = [wide("main 1"), vec![b'x']].concat();
        let unpacked = unpack(&cut, 99).expect("whole");
        assert_eq!(
            (&*unpacked.bytes, unpacked.is_damaged),
            (&b"main 1"[..], true)
        );
        // What is too large stays for its reader to say so.
        assert_eq!(&*unpack(&cut, 5).expect("whole").bytes, cut);
    }
}
