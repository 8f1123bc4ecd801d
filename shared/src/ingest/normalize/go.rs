//! Go: names of generic functions.

use std::borrow::Cow;

use crate::model::profile::Profile;

/// How the Go compiler begins the list of types that one body of a generic function is made for.
const SHAPE: &str = "[go.shape.";

/// What Go's own profiler writes instead of the list.
const ANY: &str = "[...]";

/// Cuts the types out of functions' names: a generic function is one function, for whichever types
/// it was compiled.
pub(crate) fn cut_type_parameters(profile: &mut Profile) {
    if !profile.strings.iter().any(|text| text.contains(SHAPE)) {
        return;
    }
    let mut is_name = vec![false; profile.strings.len()];
    for function in &profile.functions {
        is_name[function.name.index()] = true;
        is_name[function.system_name.index()] = true;
    }
    profile.strings = profile.strings.map(|id, text| match is_name[id.index()] {
        true => without_types(text),
        false => text.into(),
    });
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
    use crate::{By, CallTree};

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
}
