//! Who imports whom within a crate.
//!
//! An import is a path in a `use` line or in the code, such as `crate::model::Profile` or
//! `child::parse`. It leads to the file that defines the item: a parent that only re-exports its
//! children's items depends on none of them, and who takes an item from there depends on the child.
//! Tests at the end of a file do not count.

use std::collections::{BTreeMap, BTreeSet};

use regex_lite::Regex;

/// A module as its names from the root of the crate.
pub(crate) type Module = Vec<String>;

/// A name that a module brings into scope.
struct Use {
    is_public: bool,
    name: String,
    target: Module,
}

/// The modules of a crate and what each imports.
pub(crate) struct Imports {
    edges: BTreeMap<Module, BTreeSet<Module>>,
}

impl Imports {
    /// Of a crate's files: paths below `src`, and texts without tests.
    pub(crate) fn of(files: &[(String, String)]) -> Self {
        let texts: BTreeMap<Module, String> = files
            .iter()
            .map(|(path, text)| (module_of(path), without_comments(text)))
            .collect();
        let is_module = |path: &[String]| texts.contains_key(path);
        let uses: BTreeMap<&Module, Vec<Use>> = texts
            .iter()
            .map(|(module, text)| (module, uses_of(module, text, &is_module)))
            .collect();
        let mut edges = BTreeMap::new();
        for (module, text) in &texts {
            let re_exports_a_child = |u: &&Use| {
                u.is_public && u.target.len() > module.len() && u.target.starts_with(module)
            };
            let named = uses[module]
                .iter()
                .filter(|u| !re_exports_a_child(u))
                .map(|u| u.target.clone());
            let inline = inline_paths(module, text, &is_module);
            let targets = named
                .chain(inline)
                .map(|path| defined_in(path, &uses))
                .filter(|target| target != module);
            edges.insert(module.clone(), targets.collect());
        }
        Self { edges }
    }

    /// All imports, from the module that imports to the one that is imported.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Module, &Module)> {
        self.edges
            .iter()
            .flat_map(|(from, targets)| targets.iter().map(move |to| (from, to)))
    }

    /// Groups of modules that import each other in a circle.
    pub(crate) fn circles(&self) -> Vec<BTreeSet<String>> {
        circles(&self.edges)
    }

    /// Groups of files and folders beside each other that import each other in a circle.
    pub(crate) fn circles_of_folders(&self) -> Vec<BTreeSet<String>> {
        let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (from, to) in self.iter() {
            let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            if common < from.len() && common < to.len() {
                edges
                    .entry(from[..=common].to_vec())
                    .or_default()
                    .insert(to[..=common].to_vec());
            }
        }
        circles(&edges)
    }
}

/// The name of a module for people.
pub(crate) fn name(module: &[String]) -> String {
    if module.is_empty() {
        "lib".to_owned()
    } else {
        module.join("::")
    }
}

fn circles(edges: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = edges
        .keys()
        .map(|module| (module, reach(edges, module)))
        .collect();
    let reaches = |from: &Module, to: &Module| {
        reached
            .get(from)
            .is_some_and(|reached| reached.contains(to))
    };
    let in_a_circle = edges.keys().filter(|module| reaches(module, module));
    let group = |module: &Module| -> BTreeSet<String> {
        edges
            .keys()
            .filter(|other| reaches(module, other) && reaches(other, module))
            .map(|other| name(other))
            .collect()
    };
    in_a_circle
        .map(group)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// All modules that a module imports, directly or through others.
fn reach<'a>(
    edges: &'a BTreeMap<Module, BTreeSet<Module>>,
    module: &Module,
) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&Module> = edges.get(module).into_iter().flatten().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(edges.get(next).into_iter().flatten());
        }
    }
    reached
}

/// `store/mod.rs` is the module `store`, `store/error.rs` is `store::error`.
fn module_of(path: &str) -> Module {
    let path = path.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if ["lib", "main", "mod"].contains(&path) {
        Vec::new()
    } else {
        path.split('/').map(str::to_owned).collect()
    }
}

fn without_comments(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n")
}

fn use_lines() -> Regex {
    Regex::new(r"(?m)^\s*(pub(?:\([^)]*\))? )?use ([^;]+);").unwrap()
}

fn uses_of(module: &Module, text: &str, is_module: &impl Fn(&[String]) -> bool) -> Vec<Use> {
    let mut uses = Vec::new();
    for line in use_lines().captures_iter(text) {
        for path in expanded(&line[2]) {
            let (path, renamed) = path
                .split_once(" as ")
                .map_or((path.as_str(), None), |(path, name)| (path, Some(name)));
            let path = path.trim().trim_end_matches("::self");
            let Some(target) = absolute(module, path, is_module) else {
                continue;
            };
            let name = renamed
                .unwrap_or(path.rsplit("::").next().unwrap_or(path))
                .trim()
                .to_owned();
            uses.push(Use {
                is_public: line.get(1).is_some(),
                name,
                target,
            });
        }
    }
    uses
}

/// `a::{b, c::{d, e}}` is three paths.
fn expanded(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        return vec![tree.to_owned()];
    };
    let inside = rest.trim_end().trim_end_matches('}');
    // A closing brace too many was taken where the last branch ends in one, too.
    let open = inside.matches('{').count() - inside.matches('}').count();
    let inside = format!("{inside}{}", "}".repeat(open));
    let (mut branches, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                branches.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    branches.push(&inside[start..]);
    let branches = branches
        .into_iter()
        .filter(|branch| !branch.trim().is_empty());
    branches
        .flat_map(expanded)
        .map(|branch| format!("{}{branch}", head.trim()))
        .collect()
}

/// Paths in the code itself that begin with `crate`, `super`, `self` or a child.
fn inline_paths(
    module: &Module,
    text: &str,
    is_module: &impl Fn(&[String]) -> bool,
) -> Vec<Module> {
    let path = Regex::new(r"\b[a-z_][a-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)+").unwrap();
    let code = use_lines().replace_all(text, "");
    path.find_iter(&code)
        .filter_map(|found| absolute(module, found.as_str(), is_module))
        .collect()
}

/// A path from the root of the crate; `None` when it leads into another crate.
fn absolute(module: &Module, path: &str, is_module: &impl Fn(&[String]) -> bool) -> Option<Module> {
    let mut names = path.split("::").map(str::to_owned).peekable();
    let mut from = module.clone();
    if names.next_if_eq("crate").is_some() {
        from.clear();
    } else if names.next_if_eq("self").is_none() {
        let mut is_relative = false;
        while names.next_if_eq("super").is_some() {
            is_relative = true;
            from.pop()?;
        }
        let child: Module = from.iter().cloned().chain(names.peek().cloned()).collect();
        if !is_relative && !is_module(&child) {
            return None;
        }
    }
    from.extend(names);
    Some(from)
}

/// The module that defines what a path leads to, behind all re-exports.
fn defined_in(mut path: Module, uses: &BTreeMap<&Module, Vec<Use>>) -> Module {
    // Re-exports lead downwards; the bound is for files that do not compile.
    for _ in 0..8 {
        let mut length = path.len();
        while length > 0 && !uses.contains_key(&path[..length].to_vec()) {
            length -= 1;
        }
        let (module, rest) = (path[..length].to_vec(), path[length..].to_vec());
        let re_export = |u: &&Use| rest.first() == Some(&u.name) && u.target != path;
        let Some(next) = uses
            .get(&module)
            .and_then(|uses| uses.iter().find(re_export))
        else {
            return module;
        };
        path = next.target.iter().chain(&rest[1..]).cloned().collect();
    }
    path
}

#[test]
fn imports_lead_to_where_an_item_is_defined() {
    let files = [
        ("lib.rs", "mod a;\nmod b;\npub use a::{Deep, parse};"),
        (
            "a/mod.rs",
            "mod deep;\nmod side;\npub use deep::{\n    Deep, Other as Same,\n};\npub fn parse() { side::read(); }",
        ),
        ("a/deep.rs", "pub struct Deep;\n// crate::b"),
        ("a/side.rs", "use super::Deep;\nuse std::fmt;"),
        (
            "b.rs",
            "use crate::{Deep, a::{self, Same}};\nfn f() { crate::parse() }",
        ),
    ];
    let imports = Imports::of(&files.map(|(path, text)| (path.to_owned(), text.to_owned())));
    let found: Vec<String> = imports
        .iter()
        .map(|(from, to)| format!("{} → {}", name(from), name(to)))
        .collect();
    assert_eq!(
        found,
        ["a → a::side", "a::side → a::deep", "b → a", "b → a::deep"]
    );
    assert!(imports.circles().is_empty() && imports.circles_of_folders().is_empty());
}

#[test]
fn circles_are_found() {
    let check = |files: &[(&str, &str)], expect: &[&str], expect_folders: &[&str]| {
        let files: Vec<_> = files
            .iter()
            .map(|&(path, text)| (path.to_owned(), text.to_owned()))
            .collect();
        let imports = Imports::of(&files);
        let joined = |circles: Vec<BTreeSet<String>>| -> Vec<String> {
            circles
                .into_iter()
                .map(|circle| circle.into_iter().collect::<Vec<_>>().join(" "))
                .collect()
        };
        assert_eq!(joined(imports.circles()), expect);
        assert_eq!(joined(imports.circles_of_folders()), expect_folders);
    };
    check(
        &[
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use crate::c::C;"),
            ("c.rs", "use crate::a::A;"),
        ],
        &["a b c"],
        &["a b c"],
    );
    check(
        &[
            ("a/mod.rs", "mod x;\nfn f() { x::f() }"),
            ("a/x.rs", "use super::A;"),
        ],
        &["a a::x"],
        &[],
    );
    let folders = [
        ("a/x.rs", "use crate::b::y::Y;"),
        ("a/z.rs", ""),
        ("b/y.rs", ""),
        ("b/w.rs", "use crate::a::z::Z;"),
    ];
    check(&folders, &[], &["a b"]);
}
