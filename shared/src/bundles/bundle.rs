//! A bundle, and what is made of it.

use sha2::{Digest, Sha256};

use super::error::BundleError;
use super::made::{DESCRIPTION, Description, Made};
use super::{page, zip};
use crate::plans::BundleFile;

/// Pages that hold profiles themselves, and ask no bundle.
const TEMPLATES: [&str; 2] = ["viewer.html", "explorer.html"];

/// Objects with their catalog, and what they are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    description: Description,
    files: Vec<BundleFile>,
}

impl Bundle {
    /// `files` are those of a plan, their catalog last.
    pub fn new(made: Made, files: Vec<BundleFile>) -> Self {
        let catalog = files.last().map(|file| file.key.clone());
        let description = Description {
            version: Description::VERSION,
            digest: digest(&files),
            catalog: catalog.into_iter().collect(),
            made,
        };
        Self { description, files }
    }

    /// Reads what [`Bundle::zip`] wrote without pages. Files that are not those described are an
    /// error.
    pub fn read(bytes: &[u8]) -> Result<Self, BundleError> {
        let mut files = Vec::new();
        let mut description = None;
        for (name, bytes) in zip::read(bytes)? {
            // The zip has one folder.
            let (_, key) = name
                .split_once('/')
                .ok_or_else(|| BundleError::Name(name.clone()))?;
            if key == DESCRIPTION {
                description = Some(Description::parse(&bytes)?);
            } else if is_object(key) {
                let key = key.to_owned();
                files.push(BundleFile { key, bytes });
            } else {
                return Err(BundleError::Name(name));
            }
        }
        let description = description
            .ok_or_else(|| BundleError::Description("the file is missing".to_owned()))?;
        let found = digest(&files);
        if description.digest != found {
            let said = description.digest;
            return Err(BundleError::Digest { said, found });
        }
        Ok(Self { description, files })
    }

    /// `pilotlight-` and a digest of the objects.
    pub fn name(&self) -> String {
        format!("pilotlight-{}", self.description.digest)
    }

    /// All files for a static host, by name: the description, the objects, and `pages`, each of
    /// which is told where the bundle is.
    pub fn site(self, pages: Vec<BundleFile>) -> Result<Vec<BundleFile>, BundleError> {
        let mut all = Vec::new();
        for mut page in pages {
            if page.key.ends_with(".html") && !TEMPLATES.contains(&page.key.as_str()) {
                let html = String::from_utf8_lossy(&page.bytes);
                page.bytes = page::linked(&html, &self.description.made)?.into_bytes();
            }
            all.push(page);
        }
        let described = BundleFile {
            key: DESCRIPTION.to_owned(),
            bytes: self.description.to_json(),
        };
        all.push(described);
        all.extend(self.files);
        Ok(all)
    }

    /// A zip with one folder, which is named as the bundle.
    pub fn zip(self, pages: Vec<BundleFile>) -> Result<Vec<u8>, BundleError> {
        let folder = self.name();
        zip::write(&folder, &self.site(pages)?)
    }

    /// One HTML file with the bundle in it; `template` is `explorer.html`.
    pub fn page(&self, template: &str) -> Result<Vec<u8>, BundleError> {
        page::filled(template, &self.description, &self.files)
    }
}

/// The first 16 hexadecimal digits of the SHA-256 of names, lengths and contents.
fn digest(files: &[BundleFile]) -> String {
    let mut digest = Sha256::new();
    for file in files {
        digest.update(format!("{} {}\n", file.key, file.bytes.len()));
        digest.update(&file.bytes);
    }
    let bytes = digest.finalize();
    bytes[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Whether a name is that of an object, and leads nowhere else as the path of a file.
fn is_object(key: &str) -> bool {
    let mut parts = key.split('/');
    parts.next() == Some("t")
        && !key.contains('\\')
        && parts.all(|part| !part.is_empty() && !part.starts_with('.'))
}
