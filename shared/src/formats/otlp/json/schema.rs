//! The messages that are read: names, numbers and kinds, of `profiles/v1development`, `common/v1`
//! and `resource/v1` of opentelemetry-proto 1.11.

/// A message.
pub(super) struct Schema {
    pub(super) name: &'static str,
    fields: &'static [Field],
}

/// A field of a message.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) number: u32,
    pub(super) kind: Kind,
    pub(super) repeated: bool,
}

/// What a field holds.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// All integers that protobuf writes as varints, enumerations and truth values.
    Integer,
    Fixed64,
    Double,
    Text,
    /// Bytes that JSON has as hex.
    Id,
    Message(&'static Schema),
}

/// Fields that only layout 1.7 has.
pub(super) const ONLY_1_7: [&str; 2] = ["locationsStartIndex", "locationIndices"];

impl Schema {
    /// A field by the name that JSON has, or that of the schema.
    pub(super) fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| {
            let mut rest = key.chars();
            // Of a name in snake case, each underscore makes the next letter a capital.
            let mut next = || match rest.next() {
                Some('_') => rest.next().map(|c| c.to_ascii_uppercase()),
                other => other,
            };
            field.name.chars().all(|c| next() == Some(c)) && next().is_none()
        })
    }
}

const fn one(name: &'static str, number: u32, kind: Kind) -> Field {
    Field {
        name,
        number,
        kind,
        repeated: false,
    }
}

const fn many(name: &'static str, number: u32, kind: Kind) -> Field {
    Field {
        name,
        number,
        kind,
        repeated: true,
    }
}

use Kind::{Double, Fixed64, Id, Integer, Message, Text};

pub(super) static REQUEST: Schema = Schema {
    name: "ExportProfilesServiceRequest",
    fields: &[
        many("resourceProfiles", 1, Message(&RESOURCE_PROFILES)),
        one("dictionary", 2, Message(&DICTIONARY)),
    ],
};

static RESOURCE_PROFILES: Schema = Schema {
    name: "ResourceProfiles",
    fields: &[
        one("resource", 1, Message(&RESOURCE)),
        many("scopeProfiles", 2, Message(&SCOPE_PROFILES)),
    ],
};

static RESOURCE: Schema = Schema {
    name: "Resource",
    fields: &[many("attributes", 1, Message(&KEY_VALUE))],
};

static SCOPE_PROFILES: Schema = Schema {
    name: "ScopeProfiles",
    fields: &[
        one("scope", 1, Message(&SCOPE)),
        many("profiles", 2, Message(&PROFILE)),
    ],
};

static SCOPE: Schema = Schema {
    name: "InstrumentationScope",
    fields: &[many("attributes", 3, Message(&KEY_VALUE))],
};

static PROFILE: Schema = Schema {
    name: "Profile",
    fields: &[
        one("sampleType", 1, Message(&VALUE_TYPE)),
        many("samples", 2, Message(&SAMPLE)),
        // Its name in 1.8.
        many("sample", 2, Message(&SAMPLE)),
        one("timeUnixNano", 3, Fixed64),
        one("durationNano", 4, Integer),
        one("periodType", 5, Message(&VALUE_TYPE)),
        one("period", 6, Integer),
        one("profileId", 7, Id),
    ],
};

static VALUE_TYPE: Schema = Schema {
    name: "ValueType",
    fields: &[
        one("typeStrindex", 1, Integer),
        one("unitStrindex", 2, Integer),
    ],
};

static SAMPLE: Schema = Schema {
    name: "Sample",
    fields: &[
        one("stackIndex", 1, Integer),
        many("attributeIndices", 2, Integer),
        one("linkIndex", 3, Integer),
        many("values", 4, Integer),
        many("timestampsUnixNano", 5, Fixed64),
    ],
};

static DICTIONARY: Schema = Schema {
    name: "ProfilesDictionary",
    fields: &[
        many("mappingTable", 1, Message(&MAPPING)),
        many("locationTable", 2, Message(&LOCATION)),
        many("functionTable", 3, Message(&FUNCTION)),
        many("linkTable", 4, Message(&LINK)),
        many("stringTable", 5, Text),
        many("attributeTable", 6, Message(&KEY_VALUE_AND_UNIT)),
        many("stackTable", 7, Message(&STACK)),
    ],
};

static MAPPING: Schema = Schema {
    name: "Mapping",
    fields: &[
        one("memoryStart", 1, Integer),
        one("memoryLimit", 2, Integer),
        one("fileOffset", 3, Integer),
        one("filenameStrindex", 4, Integer),
        many("attributeIndices", 5, Integer),
    ],
};

static LOCATION: Schema = Schema {
    name: "Location",
    fields: &[
        one("mappingIndex", 1, Integer),
        one("address", 2, Integer),
        many("lines", 3, Message(&LINE)),
        // Its name in 1.8.
        many("line", 3, Message(&LINE)),
        many("attributeIndices", 4, Integer),
    ],
};

static LINE: Schema = Schema {
    name: "Line",
    fields: &[
        one("functionIndex", 1, Integer),
        one("line", 2, Integer),
        one("column", 3, Integer),
    ],
};

static FUNCTION: Schema = Schema {
    name: "Function",
    fields: &[
        one("nameStrindex", 1, Integer),
        one("systemNameStrindex", 2, Integer),
        one("filenameStrindex", 3, Integer),
        one("startLine", 4, Integer),
    ],
};

static LINK: Schema = Schema {
    name: "Link",
    fields: &[one("traceId", 1, Id), one("spanId", 2, Id)],
};

static STACK: Schema = Schema {
    name: "Stack",
    fields: &[many("locationIndices", 1, Integer)],
};

static KEY_VALUE_AND_UNIT: Schema = Schema {
    name: "KeyValueAndUnit",
    fields: &[
        one("keyStrindex", 1, Integer),
        one("value", 2, Message(&ANY_VALUE)),
    ],
};

static KEY_VALUE: Schema = Schema {
    name: "KeyValue",
    fields: &[
        one("key", 1, Text),
        one("value", 2, Message(&ANY_VALUE)),
        one("keyStrindex", 3, Integer),
    ],
};

static ANY_VALUE: Schema = Schema {
    name: "AnyValue",
    fields: &[
        one("stringValue", 1, Text),
        one("boolValue", 2, Integer),
        one("intValue", 3, Integer),
        one("doubleValue", 4, Double),
        one("arrayValue", 5, Message(&ARRAY_VALUE)),
        one("stringValueStrindex", 8, Integer),
    ],
};

static ARRAY_VALUE: Schema = Schema {
    name: "ArrayValue",
    fields: &[many("values", 1, Message(&ANY_VALUE))],
};
