//! Judges that share no code with the core: what a profile holds, and what becomes of it.

pub mod brute;
pub mod go;
pub mod go_program;
pub mod graph;
pub mod oracle;
pub mod pgo;
pub mod series;
pub mod text;
