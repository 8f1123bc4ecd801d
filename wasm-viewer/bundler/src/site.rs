//! The zip of a bundle → files of a site, a zip of them, or one page.

use pilotlight_core::bundles::Bundle;
use pilotlight_core::plans::BundleFile;
use wasm_bindgen::prelude::*;

/// A bundle, and the pages that are to be around it.
#[wasm_bindgen]
pub struct BundleSite {
    bundle: Bundle,
    pages: Vec<BundleFile>,
}

/// Files of a site.
#[wasm_bindgen]
pub struct SiteFiles(std::vec::IntoIter<BundleFile>);

/// A file of a site.
#[wasm_bindgen]
pub struct SiteFile(BundleFile);

#[wasm_bindgen]
impl BundleSite {
    /// Reads the zip of a bundle.
    pub fn read(zip: &[u8]) -> Result<Self, JsError> {
        let bundle = Bundle::read(zip)?;
        let pages = Vec::new();
        Ok(Self { bundle, pages })
    }

    /// Its name, with a digest of what is in it.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.bundle.name()
    }

    /// Adds a file of the site.
    pub fn add_page(&mut self, name: String, bytes: Vec<u8>) {
        self.pages.push(BundleFile { key: name, bytes });
    }

    /// All files for a static host.
    pub fn files(self) -> Result<SiteFiles, JsError> {
        let files = self.bundle.site(self.pages)?;
        Ok(SiteFiles(files.into_iter()))
    }

    /// The same as a zip.
    pub fn zip(self) -> Result<Vec<u8>, JsError> {
        Ok(self.bundle.zip(self.pages)?)
    }

    /// One page with the bundle in it, made of `explorer.html`.
    pub fn page(self, template: &str) -> Result<Vec<u8>, JsError> {
        Ok(self.bundle.page(template)?)
    }
}

#[wasm_bindgen]
impl SiteFiles {
    /// The next file.
    #[allow(clippy::should_implement_trait)] // A class of JavaScript.
    pub fn next(&mut self) -> Option<SiteFile> {
        self.0.next().map(SiteFile)
    }
}

#[wasm_bindgen]
impl SiteFile {
    /// Its path.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.0.key.clone()
    }

    /// What is in it. Takes it out.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0.bytes)
    }
}
