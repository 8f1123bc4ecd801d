//! `cargo xtask token`: makes, lists and revokes tokens of a running Pilotlight, through its admin
//! API.
//!
//! Node makes the request: it speaks TLS, and is here anyway. The administrator's token reaches it
//! by its environment, which other users cannot read, and never by its arguments.

use crate::folders::root;
use crate::proc::{Context, Failure, Result};
use std::io::{BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

/// Where the administrator's token is looked for.
const VARIABLE: &str = "PILOTLIGHT_TOKEN";

const DEFAULT_URL: &str = "http://localhost:4040";

/// What Node runs, below the root; it reads `REQUEST` and prints what a person wants to see.
const SCRIPT: &str = "xtask/src/token.mjs";

/// A call of the admin API.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Call {
    Create {
        tenant: String,
        scopes: Vec<String>,
        name: String,
        ttl_seconds: Option<u64>,
    },
    List,
    Revoke(String),
}

/// Does what the words after `token` say.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (call, url) = parse(words)?;
    let printed = ask(&request(&call, &url), &administrator()?)?;
    println!("{}", printed.trim_end());
    Ok(())
}

/// What the script prints for a request. A new token comes by a pipe: no file ever has it.
fn ask(request: &str, token: &str) -> Result<String> {
    let output = Command::new("node")
        .arg(SCRIPT)
        .current_dir(root())
        .env("REQUEST", request)
        .env(VARIABLE, token)
        .stdin(Stdio::null())
        .output()
        .context("node")?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(
        said.trim(),
        "if the server does not say what is wrong: check --url, and that the token is an administrator's",
    ))
}

fn parse(words: &[&str]) -> Result<(Call, String)> {
    let (call, options) = words.split_first().ok_or_else(usage)?;
    let (id, options) = match (*call, options) {
        ("revoke", [id, rest @ ..]) if !id.starts_with('-') => (Some(*id), rest),
        _ => (None, options),
    };
    let (mut tenant, mut scopes, mut name) = (None, None, String::new());
    let (mut ttl_seconds, mut url) = (None, DEFAULT_URL.to_owned());
    for pair in options.chunks(2) {
        match (*call, pair) {
            (_, ["--url", value]) => url = value.trim_end_matches('/').to_owned(),
            ("create", ["--tenant", value]) => tenant = Some((*value).to_owned()),
            ("create", ["--scope", value]) => {
                scopes = Some(value.split(',').map(str::to_owned).collect());
            }
            ("create", ["--name", value]) => name = (*value).to_owned(),
            ("create", ["--expires", value]) => ttl_seconds = Some(seconds(value)?),
            _ => return Err(usage()),
        }
    }
    let call = match (*call, id) {
        ("list", None) => Call::List,
        ("revoke", Some(id)) => Call::Revoke(id.to_owned()),
        ("create", None) => Call::Create {
            tenant: tenant.ok_or_else(usage)?,
            scopes: scopes.ok_or_else(usage)?,
            name,
            ttl_seconds,
        },
        _ => return Err(usage()),
    };
    Ok((call, url))
}

fn usage() -> Failure {
    Failure::new(
        "what follows `token` is incomplete or unknown",
        "use one of: token create --tenant T --scope push[,read,admin] [--expires 90d] [--name N] [--url U], \
         token list [--url U], token revoke ID [--url U]",
    )
}

/// `90d`, `12h`, `30m` or `45s` in seconds.
fn seconds(text: &str) -> Result<u64> {
    let wrong = || {
        Failure::new(
            format!("--expires is {text:?}, which is not a length of time"),
            "give one like 90d, 12h, 30m or 45s",
        )
    };
    let digits = text.len() - text.chars().next_back().map_or(0, char::len_utf8);
    let unit = match &text[digits..] {
        "d" => 86_400,
        "h" => 3_600,
        "m" => 60,
        "s" => 1,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..digits].parse().map_err(|_| wrong())?;
    number.checked_mul(unit).ok_or_else(wrong)
}

/// The request as JSON, for the script.
fn request(call: &Call, url: &str) -> String {
    let path = "/api/v1/admin/tokens";
    let (method, path, body) = match call {
        Call::Create {
            tenant,
            scopes,
            name,
            ttl_seconds,
        } => {
            let scopes: Vec<String> = scopes.iter().map(|scope| quoted(scope)).collect();
            let ttl = ttl_seconds.map_or("null".to_owned(), |seconds| seconds.to_string());
            let body = format!(
                "{{\"tenant\":{},\"scopes\":[{}],\"name\":{},\"ttl_seconds\":{ttl}}}",
                quoted(tenant),
                scopes.join(","),
                quoted(name),
            );
            ("POST", path.to_owned(), body)
        }
        Call::List => ("GET", path.to_owned(), "null".to_owned()),
        Call::Revoke(id) => ("DELETE", format!("{path}?id={id}"), "null".to_owned()),
    };
    format!(
        "{{\"url\":{},\"method\":\"{method}\",\"body\":{body}}}",
        quoted(&format!("{url}{path}"))
    )
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            c if c.is_control() => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

/// The administrator's token: of the environment, or asked for without showing it.
fn administrator() -> Result<String> {
    if let Ok(token) = std::env::var(VARIABLE) {
        return Ok(token.trim().to_owned());
    }
    let stdin = std::io::stdin();
    let hidden = stdin.is_terminal();
    if hidden {
        eprint!("The administrator's token (or set {VARIABLE}; Enter where AUTH is open): ");
        std::io::stderr().flush().context("asking for a token")?;
        echo("-echo");
    }
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line);
    if hidden {
        echo("echo");
        eprintln!();
    }
    read.context("reading a token")?;
    Ok(line.trim().to_owned())
}

/// Whether the terminal shows what is typed. One that cannot hide it shows it.
fn echo(mode: &str) {
    let _ = Command::new("stty").arg(mode).status();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn what_is_asked_for() {
        let asked = |words: &[&str]| {
            let (call, url) = parse(words).map_err(|failure| failure.cause)?;
            Ok::<_, String>(request(&call, &url))
        };
        let create =
            "create --tenant t1 --scope push,read --expires 90d --name ci --url https://x.example/";
        assert_eq!(
            asked(&create.split(' ').collect::<Vec<_>>()).unwrap(),
            "{\"url\":\"https://x.example/api/v1/admin/tokens\",\"method\":\"POST\",\"body\":{\"tenant\":\"t1\",\
             \"scopes\":[\"push\",\"read\"],\"name\":\"ci\",\"ttl_seconds\":7776000}}"
        );
        assert_eq!(
            asked(&["list"]).unwrap(),
            "{\"url\":\"http://localhost:4040/api/v1/admin/tokens\",\"method\":\"GET\",\"body\":null}"
        );
        let revoke = asked(&["revoke", "0a1b"]).unwrap();
        assert!(revoke.contains("tokens?id=0a1b\",\"method\":\"DELETE\""));
        for wrong in [
            "create",
            "create --tenant t",
            "create --tenant t --scope push --expires 90",
            "create --tenant t --scope push --expires é",
            "list --tenant t",
            "list x",
            "revoke",
            "revoke --url x",
            "forget",
            "",
        ] {
            let words: Vec<_> = wrong.split_whitespace().collect();
            assert!(asked(&words).is_err(), "{wrong:?}");
        }
    }

    /// A server that answers one request.
    fn answers(status: &'static str, body: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = BufReader::new(stream.try_clone().unwrap()).lines();
            while head.next().is_some_and(|line| !line.unwrap().is_empty()) {}
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            )
            .unwrap();
        });
        url
    }

    #[test]
    fn what_a_server_answers_is_printed() {
        let url = answers("200 OK", "{\"token\":\"plt_of_a_test\",\"id\":\"0a1b\"}");
        let printed = ask(&request(&Call::List, &url), "plt_x").unwrap();
        assert!(printed.starts_with("plt_of_a_test\n"), "{printed}");
        assert!(printed.contains("0a1b"));
        let url = answers(
            "403 Forbidden",
            "{\"code\":\"x\",\"message\":\"it lacks the scope\"}",
        );
        let failure = ask(&request(&Call::List, &url), "plt_x").unwrap_err();
        let expect = format!("{url}/api/v1/admin/tokens answers 403: it lacks the scope");
        assert_eq!(failure.cause, expect);
    }

    #[test]
    fn text_in_json() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
    }
}
