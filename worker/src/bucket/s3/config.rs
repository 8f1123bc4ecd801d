//! Which bucket, and how an S3 endpoint is reached: variables and secrets, parsed once into a type
//! that needs no further checks.

use rusty_s3::{Bucket, BucketError, Credentials, UrlStyle};
use thiserror::Error;
use url::Url;

use crate::platform::config::variables;

/// The kind of bucket that an operator chose.
#[derive(Clone, Debug)]
pub(crate) enum Backend {
    /// The binding `BUCKET`.
    R2,
    /// Anything that speaks S3.
    S3(Box<S3Config>),
}

/// A bucket behind an S3 endpoint, and what opens it.
#[derive(Clone, Debug)]
pub(crate) struct S3Config {
    pub(super) bucket: Bucket,
    /// Its `Debug` shows no secret.
    pub(super) credentials: Credentials,
}

/// A variable or secret that does not say what it should. A secret's value is never shown.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum BackendError {
    #[error("variable {name} must be {expected} (got {found:?})")]
    Wrong {
        name: &'static str,
        found: String,
        expected: &'static str,
    },
    #[error("{name} must be set for BUCKET_BACKEND = \"s3\": {expected}")]
    Missing {
        name: &'static str,
        expected: &'static str,
    },
    #[error(
        "variable S3_ENDPOINT: {found:?} ends with the bucket's name, which belongs only in S3_BUCKET"
    )]
    Doubled { found: String },
    #[error(
        "S3_URL_STYLE = \"virtual\" puts the bucket's name {bucket:?} before the host of {endpoint}, which gives an \
         invalid host name: use \"path\""
    )]
    NoHost { bucket: String, endpoint: String },
}

/// R2 takes this region and no other; other servers mostly take any.
const DEFAULT_REGION: &str = "auto";

impl Backend {
    /// Parses the variables and secrets that `var` gives.
    pub(crate) fn parse(var: impl Fn(&str) -> Option<String>) -> Result<Self, BackendError> {
        // A line's end gets into a secret easily, and is part of none.
        let var = |name: &str| {
            var(name)
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        match var("BUCKET_BACKEND").as_deref() {
            None | Some("r2") => Ok(Self::R2),
            Some("s3") => S3Config::parse(var).map(|config| Self::S3(Box::new(config))),
            Some(found) => {
                let found = found.to_owned();
                Err(BackendError::Wrong {
                    name: "BUCKET_BACKEND",
                    found,
                    expected: "\"r2\" or \"s3\"",
                })
            }
        }
    }

    /// Parses those of an environment.
    pub(crate) fn of(env: &worker::Env) -> Result<Self, BackendError> {
        Self::parse(variables(env))
    }
}

impl S3Config {
    fn parse(var: impl Fn(&str) -> Option<String>) -> Result<Self, BackendError> {
        let need = |name, expected| var(name).ok_or(BackendError::Missing { name, expected });
        let found = need(
            "S3_ENDPOINT",
            "a URL, like https://s3.eu-central-1.amazonaws.com",
        )?;
        let name = need("S3_BUCKET", "the bucket's name")?;
        let (key, secret) = (
            need(
                "S3_ACCESS_KEY_ID",
                "a secret (`npx wrangler secret put S3_ACCESS_KEY_ID`)",
            )?,
            need(
                "S3_SECRET_ACCESS_KEY",
                "a secret (`npx wrangler secret put S3_SECRET_ACCESS_KEY`)",
            )?,
        );
        let style = match var("S3_URL_STYLE").as_deref() {
            None | Some("path") => UrlStyle::Path,
            Some("virtual") => UrlStyle::VirtualHost,
            Some(found) => {
                let found = found.to_owned();
                return Err(BackendError::Wrong {
                    name: "S3_URL_STYLE",
                    found,
                    expected: "\"path\" or \"virtual\"",
                });
            }
        };
        let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if !name.bytes().all(bare) {
            let expected = "the name of a bucket: letters, digits, hyphens and dots";
            return Err(BackendError::Wrong {
                name: "S3_BUCKET",
                found: name,
                expected,
            });
        }
        let endpoint = endpoint(&found)?;
        let segments = endpoint.path().trim_end_matches('/');
        if segments.rsplit('/').next() == Some(&name) {
            return Err(BackendError::Doubled { found });
        }
        let region = var("S3_REGION").unwrap_or_else(|| DEFAULT_REGION.to_owned());
        let bucket =
            Bucket::new(endpoint, style, name.clone(), region).map_err(|error| match error {
                BucketError::ParseError(_) => BackendError::NoHost {
                    bucket: name,
                    endpoint: found.clone(),
                },
                BucketError::MissingHost | BucketError::UnsupportedScheme => no_endpoint(&found),
            })?;
        let credentials = match var("S3_SESSION_TOKEN") {
            Some(token) => Credentials::new_with_token(key, secret, token),
            None => Credentials::new(key, secret),
        };
        Ok(Self {
            bucket,
            credentials,
        })
    }
}

fn endpoint(found: &str) -> Result<Url, BackendError> {
    let url = Url::parse(found).map_err(|_| no_endpoint(found))?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.host_str().is_some()
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if plain {
        Ok(url)
    } else {
        Err(no_endpoint(found))
    }
}

fn no_endpoint(found: &str) -> BackendError {
    let expected = "a URL of scheme https or http without user, query and fragment";
    // A URL with a user has a password, perhaps.
    let found = if found.contains('@') {
        "(a URL with \"@\")"
    } else {
        found
    };
    BackendError::Wrong {
        name: "S3_ENDPOINT",
        found: found.to_owned(),
        expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: [(&str, &str); 5] = [
        ("BUCKET_BACKEND", "s3"),
        ("S3_ENDPOINT", "https://s3.example.com"),
        ("S3_BUCKET", "profiles"),
        ("S3_ACCESS_KEY_ID", "key"),
        ("S3_SECRET_ACCESS_KEY", "hidden\n"),
    ];

    /// Parses the good variables with some changed; an empty one counts as absent.
    fn parse(changes: &[(&str, &str)]) -> Result<S3Config, String> {
        let var = |name: &str| {
            let pairs = changes.iter().chain(&GOOD);
            pairs
                .into_iter()
                .find(|(n, _)| *n == name)
                .map(|(_, value)| (*value).to_owned())
        };
        match Backend::parse(var) {
            Ok(Backend::S3(config)) => Ok(*config),
            Ok(Backend::R2) => Err("R2".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn url(changes: &[(&str, &str)]) -> String {
        parse(changes).unwrap().bucket.base_url().to_string()
    }

    #[test]
    fn r2_is_what_nothing_says() {
        assert!(matches!(Backend::parse(|_| None), Ok(Backend::R2)));
        assert_eq!(parse(&[("BUCKET_BACKEND", "r2")]).unwrap_err(), "R2");
    }

    #[test]
    fn styles_regions_and_tokens() {
        assert_eq!(url(&[]), "https://s3.example.com/profiles/");
        assert_eq!(
            url(&[
                ("S3_URL_STYLE", "path"),
                ("S3_ENDPOINT", "http://127.0.0.1:9000/")
            ]),
            "http://127.0.0.1:9000/profiles/"
        );
        assert_eq!(
            url(&[("S3_URL_STYLE", "virtual")]),
            "https://profiles.s3.example.com/"
        );
        assert_eq!(
            url(&[("S3_ENDPOINT", "https://example.com/storage/v1")]),
            "https://example.com/storage/v1/profiles/"
        );
        assert_eq!(parse(&[]).unwrap().bucket.region(), "auto");
        assert_eq!(
            parse(&[("S3_REGION", "eu-west-1")])
                .unwrap()
                .bucket
                .region(),
            "eu-west-1"
        );
        let credentials = parse(&[]).unwrap().credentials;
        assert_eq!(
            (credentials.secret(), credentials.token()),
            ("hidden", None)
        );
        assert_eq!(
            parse(&[("S3_SESSION_TOKEN", "t")])
                .unwrap()
                .credentials
                .token(),
            Some("t")
        );
    }

    #[test]
    fn refusals_name_the_variable() {
        let expect = |changes: &[(&str, &str)], message: &str| {
            assert_eq!(parse(changes).unwrap_err(), message)
        };
        expect(
            &[("BUCKET_BACKEND", "minio")],
            "variable BUCKET_BACKEND must be \"r2\" or \"s3\" (got \"minio\")",
        );
        expect(
            &[("S3_BUCKET", "")],
            "S3_BUCKET must be set for BUCKET_BACKEND = \"s3\": the bucket's name",
        );
        expect(
            &[("S3_SECRET_ACCESS_KEY", " ")],
            "S3_SECRET_ACCESS_KEY must be set for BUCKET_BACKEND = \"s3\": a secret (`npx wrangler secret put \
             S3_SECRET_ACCESS_KEY`)",
        );
        expect(
            &[("S3_ENDPOINT", "s3.example.com")],
            "variable S3_ENDPOINT must be a URL of scheme https or http without user, query and fragment (got \"s3.example.com\")",
        );
        expect(
            &[("S3_URL_STYLE", "dns")],
            "variable S3_URL_STYLE must be \"path\" or \"virtual\" (got \"dns\")",
        );
        expect(
            &[("S3_BUCKET", "a/b")],
            "variable S3_BUCKET must be the name of a bucket: letters, digits, hyphens and dots (got \"a/b\")",
        );
        expect(
            &[("S3_ENDPOINT", "https://s3.example.com/profiles/")],
            "variable S3_ENDPOINT: \"https://s3.example.com/profiles/\" ends with the bucket's name, which belongs only in S3_BUCKET",
        );
        expect(
            &[
                ("S3_ENDPOINT", "http://127.0.0.1:9000"),
                ("S3_URL_STYLE", "virtual"),
            ],
            "S3_URL_STYLE = \"virtual\" puts the bucket's name \"profiles\" before the host of http://127.0.0.1:9000, \
             which gives an invalid host name: use \"path\"",
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        assert!(!format!("{:?}", parse(&[]).unwrap()).contains("hidden"));
        let error = parse(&[("S3_ENDPOINT", "https://me:hidden@s3.example.com")]).unwrap_err();
        assert!(!error.contains("hidden"), "{error}");
    }
}
