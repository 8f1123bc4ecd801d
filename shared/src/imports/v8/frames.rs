//! Frames of V8: a function, and where in a file it begins.

use crate::model::builder::ProfileBuilder;
use crate::model::id::{LocationId, StringId};
use crate::model::profile::{Function, Line};

/// Interns a frame. Line and column count from 1; 0 is unknown. A function without a name is named
/// after its place.
pub(super) fn location(
    builder: &mut ProfileBuilder,
    name: &str,
    file: &str,
    line: i64,
    column: i64,
) -> LocationId {
    let name = match name {
        "" => builder.string(&anonymous(file, line, column)),
        name => builder.string(name),
    };
    let file = builder.string(file);
    function(builder, name, file, line, column)
}

/// The same with texts that are interned, for events, which have a name and no place.
pub(super) fn function(
    builder: &mut ProfileBuilder,
    name: StringId,
    file: StringId,
    line: i64,
    column: i64,
) -> LocationId {
    let function = builder.function(Function {
        start_line: line,
        ..Function::named(name, file)
    });
    let line = Line {
        function: Some(function),
        line,
        column,
    };
    builder.location(None, 0, false, &[line])
}

/// What a function without a name is called: `(anonymous app.js:3:14)`. All of them would be one
/// otherwise.
fn anonymous(file: &str, line: i64, column: i64) -> String {
    let path = file.split(['?', '#']).next().unwrap_or(file);
    let file = match path.rsplit('/').next() {
        None | Some("") => file,
        Some(name) => name,
    };
    match (file, line, column) {
        ("", ..) => "(anonymous)".to_owned(),
        (file, 0, _) => format!("(anonymous {file})"),
        (file, line, 0) => format!("(anonymous {file}:{line})"),
        (file, line, column) => format!("(anonymous {file}:{line}:{column})"),
    }
}

#[cfg(test)]
mod tests {
    use super::anonymous;

    #[test]
    fn functions_without_a_name() {
        for (file, line, column, expect) in [
            ("", 3, 4, "(anonymous)"),
            ("app.js", 3, 4, "(anonymous app.js:3:4)"),
            ("https://a.b/c/app.js?v=1/2#x", 3, 0, "(anonymous app.js:3)"),
            ("node:fs", 0, 4, "(anonymous node:fs)"),
            ("https://a.b/", 1, 1, "(anonymous https://a.b/:1:1)"),
        ] {
            assert_eq!(anonymous(file, line, column), expect);
        }
    }
}
