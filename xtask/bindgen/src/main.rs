//! `pilotlight-bindgen edge|web <in.wasm> <out dir> <name>`: JavaScript bindings for a compiled
//! crate.
//!
//! `web` is what a browser loads: the module fetches its WASM and is initialised by a call. `edge`
//! is what workerd loads: the WASM is an import, and the module can start itself anew after a panic
//! (`__wbg_reset_state`), which the shim of the worker relies on.

use anyhow::{Context, Result, bail};
use std::{env, fs, path::Path};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [kind, input, out, name] = args.as_slice() else {
        bail!("usage: pilotlight-bindgen edge|web <in.wasm> <out dir> <name>");
    };
    let mut bindgen = Bindgen::new();
    match kind.as_str() {
        "edge" => bindgen
            .module(true)?
            .typescript(false)
            .reset_state_function(true)
            .force_enable_abort_handler(true),
        "web" => bindgen
            .web(true)?
            .typescript(true)
            // `init()` finds the WASM beside the module.
            .omit_default_module_path(false),
        other => bail!("{other}: neither edge nor web"),
    };
    bindgen
        .input_path(input)
        .out_name(name)
        // A seventh of the worker and a tenth of the download. A panic says file and line without
        // it.
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(out)
        .with_context(|| format!("wasm-bindgen could not process {input}"))?;
    if kind == "edge" {
        import_plainly(&Path::new(out).join(format!("{name}.js")))?;
    }
    Ok(())
}

/// workerd takes `import wasm from "./x.wasm"`; wasm-bindgen writes the newer
/// `import source wasm from …`, which bundlers do not read yet.
fn import_plainly(module: &Path) -> Result<()> {
    let text =
        fs::read_to_string(module).with_context(|| format!("reading {}", module.display()))?;
    fs::write(module, text.replace("import source ", "import "))
        .with_context(|| format!("writing {}", module.display()))
}
