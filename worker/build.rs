//! Bounds the memory of the worker's WASM, of which an isolate has 128 MB with all that JavaScript
//! holds. An allocation beyond fails and ends the instance, with an answer to all who wait
//! (`worker/shim.js`); the platform would end the isolate.

/// 112 MiB; `worker/src/platform/admission/mod.rs` has the arithmetic.
const MAX_BYTES: u64 = 112 << 20;

#[allow(
    clippy::disallowed_methods,
    reason = "cargo tells a build script its target by variables alone"
)]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo::rustc-link-arg-cdylib=--max-memory={MAX_BYTES}");
    }
}
