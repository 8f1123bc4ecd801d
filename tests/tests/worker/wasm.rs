//! One merge: the core compiled to WASM gives the same bytes as the native core, on real profiles.

use std::sync::LazyLock;

use pilotlight_guest::VERBS;
use pilotlight_tests::identity;
use wasmtime::{Config, Engine, Instance, Memory, Module, OptLevel, Store, TypedFunc};

/// Compiled once for all tests: wasmtime's compiler is not optimised here, and takes its time.
static GUEST: LazyLock<Guest> = LazyLock::new(Guest::load);

/// The guest module, and a fresh instance of it for each call.
struct Guest {
    engine: Engine,
    module: Module,
}

impl Guest {
    fn load() -> Self {
        let path = std::env::var("PILOTLIGHT_CORE_WASM")
            .expect("PILOTLIGHT_CORE_WASM names the core's WASM module: cargo xtask test builds it and sets it");
        let bytes =
            std::fs::read(&path).unwrap_or_else(|e| panic!("PILOTLIGHT_CORE_WASM={path}: {e}"));
        let mut config = Config::new();
        config.cranelift_opt_level(OptLevel::None);
        let engine = Engine::new(&config).expect("an engine");
        let module = Module::new(&engine, bytes).expect("a WASM module");
        Self { engine, module }
    }

    fn call(&self, verb: &str, input: &[u8]) -> Vec<u8> {
        let mut store = Store::new(&self.engine, ());
        let instance =
            Instance::new(&mut store, &self.module, &[]).expect("a module without imports");
        let memory: Memory = instance
            .get_memory(&mut store, "memory")
            .expect("its memory");
        let alloc: TypedFunc<u32, u32> =
            instance.get_typed_func(&mut store, "alloc").expect("alloc");
        let verb: TypedFunc<(u32, u32), u32> =
            instance.get_typed_func(&mut store, verb).expect("the verb");
        let length = input.len() as u32;
        let at = alloc.call(&mut store, length).expect("room");
        memory
            .write(&mut store, at as usize, input)
            .expect("the room is there");
        let answer = verb.call(&mut store, (at, length)).expect("no trap") as usize;
        let data = memory.data(&store);
        let length: [u8; 4] = data[answer..answer + 4].try_into().expect("four bytes");
        data[answer + 4..][..u32::from_le_bytes(length) as usize].to_vec()
    }
}

#[test]
fn the_core_needs_nothing_of_its_host() {
    let imports: Vec<String> = GUEST
        .module
        .imports()
        .map(|i| format!("{}.{}", i.module(), i.name()))
        .collect();
    assert_eq!(imports, Vec::<String>::new());
}

#[test]
fn wasm_and_native_answer_with_the_same_bytes() {
    for (name, input) in &identity::inputs() {
        for (verb, native) in VERBS {
            let (native, wasm) = (native(input), GUEST.call(verb, input));
            assert!(
                native == wasm,
                "{verb} of {name}: {} bytes native, {} bytes in WASM",
                native.len(),
                wasm.len()
            );
        }
    }
}
