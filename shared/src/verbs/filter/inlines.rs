//! Inlined calls as part of their callers.

use crate::model::profile::Profile;
use crate::verbs::rewrite::{Filtered, keep_lines, with_tables};

/// Takes out inlined calls, as pprof's `-noinlines` does: of each location only the outermost line
/// stays, so what an inlined call cost is its caller's own.
///
/// Laws: totals stay; applied twice it changes nothing more.
pub fn hide_inlined(profile: &Profile) -> Filtered {
    let outermost = |id| profile.lines(id).len().saturating_sub(1);
    let (lines, locations) = keep_lines(profile, |id, i| i == outermost(id));
    let matched = lines.len() < profile.lines.len();
    let (stacks, samples) = (profile.stacks.clone(), profile.samples.clone());
    Filtered {
        profile: with_tables(profile, stacks, lines, locations, samples),
        matched,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::profile::Line;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree, Function, ProfileBuilder, StringId};

    #[test]
    fn the_caller_has_what_was_inlined_into_it() {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        let line = |b: &mut ProfileBuilder, name: &str| {
            let name = b.string(name);
            let function = b.function(Function::named(name, StringId::EMPTY));
            Line::of(function, 1)
        };
        // The innermost first: `add` and `sum` were inlined into `main`.
        let lines = ["add", "sum", "main"].map(|name| line(&mut b, name));
        let location = b.location(None, 1, false, &lines);
        let stack = b.stack(None, location);
        b.sample(Some(stack), None, &[3]);
        let p = b.finish();
        let hidden = hide_inlined(&p);
        assert!(hidden.matched);
        let tree = CallTree::new(&hidden.profile, 0, By::Name);
        assert_eq!(draw(&tree), "total 3/0\n main 3/3\n");
        assert!(!hide_inlined(&hidden.profile).matched);
        assert!(!hide_inlined(&profile("a;b 1")).matched);
    }
}
