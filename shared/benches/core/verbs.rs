//! Verbs on profiles: each with a pattern that matches about a thousandth of the functions, as
//! people search.

use std::hint::black_box;

use criterion::{BenchmarkGroup, measurement::WallTime};
use pilotlight_core::Profile;
use pilotlight_core::verbs::{
    FramePattern, Granularity, Ratio, Recursion, TagPattern, collapse_recursion, focus, group,
    hide, ignore, ignore_tags, prune_from, scale, show, show_from,
};

/// Adds the verbs to a profile's group.
pub(crate) fn measure(group_of: &mut BenchmarkGroup<'_, WallTime>, profile: &Profile) {
    let total = profile.total(0);
    println!(
        "{} stack rows, {} samples",
        profile.stacks().len(),
        profile.len()
    );
    let pattern = |text| FramePattern::new(text).expect("a valid pattern");
    let (literal, regex) = (pattern("Type99"), pattern("widget/.*Type99[0-9]"));
    let kept = focus(profile, &literal).profile.total(0);
    assert_eq!(kept + ignore(profile, &literal).profile.total(0), total);
    assert!(kept > 0 && hide(profile, &literal).profile.total(0) == total);
    let mut bench = |name: &str, verb: &dyn Fn(&Profile) -> Profile| {
        group_of.bench_function(name, |b| {
            b.iter_with_large_drop(|| verb(black_box(profile)))
        });
    };
    bench("focus", &|p| focus(p, &literal).profile);
    bench("focus_regex", &|p| focus(p, &regex).profile);
    bench("hide", &|p| hide(p, &literal).profile);
    bench("show", &|p| show(p, &literal).profile);
    bench("show_from", &|p| show_from(p, &literal).profile);
    bench("prune_from", &|p| prune_from(p, &literal).profile);
    let tag = TagPattern::new("region=eu").expect("a valid pattern");
    bench("ignore_tags", &|p| ignore_tags(p, &tag).profile);
    bench("collapse_direct", &|p| {
        collapse_recursion(p, Recursion::Direct).expect("few frames")
    });
    bench("collapse_cycles", &|p| {
        collapse_recursion(p, Recursion::Cycles).expect("few frames")
    });
    bench("group_function", &|p| group(p, Granularity::Function));
    bench("group_package", &|p| group(p, Granularity::Package));
    let ratio = Ratio::new(1, 3).expect("not zero");
    bench("scale", &|p| scale(p, 1, ratio).profile);
}
