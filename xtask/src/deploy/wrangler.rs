//! wrangler's commands, and what its failures mean.

use crate::folders::{own_dir, root};
use crate::proc::{Failure, Result, Run};

/// Where wrangler is, from the root of the repository.
const WRANGLER: &str = "xtask/npm/node_modules/wrangler/bin/wrangler.js";

/// What becomes of a command of wrangler's.
pub(super) trait Wrangler {
    /// Runs it and gives what it wrote; a failure has the end of that.
    fn run(&mut self, args: &[&str]) -> Result<String>;
}

/// wrangler as npm installed it.
pub(super) struct Installed;

impl Wrangler for Installed {
    fn run(&mut self, args: &[&str]) -> Result<String> {
        println!("+ wrangler {}", args.join(" "));
        Run::new("node")
            .arg(WRANGLER)
            .args(args)
            .dir(root())
            .env("WRANGLER_SEND_METRICS", "false")
            .env("WRANGLER_HIDE_BANNER", "true")
            .env("WRANGLER_LOG_PATH", own_dir().join("wrangler-logs"))
            .limit(300)
            .read()
            .map_err(explain)
    }
}

/// How to log in: wrangler's own ways, of which one needs no browser.
pub(super) const LOG_IN: &str = "\
    either run `npx --prefix xtask/npm wrangler login`, which opens a browser, or make an API token \
    (https://dash.cloudflare.com/profile/api-tokens, template \"Edit Cloudflare Workers\", and the permission \
    \"Workers R2 Storage: Edit\") and set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID";

/// What to do about failures that a new account meets, by what wrangler writes.
const REMEDIES: [(&str, &str); 8] = [
    (
        "10042",
        "enable R2 for the account: https://dash.cloudflare.com/?to=/:account/r2 (10 GB are free, but it asks for a card)",
    ),
    (
        "register a workers.dev subdomain",
        "choose one: https://dash.cloudflare.com/?to=/:account/workers/onboarding, or give --domain",
    ),
    (
        "More than one account",
        "set CLOUDFLARE_ACCOUNT_ID to the account's id (`npx --prefix xtask/npm wrangler whoami` lists them)",
    ),
    (
        "10143",
        "the binding SELF names a worker that is not there: was --name changed by hand?",
    ),
    ("10000", LOG_IN),
    ("9109", LOG_IN),
    ("CLOUDFLARE_API_TOKEN", LOG_IN),
    (
        "fetch failed",
        "wrangler did not reach Cloudflare: check the network, and HTTPS_PROXY where one is needed",
    ),
];

fn explain(failure: Failure) -> Failure {
    match REMEDIES
        .iter()
        .find(|(sign, _)| failure.cause.contains(sign))
    {
        Some((_, remedy)) => failure.advise(*remedy),
        None => failure.advise(
            "what wrangler said is above; the same command again does what is left, and repeats nothing",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_say_what_to_do() {
        let remedy = |cause: &str| explain(Failure::new(cause, "")).remedy;
        assert!(
            remedy("Please enable R2 through the Cloudflare Dashboard. [code: 10042]")
                .contains("enable R2")
        );
        assert!(remedy("Authentication error [code: 10000]").contains("wrangler login"));
        assert!(
            remedy("More than one account available but unable to select one")
                .contains("CLOUDFLARE_ACCOUNT_ID")
        );
        assert!(remedy("something else").contains("the same command again"));
    }
}
