//! Configuration: the variables of `wrangler.toml`, parsed once into a type that needs no further checks.

use thiserror::Error;

/// What an operator may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// How long a push waits for others to share its object, milliseconds. Latency against the cost of requests to the
    /// bucket.
    pub(crate) flush_ms: u32,
    /// Whether `X-Scope-OrgID` names the tenant; else all is `anonymous`.
    pub(crate) multitenancy: bool,
    /// How long compacted objects stay for queries that run, seconds.
    pub(crate) compact_grace_seconds: u32,
}

/// A variable that does not say what it should.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("variable {name}: {found:?} is not {expected}")]
pub(crate) struct ConfigError {
    name: &'static str,
    found: String,
    expected: &'static str,
}

/// Longest flush interval. Agents give up after 10 seconds; half of that leaves room for the write itself.
const MAX_FLUSH_MS: u32 = 5_000;

impl Config {
    /// Parses the variables that `var` gives; absent ones take their defaults.
    pub(crate) fn parse(var: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        Ok(Self {
            flush_ms: number(&var, "FLUSH_MS", 200, MAX_FLUSH_MS, "a number of milliseconds from 0 to 5000")?,
            multitenancy: match var("MULTITENANCY").as_deref() {
                None | Some("false" | "") => false,
                Some("true") => true,
                Some(found) => {
                    return Err(ConfigError { name: "MULTITENANCY", found: found.to_owned(), expected: "true or false" });
                }
            },
            compact_grace_seconds: number(&var, "COMPACT_GRACE_SECONDS", 600, u32::MAX, "a number of seconds")?,
        })
    }

    /// Parses the variables of an environment.
    pub(crate) fn of(env: &worker::Env) -> Result<Self, ConfigError> {
        Self::parse(|name| env.var(name).ok().map(|value| value.to_string()))
    }
}

fn number(
    var: &impl Fn(&str) -> Option<String>,
    name: &'static str,
    default: u32,
    most: u32,
    expected: &'static str,
) -> Result<u32, ConfigError> {
    let Some(found) = var(name) else { return Ok(default) };
    match found.trim().parse() {
        Ok(value) if value <= most => Ok(value),
        _ => Err(ConfigError { name, found, expected }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<Config, String> {
        Config::parse(|name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())).map_err(|e| e.to_string())
    }

    #[test]
    fn defaults_and_values() {
        assert_eq!(parse(&[]), Ok(Config { flush_ms: 200, multitenancy: false, compact_grace_seconds: 600 }));
        assert_eq!(
            parse(&[("FLUSH_MS", "20"), ("MULTITENANCY", "true"), ("COMPACT_GRACE_SECONDS", "1")]),
            Ok(Config { flush_ms: 20, multitenancy: true, compact_grace_seconds: 1 })
        );
    }

    #[test]
    fn refusals_name_the_variable_and_the_value() {
        let expect = |pairs, message: &str| assert_eq!(parse(pairs), Err(message.to_owned()));
        expect(&[("FLUSH_MS", "soon")], "variable FLUSH_MS: \"soon\" is not a number of milliseconds from 0 to 5000");
        expect(&[("FLUSH_MS", "5001")], "variable FLUSH_MS: \"5001\" is not a number of milliseconds from 0 to 5000");
        expect(&[("MULTITENANCY", "yes")], "variable MULTITENANCY: \"yes\" is not true or false");
    }
}
