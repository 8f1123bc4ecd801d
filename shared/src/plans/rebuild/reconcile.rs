//! Which of the objects in a bucket count, judged by the objects alone.
//!
//! A bucket can hold more than its catalog did: sources that a block replaced and that are not
//! deleted yet, and the outputs of jobs that died before their commit. Two rules tell them apart.
//!
//! - Of blocks that were made of a same object, the ones of the later lease count. A lease is only
//!   given when the one before has ended, and its sources are those that the catalog holds then:
//!   had the earlier job been committed, its sources would not have been there for the later.
//! - What a counting block was made of does not count.
//!
//! A job may make several blocks, its partitions, which are committed together. While a source of a
//! job stands there, and so its commit may not have happened, the partitions count only when all
//! are there. Once the sources are deleted it has happened, and a partition that is missing was
//! deleted later, by itself.

use std::hash::Hash;

use hashbrown::HashSet;

use crate::base::sort::sort_by;
use crate::store::Partition;

/// A block, as far as the judgement needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockFacts<K> {
    /// Its name.
    pub(super) key: K,
    /// The token of the lease under which it was written.
    pub(super) token: u64,
    /// Which of the blocks under that lease it is.
    pub(super) partition: Partition,
    /// What it replaces, by name or otherwise: nothing for a summary.
    pub(super) made_of: Vec<K>,
    /// What it sums up and does not replace.
    pub(super) summarizes: Vec<K>,
    /// Whether one of the objects that it replaces or sums up stands in the bucket.
    pub(super) sources_left: bool,
}

/// Names of the blocks that count, and of objects that they replace.
pub(super) fn reconcile<K: Clone + Ord + Hash>(
    mut blocks: Vec<BlockFacts<K>>,
) -> (HashSet<K>, HashSet<K>) {
    // Later leases first, so that whatever claims a source first is right.
    sort_by(&mut blocks, |a, b| {
        b.token.cmp(&a.token).then_with(|| a.key.cmp(&b.key))
    });
    let (summaries, blocks): (Vec<_>, Vec<_>) = blocks
        .into_iter()
        .partition(|block| !block.summarizes.is_empty());
    let (mut counting, mut replaced) = (HashSet::new(), HashSet::new());
    for job in blocks.chunk_by(BlockFacts::of_one_job) {
        let sources = || job.iter().flat_map(|block| &block.made_of);
        // What is replaced by now was committed before.
        let committed = job.iter().any(|block| replaced.contains(&block.key));
        if !committed && (!is_whole(job) || sources().any(|source| replaced.contains(source))) {
            continue;
        }
        counting.extend(
            job.iter()
                .map(|block| &block.key)
                .filter(|&key| !replaced.contains(key))
                .cloned(),
        );
        replaced.extend(sources().cloned());
    }
    let mut summarized: HashSet<&K> = HashSet::new();
    for job in summaries.chunk_by(BlockFacts::of_one_job) {
        let sources = || job.iter().flat_map(|block| &block.summarizes);
        // A source that was rewritten, after a deletion, leaves its summary wrong; one that expired
        // does not.
        if is_whole(job)
            && sources().all(|source| !replaced.contains(source) && !summarized.contains(source))
        {
            summarized.extend(sources());
            counting.extend(job.iter().map(|block| block.key.clone()));
        }
    }
    (counting, replaced)
}

impl<K> BlockFacts<K> {
    fn of_one_job(&self, other: &Self) -> bool {
        self.token == other.token
            && self.partition.count == other.partition.count
            && self.partition.count > 1
    }
}

/// Whether the blocks of a job were committed, as far as they themselves tell.
fn is_whole<K>(job: &[BlockFacts<K>]) -> bool {
    job.first()
        .is_some_and(|first| job.len() as u64 == u64::from(first.partition.count))
        || job.iter().all(|block| !block.sources_left)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks as `name token <- sources` or `name token + summarized`; a token of `3:0/2` is that of a
    /// partition. Sources in brackets stand in the bucket.
    fn blocks(text: &str) -> Vec<BlockFacts<String>> {
        let block = |line: &str| {
            let mut words = line.split_whitespace().map(str::to_owned);
            let (key, token) = (words.next().unwrap(), words.next().unwrap());
            let (token, partition) = token.split_once(':').unwrap_or((&token, "0/1"));
            let (number, count) = partition.split_once('/').unwrap();
            let partition = Partition {
                number: number.parse().unwrap(),
                count: count.parse().unwrap(),
            };
            let sums = words.next().unwrap() == "+";
            let (of, none): (Vec<String>, _) = (words.collect(), Vec::new());
            let sources_left = of.iter().any(|source| source.starts_with('['));
            let of = of
                .into_iter()
                .map(|source| source.trim_matches(['[', ']']).to_owned())
                .collect();
            let (made_of, summarizes) = if sums { (none, of) } else { (of, none) };
            BlockFacts {
                key,
                token: token.parse().unwrap(),
                partition,
                made_of,
                summarizes,
                sources_left,
            }
        };
        text.lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(block)
            .collect()
    }

    fn check(text: &str, expect: &str) {
        let (counting, _) = reconcile(blocks(text));
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
        let (_, replaced) = reconcile(blocks("a 1 <- s1 \n c 3 <- a"));
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
    #[test]
    fn shares_count_together() {
        check("a 2:0/2 <- [s1] [s2] \n b 2:1/2 <- [s1] [s2]", "a b");
        // The job died, or ended and its sources are gone.
        check("a 2:0/2 <- [s1] [s2]", "");
        check("a 2:0/2 <- s1 [s2]", "");
        check("b 2:1/2 <- s1 s2", "b");
        // Another job over a source: the first one died.
        check("a 2:0/2 <- s1 s2 \n b 2:1/2 <- s1 s2 \n c 3 <- s2", "c");
        // One of them was rewritten since.
        check("a 2:0/3 <- [s1] \n b 2:1/3 <- [s1] \n c 4 <- [b]", "a c");
        check("a 2:0/2 <- s1 \n c 4 <- b", "a c");
        // The same token in a lost database's next life is no partition.
        check("a 2 <- s1 \n b 2 <- s2", "a b");
    }

    #[test]
    fn shares_of_summaries() {
        let sources = "a 1 <- s1 \n b 1 <- s2";
        check(
            &format!("{sources} \n c 3:0/2 + [a] [b] \n d 3:1/2 + [b]"),
            "a b c d",
        );
        check(&format!("{sources} \n c 3:0/2 + [a] [b]"), "a b");
        check("d 3:1/2 + b", "d");
        // The later one's partitions have sources in common, which no other's may.
        check(
            &format!("{sources} \n c 3:0/2 + [a] [b] \n d 3:1/2 + [b] \n e 4 + [b]"),
            "a b e",
        );
    }
}
