//! Pages of other sites: which of them may read answers, and that none may change anything.

use url::Url;

use crate::platform::config::{ConfigError, variables};

/// What a page may send beside what every page may.
const ALLOWED_HEADERS: &str = "authorization, connect-protocol-version, connect-timeout-ms, \
                               content-type, grpc-timeout, mcp-method, mcp-name, mcp-protocol-version, \
                               x-grpc-web, x-scope-orgid, x-user-agent";

/// What a page may ask for, of all methods that routes take.
const ALLOWED_METHODS: &str = "GET, POST, PUT, DELETE";

/// How long a browser may remember that: ten minutes.
const MAX_AGE: &str = "600";

/// The sites whose pages may call this worker, beside its own; by default none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origins(Vec<String>);

/// What a request says about the page that makes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    /// The header `Origin`.
    pub(crate) origin: Option<String>,
    /// `Sec-Fetch-Site`, which browsers send and pages cannot change. Over plain HTTP they send it to
    /// `localhost` only.
    pub(crate) fetch_site: Option<String>,
    /// The header `Host`: where the request was sent.
    pub(crate) host: Option<String>,
}

impl Page {
    /// Whether it is of another site than the worker. Browsers say so themselves, or name the page's
    /// origin. A proxy may have taken the scheme away, so only hosts are compared.
    fn is_foreign(&self) -> bool {
        match (self.fetch_site.as_deref(), &self.origin) {
            (Some(site), _) => matches!(site, "cross-site" | "same-site"),
            (None, None) => false,
            (None, Some(origin)) => {
                let authority = origin.split_once("://").map(|(_, authority)| authority);
                match (authority, &self.host) {
                    (Some(authority), Some(host)) => !authority.eq_ignore_ascii_case(host),
                    _ => true,
                }
            }
        }
    }
}

impl Origins {
    /// `CORS_ORIGINS`: origins like `https://grafana.example.com`, with commas between them.
    pub(crate) fn parse(var: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let list = var("CORS_ORIGINS").unwrap_or_default();
        let given = list.split(',').map(str::trim).filter(|o| !o.is_empty());
        let origin = |text: &str| {
            let url = Url::parse(text).ok().filter(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.origin().ascii_serialization() == text
            });
            url.map(|_| text.to_owned()).ok_or_else(|| ConfigError {
                name: "CORS_ORIGINS",
                found: text.to_owned(),
                expected: "an origin like https://grafana.example.com, without a path",
            })
        };
        given.map(origin).collect::<Result<_, _>>().map(Self)
    }

    /// Parses the variable of an environment.
    pub(crate) fn of(env: &worker::Env) -> Result<Self, ConfigError> {
        Self::parse(variables(env))
    }

    /// The page's origin, if it is one of these.
    pub(crate) fn allowed<'a>(&self, page: &'a Page) -> Option<&'a str> {
        let origin = page.origin.as_deref()?;
        self.0.iter().any(|known| known == origin).then_some(origin)
    }

    /// Whether a page of a site that is none of these wants to change something. A browser sends
    /// plain forms anywhere, and passwords of Basic with them.
    pub(crate) fn forbids(&self, page: &Page, method: &str) -> bool {
        let reads = matches!(method, "GET" | "HEAD" | "OPTIONS");
        !reads && page.is_foreign() && self.allowed(page).is_none()
    }
}

/// What is said to a page of an allowed origin, before it asks.
pub(crate) const PREFLIGHT: [(&str, &str); 3] = [
    ("access-control-allow-headers", ALLOWED_HEADERS),
    ("access-control-allow-methods", ALLOWED_METHODS),
    ("access-control-max-age", MAX_AGE),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn origins(list: &str) -> Result<Origins, String> {
        Origins::parse(|name| (name == "CORS_ORIGINS").then(|| list.to_owned()))
            .map_err(|error| error.to_string())
    }

    fn page(origin: &str, site: &str) -> Page {
        Page {
            origin: Some(origin.to_owned()),
            fetch_site: Some(site.to_owned()),
            host: None,
        }
    }

    #[test]
    fn which_origins() {
        let two = origins("https://a.example, http://b.example:3000,").unwrap();
        let allowed = |origin: &str| two.allowed(&page(origin, "cross-site")).is_some();
        assert!(allowed("https://a.example") && allowed("http://b.example:3000"));
        for other in [
            "http://a.example",
            "https://a.example.evil.example",
            "http://b.example",
            "null",
            "",
            "*",
        ] {
            assert!(!allowed(other), "{other}");
        }
        assert_eq!(origins(""), Ok(Origins::default()));
        for wrong in [
            "*",
            "null",
            "a.example",
            "https://a.example/",
            "https://a.example/x",
        ] {
            let message = origins(wrong).unwrap_err();
            assert!(
                message.starts_with("variable CORS_ORIGINS must be "),
                "{message}"
            );
        }
    }

    #[test]
    fn other_sites_change_nothing() {
        let known = origins("https://a.example").unwrap();
        let forbids = |method, page: &Page| known.forbids(page, method);
        let evil = page("https://evil.example", "cross-site");
        assert!(forbids("POST", &evil) && forbids("DELETE", &evil));
        assert!(!forbids("GET", &evil), "it cannot read the answer");
        assert!(forbids("POST", &page("null", "cross-site")));
        assert!(forbids("POST", &page("https://x.example", "same-site")));
        assert!(!forbids("POST", &page("https://a.example", "cross-site")));
        assert!(!forbids(
            "POST",
            &page("https://own.example", "same-origin")
        ));
        assert!(!forbids("POST", &Page::default()), "no browser");
    }

    #[test]
    fn over_plain_http_the_origin_tells() {
        let known = origins("https://a.example").unwrap();
        let forbids = |origin: &str, host: &str| {
            let page = Page {
                origin: Some(origin.to_owned()),
                fetch_site: None,
                host: (!host.is_empty()).then(|| host.to_owned()),
            };
            known.forbids(&page, "POST")
        };
        assert!(!forbids("http://Box.lan:4040", "box.lan:4040"));
        assert!(!forbids("https://box.lan", "box.lan"), "behind a proxy");
        assert!(!forbids("https://a.example", "box.lan:4040"), "configured");
        assert!(forbids("http://evil.example", "box.lan:4040"));
        assert!(forbids("http://box.lan:80", "box.lan:4040"));
        assert!(forbids("http://box.lan.evil.example:4040", "box.lan:4040"));
        assert!(forbids("null", "box.lan:4040"));
        assert!(forbids("http://box.lan:4040", ""));
    }
}
