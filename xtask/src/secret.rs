//! The first administrator's token: shown once, and known to the worker by its SHA-256 alone.

use crate::proc::{Context, Failure, Result};
use std::io::Write;
use std::process::{Command, Stdio};

/// The name of the variable that holds the digest.
pub(crate) const VARIABLE: &str = "ADMIN_TOKEN_SHA256";

/// A token and its digest.
pub(crate) struct Token {
    /// `plt_` and 32 random bytes in base64url.
    pub(crate) text: String,
    /// SHA-256 of the text, in hex.
    pub(crate) digest: String,
}

/// By Node's library: no crate to compile, and neither an argument nor a file has the token.
const SCRIPT: &str = "\
    const { randomBytes, createHash } = require('node:crypto'); \
    const token = 'plt_' + randomBytes(32).toString('base64url'); \
    console.log(token + ' ' + createHash('sha256').update(token).digest('hex'));";

impl Token {
    pub(crate) fn make() -> Result<Self> {
        let output = Command::new("node")
            .args(["--eval", SCRIPT])
            .stdin(Stdio::null())
            .output()
            .context("node")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let (text, digest) = text
            .trim()
            .split_once(' ')
            .filter(|_| output.status.success())
            .ok_or_else(|| Failure::new("node made no token", "install Node 20 or later"))?;
        Ok(Self {
            text: text.to_owned(),
            digest: digest.to_owned(),
        })
    }

    /// Shows it, with what to do next.
    pub(crate) fn show(&self, url: &str) {
        println!("{}", self.message(url));
        let _ = std::io::stdout().flush();
    }

    fn message(&self, url: &str) -> String {
        let token = &self.text;
        format!(
            "\n\
             The administrator's token, shown this once and kept nowhere:\n\
             \n    {token}\n\
             \n\
             Next:\n\
             1. a token that may only push, for the agents of one tenant; the command asks for the one above:\n\
             \x20    cargo xtask token create --url {url} --tenant anonymous --scope push\n\
             2. an agent, here Go's; others take the same two values:\n\
             \x20    pyroscope.Start(pyroscope.Config{{ApplicationName: \"my.app\", ServerAddress: \"{url}\", BasicAuthUser: \"anonymous\", BasicAuthPassword: \"THE PUSH TOKEN\"}})\n\
             3. the page, which asks for a token once:\n\
             \x20    {url}/"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_random_and_known_by_their_digest() {
        let (one, other) = (Token::make().unwrap(), Token::make().unwrap());
        assert_ne!(one.text, other.text);
        assert_eq!((one.text.len(), one.digest.len()), (4 + 43, 64));
        assert!(one.text.starts_with("plt_"));
        assert!(one.digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let message = one.message("https://example.com");
        assert!(message.contains(&one.text) && !message.contains(&one.digest));
    }
}
