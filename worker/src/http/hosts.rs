//! The names under which a worker without tokens answers. A page of any site may point its own name
//! at this machine and then reads whatever answers under that name (DNS rebinding); a name that
//! nobody allowed is the only sign of it.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::platform::config::{ConfigError, variables};

/// What an operator allows beside the names of this machine itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AllowedHosts(Vec<String>);

/// Allows every name.
const ANY: &str = "*";

impl AllowedHosts {
    /// `ALLOWED_HOSTS`: names or addresses without a port, with commas between them; `*` for all.
    pub(crate) fn parse(var: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let list = var("ALLOWED_HOSTS").unwrap_or_default();
        let given = list.split(',').map(str::trim).filter(|h| !h.is_empty());
        let host = |text: &str| {
            let known = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
            let host = canonical(text);
            let is_name = !host.is_empty() && host.chars().all(known);
            let is_host = host == ANY || is_name || ipv6(&host).is_some();
            is_host.then_some(host).ok_or_else(|| ConfigError {
                name: "ALLOWED_HOSTS",
                found: text.to_owned(),
                expected: "a host like profiles.internal, without a port",
            })
        };
        given.map(host).collect::<Result<_, _>>().map(Self)
    }

    /// Parses the variable of an environment.
    pub(crate) fn of(env: &worker::Env) -> Result<Self, ConfigError> {
        Self::parse(variables(env))
    }

    /// Whether requests with this header `Host` are answered.
    pub(crate) fn allows(&self, header: &str) -> bool {
        let host = canonical(without_port(header));
        let allowed = |known: &String| known == ANY || *known == host;
        is_loopback(&host) || self.0.iter().any(allowed)
    }
}

/// `Host` less a port.
fn without_port(header: &str) -> &str {
    match header.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => header,
    }
}

/// A host in the one form in which hosts are compared: in lower case, without the dot of a full name,
/// an address of version 6 as short as it gets and without brackets.
fn canonical(host: &str) -> String {
    if let Some(address) = ipv6(host) {
        return address.to_string();
    }
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

/// Whether a host is this machine, whatever a name server says.
fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback())
        || ipv6(host).is_some_and(|ip| ip.is_loopback())
}

/// An address of version 6, in brackets as in URLs or without.
fn ipv6(host: &str) -> Option<Ipv6Addr> {
    let inner = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    inner.unwrap_or(host).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(list: &str) -> Result<AllowedHosts, String> {
        AllowedHosts::parse(|name| (name == "ALLOWED_HOSTS").then(|| list.to_owned()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn this_machine_is_always_allowed() {
        let none = hosts("").unwrap();
        for host in [
            "localhost",
            "localhost:4040",
            "LocalHost.:4040",
            "pilotlight.localhost:1",
            "127.0.0.1:4040",
            "127.1.2.3",
            "[::1]:4040",
        ] {
            assert!(none.allows(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:4040",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "notlocalhost",
            "10.0.0.1:4040",
            "[fe80::1]:4040",
            "0.0.0.0",
            "::ffff:10.0.0.1",
            "localhost:4040:evil",
        ] {
            assert!(!none.allows(host), "{host}");
        }
    }

    #[test]
    fn others_are_named() {
        let two = hosts(" Profiles.internal., 10.0.0.1,FE80:0:0:0::1,[fd00::0:2]").unwrap();
        for host in [
            "profiles.internal:4040",
            "PROFILES.INTERNAL",
            "profiles.internal.:80",
            "10.0.0.1:80",
            "[fe80::1]:4040",
            "[fe80:0::0001]",
            "[FD00:0:0:0:0:0:0:2]:1",
        ] {
            assert!(two.allows(host), "{host}");
        }
        assert!(!two.allows("other.internal") && !two.allows("a.profiles.internal"));
        assert!(hosts("*").unwrap().allows("evil.example"));
        for wrong in ["http://a.example", "a.example:80", "a b", "*.example", "."] {
            let message = hosts(wrong).unwrap_err();
            assert!(
                message.starts_with("variable ALLOWED_HOSTS must be "),
                "{message}"
            );
        }
    }
}
