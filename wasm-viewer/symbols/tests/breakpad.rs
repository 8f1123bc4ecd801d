//! A text of Breakpad beside a profile of addresses, as they go through the browser.

use pilotlight_core::{By, CallTree, NodeId, open};
use pilotlight_symbols::symbolize;

const PROFILE: &str = "\
goroutine profile: total 7
5 @ 0x401011 0x401025
2 @ 0x401015 0x401025

MAPPED_LIBRARIES:
00400000-00402000 r-xp 00000000 00:00 0 /bin/app
";

const SYMBOLS: &str = "\
MODULE Linux x86_64 0 app
FILE 0 /src/app.c
INLINE_ORIGIN 0 hash
FUNC 1010 10 0 work
INLINE 0 8 0 0 1014 4
1010 10 5 0
FUNC 1020 10 0 main
1020 10 9 0
";

#[test]
fn addresses_of_a_text_get_names() {
    let profile = open(PROFILE.as_bytes(), 1 << 20).expect("opens").profile;
    let named = symbolize("app.sym", SYMBOLS.as_bytes(), &[profile]).expect("is read");
    let [named] = &named[..] else {
        panic!("one profile")
    };
    assert_eq!((named.named, named.addresses), (3, 3));
    assert_eq!(named.warnings.len(), 1, "the profile has no build id");
    assert_eq!(named.wanted, ["app (no build ID)"]);
    assert_eq!(named.ids, ["0"]);
    let tree = CallTree::new(named.profile.as_ref().expect("names"), 0, By::Function);
    let shape = tree.shape();
    let nodes = (0..shape.len() as u32).map(NodeId);
    let lines =
        nodes.map(|n| format!("{} {} {}", shape.depth(n), shape.name(n), tree.totals(n)[0]));
    assert_eq!(
        lines.collect::<Vec<_>>(),
        ["0 total 7", "1 main 7", "2 work 7", "3 hash 2"]
    );
}
