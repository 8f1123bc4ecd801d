//! The core's interface for the browser: glue over [`Session`], which holds the logic and runs natively
//! in tests.
//!
//! Every method that fails throws an `Error` whose message is written for people.

mod answers;
mod chart;
mod compare;
mod error;
mod export;
mod known_lines;
mod labels;
mod lines;
mod session;
mod steps;
mod view;

pub use answers::{
    DiffTotals, FunctionRow, Graph, GraphEdge, HeatmapInfo, LabelKey, LabelPage, LabelRow, Line,
    NodeDetail, NodeDiff, PathStep, ProfileInfo, Sandwich, SearchInfo, TablePage, Thread, TreeInfo,
    TypeInfo,
};
pub use error::SessionError;
pub use session::Session;
pub use view::{Sort, Widths};

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// Turns a panic, which is a defect of ours, into a JavaScript error that says where it happened.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&format!("internal error: {info}"))
    }));
}

/// Opened profiles and trees. See the interface in `site/src/core/`.
#[wasm_bindgen]
#[derive(Default)]
pub struct Viewer(Session);

#[wasm_bindgen]
impl Viewer {
    /// A viewer with nothing open.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Decodes one file.
    pub fn open(&mut self, name: &str, bytes: &[u8]) -> Result<JsValue, JsValue> {
        Ok(answer(&self.0.open(name, bytes).map_err(failure)?)?)
    }

    /// Takes over what the second WASM made of a file.
    pub fn open_imported(
        &mut self,
        name: &str,
        format: &str,
        pprof: &[u8],
        times: Option<Vec<i64>>,
        warnings: Vec<String>,
    ) -> Result<JsValue, JsValue> {
        let opened = self.0.open_imported(name, format, pprof, times, warnings);
        Ok(answer(&opened.map_err(failure)?)?)
    }

    /// Takes over a profile that the third WASM gave names.
    pub fn open_symbolized(
        &mut self,
        of: u32,
        pprof: &[u8],
        warnings: Vec<String>,
    ) -> Result<JsValue, JsValue> {
        let opened = self.0.open_symbolized(of, pprof, warnings);
        Ok(answer(&opened.map_err(failure)?)?)
    }

    /// Merges opened profiles into a new one.
    pub fn merge(&mut self, profiles: &[u32]) -> Result<JsValue, JsValue> {
        Ok(answer(&self.0.merge(profiles).map_err(failure)?)?)
    }

    /// Forgets a profile.
    pub fn close(&mut self, profile: u32) {
        self.0.close(profile);
    }

    /// The modules of a profile that have addresses without names, those with most of them first: the
    /// name of the file and the build id.
    pub fn unnamed(&self, profile: u32) -> Result<Vec<String>, JsError> {
        Ok(self.0.unnamed(profile)?)
    }

    /// The profile after steps as pprof, not compressed.
    pub fn export_pprof(&self, profile: u32, steps: Vec<String>) -> Result<Vec<u8>, JsError> {
        Ok(self.0.export_pprof(profile, &steps)?)
    }

    /// The stacks of one sample type after steps as text.
    pub fn export_folded(
        &self,
        profile: u32,
        sample_type: u32,
        steps: Vec<String>,
    ) -> Result<String, JsError> {
        Ok(self.0.export_folded(profile, sample_type, &steps)?)
    }

    /// Call tree of a profile and sample type, after steps; upside down when asked for.
    pub fn tree(
        &mut self,
        profile: u32,
        sample_type: u32,
        steps: Vec<String>,
        invert: bool,
    ) -> Result<JsValue, JsError> {
        answer(&self.0.tree(profile, sample_type, &steps, invert)?)
    }

    /// What ran side by side in a profile, the largest first.
    pub fn threads(&self, profile: u32, sample_type: u32) -> Result<JsValue, JsError> {
        answer(&self.0.threads(profile, sample_type)?)
    }

    /// How much of a profile there is at each moment, with what is idle or without; `null` without
    /// times.
    pub fn heatmap(
        &self,
        profile: u32,
        sample_type: u32,
        with_idle: bool,
    ) -> Result<JsValue, JsError> {
        answer(&self.0.heatmap(profile, sample_type, with_idle)?)
    }

    /// The keys of labels.
    pub fn label_keys(&self, profile: u32, sample_type: u32) -> Result<JsValue, JsError> {
        answer(&self.0.label_keys(profile, sample_type)?)
    }

    /// Values of a key that contain a text, the largest first.
    pub fn label_values(
        &self,
        profile: u32,
        sample_type: u32,
        key: &str,
        filter: &str,
        offset: u32,
        limit: u32,
    ) -> Result<JsValue, JsError> {
        let page = (offset, limit);
        answer(
            &self
                .0
                .label_values(profile, sample_type, key, filter, page)?,
        )
    }

    /// What steps leave of a profile, as a profile of its own.
    pub fn part(&mut self, profile: u32, steps: Vec<String>) -> Result<JsValue, JsError> {
        answer(&self.0.part(profile, &steps)?)
    }

    /// The flame chart of a thread, after steps: a tree in the order of time.
    pub fn chart(
        &mut self,
        profile: u32,
        sample_type: u32,
        steps: Vec<String>,
        thread: &str,
    ) -> Result<JsValue, JsError> {
        answer(&self.0.chart(profile, sample_type, &steps, thread)?)
    }

    /// Trees of what calls the functions of a name, and of what they call.
    pub fn sandwich(&mut self, tree: u32, name: &str) -> Result<JsValue, JsError> {
        answer(&self.0.sandwich(tree, name)?)
    }

    /// Source lines of a function, or without a name of all functions of a file; after steps.
    pub fn lines(
        &mut self,
        profile: u32,
        sample_type: u32,
        steps: Vec<String>,
        name: Option<String>,
        file: &str,
    ) -> Result<JsValue, JsError> {
        let lines = self
            .0
            .lines(profile, sample_type, &steps, name.as_deref(), file);
        answer(&lines?)
    }

    /// The functions of a tree and the calls between them, trimmed.
    pub fn graph(&self, tree: u32) -> Result<JsValue, JsError> {
        answer(&self.0.view(tree)?.graph())
    }

    /// Flags of functions, as boxes have them: which match the search, and which is selected.
    pub fn marks(&self, tree: u32, funcs: &[u32]) -> Result<Vec<u32>, JsError> {
        Ok(self.0.view(tree)?.marks(funcs))
    }

    /// Left and right edge of a node, as fractions of the width of the whole.
    pub fn place(&self, tree: u32, node: u32) -> Result<Vec<f64>, JsError> {
        Ok(self.0.view(tree)?.place(node)?.to_vec())
    }

    /// What is wrong with a step, if anything.
    pub fn step_problem(&self, step: &str) -> Option<String> {
        Session::step_problem(step)
    }

    /// Difference of two profiles after steps; upside down when asked for.
    pub fn diff(
        &mut self,
        base: u32,
        comparison: u32,
        sample_type: u32,
        normalise: bool,
        steps: Vec<String>,
        invert: bool,
    ) -> Result<JsValue, JsValue> {
        let compared = self
            .0
            .diff(base, comparison, sample_type, normalise, &steps, invert);
        Ok(answer(&compared.map_err(failure)?)?)
    }

    /// A profile with the values of one sample type times a ratio, as a new one.
    pub fn scale(
        &mut self,
        profile: u32,
        sample_type: u32,
        numerator: f64,
        denominator: f64,
    ) -> Result<JsValue, JsError> {
        answer(&self.0.scale(profile, sample_type, numerator, denominator)?)
    }

    /// What is wrong with a regular expression, if anything.
    pub fn regex_problem(&self, text: &str) -> Option<String> {
        Session::regex_problem(text)
    }

    /// Forgets a tree.
    pub fn drop_tree(&mut self, tree: u32) {
        self.0.drop_tree(tree);
    }

    /// Visible boxes, six words each, as wide as `widths` says: `both`, `base` or `comparison`.
    #[allow(clippy::too_many_arguments)] // A flat call is what crosses the border cheaply.
    pub fn layout(
        &self,
        tree: u32,
        zoom: u32,
        x0: f64,
        x1: f64,
        width: f64,
        depth0: u32,
        depth1: u32,
        widths: &str,
    ) -> Result<js_sys::Uint32Array, JsError> {
        let widths = Widths::parse(widths)?;
        let words = self
            .0
            .view(tree)?
            .boxes(zoom, x0, x1, width, depth0..depth1, widths)?;
        Ok(js_sys::Uint32Array::from(words.as_slice()))
    }

    /// Names of nodes.
    pub fn names(&self, tree: u32, nodes: &[u32]) -> Result<Vec<String>, JsError> {
        Ok(self.0.view(tree)?.names(nodes)?)
    }

    /// Totals of nodes, two for each: of a comparison the baseline's and the comparison's.
    pub fn totals(&self, tree: u32, nodes: &[u32]) -> Result<Vec<f64>, JsError> {
        Ok(self.0.view(tree)?.totals(nodes)?)
    }

    /// All about a node.
    pub fn node(&self, tree: u32, node: u32) -> Result<JsValue, JsError> {
        answer(&self.0.view(tree)?.detail(node)?)
    }

    /// A node as lists have it: all about it but the way to it.
    pub fn row(&self, tree: u32, node: u32) -> Result<JsValue, JsError> {
        answer(&self.0.view(tree)?.row(node)?)
    }

    /// The node's neighbour: `parent`, `child`, `next` or `previous`; itself when there is none.
    pub fn step(&self, tree: u32, node: u32, direction: &str) -> Result<u32, JsError> {
        Ok(self.0.view(tree)?.step(node, direction)?)
    }

    /// The nodes below a node, the largest first.
    pub fn children(&self, tree: u32, node: u32) -> Result<Vec<u32>, JsError> {
        Ok(self.0.view(tree)?.children(node)?)
    }

    /// All nodes of a node's function, the largest first.
    pub fn occurrences(&self, tree: u32, node: u32) -> Result<Vec<u32>, JsError> {
        Ok(self.0.view(tree)?.occurrences(node)?)
    }

    /// Marks what matches; an empty query clears.
    pub fn search(&mut self, tree: u32, query: &str) -> Result<JsValue, JsError> {
        answer(&self.0.view_mut(tree)?.search(query)?)
    }

    /// The n-th matching node, around the end; 0 when nothing matches.
    pub fn match_at(&self, tree: u32, n: i32) -> Result<u32, JsError> {
        Ok(self.0.view(tree)?.match_at(n))
    }

    /// Marks all occurrences of a node's function; a number that is no node clears.
    pub fn select(&mut self, tree: u32, node: u32) -> Result<(), JsError> {
        self.0.view_mut(tree)?.select(node);
        Ok(())
    }

    /// Stable key of a node.
    pub fn key(&self, tree: u32, node: u32) -> Result<String, JsError> {
        Ok(self.0.view(tree)?.key(node)?)
    }

    /// The node of a key, 0 when it is not there.
    pub fn find(&self, tree: u32, key: &str) -> Result<u32, JsError> {
        Ok(self.0.view(tree)?.find(key))
    }

    /// Rows of the function table.
    pub fn table(
        &mut self,
        tree: u32,
        sort: &str,
        descending: bool,
        filter: &str,
        offset: u32,
        limit: u32,
    ) -> Result<JsValue, JsError> {
        answer(&self.0.view_mut(tree)?.table(
            Sort::parse(sort)?,
            descending,
            filter,
            offset,
            limit,
        )?)
    }

    /// The largest node of a table row's function.
    pub fn node_of(&self, tree: u32, func: u32) -> Result<u32, JsError> {
        Ok(self.0.view(tree)?.node_of(func))
    }
}

/// An `Error` whose name says what the person can do about it.
fn failure(error: SessionError) -> JsValue {
    let thrown = js_sys::Error::new(&error.to_string());
    thrown.set_name(error.kind());
    thrown.into()
}

/// A plain JavaScript object; absent values are `null`, as the interface says.
fn answer(value: &impl Serialize) -> Result<JsValue, JsError> {
    Ok(value.serialize(&Serializer::new().serialize_missing_as_null(true))?)
}
