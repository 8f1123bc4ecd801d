//! Options of our programs: `--name value` pairs.

use crate::clock::now_millis;
use std::collections::BTreeMap;

/// What was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(BTreeMap<String, String>);

impl Options {
    /// Those that the running program was given.
    pub fn of_program(known: &[&str]) -> Result<Self, String> {
        Self::parse(std::env::args().skip(1), known)
    }

    /// Takes pairs apart; each name must be known.
    pub fn parse(mut words: impl Iterator<Item = String>, known: &[&str]) -> Result<Self, String> {
        let mut options = BTreeMap::new();
        while let Some(word) = words.next() {
            let name = word.strip_prefix("--").filter(|name| known.contains(name));
            let name =
                name.ok_or_else(|| format!("{word:?} is none of --{}", known.join(", --")))?;
            let value = words
                .next()
                .ok_or_else(|| format!("--{name} has no value"))?;
            options.insert(name.to_owned(), value);
        }
        Ok(Self(options))
    }

    /// A text, if given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A number, or what it is when it is not given.
    pub fn number(&self, name: &str, default: u64) -> Result<u64, String> {
        let parse = |text: &str| {
            text.parse()
                .map_err(|_| format!("--{name} is {text:?}, which is not a number"))
        };
        self.text(name).map_or(Ok(default), parse)
    }

    /// The seed of all chance: the one that was given, or another one each time.
    pub fn seed(&self) -> Result<u64, String> {
        self.number("seed", now_millis() as u64 % 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_known_names() {
        let parse = |text: &str| {
            Options::parse(
                text.split_whitespace().map(str::to_owned),
                &["count", "state"],
            )
        };
        let options = parse("--count 3 --state /x").unwrap();
        assert_eq!(
            (options.number("count", 1), options.text("state")),
            (Ok(3), Some("/x"))
        );
        assert_eq!(parse("").unwrap().number("count", 1), Ok(1));
        assert_eq!(
            parse("--size 3").unwrap_err(),
            "\"--size\" is none of --count, --state"
        );
        assert_eq!(parse("--count").unwrap_err(), "--count has no value");
        let wrong = parse("--count many").unwrap().number("count", 1);
        assert_eq!(
            wrong.unwrap_err(),
            "--count is \"many\", which is not a number"
        );
    }
}
