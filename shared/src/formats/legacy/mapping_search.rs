//! Which mapping an address belongs to, with the repairs that old memory maps need.

use super::maps::Entry;

/// Where the main program of 64-bit Linux used to begin.
const MAIN_START: u64 = 0x40_0000;

/// Stands for no mapping in the search tree.
const NONE: u32 = u32::MAX;

/// The mappings of a program, and the search among them.
///
/// The rules are those of `go tool pprof`: of several mappings that hold an address the first
/// counts; an address that lies in front of a mapping by less than its offset belongs to it too,
/// and stretches it (old profilers left out the first part of a file that was mapped in parts); an
/// address that lies nowhere gets a mapping that holds everything. Each address costs a binary
/// search, however many mappings overlap.
pub(super) struct MappingSearch {
    entries: Vec<Entry>,
    /// Bounds of all mappings, stretched or not: the leaves of the tree, in order.
    points: Vec<u64>,
    /// For each node, the first mapping that holds all of it.
    holds: Vec<u32>,
    /// For each node, the mappings that would hold all of it if they were stretched, the first one
    /// last.
    could_hold: Vec<Vec<u32>>,
    everywhere: Option<u32>,
}

impl MappingSearch {
    pub(super) fn new(entries: Vec<Entry>) -> Self {
        let mut entries = main_first(joined(entries));
        // A program remapped onto huge pages has its name on the second mapping only.
        if let [first, second, ..] = &entries[..]
            && first.file.starts_with("/anon_hugepage")
            && first.limit == second.start
        {
            entries.remove(0);
        }
        if let Some(main) = entries.first_mut()
            && main.start.wrapping_sub(main.offset) == MAIN_START
        {
            (main.start, main.offset) = (MAIN_START, 0);
        }
        let mut points: Vec<u64> = entries
            .iter()
            .flat_map(|entry| [Some(entry.start), Some(entry.limit), stretched(entry)])
            .flatten()
            .collect();
        points.sort_unstable();
        points.dedup();
        let nodes = points.len().next_power_of_two() * 2;
        let mut mappings = Self {
            entries,
            points,
            holds: vec![NONE; nodes],
            could_hold: vec![Vec::new(); nodes],
            everywhere: None,
        };
        for i in (0..mappings.entries.len()).rev() {
            let Entry { start, limit, .. } = mappings.entries[i];
            mappings.hold(start, limit, i as u32);
            if let Some(from) = stretched(&mappings.entries[i]) {
                for node in mappings.nodes(from, start) {
                    mappings.could_hold[node].push(i as u32);
                }
            }
        }
        mappings
    }

    /// The mapping of an address; address 0 has none.
    pub(super) fn mapping_of(&mut self, address: u64) -> Option<u32> {
        if address == 0 {
            return None;
        }
        let leaf = self
            .points
            .partition_point(|&point| point <= address)
            .checked_sub(1);
        let leaf = leaf.map_or(0, |leaf| leaf + self.holds.len() / 2);
        let path = || {
            std::iter::successors(Some(leaf), |node| Some(node / 2)).take_while(|&node| node > 0)
        };
        let holder = path()
            .map(|node| self.holds[node])
            .min()
            .filter(|&holder| holder != NONE);
        if holder.is_some() {
            return holder;
        }
        // What holds everything holds all but the last address.
        if let Some(everywhere) = self.everywhere.filter(|_| address != u64::MAX) {
            return Some(everywhere);
        }
        let mut first = NONE;
        for node in path() {
            let waiting = &mut self.could_hold[node];
            while waiting
                .last()
                .is_some_and(|&i| self.entries[i as usize].offset == 0)
            {
                waiting.pop();
            }
            first = waiting.last().map_or(first, |&i| first.min(i));
        }
        if first == NONE {
            let next = self.entries.len() as u32;
            return Some(*self.everywhere.get_or_insert_with(|| {
                self.entries.push(Entry::everywhere());
                next
            }));
        }
        let entry = &mut self.entries[first as usize];
        // A damaged map may have the limit in front.
        let end = entry.start.min(entry.limit);
        entry.start -= entry.offset;
        entry.offset = 0;
        let start = entry.start;
        self.hold(start, end, first);
        Some(first)
    }

    /// The mappings as they are now.
    pub(super) fn finish(self) -> Vec<Entry> {
        self.entries
    }

    fn hold(&mut self, start: u64, end: u64, entry: u32) {
        for node in self.nodes(start, end) {
            self.holds[node] = self.holds[node].min(entry);
        }
    }

    /// The nodes that make up a range between two points: at most two a level.
    fn nodes(&self, start: u64, end: u64) -> Vec<usize> {
        let leaf = |point: u64| self.points.partition_point(|&p| p < point) + self.holds.len() / 2;
        let (mut low, mut high) = (leaf(start), leaf(end));
        let mut nodes = Vec::new();
        while low < high {
            if low % 2 == 1 {
                nodes.push(low);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                nodes.push(high);
            }
            (low, high) = (low / 2, high / 2);
        }
        nodes
    }
}

/// Where a mapping would begin if it began with its file; `None` when it does already, or cannot.
fn stretched(entry: &Entry) -> Option<u64> {
    entry
        .start
        .checked_sub(entry.offset)
        .filter(|_| entry.offset != 0)
}

/// Neighbours that are parts of one mapping become one.
fn joined(entries: Vec<Entry>) -> Vec<Entry> {
    let mut joined: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        match joined.last_mut().filter(|last| continues(last, &entry)) {
            None => joined.push(entry),
            Some(last) => {
                last.limit = entry.limit;
                if !entry.file.is_empty() {
                    last.file = entry.file;
                }
                if !entry.build_id.is_empty() {
                    last.build_id = entry.build_id;
                }
            }
        }
    }
    joined
}

/// Whether a mapping goes on where another ends: in the address space, and, as far as is known, in
/// the same file.
fn continues(first: &Entry, second: &Entry) -> bool {
    let agree = |a: &str, b: &str| a.is_empty() || b.is_empty() || a == b;
    let file_goes_on = first.offset == 0
        || second.offset == 0
        || first
            .offset
            .wrapping_add(first.limit)
            .wrapping_sub(first.start)
            == second.offset;
    agree(&first.file, &second.file)
        && agree(&first.build_id, &second.build_id)
        && first.limit == second.start
        && file_goes_on
}

/// The program goes to the front: the first file that is no library and nothing of the kernel's.
fn main_first(mut entries: Vec<Entry>) -> Vec<Entry> {
    let is_main = |entry: &Entry| {
        let file = entry.file.replace("(deleted)", "");
        let file = file.trim();
        !(file.is_empty() || file.starts_with('[') || is_library(file))
    };
    if let Some(main) = entries.iter().position(is_main) {
        entries.swap(0, main);
    }
    entries
}

/// `libc.so`, `libc.so.6`, `libc.so_6`.
fn is_library(file: &str) -> bool {
    let stem = file.trim_end_matches(|c: char| c.is_ascii_digit());
    let versioned = stem.len() < file.len() && (stem.ends_with(".so.") || stem.ends_with(".so_"));
    versioned || file.ends_with(".so")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(start: u64, limit: u64, offset: u64, file: &str) -> Entry {
        Entry {
            start,
            limit,
            offset,
            file: file.to_owned(),
            build_id: String::new(),
        }
    }

    fn draw(entries: &[Entry]) -> Vec<String> {
        entries
            .iter()
            .map(|e| format!("{:x}-{:x} {:x} {}", e.start, e.limit, e.offset, e.file))
            .collect()
    }

    #[test]
    fn neighbours_are_joined_and_the_program_comes_first() {
        let entries = vec![
            entry(0x10, 0x20, 0, "/lib/libc.so.6"),
            entry(0x20, 0x30, 0, "[vdso]"),
            entry(0x34, 0x40, 0x100, ""),
            entry(0x40, 0x50, 0x10c, "/bin/app (deleted)"),
            entry(0x50, 0x60, 0x999, "/bin/app (deleted)"),
        ];
        let expect = [
            "34-50 100 /bin/app (deleted)",
            "20-30 0 [vdso]",
            "10-20 0 /lib/libc.so.6",
            "50-60 999 /bin/app (deleted)",
        ];
        assert_eq!(draw(&MappingSearch::new(entries).finish()), expect);
    }

    #[test]
    fn the_program_is_mended() {
        let entries = vec![
            entry(0x40_0000, 0x50_0000, 0, "/anon_hugepage (deleted)"),
            entry(0x50_0000, 0x60_0000, 0, "/bin/app"),
        ];
        assert_eq!(
            draw(&MappingSearch::new(entries).finish()),
            ["500000-600000 0 /bin/app"]
        );
        let entries = vec![entry(0x40_5000, 0x60_0000, 0x5000, "/bin/app")];
        assert_eq!(
            draw(&MappingSearch::new(entries).finish()),
            ["400000-600000 0 /bin/app"]
        );
    }

    #[test]
    fn an_address_finds_its_mapping() {
        let mut mappings = MappingSearch::new(vec![
            entry(0x1000, 0x2000, 0x800, "/bin/app"),
            entry(0x3000, 0x4000, 0, "/lib/a.so"),
        ]);
        let found: Vec<_> = [0, 0x3fff, 0x1000, 0xfff, 0x7ff, 0x2000, u64::MAX]
            .map(|address| mappings.mapping_of(address))
            .into();
        assert_eq!(
            found,
            [None, Some(1), Some(0), Some(0), Some(2), Some(2), Some(2)]
        );
        assert_eq!(
            draw(&mappings.finish()),
            [
                "800-2000 0 /bin/app",
                "3000-4000 0 /lib/a.so",
                "0-ffffffffffffffff 0 "
            ]
        );
        assert_eq!(MappingSearch::new(Vec::new()).mapping_of(5), Some(0));
    }

    /// The rules as they are said, one mapping after the other.
    fn plainly(entries: &mut Vec<Entry>, everywhere: &mut bool, address: u64) -> Option<u32> {
        if address == 0 {
            return None;
        }
        let holds = |e: &Entry| e.start <= address && address < e.limit;
        let could = |e: &Entry| {
            e.offset != 0 && e.start.wrapping_sub(e.offset) <= address && address < e.start
        };
        if let Some(i) = entries.iter().position(holds) {
            return Some(i as u32);
        }
        if let Some(i) = entries.iter().position(could) {
            entries[i].start -= entries[i].offset;
            entries[i].offset = 0;
            return Some(i as u32);
        }
        if !*everywhere {
            *everywhere = true;
            entries.push(Entry::everywhere());
        }
        entries
            .iter()
            .position(|e| *e == Entry::everywhere())
            .map(|i| i as u32)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn the_tree_agrees_with_the_rules(
            ranges in prop::collection::vec((0u64..40, 0u64..40, 0u64..12), 0..8),
            addresses in prop::collection::vec(0u64..45, 0..40),
        ) {
            // Distinct libraries, so that nothing is joined or moved.
            let entries: Vec<Entry> = ranges
                .iter()
                .enumerate()
                .map(|(i, &(start, limit, offset))| entry(start, limit, offset, &format!("/lib/{i}.so")))
                .collect();
            let mut mappings = MappingSearch::new(entries.clone());
            let (mut plain, mut everywhere) = (entries, false);
            for address in addresses {
                prop_assert_eq!(mappings.mapping_of(address), plainly(&mut plain, &mut everywhere, address), "{}", address);
            }
            prop_assert_eq!(draw(&mappings.finish()), draw(&plain));
        }
    }
}
