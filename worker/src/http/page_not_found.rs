//! What a person sees at an address without a page. Programs get the same as JSON.

use worker::Response;

use crate::platform::errors::Problem;

/// The answer to a browser that goes to an address; `None` for all others. `fetch_mode` is the header
/// `Sec-Fetch-Mode`, which browsers send.
pub(crate) fn response(
    fetch_mode: Option<&str>,
    problem: &Problem,
) -> Option<worker::Result<Response>> {
    (problem.status == 404 && fetch_mode == Some("navigate"))
        .then(|| Response::from_html(page(&problem.message)).map(|page| page.with_status(404)))
}

fn page(message: &str) -> String {
    let message = message.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Page not found · Pilotlight</title>\
         <h1>Page not found</h1><p>{message}</p><p><a href=\"/\">Go to the front page</a></p>\n"
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_address_is_text() {
        let page = super::page("no such path: GET /<script>&");
        assert!(
            page.contains("<p>no such path: GET /&lt;script>&amp;</p>"),
            "{page}"
        );
    }
}
