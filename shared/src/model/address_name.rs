//! Names of frames that have an address and no function.

use crate::model::id::LocationId;
use crate::model::profile::Profile;

/// Longest part of a module's name in the name of an address: a file's name has at most 255 bytes
/// on Linux.
const MODULE_NAME: usize = 255;

/// What stands for a frame without a function: its address and the file it is in.
pub(crate) fn address_name(address: u64, module: &str) -> String {
    let end = &module[module.ceil_char_boundary(module.len().saturating_sub(MODULE_NAME))..];
    let file = end.rsplit('/').next().unwrap_or(end);
    match (address, file) {
        (0, "") => "?".to_owned(),
        (0, file) => format!("[{file}]"),
        (address, "") => format!("{address:#x}"),
        (address, file) => format!("{address:#x} [{file}]"),
    }
}

/// The same of a location of a profile.
pub(crate) fn location_name(profile: &Profile, location: LocationId) -> String {
    let row = profile.locations[location.index()];
    let mapping = row.mapping.map(|m| &profile.mappings[m.index()]);
    let module = mapping.map_or("", |mapping| profile.text(mapping.file));
    address_name(row.address, module)
}
