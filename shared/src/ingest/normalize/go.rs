//! Go: names of generic functions.

use std::borrow::Cow;

use crate::model::profile::Profile;

/// How the Go compiler begins the list of types that one body of a generic function is made for.
const SHAPE: &str = "[go.shape.";

/// What Go's own tracebacks write instead of the list.
const ANY: &str = "[...]";

/// Cuts the types out of functions' names: a generic function is one function, for whichever types
/// it was compiled. The linker's name keeps them: Go's compiler finds a body by it when a profile
/// guides it ([`crate::verbs::pgo`]).
pub(crate) fn cut_type_parameters(profile: &mut Profile) {
    // By row of the string table, so that a name is looked at once.
    let texts = profile.strings.iter();
    let with_types: Vec<bool> = texts.map(|text| text.contains(SHAPE)).collect();
    if !with_types.contains(&true) {
        return;
    }
    let mut cut = vec![None; with_types.len()];
    for function in &mut profile.functions {
        let name = match function.name.is_empty() {
            true => function.system_name,
            false => function.name,
        };
        if !with_types[name.index()] {
            continue;
        }
        let strings = &mut profile.strings;
        function.name = *cut[name.index()].get_or_insert_with(|| {
            let without = without_types(strings.get(name)).into_owned();
            strings.push(&without)
        });
        if function.system_name.is_empty() {
            function.system_name = name;
        }
    }
}

/// `slices.Sort[go.shape.[]int,go.shape.int]` → `slices.Sort[...]`. A list without an end stays.
fn without_types(name: &str) -> Cow<'_, str> {
    let (mut cut, mut rest) = (String::new(), name);
    while let Some(start) = rest.find(SHAPE) {
        let Some(length) = list_length(&rest[start..]) else {
            break;
        };
        cut.push_str(&rest[..start]);
        cut.push_str(ANY);
        rest = &rest[start + length..];
    }
    if cut.is_empty() {
        return name.into();
    }
    cut.push_str(rest);
    cut.into()
}

/// The length of the list in brackets that a text begins with; the types in it have brackets too.
fn list_length(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 1 => return Some(at + 1),
            b']' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree, StringId};

    #[test]
    fn lists_of_types_are_cut() {
        for (name, expect) in [
            ("main.main", "main.main"),
            ("main.Map[...]", "main.Map[...]"),
            ("main.Map[go.shape.int]", "main.Map[...]"),
            (
                "slices.SortFunc[go.shape.[]go.shape.struct { X [4]int },go.shape.int].func1",
                "slices.SortFunc[...].func1",
            ),
            (
                "sync/atomic.(*Pointer[go.shape.struct { a string }]).Load",
                "sync/atomic.(*Pointer[...]).Load",
            ),
            ("a[go.shape.int].b[go.shape.*uint8]", "a[...].b[...]"),
            ("[go.shape.int]λ", "[...]λ"),
            ("main.Map[go.shape.int", "main.Map[go.shape.int"),
            (
                "a[go.shape.int].b[go.shape.[]int",
                "a[...].b[go.shape.[]int",
            ),
            ("a[go.shape.", "a[go.shape."),
            ("Vec<[u8]>", "Vec<[u8]>"),
        ] {
            assert_eq!(without_types(name), expect);
        }
    }

    #[test]
    fn stacks_of_a_generic_function_are_one() {
        let stacks = ["[go.shape.int]", "[go.shape.string]", "[...]"];
        let stacks = stacks.map(|types| format!("main.main;main.Map{types};leaf 1"));
        let mut profile = profile(&stacks.join("\n"));
        let comment = profile.strings.push("[go.shape.int]");
        cut_type_parameters(&mut profile);
        let tree = CallTree::new(&profile, 0, By::Function);
        let expect = "total 3/0\n main.main 3/0\n  main.Map[...] 3/0\n   leaf 3/3\n";
        assert_eq!(draw(&tree), expect);
        assert_eq!(profile.text(comment), "[go.shape.int]", "is no name");
    }

    #[test]
    fn the_linkers_name_keeps_its_types() {
        const LINKED: &str = "main.Map[go.shape.int]";
        for (name, system_name) in [(LINKED, LINKED), (LINKED, ""), ("", LINKED)] {
            let mut builder = crate::ProfileBuilder::new();
            let [name, system_name] = [name, system_name].map(|text| builder.string(text));
            builder.function(crate::Function {
                name,
                system_name,
                file: StringId::EMPTY,
                start_line: 7,
            });
            let mut profile = builder.finish();
            cut_type_parameters(&mut profile);
            let function = profile.functions[0];
            let names = [function.name, function.system_name].map(|id| profile.text(id));
            assert_eq!(names, ["main.Map[...]", LINKED]);
        }
    }
}
