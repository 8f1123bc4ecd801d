//! A profile as columnar tables with interned texts, valid by construction.

pub(crate) mod address_name;
pub(crate) mod builder;
pub(crate) mod forest;
pub(crate) mod id;
pub(crate) mod labels;
pub(crate) mod profile;
pub(crate) mod profile_id;
pub(crate) mod profile_type;
pub(crate) mod strings;
pub(crate) mod tables;
pub(crate) mod text_order;
pub(crate) mod trace;
