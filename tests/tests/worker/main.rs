//! The built worker under workerd, and the built core in wasmtime. A test starts its own worker, or uses the one in
//! `shared`. Each can run on its own.

mod agents;
mod attack;
mod attacker;
mod connect_go;
mod hostile;
mod kills;
mod large_answers;
mod limits;
mod older_calls;
mod otlp;
mod outgoing;
mod pgo;
mod published;
mod push_answers;
mod push_v1;

mod recorded;
mod replay;
mod s3;
mod schedule;
mod selfhost;
mod shared;
mod subqueries;
mod walks;
mod wasm;
