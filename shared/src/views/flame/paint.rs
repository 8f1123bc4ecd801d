//! Which colour a frame gets: one hue a package, the same in every profile and at every visit; grey
//! for what is not the user's own to change.

use xxhash_rust::xxh3::xxh3_64;

/// Colour of a frame, independent of the theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// A hue around the circle, 0 to 255.
    Hue(u8),
    /// Runtime, garbage collector, kernel, C library.
    Grey,
}

/// Colour of a frame, from its function's name, source file and module.
pub fn paint(name: &str, file: &str, module: &str) -> Paint {
    if is_grey(name, file, module) {
        Paint::Grey
    } else {
        Paint::Hue(xxh3_64(package(name, file, module).as_bytes()) as u8)
    }
}

fn is_grey(name: &str, file: &str, module: &str) -> bool {
    let base = module.rsplit('/').next().unwrap_or(module);
    let kernel = base.starts_with("[kernel") || base.starts_with("[vdso") || base == "vmlinux";
    let libc = base.starts_with("libc.")
        || base.starts_with("libc-")
        || base.starts_with("ld-")
        || base.starts_with("libpthread");
    let runtime = [
        "runtime.",
        "runtime/",
        "gc_",
        "jdk.internal.",
        "node:internal",
    ]
    .iter()
    .any(|p| name.starts_with(p));
    let engine = name.starts_with('(') && name.ends_with(')');
    kernel || libc || runtime || engine || file.starts_with("node:")
}

/// The package, crate, directory or library that a function belongs to: as good as its name and
/// file tell.
fn package<'a>(name: &'a str, file: &'a str, module: &'a str) -> &'a str {
    // Rust and C++: the first segment of the path, behind what a trait impl or a reference puts
    // before it.
    if let Some((head, _)) = name.split_once("::") {
        return head.trim_start_matches(['<', '&', '*', ' ']);
    }
    // Go: everything up to the first dot behind the last slash. Java with slashes looks the same.
    let tail = name.rfind('/').map_or(0, |slash| slash + 1);
    if let Some(dot) = name[tail..]
        .find('.')
        .filter(|&dot| tail > 0 || !has_two_dots(name) || dot == 0)
    {
        return &name[..tail + dot];
    }
    // Java with dots: all but class and method.
    if has_two_dots(name) && !name.contains(' ') {
        return name.rsplitn(3, '.').nth(2).unwrap_or(name);
    }
    if let Some(at) = file.rfind("node_modules/") {
        let rest = &file[at + "node_modules/".len()..];
        return rest.split('/').next().unwrap_or(rest);
    }
    match file.rfind('/') {
        Some(slash) => &file[..slash],
        None if !file.is_empty() => file,
        None if !module.is_empty() => module,
        None => name,
    }
}

fn has_two_dots(name: &str) -> bool {
    name.matches('.').count() >= 2 && !name.contains("(*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages() {
        let check = |name, file, expect| {
            assert_eq!(
                package(name, file, "/usr/lib/libfoo.so"),
                expect,
                "for {name}"
            )
        };
        check(
            "github.com/acme/widget/api.(*T).M",
            "",
            "github.com/acme/widget/api",
        );
        check("main.work", "/src/main.go", "main");
        check("encoding/json.Marshal", "", "encoding/json");
        check("net/http.(*conn).serve", "", "net/http");
        check("com.acme.shop.Cart.add", "", "com.acme.shop");
        check(
            "<serde_json::Value as core::fmt::Debug>::fmt",
            "",
            "serde_json",
        );
        check("tokio::runtime::park", "", "tokio");
        check("get", "/app/node_modules/lodash/get.js", "lodash");
        check("handler", "/app/shop/views.py", "/app/shop");
        check("malloc", "", "/usr/lib/libfoo.so");
    }

    #[test]
    fn greys() {
        assert_eq!(paint("runtime.gcBgMarkWorker", "", ""), Paint::Grey);
        assert_eq!(
            paint("memcpy", "", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
            Paint::Grey
        );
        assert_eq!(paint("(garbage collector)", "", ""), Paint::Grey);
        assert_eq!(paint("main.work", "", ""), paint("main.other", "", ""));
    }
}
