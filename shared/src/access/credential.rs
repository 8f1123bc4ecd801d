//! The header `Authorization`: Bearer, or Basic with the token as its password.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use thiserror::Error;

use crate::access::token::Token;

/// Longest header that is looked at: 1 kB. A token takes 47 bytes, a user's name leaves room.
pub const MAX_AUTHORIZATION: usize = 1 << 10;

/// Padding is optional, since clients of both kinds exist.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Why a header shows no token. No variant carries any of it.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum CredentialError {
    /// Longer than [`MAX_AUTHORIZATION`].
    #[error("the Authorization header has more than {MAX_AUTHORIZATION} bytes")]
    TooLong,
    /// Neither Bearer nor Basic.
    #[error("Authorization: expected Bearer or Basic")]
    Scheme,
    /// Basic that is not base64 of `user:password` in UTF-8.
    #[error("Authorization: Basic must be followed by base64 of user:password")]
    Basic,
    /// What should be a token has not the shape of one. Two headers in one look like this too.
    #[error("Authorization: not a Pilotlight token (they start with plt_)")]
    NotAToken,
}

/// What a header shows.
#[derive(Debug)]
pub struct Credential {
    /// The token.
    pub token: Token,
    /// The user of Basic; `None` with Bearer, and where the user is empty.
    pub user: Option<String>,
}

/// The token that a header shows, `None` where there is no header.
pub fn presented(authorization: Option<&str>) -> Result<Option<Credential>, CredentialError> {
    let Some(header) = authorization.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    if header.len() > MAX_AUTHORIZATION {
        return Err(CredentialError::TooLong);
    }
    let (scheme, rest) = header.split_once(' ').ok_or(CredentialError::Scheme)?;
    let rest = rest.trim_start();
    let (token, user) = if scheme.eq_ignore_ascii_case("bearer") {
        (Token::parse(rest), None)
    } else if scheme.eq_ignore_ascii_case("basic") {
        let bytes = BASE64.decode(rest).map_err(|_| CredentialError::Basic)?;
        let pair = String::from_utf8(bytes).map_err(|_| CredentialError::Basic)?;
        let (user, password) = pair.split_once(':').ok_or(CredentialError::Basic)?;
        let user = (!user.is_empty()).then(|| user.to_owned());
        (Token::parse(password), user)
    } else {
        return Err(CredentialError::Scheme);
    };
    let token = token.ok_or(CredentialError::NotAToken)?;
    Ok(Some(Credential { token, user }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> Token {
        Token::from_entropy([42; 32])
    }

    fn check(header: &str, expect: Result<bool, CredentialError>) {
        let found = presented(Some(header));
        let same = found.map(|found| found.map(|found| found.token.digest() == token().digest()));
        assert_eq!(same, expect.map(|some| some.then_some(true)), "{header:?}");
    }

    fn basic(pair: &str) -> String {
        format!("Basic {}", BASE64.encode(pair))
    }

    #[test]
    fn what_agents_send() {
        let text = token().expose().to_owned();
        check(&format!("Bearer {text}"), Ok(true));
        check(&format!("bearer  {text} "), Ok(true));
        check(&basic(&format!("tenant:{text}")), Ok(true));
        check(&basic(&format!(":{text}")), Ok(true));
        check(basic(&format!("t1:{text}")).trim_end_matches('='), Ok(true));
        check("", Ok(false));
        check("  ", Ok(false));
        assert!(matches!(presented(None), Ok(None)));
    }

    #[test]
    fn the_user_of_basic() {
        let text = token().expose().to_owned();
        let user = |header: &str| presented(Some(header)).unwrap().unwrap().user;
        assert_eq!(user(&basic(&format!("t1:{text}"))).as_deref(), Some("t1"));
        assert_eq!(user(&basic(&format!(":{text}"))), None);
        assert_eq!(user(&format!("Bearer {text}")), None);
    }

    #[test]
    fn what_shows_no_token() {
        let text = token().expose().to_owned();
        let two = format!("Bearer {text}, Bearer {text}");
        check(&two, Err(CredentialError::NotAToken));
        check(&format!("Bearer {text},"), Err(CredentialError::NotAToken));
        check("Bearer x", Err(CredentialError::NotAToken));
        check("Bearer", Err(CredentialError::Scheme));
        check(&text, Err(CredentialError::Scheme));
        check(&format!("Token {text}"), Err(CredentialError::Scheme));
        check(&format!("Bearer\u{a0}{text}"), Err(CredentialError::Scheme));
        check("Basic !", Err(CredentialError::Basic));
        check("Basic /w==", Err(CredentialError::Basic));
        check(&basic(&text), Err(CredentialError::Basic));
        check(
            &basic(&format!("{text}:x")),
            Err(CredentialError::NotAToken),
        );
        check(
            &basic(&format!("a:b:{text}")),
            Err(CredentialError::NotAToken),
        );
        let long = format!("Bearer {}", "x".repeat(MAX_AUTHORIZATION));
        check(&long, Err(CredentialError::TooLong));
    }
}
