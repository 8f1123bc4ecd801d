//! Call site: the stacks that begin with given functions.

use crate::model::address_name::address_name;
use crate::model::id::LocationId;
use crate::model::profile::Profile;
use crate::verbs::rewrite::{Filtered, choose_samples, fold_rows, with_samples};

/// Keeps the samples whose stacks begin, at the root, with functions of these names, one after the
/// other; the stacks stay whole. Without names all samples stay.
///
/// Names are those that a tree by name shows: inlined functions count one by one, a function without
/// a name has its system name, and a location without functions has that of its address.
///
/// Laws: what is kept is the subtree of the node at this path; applied twice it changes nothing
/// more.
pub fn call_site<S: AsRef<str>>(profile: &Profile, names: &[S]) -> Filtered {
    let rows = fold_rows(profile, Some(0), |agree: Option<usize>, location| {
        let agree = agree?;
        agrees(profile, location, &names[agree..]).map(|more| agree + more)
    });
    let samples = choose_samples(&profile.samples, |row| {
        let stack = profile.samples.stacks[row];
        let agree = stack.map_or(Some(0), |stack| rows[stack.index()]);
        (agree == Some(names.len())).then_some(stack)
    });
    Filtered {
        matched: !samples.stacks.is_empty(),
        profile: with_samples(profile, samples),
    }
}

/// How many of the names the frames of a location have, from the outermost one, until either ends;
/// `None` when they differ before.
fn agrees<S: AsRef<str>>(profile: &Profile, location: LocationId, names: &[S]) -> Option<usize> {
    let functions = profile
        .lines(location)
        .iter()
        .rev()
        .filter_map(|line| line.function);
    let (mut frames, mut agree) = (0, 0);
    for function in functions {
        frames += 1;
        let Some(name) = names.get(agree) else {
            return Some(agree);
        };
        let function = &profile.functions[function.index()];
        let shown = [function.name, function.system_name]
            .map(|id| profile.text(id))
            .into_iter()
            .find(|text| !text.is_empty());
        if shown.unwrap_or("?") != name.as_ref() {
            return None;
        }
        agree += 1;
    }
    match names.first() {
        Some(name) if frames == 0 => {
            let row = &profile.locations[location.index()];
            let mapping = row.mapping.map(|m| &profile.mappings[m.index()]);
            let module = mapping.map_or("", |mapping| profile.text(mapping.file));
            (address_name(row.address, module) == name.as_ref()).then_some(1)
        }
        _ => Some(agree),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree, Line, NodeId, ProfileBuilder};

    fn tree(profile: &Profile) -> CallTree {
        CallTree::new(profile, 0, By::Name)
    }

    #[test]
    fn keeps_the_prefix() {
        let p = profile("main;a;b 1\nmain;a 2\nmain;b;a 4\na;main 8\nmain 16\n 32");
        let check = |names: &[&str], expect: &str| {
            let kept = call_site(&p, names);
            assert_eq!(draw(&tree(&kept.profile)), expect, "{names:?}");
            assert_eq!(kept.matched, tree(&kept.profile).total() > 0);
            let again = call_site(&kept.profile, names);
            assert_eq!(draw(&tree(&again.profile)), expect, "{names:?}");
        };
        check(&["main", "a"], "total 3/0\n main 3/0\n  a 3/2\n   b 1/1\n");
        check(&["a"], "total 8/0\n a 8/0\n  main 8/8\n");
        check(&["b"], "total 0/0\n");
        check(&["main", "a", "b", "c"], "total 0/0\n");
        check(&["a\0main"], "total 0/0\n");
        check(&[], &draw(&tree(&p)));
    }

    /// Inlined functions, functions without a name, and addresses, by the names that the tree has.
    #[test]
    fn every_node_of_a_tree_can_be_asked_for() {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        let [name, other, system, file] =
            ["work", "inlined", "_Zwork", "/bin/app"].map(|text| b.string(text));
        let empty = crate::StringId::EMPTY;
        let functions = [
            (name, system),
            (other, empty),
            (empty, system),
            (empty, empty),
        ]
        .map(|(name, system_name)| {
            Some(b.function(crate::Function {
                name,
                system_name,
                file,
                start_line: 0,
            }))
        });
        let line = |function| Line {
            function,
            line: 1,
            column: 0,
        };
        let chains: [Vec<usize>; 4] = [vec![1, 0], vec![2], vec![3], vec![]];
        let mut stack = None;
        for (i, chain) in chains.iter().enumerate() {
            let lines: Vec<Line> = chain.iter().map(|&f| line(functions[f])).collect();
            let location = b.location(None, 16 * i as u64, false, &lines);
            stack = Some(b.stack(stack, location));
            b.sample(stack, None, &[1 << i]);
        }
        let p = b.finish();
        let all = tree(&p);
        assert_eq!(
            draw(&all),
            "total 15/0\n work 15/0\n  inlined 15/1\n   _Zwork 14/2\n    ? 12/4\n     0x30 8/8\n"
        );
        for node in (0..all.shape().len() as u32).map(NodeId) {
            let path = all.shape().path(node);
            let names: Vec<&str> = path[1..].iter().map(|&n| all.shape().name(n)).collect();
            let kept = call_site(&p, &names);
            assert_eq!(tree(&kept.profile).total(), all.total_value(node));
        }
    }
}
