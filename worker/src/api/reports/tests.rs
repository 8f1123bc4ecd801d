//! Forms of reports.

use super::report::MAX_MARKDOWN;
use super::*;
use crate::http::parameters::Parameters;

#[test]
fn forms() {
    let form = |query: &str| {
        let now = pilotlight_core::UnixNanos(0);
        Form::of(&Parameters::parse(query, now)).map_err(|problem| problem.message)
    };
    assert_eq!(form(""), Ok(Form::Json));
    assert_eq!(form("format=markdown"), Ok(Form::Markdown(MAX_MARKDOWN)));
    assert_eq!(
        form("format=html"),
        Err("format must be one of json, markdown (got \"html\")".to_owned())
    );
}
