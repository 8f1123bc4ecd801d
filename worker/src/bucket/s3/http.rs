//! How requests travel: the platform's `fetch` where this is deployed, something else in tests.

/// Sends requests, and has what waiting between them needs.
pub(crate) trait Http: Clone + 'static {
    /// Sends a request and reads the whole answer, of whatever status; redirections are not
    /// followed. An error says why there is no answer.
    async fn send(&self, request: Request<'_>) -> Result<Response, String>;

    /// Milliseconds since the epoch.
    fn now_millis(&self) -> i64;

    /// Waits.
    async fn pause(&self, millis: u32);
}

/// A request as it goes out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'static str,
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(&'static str, String)],
    pub(crate) body: &'a [u8],
}

/// What came back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// A header's value, empty where there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .iter()
            .find(|(n, _)| n == name)
            .map_or("", |(_, value)| value)
    }
}
