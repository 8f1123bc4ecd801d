//! A tree as bytes (`PROFILE_FORMAT_TREE`).

use super::nodes::{Nodes, TreeNodes};
use super::walk::walk;
use crate::formats::protobuf::Writer;
use crate::tree::call_tree::CallTree;

/// Writes a tree: for each node the length of its name, the name, its self value and the number of
/// its children, then these; numbers are varints. Nodes come depth first, of siblings the last one
/// first. The root has an empty name. A tree without a value has no bytes.
///
/// A limit is that of [`super::flame_graph`].
pub fn tree_bytes(tree: &CallTree, max_nodes: usize) -> Vec<u8> {
    let nodes = TreeNodes::new(tree);
    let mut bytes = Vec::new();
    if nodes.total(0) == [0] {
        return bytes;
    }
    let mut out = Writer(&mut bytes);
    walk(&nodes, max_nodes, |node| {
        let name = if node.depth == 0 { "" } else { node.name };
        out.varint(name.len() as u64);
        out.0.extend_from_slice(name.as_bytes());
        out.varint(node.own[0].unsigned_abs());
        out.varint(node.children as u64);
    });
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::By;
    use crate::testing::profile;

    #[test]
    fn the_last_sibling_comes_first() {
        let bytes = |text: &str, max_nodes| {
            tree_bytes(&CallTree::new(&profile(text), 0, By::Name), max_nodes)
        };
        let text = "main;a 3\nmain;b 300\nmain 2\nz 1";
        let all = b"\0\0\x02\x01z\x01\0\x04main\x02\x02\x01b\xac\x02\0\x01a\x03\0";
        assert_eq!(bytes(text, 0), all);
        let two = b"\0\0\x02\x05other\x01\0\x04main\x02\x02\x05other\x03\0\x01b\xac\x02\0";
        assert_eq!(bytes(text, 2), two);
        assert_eq!(bytes("main 0", 2), b"");
    }
}
