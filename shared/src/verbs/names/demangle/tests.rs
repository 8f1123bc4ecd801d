//! Symbols and the names that they stand for.

use super::*;

fn check(symbol: &str, expect: &str) {
    assert_eq!(demangled(symbol).as_deref(), Some(expect), "{symbol}");
}

#[test]
fn rust() {
    check(
        "_ZN4core3ptr65drop_in_place$LT$alloc..vec..Vec$LT$alloc..string..String$GT$$GT$17h0123456789abcdefE",
        "core::ptr::drop_in_place",
    );
    check(
        "_ZN61_$LT$alloc..vec..Vec$LT$u8$GT$$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE",
        "<alloc::vec::Vec as core::ops::Drop>::drop",
    );
    check(
        "_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE",
        "std::mem::align_of",
    );
    check("_RNvC6_123foo3bar", "123foo::bar");
}

#[test]
fn cpp() {
    check("_ZN5space3fooEibc", "space::foo");
    check("__ZN5space3fooEibc", "space::foo");
    check(
        "_ZNSt6vectorIiSaIiEE9push_backERKi",
        "std::vector::push_back",
    );
    check("_ZlsRSoRK1A", "operator<<");
    check("_ZN1AIiEltERKS0_", "A::operator<");
    check("_ZN1alsI1BEEvT_", "a::operator<<");
    check("_Z3addIiET_S0_S0_", "add");
    check("_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f");
}

#[test]
fn what_is_not_mangled_stays() {
    for name in [
        "",
        "_",
        "_Z",
        "__Z",
        "_R",
        "_ZN",
        "main",
        "main.main",
        "slices.Sort[go.shape.[]go.shape.int,go.shape.int].func1",
        "_start",
        "Z3foov",
        "_ZTV",
        "ä",
        "_Zä",
        "_Rä",
    ] {
        assert_eq!(demangled(name), None, "{name}");
    }
}

#[test]
fn hostile_symbols_are_left_alone() {
    // f<pair<X, X>> with each X the pair before: thirty steps would write a billion names.
    let mut symbol = "_Z1fI1aS_".to_owned();
    for digit in "0123456789ABCDEFGHIJKLMNOPQRST".chars() {
        write!(symbol, "1pIS{digit}_S{digit}_E").unwrap();
    }
    symbol.push_str("Evv");
    let long = format!("_Z1f{}", "P".repeat(MAX_SYMBOL_BYTES));
    let deep = format!("_Z1f{}i", "P".repeat(4000));
    let rust = format!("_RNvC1a{}", "_".repeat(3000));
    let nested = format!("_RI{}", "INvC1a1b".repeat(400));
    // Five seconds at the parser's own limit.
    let slow = format!("_Z1f{}{}", "PAnwL".repeat(12), "E".repeat(31));
    for symbol in [&symbol, &long, &deep, &rust, &nested, &slow] {
        let name = demangled(symbol);
        assert!(name.is_none_or(|name| name.len() <= MAX_NAME_BYTES));
    }
}
