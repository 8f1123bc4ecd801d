//! Which commands a deployment runs, in which order, against a simulated account.

use super::*;

/// An account with what earlier commands left there.
#[derive(Default)]
struct Account {
    logged_in: bool,
    bucket: bool,
    worker: bool,
    /// The digest that the worker has.
    secret: Option<String>,
    /// A command that fails, by how it begins, and what it says.
    fails: Option<(&'static str, &'static str)>,
    /// Commands that were run, without paths of this machine.
    calls: Vec<String>,
}

impl Wrangler for Account {
    fn run(&mut self, args: &[&str]) -> Result<String> {
        let named = |arg: &&str| {
            arg.rsplit_once("/")
                .map_or(*arg, |(_, name)| name)
                .to_owned()
        };
        let call = args.iter().map(named).collect::<Vec<_>>().join(" ");
        self.calls.push(call.clone());
        if let Some((start, says)) = self.fails
            && call.starts_with(start)
        {
            return Err(Failure::new(says, ""));
        }
        match args {
            ["whoami"] if !self.logged_in => Ok("You are not authenticated.".to_owned()),
            ["r2", "bucket", "info", ..] if !self.bucket => {
                Err(Failure::new("The specified bucket does not exist", ""))
            }
            ["r2", "bucket", "create", ..] => {
                self.bucket = true;
                Ok(String::new())
            }
            ["secret", "list", _, name, ..] if !self.worker => {
                Err(Failure::new(format!("Worker \"{name}\" not found."), ""))
            }
            ["secret", "list", ..] => Ok(match self.secret {
                Some(_) => {
                    "[{\"name\":\"ADMIN_TOKEN_SHA256\",\"type\":\"secret_text\"}]".to_owned()
                }
                None => "[]".to_owned(),
            }),
            ["deploy", "--config", config, rest @ ..] => {
                assert!(self.bucket, "wrangler refuses a bucket that is not there");
                let text = fs::read_to_string(config).unwrap();
                assert!(text.contains("new_sqlite_classes") && text.contains("crons = "));
                if let ["--secrets-file", file] = rest {
                    let text = fs::read_to_string(file).unwrap();
                    self.secret = text.split('"').nth(3).map(str::to_owned);
                }
                self.worker = true;
                Ok("Deployed\n  https://pilotlight.someone.workers.dev\n".to_owned())
            }
            _ => Ok(String::new()),
        }
    }
}

impl Account {
    fn new() -> Self {
        Self {
            logged_in: true,
            ..Self::default()
        }
    }

    fn deploy(&mut self, test: &str, args: &[&str]) -> Result<Deployed> {
        self.calls.clear();
        let folder = own_dir().join(format!("deploy-{test}-{}", std::process::id()));
        let outcome = run(
            &Options::parse(args, &Recorded::default()).unwrap(),
            &folder,
            self,
            || Ok(()),
        );
        assert!(!folder.join("secrets.json").exists());
        let _ = fs::remove_dir_all(&folder);
        outcome
    }
}

#[test]
fn a_first_deployment_makes_everything_and_a_second_keeps_it() {
    let mut account = Account::new();
    let first = account.deploy("first", &["--bucket", "files"]).unwrap();
    assert_eq!(
        account.calls,
        [
            "whoami",
            "r2 bucket info files",
            "r2 bucket create files",
            "secret list --name pilotlight --config wrangler.toml",
            "deploy --config wrangler.toml --secrets-file secrets.json",
        ]
    );
    assert_eq!(first.url, "https://pilotlight.someone.workers.dev");
    let token = first.token.expect("the first administrator's token");
    assert_eq!(account.secret.as_deref(), Some(token.digest.as_str()));
    assert!(!account.calls.concat().contains(&token.text));

    let second = account.deploy("second", &["--bucket", "files"]).unwrap();
    assert_eq!(
        account.calls,
        [
            "whoami",
            "r2 bucket info files",
            "secret list --name pilotlight --config wrangler.toml",
            "deploy --config wrangler.toml",
        ]
    );
    assert!(second.token.is_none());
    assert_eq!(account.secret.as_deref(), Some(token.digest.as_str()));

    let replaced = account
        .deploy("third", &["--bucket", "files", "--new-token"])
        .unwrap();
    assert_eq!(account.secret, replaced.token.map(|token| token.digest));
    assert_ne!(account.secret, Some(token.digest));
}

#[test]
fn nobody_logged_in_is_told_how_before_anything_is_built() {
    let mut account = Account::default();
    let built = std::cell::Cell::new(false);
    let options = Options::parse(&[], &Recorded::default()).unwrap();
    let failure = run(&options, &own_dir(), &mut account, || {
        built.set(true);
        Ok(())
    })
    .err()
    .expect("a failure");
    assert!(failure.remedy.contains("wrangler login"));
    assert!(failure.remedy.contains("CLOUDFLARE_API_TOKEN"));
    assert!(failure.remedy.contains("CLOUDFLARE_ACCOUNT_ID"));
    assert!(!built.get());
    assert_eq!(account.calls, ["whoami"]);
}

#[test]
fn a_token_is_not_replaced_because_cloudflare_did_not_answer() {
    let mut account = Account::new();
    account.deploy("silence", &[]).unwrap();
    let secret = account.secret.clone();
    account.fails = Some(("secret list", "fetch failed"));
    assert!(account.deploy("silence", &[]).is_err());
    assert_eq!(account.secret, secret);
    assert!(!account.calls.iter().any(|call| call.starts_with("deploy")));
}

#[test]
fn what_failed_is_made_up_for_by_the_same_command() {
    let mut account = Account::new();
    for start in ["r2 bucket create", "secret list", "deploy"] {
        account.fails = Some((start, "broken"));
        assert!(account.deploy("again", &[]).is_err(), "{start}");
        assert_eq!(account.secret, None);
    }
    account.fails = None;
    let deployed = account.deploy("again", &[]).unwrap();
    assert_eq!(account.secret, deployed.token.map(|token| token.digest));
}

#[test]
fn a_domain_is_the_address_and_a_rollback_is_one_command() {
    let mut account = Account::new();
    let args = ["--domain", "p.example.com"];
    assert_eq!(
        account.deploy("domain", &args).unwrap().url,
        "https://p.example.com"
    );
    account.calls.clear();
    let options = Options::parse(&["--name", "mine"], &Recorded::default()).unwrap();
    rollback(&options, &mut account).unwrap();
    assert_eq!(
        account.calls,
        [
            "whoami",
            "rollback --name mine --message cargo xtask deploy --rollback --yes"
        ]
    );
}
