//! HTML that knows a bundle: by its address, or because the bundle is in it.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::error::BundleError;
use super::made::{DESCRIPTION, Description, Made};
use crate::plans::BundleFile;

/// Where a page is told of its bundle.
const HEAD: &str = "</head>";
/// What begins the line of a site that can be installed. A bundle is not: it stays where it is.
const MANIFEST: &str = r#"<link rel="manifest""#;
/// Where the bundle itself stands in a page.
const PLACE: &str = r#"<script type="application/json" id="bundle">"#;

/// What stands there.
#[derive(Serialize)]
struct Embedded<'a> {
    description: &'a Description,
    /// By name, in base64.
    objects: BTreeMap<&'a str, String>,
}

/// A page that asks the bundle beside it.
pub(super) fn linked(page: &str, made: &Made) -> Result<String, BundleError> {
    let mut page = page.to_owned();
    if let Some(start) = page.find(MANIFEST)
        && let Some(length) = page[start..].find('>')
    {
        page.replace_range(start..=start + length, "");
    }
    let (head, rest) = page.split_once(HEAD).ok_or(BundleError::Place(HEAD))?;
    let link = format!(
        r#"<link rel="pilotlight-bundle" href="{DESCRIPTION}" data-from="{}" data-until="{}">"#,
        made.from, made.until
    );
    Ok([head, &link, HEAD, rest].concat())
}

/// A page with the bundle in it.
pub(super) fn filled(
    template: &str,
    description: &Description,
    files: &[BundleFile],
) -> Result<Vec<u8>, BundleError> {
    let page = linked(template, &description.made)?;
    let (before, after) = page.split_once(PLACE).ok_or(BundleError::Place(PLACE))?;
    let objects = files
        .iter()
        .map(|file| (file.key.as_str(), STANDARD.encode(&file.bytes)));
    let embedded = Embedded {
        description,
        objects: objects.collect(),
    };
    let json = serde_json::to_string(&embedded).expect("texts and numbers are JSON");
    // A script element ends at the first "</script", wherever that stands.
    let json = json.replace('<', "\\u003c");
    Ok([before, PLACE, &json, after].concat().into_bytes())
}
