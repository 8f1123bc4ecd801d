//! Labels that a series has by its type: nobody sends them, every client sees them.

use std::borrow::Cow;

use crate::model::labels::{Labels, SERVICE_NAME};
use crate::model::profile_type::ProfileType;

/// The first part of the type.
pub(super) const NAME: &str = "__name__";

/// The whole type.
pub(super) const PROFILE_TYPE: &str = "__profile_type__";

/// Their names, in order.
pub const TYPE_LABELS: [&str; 7] = [
    NAME,
    "__period_type__",
    "__period_unit__",
    PROFILE_TYPE,
    "__service_name__",
    "__type__",
    "__unit__",
];

/// The value of a label of a series, those of [`TYPE_LABELS`] included. One that the series lacks
/// is empty.
pub fn label_of<'a>(name: &str, profile_type: &'a ProfileType, labels: &'a Labels) -> Cow<'a, str> {
    Cow::Borrowed(match name {
        NAME => &profile_type.name,
        "__period_type__" => &profile_type.period_type,
        "__period_unit__" => &profile_type.period_unit,
        PROFILE_TYPE => return Cow::Owned(profile_type.to_string()),
        "__service_name__" => labels.get(SERVICE_NAME).unwrap_or(""),
        "__type__" => &profile_type.sample_type,
        "__unit__" => &profile_type.sample_unit,
        name => labels.get(name).unwrap_or(""),
    })
}
