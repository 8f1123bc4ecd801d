//! Objects of a bucket → the zip of a bundle of what is selected of them.

use pilotlight_core::bundles::{Bundle, Made};
use pilotlight_core::plans::{Get, ObjectSizes, Plan, SlicePlan, StaticCatalog};
use pilotlight_core::{Selector, TimeRange};
use wasm_bindgen::prelude::*;

use crate::BundleError;

/// The catalog of a bucket, as far as its days have come.
#[wasm_bindgen]
#[derive(Default)]
pub struct Slicer(StaticCatalog);

/// A slice that is being read.
#[wasm_bindgen]
pub struct Slice {
    plan: SlicePlan,
    made: Made,
    sizes: ObjectSizes,
}

#[wasm_bindgen]
impl Slicer {
    /// Of no days.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a day under its name in the bucket. Gives when it was written, in milliseconds since
    /// the epoch.
    pub fn add_day(&mut self, name: &str, bytes: &[u8]) -> Result<f64, JsError> {
        let written = self.0.add_day(name, bytes).map_err(BundleError::from)?;
        Ok(written.millis() as f64)
    }

    /// What a selector selects from a time until before another, in milliseconds since the epoch.
    /// `commit` and `when` are what its description says of it.
    pub fn slice(
        &self,
        query: &str,
        from: f64,
        until: f64,
        commit: Option<String>,
        when: Option<String>,
    ) -> Result<Slice, JsError> {
        let range = TimeRange::of_millis(from as i64, until as i64);
        let selector = Selector::parse(query)?;
        let objects = self.0.objects(range).map_err(BundleError::from)?;
        let plan = SlicePlan::new(selector, range, &objects).map_err(BundleError::from)?;
        let made = Made {
            commit,
            when,
            ..Made::slice(query, range, plan.sums_only() > 0)
        };
        let sizes = ObjectSizes::of(&objects);
        Ok(Slice { plan, made, sizes })
    }
}

#[wasm_bindgen]
impl Slice {
    /// What is still to be read: `{key, offset, length, size}` each, `size` being the length of the
    /// object. None when all is there.
    pub fn wants(&self) -> Result<JsValue, JsError> {
        Ok(serde_wasm_bindgen::to_value(
            &self.sizes.wants(&[&self.plan]),
        )?)
    }

    /// Takes what was wanted, in any order. After an error the slice is of no use.
    pub fn provide(
        &mut self,
        key: &str,
        offset: f64,
        length: f64,
        bytes: &[u8],
    ) -> Result<(), JsError> {
        let get = Get {
            key: key.to_owned(),
            offset: offset as u64,
            length: length as u64,
        };
        Ok(self.plan.provide(&get, bytes).map_err(BundleError::from)?)
    }

    /// The zip, when nothing is wanted any more; nothing where no profile was selected.
    pub fn finish(self) -> Result<Option<Vec<u8>>, JsError> {
        if self.plan.profiles() == 0 {
            return Ok(None);
        }
        let files = self.plan.finish().map_err(BundleError::from)?;
        Ok(Some(Bundle::new(self.made, files).zip(Vec::new())?))
    }
}
