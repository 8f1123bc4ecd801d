//! Symbols and the names that they stand for.

use super::*;

fn check(symbol: &str, full: &str, no_parameters: &str, no_templates: &str) {
    for (detail, expect) in [
        (Detail::Full, full),
        (Detail::NoParameters, no_parameters),
        (Detail::NoTemplates, no_templates),
    ] {
        let name = Demangle {
            detail,
            ..Demangle::default()
        }
        .name(symbol);
        assert_eq!(name.as_deref(), Some(expect), "{symbol} {detail:?}");
    }
}

#[test]
fn rust() {
    let legacy = "_ZN4core3ptr65drop_in_place$LT$alloc..vec..Vec$LT$alloc..string..String$GT$$GT$17h0123456789abcdefE";
    let full = "core::ptr::drop_in_place<alloc::vec::Vec<alloc::string::String>>";
    check(legacy, full, full, "core::ptr::drop_in_place");
    let hash = Demangle {
        detail: Detail::Full,
        rust_hash: RustHash::Keep,
        ..Demangle::default()
    };
    assert_eq!(
        hash.name(legacy).unwrap(),
        format!("{full}::h0123456789abcdef")
    );
    let name = "<alloc::vec::Vec<u8> as core::ops::Drop>::drop";
    let symbol = "_ZN61_$LT$alloc..vec..Vec$LT$u8$GT$$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE";
    check(
        symbol,
        name,
        name,
        "<alloc::vec::Vec as core::ops::Drop>::drop",
    );
    check(
        "_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE",
        "std::mem::align_of::<std::mem::Discriminant>",
        "std::mem::align_of::<std::mem::Discriminant>",
        "std::mem::align_of",
    );
    check(
        "_RNvC6_123foo3bar",
        "123foo::bar",
        "123foo::bar",
        "123foo::bar",
    );
}

#[test]
fn cpp() {
    check(
        "_ZN5space3fooEibc",
        "space::foo(int, bool, char)",
        "space::foo",
        "space::foo",
    );
    check(
        "__ZN5space3fooEibc",
        "space::foo(int, bool, char)",
        "space::foo",
        "space::foo",
    );
    check(
        "_ZNSt6vectorIiSaIiEE9push_backERKi",
        "std::vector<int, std::allocator<int> >::push_back(int const&)",
        "std::vector<int, std::allocator<int> >::push_back",
        "std::vector::push_back",
    );
    check(
        "_ZlsRSoRK1A",
        "operator<<(std::ostream&, A const&)",
        "operator<<",
        "operator<<",
    );
    check(
        "_ZN1AIiEltERKS0_",
        "A<int>::operator<(A<int> const&)",
        "A<int>::operator<",
        "A::operator<",
    );
    check(
        "_ZN1alsI1BEEvT_",
        "void a::operator<< <B>(B)",
        "a::operator<< <B>",
        "a::operator<<",
    );
    check(
        "_Z3addIiET_S0_S0_",
        "int add<int>(int, int)",
        "add<int>",
        "add",
    );
    check(
        "_ZN12_GLOBAL__N_11fEv",
        "(anonymous namespace)::f()",
        "(anonymous namespace)::f",
        "(anonymous namespace)::f",
    );
}

#[test]
fn go() {
    let name = "slices.Sort[go.shape.[]go.shape.int,go.shape.int].func1";
    let fold = Demangle {
        go_generics: GoGenerics::Fold,
        ..Demangle::default()
    };
    assert_eq!(fold.name(name).unwrap(), "slices.Sort[...].func1");
    assert_eq!(fold.name("a::operator[](int)"), None);
    assert_eq!(Demangle::default().name(name), None);
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
        "_start",
        "Z3foov",
        "_ZTV",
        "ä",
        "_Zä",
        "_Rä",
    ] {
        assert_eq!(Demangle::default().name(name), None, "{name}");
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
        for detail in [Detail::Full, Detail::NoParameters, Detail::NoTemplates] {
            let name = Demangle {
                detail,
                ..Demangle::default()
            }
            .name(symbol);
            assert!(name.is_none_or(|name| name.len() <= MAX_NAME_BYTES));
        }
    }
}
