//! The header `Authorization`, and the records of tokens, of anybody's making.

use pilotlight_core::access::{
    Credential, MAX_AUTHORIZATION, Token, TokenDigest, TokenRegistry, presented,
};

pub(crate) fn target(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    header(&text);
    header(&format!("Bearer {text}"));
    header(&format!("Basic {text}"));
    registry(bytes);
    if let Some(digest) = TokenDigest::from_hex(&text) {
        assert_eq!(digest.to_hex(), text.to_ascii_lowercase());
    }
}

/// A header shows a token that is written in it, or none; an error repeats nothing of it.
fn header(text: &str) {
    match presented(Some(text)) {
        Ok(Some(Credential { token, user })) => {
            assert!(user.is_none_or(|user| !user.is_empty()));
            assert!(text.len() <= MAX_AUTHORIZATION + text.len() - text.trim().len());
            let again = Token::parse(token.expose()).expect("a token");
            assert_eq!(again.digest(), token.digest());
            let bearer = format!("Bearer {}", token.expose());
            assert!(matches!(presented(Some(&bearer)), Ok(Some(_))));
        }
        Ok(None) => assert!(text.trim().is_empty()),
        Err(error) => assert!(error.to_string().len() < 80),
    }
}

/// What reads as records is written as it was read, and no token is found that has none.
fn registry(bytes: &[u8]) {
    let Ok(registry) = TokenRegistry::decode(bytes) else {
        return;
    };
    let again = registry.encode().expect("JSON");
    assert_eq!(
        TokenRegistry::decode(&again).expect("what we wrote"),
        registry
    );
    let digest = Token::from_entropy([0; 32]).digest();
    assert_eq!(
        registry.find(&digest, 0).is_ok(),
        registry
            .records()
            .iter()
            .rfind(|record| record.sha256 == digest)
            .is_some_and(|record| {
                record.revoked.is_none() && record.expires.is_none_or(|expires| expires > 0)
            })
    );
}
