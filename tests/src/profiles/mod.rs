//! Profiles to test with: real ones, drawn ones, made-up ones.

pub mod corpus;
pub mod drawn;
pub mod jfr;
pub mod legacy;
pub mod preorder;
pub mod random;
pub mod recorded;
