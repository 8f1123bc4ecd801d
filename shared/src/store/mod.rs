//! The stored formats.
