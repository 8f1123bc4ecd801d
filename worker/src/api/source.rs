//! Source code of what is profiled: `GET /api/v1/source?repository&ref&path`.
//!
//! Profiles say in labels which repository and commit they are of (`service_repository`, `service_git_ref`). The page asks
//! here for a file of it, since its policy lets it ask nobody else, and since a token for private repositories
//! is nothing for browsers. Whoever may read profiles may read the files that this token can read.

use std::time::Duration;

use worker::{Env, Request, Response};

use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::http::outgoing;
use crate::http::parameters::Parameters;
use crate::http::percent::escaped;
use crate::http::scope::Scope;

use crate::platform::config::{ConfigError, variables};
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] =
    &[Endpoint::get("/api/v1/source", READ, |request, scope| {
        Box::pin(answer(request, scope))
    })];

/// Longest file that is passed on: 1 MiB, thirty thousand lines. It is there twice for a moment.
const MAX_FILE: usize = 1 << 20;

/// Longest wait for a whole file.
const LIMIT: Duration = Duration::from_secs(10);

/// Longest parameter in bytes.
const MAX_NAME: usize = 1_024;

/// Where GitHub has the files of its repositories.
const GITHUB: &str = "https://raw.githubusercontent.com/{repository}/{ref}/{path}";

/// Where source code is fetched from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceHost {
    /// What the address of a repository begins with: `https://github.com/`.
    repositories: String,
    /// The address of a file; `None` when none are fetched.
    template: Option<String>,
    token: Option<String>,
}

impl SourceHost {
    /// Parses `SOURCE_REPOSITORIES`, `SOURCE_URL` and the secret `SOURCE_TOKEN`.
    pub(crate) fn parse(var: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let var = |name| var(name).map(|value| value.trim().to_owned());
        let secret = |name| var(name).filter(|value| !value.is_empty());
        let wrong = |name, found, expected| ConfigError {
            name,
            found,
            expected,
        };
        let repositories = var("SOURCE_REPOSITORIES").filter(|value| !value.is_empty());
        let repositories = repositories.unwrap_or_else(|| "https://github.com/".to_owned());
        if outgoing::host_and_path(&repositories).is_none() || !repositories.ends_with('/') {
            return Err(wrong(
                "SOURCE_REPOSITORIES",
                repositories,
                "a URL that ends with /, like https://github.com/acme/",
            ));
        }
        let template = var("SOURCE_URL").unwrap_or_else(|| GITHUB.to_owned());
        let names = ["{repository}", "{ref}", "{path}"];
        let is_template = outgoing::is_web(&template)
            && names.iter().all(|name| template.matches(name).count() == 1);
        if !template.is_empty() && !is_template {
            return Err(wrong(
                "SOURCE_URL",
                template,
                "a URL with {repository}, {ref} and {path}, once each (or empty)",
            ));
        }
        Ok(Self {
            repositories,
            template: Some(template).filter(|template| !template.is_empty()),
            token: secret("SOURCE_TOKEN"),
        })
    }

    /// Parses the variables of an environment.
    pub(crate) fn of(env: &Env) -> Result<Self, ConfigError> {
        Self::parse(variables(env))
    }

    /// The address of a file, where all three make sense.
    fn address(&self, repository: &str, git_ref: &str, path: &str) -> Result<String, Problem> {
        let Some(template) = &self.template else {
            return Err(Problem::unimplemented(
                "this server doesn't fetch source code: SOURCE_URL is empty",
            ));
        };
        for (name, value) in [("repository", repository), ("ref", git_ref), ("path", path)] {
            if value.len() > MAX_NAME {
                let length = value.len();
                let message = format!("{name} has {length} bytes; at most {MAX_NAME} are allowed");
                return Err(Problem::invalid(message));
            }
        }
        if !repository.starts_with(&self.repositories) {
            let message = format!(
                "source code is not fetched from {repository:?}, only from {}",
                self.repositories
            );
            return Err(Problem::invalid(message));
        }
        let in_host = outgoing::host_and_path(repository).map_or("", |(_, path)| path);
        let in_host = in_host.trim_end_matches('/');
        let in_host = in_host.strip_suffix(".git").unwrap_or(in_host);
        let wrong = |name: &str, value: &str| {
            Problem::invalid(format!("{name}: {value:?} has an empty, . or .. segment"))
        };
        let encode = |name, value, whole| encoded(value).ok_or_else(|| wrong(name, whole));
        let (repository, git_ref, path) = (
            encode("repository", in_host, repository)?,
            encode("ref", git_ref, git_ref)?,
            encode("path", path, path)?,
        );
        // None of them has a brace any more.
        Ok(template
            .replace("{repository}", &repository)
            .replace("{ref}", &git_ref)
            .replace("{path}", &path))
    }
}

/// A path with each segment escaped; `None` if one is empty or leads elsewhere.
fn encoded(path: &str) -> Option<String> {
    let segment = |segment| match segment {
        "" | "." | ".." => None,
        name => Some(escaped(name).to_string()),
    };
    let segments: Option<Vec<_>> = path.split('/').map(segment).collect();
    Some(segments?.join("/"))
}

/// Answers with a file as text.
async fn answer(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let host = SourceHost::of(scope.env()).map_err(Problem::internal)?;
    let (repository, git_ref, path) = (
        parameters.required("repository")?,
        parameters.required("ref")?,
        parameters.required("path")?,
    );
    let address = host.address(repository, git_ref, path)?;
    let bearer = host.token.as_ref().map(|token| format!("Bearer {token}"));
    let mut headers = vec![("accept", "application/vnd.github.raw, text/plain, */*")];
    headers.extend(bearer.iter().map(|bearer| ("authorization", &**bearer)));
    let _permit = scope.admission().enter(2 * MAX_FILE as u64).await?;
    let file = outgoing::ask(&address, &headers, None, LIMIT, MAX_FILE).await;
    let file = file.map_err(unavailable)?;
    match file.status {
        200 => {}
        404 => {
            let message = format!("{path} not found in {repository} at {git_ref}");
            return Err(Problem::not_found(message));
        }
        status @ (401 | 403) => {
            return Err(unavailable(format!(
                "it returned {status}; SOURCE_TOKEN may be missing or lack access to this repository"
            )));
        }
        status => return Err(unavailable(format!("it returned status {status}"))),
    }
    if file.is_cut {
        let message = format!("the file is larger than {MAX_FILE} bytes");
        return Err(Problem::new(413, "resource_exhausted", message));
    }
    let text =
        String::from_utf8(file.body).map_err(|_| Problem::invalid("the file is not UTF-8 text"))?;
    let response = Response::ok(text)?;
    let headers = response.headers();
    headers.set("content-type", "text/plain; charset=utf-8")?;
    // A branch moves on; a commit does not.
    headers.set("cache-control", "private, max-age=300")?;
    Ok(response)
}

fn unavailable(reason: String) -> Problem {
    let message = format!("the source host did not return the file: {reason}");
    Problem::new(502, "unavailable", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(vars: &[(&str, &str)]) -> Result<SourceHost, ConfigError> {
        SourceHost::parse(|name| {
            let found = vars.iter().find(|(of, _)| *of == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_address_of_a_file() {
        let github = host(&[]).unwrap();
        let of = |repository, git_ref, path| github.address(repository, git_ref, path);
        assert_eq!(
            of("https://github.com/acme/shop.git", "feature/x", "a b/é.go").unwrap(),
            "https://raw.githubusercontent.com/acme/shop/feature/x/a%20b/%C3%A9.go"
        );
        for (repository, git_ref, path, says) in [
            (
                "https://gitlab.com/a/b",
                "v1",
                "x.go",
                "only from https://github.com/",
            ),
            ("https://github.com/acme/../x", "v1", "x.go", "repository:"),
            ("https://github.com/", "v1", "x.go", "repository:"),
            ("https://github.com/a/b", "../v1", "x.go", "ref:"),
            ("https://github.com/a/b", "v1", "/etc/passwd", "path:"),
            ("https://github.com/a/b", "v1", "a/./b", "path:"),
        ] {
            let message = of(repository, git_ref, path).unwrap_err().message;
            assert!(message.contains(says), "{message}");
        }
        assert_eq!(
            of("https://github.com/a/b", "v1", "{ref}?x#y%2e").unwrap(),
            "https://raw.githubusercontent.com/a/b/v1/%7Bref%7D%3Fx%23y%252e"
        );
        let long = "x".repeat(MAX_NAME + 1);
        let refused = of("https://github.com/a/b", "v1", &long).unwrap_err();
        assert_eq!(
            refused.message,
            "path has 1025 bytes; at most 1024 are allowed"
        );
    }

    #[test]
    fn another_host_and_none() {
        let url = "https://git.acme.dev/api/{repository}/raw/{path}?ref={ref}";
        let acme = [
            ("SOURCE_REPOSITORIES", "https://git.acme.dev/"),
            ("SOURCE_URL", url),
        ];
        let address = host(&acme)
            .unwrap()
            .address("https://git.acme.dev/g/s/shop", "v1", "x.go");
        assert_eq!(
            address.unwrap(),
            "https://git.acme.dev/api/g/s/shop/raw/x.go?ref=v1"
        );
        let none = host(&[("SOURCE_URL", "")]).unwrap();
        let refused = none.address("https://github.com/a/b", "v1", "x.go");
        assert_eq!(refused.unwrap_err().status, 501);
        for (name, value) in [
            ("SOURCE_URL", "https://x.example/{path}"),
            ("SOURCE_URL", "ftp://x/{repository}{ref}{path}"),
            ("SOURCE_URL", "https://x/{repository}{ref}{path}{path}"),
            ("SOURCE_REPOSITORIES", "https://github.com"),
            ("SOURCE_REPOSITORIES", "github.com/"),
        ] {
            assert_eq!(host(&[(name, value)]).unwrap_err().name, name, "{value}");
        }
    }
}
