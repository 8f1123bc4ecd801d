//! A token and its digest.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// How a token begins, so that scanners for leaked secrets can find it.
const PREFIX: &str = "plt_";

/// Bytes of a token and of its digest.
const LENGTH: usize = 32;

/// A secret that lets its bearer in: `plt_` and 32 random bytes in base64url.
#[derive(Clone)]
pub struct Token(String);

/// The SHA-256 of a token's text. A fast hash is enough: 256 random bits cannot be guessed.
///
/// Comparison takes the same time wherever two digests differ.
#[derive(Clone, Copy)]
pub struct TokenDigest([u8; LENGTH]);

impl Token {
    /// The token of 32 random bytes.
    pub fn from_entropy(entropy: [u8; LENGTH]) -> Self {
        Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(entropy)))
    }

    /// `None` for a text that is no token.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(PREFIX)?).ok()?;
        (bytes.len() == LENGTH).then(|| Self(text.to_owned()))
    }

    /// What is stored of it.
    pub fn digest(&self) -> TokenDigest {
        TokenDigest(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The text, for the one answer that hands it out.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl TokenDigest {
    /// Reads 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 2 * LENGTH {
            return None;
        }
        let mut bytes = [0; LENGTH];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let value = |digit: u8| char::from(digit).to_digit(16);
            *byte = (value(pair[0])? << 4 | value(pair[1])?) as u8;
        }
        Some(Self(bytes))
    }

    /// 64 hexadecimal digits.
    pub fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl PartialEq for TokenDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for TokenDigest {}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl fmt::Debug for TokenDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenDigest(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_digest() {
        let token = Token::from_entropy([7; 32]);
        assert_eq!(token.expose().len(), 47);
        let again = Token::parse(token.expose()).unwrap();
        assert_eq!(again.digest(), token.digest());
        let hex = token.digest().to_hex();
        assert_eq!(TokenDigest::from_hex(&hex), Some(token.digest()));
        assert_eq!(
            TokenDigest::from_hex(&hex.to_uppercase()),
            Some(token.digest())
        );
        assert_ne!(Token::from_entropy([8; 32]).digest(), token.digest());
    }

    #[test]
    fn what_is_no_token() {
        let good = Token::from_entropy([255; 32]).expose().to_owned();
        for text in [
            "",
            "plt_",
            &good[4..],
            &good[..46],
            &format!("{good}A"),
            &format!("{good}="),
            &format!("{good} "),
            &good.replace('_', "/"),
            &format!("PLT_{}", &good[4..]),
        ] {
            assert!(Token::parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_digest() {
        let hex = "0123456789abcdef".repeat(4);
        assert!(TokenDigest::from_hex(&hex).is_some());
        for text in ["", &hex[1..], &format!("{hex}0"), &hex.replace('f', "g")] {
            assert_eq!(TokenDigest::from_hex(text), None);
        }
        assert_eq!(TokenDigest::from_hex(&"é".repeat(32)), None);
    }

    #[test]
    fn nothing_is_shown() {
        let token = Token::from_entropy([7; 32]);
        let shown = format!("{token:?} {:?}", token.digest());
        assert_eq!(shown, "Token(..) TokenDigest(..)");
    }
}
