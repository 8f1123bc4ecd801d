//! The package of a function, by what its name and file look like.
//!
//! | language | told by | package | example |
//! |---|---|---|---|
//! | Go | `.go`, or no `::` in the name | import path | `net/http.(*conn).serve` is of `net/http` |
//! | Java, Kotlin, Scala | a capital after the last `/`, or after a `.` | package | `java/util/HashMap.put` is of `java.util` |
//! | Rust, C++ | `::` in the name | modules or namespaces, up to the first part that is a type (a capital, type arguments, or the last) | `core::iter::fold` is of `core::iter`, `std::vector<int>::push_back` of `std` |
//! | Python | `.py`, or `<frozen …>` | module, from below `site-packages`, `dist-packages` or `python3.x` | `…/site-packages/flask/app.py` is `flask.app` |
//! | JavaScript | `.js`, `.ts` and so on, or `node:` | npm package below `node_modules`, else the file | `…/node_modules/@a/b/c.js` is `@a/b` |
//!
//! What cannot be told from a name is not: a C++ class in small letters counts as a namespace, and
//! so does the first of three parts, whatever its letters.

use std::borrow::Cow;

/// The package of a function, empty when nothing tells it, as for C.
pub fn package<'a>(name: &'a str, file: &'a str) -> Cow<'a, str> {
    if let Some(module) = file
        .strip_prefix("<frozen ")
        .and_then(|rest| rest.strip_suffix('>'))
    {
        return module.into();
    }
    if file.starts_with("node:") {
        return file.into();
    }
    let extension = file
        .rsplit(['/', '\\'])
        .next()
        .and_then(|last| last.rsplit_once('.'))
        .map_or("", |(_, end)| end);
    match extension {
        "py" | "pyx" => python(file),
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => javascript(file).into(),
        "go" => go(name),
        "rs" | "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" => path(name).into(),
        _ if name.contains("::") || name.starts_with("_Z") => path(name).into(),
        _ => dotted(name),
    }
}

/// Go: up to the first dot behind the last slash.
fn go(name: &str) -> Cow<'_, str> {
    let (folder, rest) = folder(name);
    match rest.split_once('.') {
        Some((last, _)) => unescaped(&name[..folder.len() + last.len()]),
        None => Cow::Borrowed(""),
    }
}

/// Go without a file, and Java: path elements, then parts with dots.
fn dotted(name: &str) -> Cow<'_, str> {
    let (folder, rest) = folder(name);
    let capital = |part: &str| part.starts_with(|c: char| c.is_uppercase());
    let Some((first, others)) = rest.split_once('.') else {
        return Cow::Borrowed("");
    };
    // Others are what a path begins with, or a library and its version.
    let is_word = first
        .chars()
        .all(|c| c.is_alphanumeric() || "_$".contains(c));
    if folder.starts_with(['.', '/']) || (folder.is_empty() && !is_word) {
        return Cow::Borrowed("");
    }
    if !folder.is_empty() {
        if capital(first) {
            // Java's own way to write a class.
            return folder.trim_end_matches('/').replace('/', ".").into();
        }
        return unescaped(&name[..folder.len() + first.len()]);
    }
    // `com.acme.Shop.order` is of com.acme, `main.run` of main.
    let mut at = first.len();
    if capital(first) {
        return Cow::Borrowed("");
    }
    for part in others.split('.') {
        if capital(part) {
            return name[..at].into();
        }
        at += 1 + part.len();
    }
    if is_of_c(others) {
        return Cow::Borrowed("");
    }
    first.into()
}

/// A name's path, to its last slash, and what follows, without what is in brackets: type arguments
/// hold paths of their own, and a receiver is no package.
fn folder(name: &str) -> (&str, &str) {
    let name = &name[..name.find(['[', '(', '<']).unwrap_or(name.len())];
    name.split_at(name.rfind('/').map_or(0, |slash| slash + 1))
}

/// A path of Go, which escapes dots of the last element.
fn unescaped(path: &str) -> Cow<'_, str> {
    if path.contains("%2e") {
        path.replace("%2e", ".").into()
    } else {
        path.into()
    }
}

/// Whether this follows a library's name, or a function's that a C compiler split or copied:
/// `libc.so.6`, `memcpy.isra.0`.
fn is_of_c(suffix: &str) -> bool {
    let (word, rest) = suffix.split_once('.').unwrap_or((suffix, ""));
    match word {
        "so" => true,
        "cold" if rest.is_empty() => true,
        "cold" | "constprop" | "isra" | "llvm" | "part" => {
            rest.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => false,
    }
}

/// Rust and C++: parts with double colons, up to the first that is a type or the function.
fn path(name: &str) -> &str {
    let mut rest = name.trim_start_matches(['<', '&', '*']);
    rest = rest
        .strip_prefix("mut ")
        .or_else(|| rest.strip_prefix("dyn "))
        .unwrap_or(rest);
    let whole = rest;
    // What is read so far begins at `start`; its first `modules` bytes are modules, `parts` in
    // number.
    let (mut start, mut modules, mut parts, mut open) = (0, 0, 0, true);
    loop {
        let at = whole.len() - rest.len();
        let part = part(rest);
        rest = &rest[part.len()..];
        let arguments = arguments(rest.strip_prefix("::").unwrap_or(rest));
        if let Some(length) = arguments {
            // Type arguments make it a type or a function. Behind a blank another name follows:
            // this was what it returns.
            open = false;
            rest = rest.strip_prefix("::").unwrap_or(rest);
            rest = &rest[length..];
        }
        if let Some(after) = rest.strip_prefix("::") {
            let closure = after.starts_with("{closure") || after.starts_with("{{closure");
            let capital = part.starts_with(|c: char| c.is_uppercase());
            // A capital makes a type, but not of the first of several: namespaces such as `Eigen`
            // have one, too.
            let first_of_several = parts == 0 && after.contains("::");
            open &= !part.is_empty() && !closure && (!capital || first_of_several);
            if open {
                (modules, parts) = (at + part.len(), parts + 1);
            }
            rest = after;
        } else if let Some(after) = rest
            .strip_prefix(' ')
            .filter(|after| !after.starts_with("as "))
        {
            // `operator new` is one name.
            if part == "operator" {
                break;
            }
            start = whole.len() - after.len();
            (modules, parts, open, rest) = (start, 0, true, after);
        } else {
            break;
        }
    }
    &whole[start..modules.max(start)]
}

/// The identifier that a text begins with.
fn part(text: &str) -> &str {
    const ANONYMOUS: &str = "(anonymous namespace)";
    if text.starts_with(ANONYMOUS) {
        return &text[..ANONYMOUS.len()];
    }
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '~' || c == '$'))
        .unwrap_or(text.len());
    &text[..end]
}

/// The length of balanced type arguments, or of all that follows where they do not end.
fn arguments(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut before = b' ';
    for (at, c) in text.bytes().enumerate() {
        match c {
            b'<' => depth += 1,
            b'>' if before != b'-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return (c == b'>').then_some(at + 1);
        }
        before = c;
    }
    (depth > 0).then_some(text.len())
}

fn python(file: &str) -> Cow<'_, str> {
    let parts: Vec<&str> = file
        .split(['/', '\\'])
        .filter(|part| !part.is_empty())
        .collect();
    let is_root = |part: &&str| {
        let version = part
            .strip_prefix("python")
            .or_else(|| part.strip_prefix("pypy"));
        ["site-packages", "dist-packages"].contains(part)
            || version.is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit()))
    };
    let root = parts.iter().rposition(is_root).map_or(0, |at| at + 1);
    let mut parts = parts[root.min(parts.len().saturating_sub(1))..].to_vec();
    if let Some(last) = parts.last_mut() {
        *last = last.rsplit_once('.').map_or(*last, |(stem, _)| stem);
    }
    if parts.len() > 1 && parts.last() == Some(&"__init__") {
        parts.pop();
    }
    parts.join(".").into()
}

fn javascript(file: &str) -> &str {
    let Some((_, below)) = file.rsplit_once("node_modules/") else {
        return file.strip_prefix("file://").unwrap_or(file);
    };
    let slashes = if below.starts_with('@') { 2 } else { 1 };
    below
        .match_indices('/')
        .nth(slashes - 1)
        .map_or(below, |(at, _)| &below[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, file: &str, expect: &str) {
        assert_eq!(package(name, file), expect, "{name} in {file}");
    }

    #[test]
    fn go() {
        check("main.main", "/src/shop/main.go", "main");
        check("runtime.mallocgc", "", "runtime");
        check("net/http.(*conn).serve", "", "net/http");
        check("net/http.Header.Get", "", "net/http");
        check("bufio.(*Reader).Read", "", "bufio");
        check("slices.partition[main.T]", "", "slices");
        check(
            "github.com/acme/widget/store.Open.func1",
            "",
            "github.com/acme/widget/store",
        );
        check("gopkg.in/yaml%2ev3.Unmarshal", "", "gopkg.in/yaml.v3");
        check("slices.Sort[github.com/acme/widget.T]", "", "slices");
        check("a/b.F[go.shape.struct { c/d.x int }]", "x.go", "a/b");
        check("main.Shop.Order", "", "main");
        check("[libc.so.6]", "", "");
        check("libpthread-2.31.so.write", "", "");
        check("./tmp/snappy-1.1.8-libsnappyjava.so.run", "", "");
        check("__libc_start_main@@GLIBC_2.34", "", "");
        check("<method 'acquire' of '_thread.lock' objects>", "", "");
        check("memeqbody", "memequal_amd64.s", "");
        // A module without a slash.
        check("go-shop.NewCart", "/src/cart.go", "go-shop");
        check("go-shop.(*Cart).Add", "/src/cart.go", "go-shop");
        check("example%2ecom.Open", "/src/open.go", "example.com");
        check("shop.cart.Add", "/src/cart.go", "shop");
    }

    #[test]
    fn symbols_of_c() {
        for name in [
            "libc.so.6",
            "libz.so.1.2.11",
            "libjvm.so",
            "do_syscall_64.part.0",
            "memcpy.isra.0.cold",
            "copy.constprop.0",
            "copy.cold",
            "copy.llvm.4711",
        ] {
            check(name, "", "");
        }
        // The same words as parts of other names.
        check("com.cold.Shop.order", "Shop.java", "com.cold");
        check("main.part", "", "main");
        check("main.part.func1", "", "main");
        check("main.cold", "main.go", "main");
        check("main.some", "", "main");
    }

    #[test]
    fn java() {
        check("java/util/HashMap.put", "", "java.util");
        check("java.util.HashMap$Node.getKey", "HashMap.java", "java.util");
        check("com.acme.Shop.lambda$order$0", "", "com.acme");
        check("java.lang.Object.<init>", "", "java.lang");
        check("Shop.order", "Shop.java", "");
        check("Interpreter", "", "");
    }

    #[test]
    fn rust() {
        check("core::iter::fold", "", "core::iter");
        check("alloc::vec::Vec<T>::push", "", "alloc::vec");
        check("alloc::vec::Vec<T,A>::push::{{closure}}", "", "alloc::vec");
        check(
            "<alloc::vec::Vec<u8> as core::ops::Drop>::drop",
            "",
            "alloc::vec",
        );
        check("<&mut a::b::C as d::E>::f", "", "a::b");
        check(
            "tokio::runtime::task::harness::Harness<T,S>::poll",
            "",
            "tokio::runtime::task::harness",
        );
        check("main::main::{{closure}}", "main.rs", "main");
        check("shop::main", "src/main.rs", "shop");
        check("main", "main.rs", "");
        check(
            "std::mem::align_of::<std::mem::Discriminant>",
            "",
            "std::mem",
        );
    }

    #[test]
    fn cpp() {
        check("shop::Cart::add(Item, int)", "", "shop");
        check(
            "std::vector<int, std::allocator<int> >::push_back(int const&)",
            "",
            "std",
        );
        check("void ns::apply<a::B<int>>(a::B<int>)", "", "ns");
        check("std::vector<int> ns::make<int>(a::b)", "", "ns");
        check(
            "(anonymous namespace)::f(a::b)",
            "",
            "(anonymous namespace)",
        );
        check(
            "shop::(anonymous namespace)::Helper::run()",
            "",
            "shop::(anonymous namespace)",
        );
        check("ns::operator<<(std::ostream&, A const&)", "", "ns");
        check("Cart::add(Item)", "cart.cc", "");
        check("malloc", "malloc.c", "");
        check("f(std::string)", "a.cc", "");
        check("::", "", "");
        check("<::", "", "");
        check("a::<", "", "");
        check("Eigen::internal::run(int)", "", "Eigen::internal");
        check("WebCore::Document::write(int)", "", "WebCore");
        check("ns::operator new(unsigned long)", "", "ns");
    }

    #[test]
    fn python_and_javascript() {
        check(
            "handle",
            "/usr/lib/python3.11/site-packages/flask/app.py",
            "flask.app",
        );
        check(
            "handle",
            "/usr/lib/python3.11/site-packages/flask/__init__.py",
            "flask",
        );
        check(
            "dumps",
            "/usr/lib/python3.11/json/encoder.py",
            "json.encoder",
        );
        check("run", "shop/cart.py", "shop.cart");
        check("f", "__init__.py", "__init__");
        check(
            "_find",
            "<frozen importlib._bootstrap>",
            "importlib._bootstrap",
        );
        check("get", "/app/node_modules/express/lib/router.js", "express");
        check(
            "get",
            "file:///app/node_modules/a/node_modules/@b/c/index.mjs",
            "@b/c",
        );
        check("run", "file:///app/src/main.ts", "/app/src/main.ts");
        check(
            "next",
            "node:internal/process/task_queues",
            "node:internal/process/task_queues",
        );
    }
}
