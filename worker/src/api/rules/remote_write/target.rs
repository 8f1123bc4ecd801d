//! Where points are sent, and how.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use worker::Env;

use crate::http::outgoing::host_and_path;
use crate::platform::config::{ConfigError, variables};

/// Versions of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

impl Version {
    /// The headers of the specifications.
    pub(super) fn headers(self) -> [(&'static str, &'static str); 3] {
        let (content_type, version) = match self {
            Self::V1 => ("application/x-protobuf", "0.1.0"),
            Self::V2 => (
                "application/x-protobuf;proto=io.prometheus.write.v2.Request",
                "2.0.0",
            ),
        };
        [
            ("content-type", content_type),
            ("content-encoding", "snappy"),
            ("x-prometheus-remote-write-version", version),
        ]
    }
}

/// A server that accepts points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(super) url: String,
    pub(super) version: Version,
    /// The header, if there is a secret.
    pub(super) authorization: Option<String>,
}

impl Target {
    /// Parses `REMOTE_WRITE_URL`, `REMOTE_WRITE_VERSION`, `REMOTE_WRITE_USER` and the secret
    /// `REMOTE_WRITE_TOKEN`; `None` without the first.
    pub(crate) fn parse(var: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, ConfigError> {
        let var = |name| {
            let value = var(name).map(|value| value.trim().to_owned());
            value.filter(|value| !value.is_empty())
        };
        let version = match var("REMOTE_WRITE_VERSION").as_deref() {
            None | Some("1.0") => Version::V1,
            Some("2.0") => Version::V2,
            Some(other) => {
                return Err(ConfigError {
                    name: "REMOTE_WRITE_VERSION",
                    found: other.to_owned(),
                    expected: "1.0 or 2.0",
                });
            }
        };
        let Some(url) = var("REMOTE_WRITE_URL") else {
            return Ok(None);
        };
        let is_url = host_and_path(&url).is_some_and(|(host, _)| !host.contains('@'));
        if !is_url {
            // The message is shown, a password must not be.
            let found = match url.rsplit_once('@') {
                Some((_, host)) => format!("…@{host}"),
                None => url,
            };
            return Err(ConfigError {
                name: "REMOTE_WRITE_URL",
                found,
                expected: "a URL without a password, like https://prometheus.example.com/api/v1/write (or empty)",
            });
        }
        let user = var("REMOTE_WRITE_USER");
        let secret = var;
        let authorization = secret("REMOTE_WRITE_TOKEN").map(|token| match &user {
            Some(user) => format!("Basic {}", BASE64.encode(format!("{user}:{token}"))),
            None => format!("Bearer {token}"),
        });
        Ok(Some(Self {
            url,
            version,
            authorization,
        }))
    }

    /// Parses the variables of an environment.
    pub(crate) fn of(env: &Env) -> Result<Option<Self>, ConfigError> {
        Self::parse(variables(env))
    }

    /// Its host.
    pub(super) fn host(&self) -> &str {
        host_and_path(&self.url).map_or("", |(host, _)| host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(vars: &[(&str, &str)]) -> Result<Option<Target>, ConfigError> {
        Target::parse(|name| {
            let found = vars.iter().find(|(of, _)| *of == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn of_variables() {
        let url = ("REMOTE_WRITE_URL", "https://prom.example/api/v1/write");
        let (user, token) = (("REMOTE_WRITE_USER", "me"), ("REMOTE_WRITE_TOKEN", "s3"));
        assert_eq!(target(&[token, user]).unwrap(), None);
        let check = |vars: &[_], version, authorization: Option<&str>| {
            let found = target(vars).unwrap().unwrap();
            assert_eq!((found.version, found.host()), (version, "prom.example"));
            assert_eq!(found.authorization.as_deref(), authorization);
        };
        check(&[url], Version::V1, None);
        check(&[url, user], Version::V1, None);
        check(&[url, token], Version::V1, Some("Bearer s3"));
        let v2 = ("REMOTE_WRITE_VERSION", "2.0");
        check(&[url, v2, user, token], Version::V2, Some("Basic bWU6czM="));
        for (name, value) in [
            ("REMOTE_WRITE_URL", "prom.example/api/v1/write"),
            (
                "REMOTE_WRITE_URL",
                "https://me:s3@prom.example/api/v1/write",
            ),
            ("REMOTE_WRITE_VERSION", "1"),
        ] {
            let error = target(&[(name, value)]).unwrap_err();
            assert_eq!(error.name, name, "{value}");
            assert!(!error.found.contains("s3"));
        }
    }
}
