//! Granularity: what counts as one frame.

use hashbrown::HashMap;

use super::package::package;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LocationId, MappingId, StringId};
use crate::model::profile::{Function, Line, Location, Mapping, Profile, Stack, SymbolFlags};
use crate::verbs::rewrite::{Names, with_tables};

/// What counts as one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    /// A function's name.
    Function,
    /// A source file.
    File,
    /// The binary or library: the mapping's file. A location is one frame, whatever was inlined
    /// there.
    Module,
    /// The package: see [`package()`]. Functions without one are of their module, whose name is in
    /// brackets then.
    Package,
}

/// Rewrites functions and locations so that what counts as one frame is one row.
///
/// A file, module or package is a function of that name. Frames without a function, which have an
/// address only, count by their module. Lines, columns, addresses and system names go. Neighbours on
/// a stack that become equal stay two frames: see [`crate::verbs::collapse_recursion`].
///
/// Laws: totals stay; applied twice it changes nothing more, but for packages; commutes with
/// merging.
pub fn group(profile: &Profile, by: Granularity) -> Profile {
    let mut grouping = Grouping::new(profile, by);
    let map: Vec<LocationId> = profile
        .location_ids()
        .map(|id| grouping.location(id))
        .collect();
    let Grouping { names, tables, .. } = grouping;
    let Profile {
        mappings,
        functions,
        lines,
        locations,
        ..
    } = tables.finish();
    let stacks = profile
        .stacks
        .iter()
        .map(|s| Stack {
            location: map[s.location.index()],
            ..*s
        })
        .collect();
    let grouped = with_tables(profile, stacks, lines, locations, profile.samples.clone());
    Profile {
        strings: names.finish(),
        mappings,
        functions,
        ..grouped
    }
}

struct Grouping<'a> {
    profile: &'a Profile,
    by: Granularity,
    names: Names,
    /// The first row of each text, so that equal texts have one.
    texts: HashMap<&'a str, StringId>,
    /// For its tables of rows only; their strings are those of `names`.
    tables: ProfileBuilder,
    lines: Vec<Line>,
}

impl<'a> Grouping<'a> {
    fn new(profile: &'a Profile, by: Granularity) -> Self {
        let (names, texts) = (Names::new(profile), HashMap::new());
        Self {
            profile,
            by,
            names,
            texts,
            tables: ProfileBuilder::new(),
            lines: Vec::new(),
        }
    }

    fn location(&mut self, id: LocationId) -> LocationId {
        let location = self.profile.locations[id.index()];
        self.lines.clear();
        if self.by == Granularity::Module {
            let name = location
                .mapping
                .map_or(StringId::EMPTY, |m| self.profile.mappings[m.index()].file);
            let (function, mapping) = (self.named(name), location.mapping.map(|m| self.module(m)));
            self.lines.push(Line {
                function: Some(function),
                line: 0,
                column: 0,
            });
            return self.tables.location(mapping, 0, false, &self.lines);
        }
        for line in self.profile.lines(id) {
            let line = self.line(&location, line);
            self.lines.push(line);
        }
        // Without functions it is the module that counts.
        let module = if self.lines.iter().any(|line| line.function.is_some()) {
            None
        } else {
            location.mapping
        };
        let mapping = module.map(|m| self.module(m));
        self.tables.location(mapping, 0, false, &self.lines)
    }

    /// The function that counts for a line of a location.
    fn line(&mut self, location: &Location, line: &Line) -> Line {
        let function = line.function.map(|id| {
            let f = self.profile.functions[id.index()];
            match self.by {
                Granularity::Function => self.named(f.shown_name()),
                Granularity::File => {
                    let file = self.text(f.file);
                    self.tables.function(Function::named(file, file))
                }
                Granularity::Package | Granularity::Module => self.package(&f, location),
            }
        });
        Line {
            function,
            line: 0,
            column: 0,
        }
    }

    fn package(&mut self, f: &Function, location: &Location) -> crate::model::id::FunctionId {
        let name = package(self.profile.text(f.shown_name()), self.profile.text(f.file));
        if !name.is_empty() {
            let name = self.names.add(&name).unwrap_or(f.shown_name());
            return self.function(name);
        }
        let module = location.mapping.map_or("", |m| {
            self.profile.text(self.profile.mappings[m.index()].file)
        });
        let file = module.rsplit('/').next().unwrap_or(module);
        let name = if file.is_empty() {
            None
        } else {
            self.names.add(&format!("[{file}]"))
        };
        self.function(name.unwrap_or(StringId::EMPTY))
    }

    /// A function that is only a text of the profile.
    fn named(&mut self, name: StringId) -> crate::model::id::FunctionId {
        let name = self.text(name);
        self.function(name)
    }

    fn function(&mut self, name: StringId) -> crate::model::id::FunctionId {
        self.tables.function(Function::named(name, StringId::EMPTY))
    }

    /// A mapping that is only its file.
    fn module(&mut self, id: MappingId) -> MappingId {
        let file = self.text(self.profile.mappings[id.index()].file);
        let symbols = SymbolFlags::default();
        self.tables.mapping(Mapping {
            start: 0,
            limit: 0,
            offset: 0,
            file,
            build_id: StringId::EMPTY,
            symbols,
        })
    }

    fn text(&mut self, id: StringId) -> StringId {
        *self.texts.entry(self.profile.text(id)).or_insert(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::draw;
    use crate::{By, CallTree};

    /// main at two lines of main.go calls store.Get, inlined into store.Open, of two files; and an
    /// address of libc.
    fn example() -> Profile {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        let function = |b: &mut ProfileBuilder, name: &str, file: &str| {
            let (name, file) = (b.string(name), b.string(file));
            Some(b.function(Function {
                name,
                system_name: name,
                file,
                start_line: 3,
            }))
        };
        let mapping = |b: &mut ProfileBuilder, file: &str, start| {
            let (file, build_id) = (b.string(file), b.string("ab"));
            b.mapping(Mapping {
                start,
                limit: start + 9,
                offset: 0,
                file,
                build_id,
                symbols: SymbolFlags::default(),
            })
        };
        let (shop, libc) = (
            mapping(&mut b, "/bin/shop", 0),
            mapping(&mut b, "/lib/libc.so", 10),
        );
        let libc_again = mapping(&mut b, "/lib/libc.so", 20);
        let main = function(&mut b, "main.main", "main.go");
        let get = function(&mut b, "acme/store.Get", "get.go");
        let open = function(&mut b, "acme/store.Open", "open.go");
        let malloc = function(&mut b, "malloc", "malloc.c");
        let line = |function, line| Line {
            function,
            line,
            column: 2,
        };
        let main5 = b.location(Some(shop), 1, false, &[line(main, 5)]);
        let main6 = b.location(Some(shop), 2, false, &[line(main, 6)]);
        let store = b.location(Some(shop), 3, false, &[line(get, 7), line(open, 8)]);
        let malloc = b.location(Some(libc), 11, false, &[line(malloc, 1)]);
        let (bare, bare_again) = (
            b.location(Some(libc), 12, false, &[]),
            b.location(Some(libc_again), 22, false, &[]),
        );
        for (i, stack) in [
            vec![main5, store, malloc],
            vec![main6, store, bare],
            vec![main6, bare_again],
        ]
        .iter()
        .enumerate()
        {
            let stack = stack
                .iter()
                .fold(None, |parent, &location| Some(b.stack(parent, location)));
            b.sample(stack, None, &[1 << i]);
        }
        b.finish()
    }

    fn check(by: Granularity, expect: &str, locations: usize) {
        let grouped = group(&example(), by);
        assert_eq!(
            draw(&CallTree::new(&grouped, 0, By::Function)),
            expect,
            "{by:?}"
        );
        assert_eq!(
            crate::canonical(&grouped).locations().len(),
            locations,
            "{by:?}"
        );
        assert_eq!(grouped.locations().len(), locations, "{by:?}");
    }

    #[test]
    fn frames_become_one() {
        let functions = "total 7/0\n main.main 7/0\n  [libc.so] 4/4\n  acme/store.Open 3/0\n   acme/store.Get 3/0\n    \
                         [libc.so] 2/2\n    malloc 1/1\n";
        check(Granularity::Function, functions, 4);
        check(
            Granularity::File,
            "total 7/0\n main.go 7/0\n  [libc.so] 4/4\n  open.go 3/0\n   get.go 3/0\n    [libc.so] 2/2\n    malloc.c 1/1\n",
            4,
        );
        check(
            Granularity::Module,
            "total 7/0\n /bin/shop 7/0\n  /bin/shop 3/0\n   /lib/libc.so 3/3\n  /lib/libc.so 4/4\n",
            2,
        );
        check(
            Granularity::Package,
            "total 7/0\n main 7/0\n  [libc.so] 4/4\n  acme/store 3/0\n   acme/store 3/0\n    [libc.so] 3/3\n",
            4,
        );
    }
}
