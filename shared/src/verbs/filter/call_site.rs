//! Call site: the stacks that begin with given functions.

use hashbrown::HashMap;

use crate::model::address_name::location_name;
use crate::model::id::{FunctionId, LocationId};
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
    let begins = call_site_stacks(profile, names);
    let samples = choose_samples(&profile.samples, |row| {
        let stack = profile.samples.stacks[row];
        let kept = stack.map_or(names.is_empty(), |stack| begins[stack.index()]);
        kept.then_some(stack)
    });
    Filtered {
        matched: !samples.stacks.is_empty(),
        profile: with_samples(profile, samples),
    }
}

/// Which rows of the stack table begin with functions of these names.
pub(crate) fn call_site_stacks<S: AsRef<str>>(profile: &Profile, names: &[S]) -> Vec<bool> {
    let site = CallSite::new(profile, names);
    let rows = fold_rows(profile, Some(0), |agree: Option<usize>, location| {
        site.agree(agree?, location)
    });
    let all = Some(names.len());
    rows.into_iter().map(|agree| agree == all).collect()
}

/// The functions of a call site, and what a profile has of them, by numbers.
struct CallSite<'a> {
    profile: &'a Profile,
    /// Equal names have the same number.
    names: Vec<u32>,
    /// The number of each function's name, if it is one of these.
    functions: Vec<Option<u32>>,
    /// The same of each location that has no function, by its address.
    addresses: Vec<Option<u32>>,
}

impl<'a> CallSite<'a> {
    fn new<S: AsRef<str>>(profile: &'a Profile, names: &[S]) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let numbered = names.iter().zip(0..).map(|(name, number)| {
            let known = numbers.entry(name.as_ref());
            *known.or_insert(number)
        });
        let names = numbered.collect();
        let functions = (0..profile.functions.len()).map(|i| {
            numbers
                .get(profile.function_name(FunctionId::new(i)))
                .copied()
        });
        let address = |id: LocationId| {
            if numbers.is_empty() || functions_of(profile, id).next().is_some() {
                return None;
            }
            numbers.get(location_name(profile, id).as_str()).copied()
        };
        Self {
            names,
            functions: functions.collect(),
            addresses: profile.location_ids().map(address).collect(),
            profile,
        }
    }

    /// With how many of the names a stack begins whose caller begins with `agree` of them; `None`
    /// when one differs.
    fn agree(&self, agree: usize, location: LocationId) -> Option<usize> {
        let mut left = self.names[agree..].iter();
        let mut frames = functions_of(self.profile, location).peekable();
        if frames.peek().is_none() {
            let Some(&name) = left.next() else {
                return Some(agree);
            };
            return (self.addresses[location.index()] == Some(name)).then_some(agree + 1);
        }
        let mut agree = agree;
        for (function, &name) in frames.zip(left) {
            if self.functions[function.index()] != Some(name) {
                return None;
            }
            agree += 1;
        }
        Some(agree)
    }
}

/// The functions of a location, the outermost first.
fn functions_of(profile: &Profile, location: LocationId) -> impl Iterator<Item = FunctionId> {
    let lines = profile.lines(location).iter().rev();
    lines.filter_map(|line| line.function)
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
