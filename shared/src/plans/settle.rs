//! Which of the objects in a bucket count, judged by the objects alone.
//!
//! A bucket can hold more than its catalog did: sources that a block replaced and that are not deleted yet, and the
//! outputs of jobs that died before their commit. Two rules tell them apart.
//!
//! - Of blocks that were made of a same object, the one of the later lease counts. A lease is only given when the one
//!   before has ended, and its sources are those that the catalog holds then: had the earlier job been committed, its
//!   sources would not have been there for the later.
//! - What a counting block was made of does not count.

use std::hash::Hash;

use hashbrown::HashSet;

use crate::sort::sort_by;

/// A block, as far as the judgement needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockFacts<K> {
    /// Its name.
    pub(super) key: K,
    /// The token of the lease under which it was written.
    pub(super) token: u64,
    /// What it replaces, by name or otherwise: nothing for a summary.
    pub(super) made_of: Vec<K>,
    /// What it sums up and does not replace.
    pub(super) sums_of: Vec<K>,
}

/// Names of the blocks that count, and of objects that they replace.
pub(super) fn settle<K: Clone + Ord + Hash>(mut blocks: Vec<BlockFacts<K>>) -> (HashSet<K>, HashSet<K>) {
    // Later leases first, so that whatever claims a source first is right.
    sort_by(&mut blocks, |a, b| b.token.cmp(&a.token).then_with(|| a.key.cmp(&b.key)));
    let (mut counting, mut replaced) = (HashSet::new(), HashSet::new());
    for block in blocks.iter().filter(|block| block.sums_of.is_empty()) {
        if replaced.contains(&block.key) || block.made_of.iter().any(|source| replaced.contains(source)) {
            // What was committed and is replaced by now replaced its own sources before.
            if replaced.contains(&block.key) {
                replaced.extend(block.made_of.iter().cloned());
            }
            continue;
        }
        counting.insert(block.key.clone());
        replaced.extend(block.made_of.iter().cloned());
    }
    let mut summed: HashSet<&K> = HashSet::new();
    for summary in blocks.iter().filter(|block| !block.sums_of.is_empty()) {
        // A source that was rewritten, after a deletion, leaves its summary wrong; one that expired does not.
        let sound = summary.sums_of.iter().all(|source| !replaced.contains(source) && !summed.contains(source));
        if sound {
            summed.extend(&summary.sums_of);
            counting.insert(summary.key.clone());
        }
    }
    (counting, replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks as `name token <- sources` or `name token + summed`.
    fn blocks(text: &str) -> Vec<BlockFacts<String>> {
        let block = |line: &str| {
            let mut words = line.split_whitespace().map(str::to_owned);
            let (key, token) = (words.next().unwrap(), words.next().unwrap().parse().unwrap());
            let sums = words.next().unwrap() == "+";
            let (of, none) = (words.collect(), Vec::new());
            let (made_of, sums_of) = if sums { (none, of) } else { (of, none) };
            BlockFacts { key, token, made_of, sums_of }
        };
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(block).collect()
    }

    fn check(text: &str, expect: &str) {
        let (counting, _) = settle(blocks(text));
        let mut counting: Vec<_> = counting.into_iter().collect();
        counting.sort();
        assert_eq!(counting.join(" "), expect, "{text}");
    }

    #[test]
    fn the_later_lease_counts() {
        check("a 1 <- s1 s2", "a");
        check("a 1 <- s1 s2 \n b 2 <- s1 s2 s3", "b");
        check("a 1 <- s1 s2 \n b 2 <- s2 s3", "b");
        check("a 1 <- s1 s2 \n b 2 <- s3", "a b");
        check("a 1 <- s1 \n b 2 <- s2 \n c 3 <- a b", "c");
    }

    #[test]
    fn a_dead_job_over_blocks() {
        // c died, d did the work of c and more.
        check("a 1 <- s1 \n b 2 <- s2 \n c 3 <- a \n d 4 <- a b", "d");
        // The sources of a are gone from the list of c, and still replaced.
        let (_, replaced) = settle(blocks("a 1 <- s1 \n c 3 <- a"));
        assert!(replaced.contains("s1") && replaced.contains("a"));
        // e died over s1 and s2, then a was made of s1 alone and c of a: e must not come back.
        check("e 1 <- s1 s2 \n a 2 <- s1 \n c 3 <- a", "c");
    }

    #[test]
    fn summaries() {
        check("a 1 <- s1 \n b 2 <- s2 \n d 3 + a b", "a b d");
        check("a 1 <- s1 \n d 3 + a b", "a d");
        check("d 3 + a b", "d");
        // a was rewritten as c.
        check("a 1 <- s1 \n b 2 <- s2 \n d 3 + a b \n c 4 <- a", "b c");
        check("a 1 <- s1 \n d 3 + a \n e 4 + a", "a e");
    }
}
