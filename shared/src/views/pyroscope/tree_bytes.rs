//! A tree as bytes (`PROFILE_FORMAT_TREE`).

use super::budget::{MAX_NAMES, TooLarge};
use super::nodes::{Nodes, TreeNodes};
use super::walk::walk;
use crate::formats::protobuf::Writer;
use crate::tree::call_tree::CallTree;

/// Writes a tree: for each node the length of its name, the name, its self value and the number of
/// its children, then these; numbers are varints. Nodes come depth first, of siblings the last one
/// first. The root has an empty name. A tree without a value has no bytes.
///
/// A limit is that of [`super::flame_graph`]. Names stand there once for each node: a tree that would
/// have more than [`MAX_NAMES`] bytes is too large.
pub fn tree_bytes(tree: &CallTree, max_nodes: usize) -> Result<Vec<u8>, TooLarge> {
    let nodes = TreeNodes::new(tree);
    let mut bytes = Vec::new();
    if nodes.total(0) == [0] {
        return Ok(bytes);
    }
    let mut out = Writer(&mut bytes);
    let mut fits = true;
    walk(&nodes, max_nodes, |node| {
        let name = if node.depth == 0 { "" } else { node.name };
        fits &= out.0.len() + name.len() <= MAX_NAMES;
        if !fits {
            return;
        }
        out.varint(name.len() as u64);
        out.0.extend_from_slice(name.as_bytes());
        out.varint(node.own[0].unsigned_abs());
        out.varint(node.children as u64);
    });
    if fits {
        Ok(bytes)
    } else {
        Err(TooLarge::Names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::By;
    use crate::testing::profile;

    #[test]
    fn the_last_sibling_comes_first() {
        let bytes = |text: &str, max_nodes| {
            let tree = CallTree::new(&profile(text), 0, By::Name);
            tree_bytes(&tree, max_nodes).expect("small")
        };
        let text = "main;a 3\nmain;b 300\nmain 2\nz 1";
        let all = b"\0\0\x02\x01z\x01\0\x04main\x02\x02\x01b\xac\x02\0\x01a\x03\0";
        assert_eq!(bytes(text, 0), all);
        let two = b"\0\0\x02\x05other\x01\0\x04main\x02\x02\x05other\x03\0\x01b\xac\x02\0";
        assert_eq!(bytes(text, 2), two);
        assert_eq!(bytes("main 0", 2), b"");
    }

    #[test]
    fn a_long_name_at_many_nodes_is_too_large() {
        let long = "f".repeat(1 << 20);
        let stacks = |count: usize| (0..count).map(|i| format!("{i};{long} 1\n")).collect();
        let bytes = |count, max_nodes| {
            let text: String = stacks(count);
            tree_bytes(&CallTree::new(&profile(&text), 0, By::Name), max_nodes)
        };
        assert_eq!(bytes(15, 0).map(|bytes| bytes.len() >> 20), Ok(15));
        assert_eq!(bytes(16, 0), Err(TooLarge::Names));
        let few = bytes(16, 8).expect("folded");
        assert!(few.len() < 8 << 20);
    }
}
