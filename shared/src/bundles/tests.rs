//! Bundles as zips, sites and pages.

use super::{Bundle, BundleError, Made, zip};
use crate::plans::BundleFile;

fn file(key: &str, bytes: &[u8]) -> BundleFile {
    BundleFile {
        key: key.to_owned(),
        bytes: bytes.to_vec(),
    }
}

fn bundle() -> Bundle {
    let made = Made {
        selector: Some(r#"{service_name="</script>"}"#.to_owned()),
        from: 1,
        until: 2,
        ..Made::default()
    };
    let files = vec![
        file("t/anonymous/s0/L1/a.blk", &[0, 255]),
        file("t/anonymous/s0/catalog/00000", b"days"),
    ];
    Bundle::new(made, files)
}

/// `bytes` with `new`, which is as long, in all places of `old`.
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for at in 0..=bytes.len() - old.len() {
        if bytes[at..].starts_with(old) {
            bytes[at..at + new.len()].copy_from_slice(new);
        }
    }
    bytes
}

#[test]
fn a_zip_reads_as_it_was_written() {
    let zip = bundle().zip(Vec::new()).unwrap();
    assert_eq!(Bundle::read(&zip), Ok(bundle()));
    assert_eq!(bundle().zip(Vec::new()).unwrap(), zip);
}

#[test]
fn a_changed_zip_is_told_of() {
    let zip = bundle().zip(Vec::new()).unwrap();
    for at in 0..zip.len() {
        let mut changed = zip.clone();
        changed[at] ^= 1;
        // What is no file's may change: dates, and what else is not read.
        if let Ok(read) = Bundle::read(&changed) {
            assert_eq!(read, bundle(), "byte {at}");
        }
        assert!(Bundle::read(&zip[..at]).is_err());
    }
}

#[test]
fn a_changed_description_is_told_of() {
    let zip = bundle().zip(Vec::new()).unwrap();
    let changed = replaced(&zip, b"\"until\": 2", b"\"until\": 3");
    assert_ne!(changed, zip);
    let error = Bundle::read(&changed).unwrap_err();
    assert!(matches!(error, BundleError::Zip(_)), "{error}");
}

#[test]
fn no_file_leads_out_of_the_folder() {
    for key in ["t/../../x", "t/a\\b", "x", "t/.hidden", "../t/x"] {
        // The writer mends such names, so they are put into a zip that has others.
        let written = "o".repeat(key.len());
        let zip = zip::write("pilotlight-0", &[file(&written, b"")]).unwrap();
        let zip = replaced(&zip, written.as_bytes(), key.as_bytes());
        let error = Bundle::read(&zip).unwrap_err();
        assert!(matches!(error, BundleError::Name(_)), "{key}: {error}");
    }
}

#[test]
fn pages_are_told_of_the_bundle_and_templates_are_not() {
    let html = b"<head><link rel=\"manifest\" href=\"a\" /></head><body></head></body>".as_slice();
    let pages = vec![file("index.html", html), file("viewer.html", html)];
    let site = bundle().site(pages).unwrap();
    let names: Vec<&str> = site.iter().map(|file| file.key.as_str()).collect();
    assert_eq!(names[..3], ["index.html", "viewer.html", "bundle.json"]);
    let index = String::from_utf8(site[0].bytes.clone()).unwrap();
    assert_eq!(
        index,
        "<head><link rel=\"pilotlight-bundle\" href=\"bundle.json\" data-from=\"1\" data-until=\"2\"></head>\
         <body></head></body>"
    );
    assert_eq!(site[1].bytes, html);
    let nothing = bundle().site(vec![file("index.html", b"<html>")]);
    assert_eq!(nothing, Err(BundleError::Place("</head>")));
}

#[test]
fn a_page_holds_the_bundle_as_json_that_ends_no_element() {
    let template = r#"<head></head><script type="application/json" id="bundle"></script>"#;
    let page = String::from_utf8(bundle().page(template).unwrap()).unwrap();
    let (head, page) = page.split_once("</head>").unwrap();
    assert!(head.contains("pilotlight-bundle"));
    let json = page
        .strip_prefix(r#"<script type="application/json" id="bundle">"#)
        .and_then(|rest| rest.strip_suffix("</script>"))
        .unwrap();
    assert!(!json.contains('<'));
    let read: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(
        read["description"]["made"]["selector"],
        r#"{service_name="</script>"}"#
    );
    assert_eq!(read["objects"]["t/anonymous/s0/L1/a.blk"], "AP8=");
}
