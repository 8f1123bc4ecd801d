//! Profiles for tests, drawn as text.

use pilotlight_core::{
    Function, Label, Line, Mapping, Profile, ProfileBuilder, StringId, SymbolFlags,
};

/// A profile from lines of `root;…;leaf value [value …] [key=text …]`, the first line naming the
/// types as `type/unit [type/unit …]`.
pub fn profile(text: &str) -> Profile {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut builder = ProfileBuilder::new();
    for word in lines.next().expect("a line of types").split(' ') {
        let (kind, unit) = word.split_once('/').expect("type/unit");
        builder.sample_type(kind, unit);
    }
    for line in lines {
        let mut words = line.split(' ');
        let names: Vec<&str> = words
            .next()
            .unwrap_or("")
            .split(';')
            .filter(|name| !name.is_empty())
            .collect();
        let (labels, values): (Vec<&str>, Vec<&str>) = words.partition(|word| word.contains('='));
        let mut labels: Vec<Label> = labels
            .into_iter()
            .map(|pair| {
                let (key, value) = pair.split_once('=').expect("the sign was just seen");
                builder.text_label(key, value)
            })
            .collect();
        let values: Vec<i64> = values
            .iter()
            .map(|v| v.parse().expect("a number"))
            .collect();
        let (stack, set) = (builder.named_stack(&names), builder.label_set(&mut labels));
        builder.sample(stack, set, &values);
    }
    builder.finish()
}

/// A profile that uses every field of the format at least once: inlined and folded locations, two
/// mappings, locations without lines, labels of both kinds, columns, all of the header, a negative
/// and an all-zero sample.
pub fn every_field() -> Profile {
    let mut b = ProfileBuilder::new();
    b.sample_type("alloc_objects", "count");
    b.sample_type("alloc_space", "bytes");
    let (file, build_id) = (b.string("/usr/bin/shop"), b.string("5fe1"));
    let symbols = SymbolFlags {
        functions: true,
        filenames: true,
        line_numbers: true,
        inline_frames: true,
    };
    let shop = b.mapping(Mapping {
        start: 0x40_0000,
        limit: 0x80_0000,
        offset: 0x1000,
        file,
        build_id,
        symbols,
    });
    let file = b.string("[vdso]");
    let none = SymbolFlags::default();
    let vdso = b.mapping(Mapping {
        start: u64::MAX - 4096,
        limit: u64::MAX,
        offset: 0,
        file,
        build_id: StringId::EMPTY,
        symbols: none,
    });
    let mut function = |name: &str, system: &str, file: &str, start_line: i64| {
        let (name, system_name, file) = (b.string(name), b.string(system), b.string(file));
        Some(b.function(Function {
            name,
            system_name,
            file,
            start_line,
        }))
    };
    let main = function("main.main", "main.main", "shop/main.go", 10);
    let place = function(
        "orders.(*Service).Place",
        "orders.(*Service).Place",
        "shop/orders.go",
        40,
    );
    let add = function("Cart::add(Item)", "_ZN4Cart3addE4Item", "shop/cart.cc", 0);
    let line = |function, line, column| Line {
        function,
        line,
        column,
    };
    let main = b.location(Some(shop), 0x40_1000, false, &[line(main, 12, 5)]);
    let inlined = b.location(
        Some(shop),
        0x40_2000,
        true,
        &[line(add, 7, 3), line(place, 55, 0)],
    );
    let same_lines_other_columns = b.location(
        Some(shop),
        0x40_2000,
        true,
        &[line(add, 7, 4), line(place, 55, 0)],
    );
    let nameless = b.location(Some(vdso), u64::MAX - 100, false, &[]);
    let nowhere = b.location(None, 0, false, &[]);
    let root = b.stack(None, main);
    let (one, two) = (
        b.stack(Some(root), inlined),
        b.stack(Some(root), same_lines_other_columns),
    );
    let recursive = b.stack(Some(one), inlined);
    let (odd, empty) = (b.stack(Some(root), nowhere), b.stack(Some(two), nameless));
    let mut text = vec![
        b.text_label("region", "eu"),
        b.text_label("controller", "slow ctl"),
    ];
    let text = b.label_set(&mut text);
    let mut number = vec![
        b.number_label("bytes", -64, "bytes"),
        b.text_label("bytes", "many"),
    ];
    let number = b.label_set(&mut number);
    b.sample(Some(one), text, &[1, 512]);
    b.sample(Some(two), number, &[i64::MAX, 0]);
    b.sample(Some(recursive), None, &[3, -7]);
    b.sample(Some(odd), None, &[0, 0]);
    b.sample(Some(empty), text, &[0, i64::MIN]);
    b.sample(None, None, &[4, 5]);
    let period_type = b.value_type("space", "bytes");
    let (comments, doc_url) = (
        vec![b.string("first"), b.string("second")],
        b.string("https://example.org/heap"),
    );
    let (drop_frames, keep_frames) = (b.string("runtime\\..*"), b.string("runtime\\.gc"));
    let default_sample_type = b.string("alloc_space");
    let h = b.header();
    (h.period_type, h.period, h.time_nanos, h.duration_nanos) = (
        Some(period_type),
        524_288,
        1_700_000_000_123_456_789,
        90_500_000_000,
    );
    (h.comments, h.doc_url, h.drop_frames, h.keep_frames) =
        (comments, doc_url, drop_frames, keep_frames);
    h.default_sample_type = default_sample_type;
    b.finish()
}
