//! Tries and trees written by their description: nodes in preorder, each with a name, a value and
//! a number of children.

use std::collections::BTreeMap;

/// Stacks as folded stacks have them, with their values.
pub type Stacks = BTreeMap<String, u64>;

/// A node without its children.
pub fn node(name: &[u8], value: u64, children: u64) -> Vec<u8> {
    let mut bytes = varint(name.len() as u64);
    bytes.extend(name);
    bytes.extend(varint(value));
    bytes.extend(varint(children));
    bytes
}

/// A number, seven bits a byte, the lowest first.
pub fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number /= 128;
    }
    bytes.push(number as u8);
    bytes
}

/// A trie: what stacks begin with alike is written once, even if that ends within a letter.
pub fn trie(stacks: &Stacks) -> Vec<u8> {
    let stacks: Vec<(&[u8], u64)> = stacks
        .iter()
        .map(|(stack, value)| (stack.as_bytes(), *value))
        .collect();
    let mut bytes = Vec::new();
    piece(b"", &stacks, &mut bytes);
    bytes
}

/// Writes a piece of a text and all that follows it, in order.
fn piece(name: &[u8], rests: &[(&[u8], u64)], bytes: &mut Vec<u8>) {
    let (own, rests) = match rests {
        [(b"", value), rests @ ..] => (*value, rests),
        rests => (0, rests),
    };
    let groups: Vec<&[(&[u8], u64)]> = rests.chunk_by(|(a, _), (b, _)| a[0] == b[0]).collect();
    bytes.extend(node(name, own, groups.len() as u64));
    for group in groups {
        let (first, last) = (group[0].0, group[group.len() - 1].0);
        let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let rests: Vec<(&[u8], u64)> = group
            .iter()
            .map(|(rest, value)| (&rest[common..], *value))
            .collect();
        piece(&first[..common], &rests, bytes);
    }
}

/// A tree: a frame in each node.
pub fn tree(stacks: &Stacks) -> Vec<u8> {
    #[derive(Default)]
    struct Frame<'a> {
        own: u64,
        called: BTreeMap<&'a str, Frame<'a>>,
    }

    fn write(name: &str, frame: &Frame<'_>, bytes: &mut Vec<u8>) {
        bytes.extend(node(name.as_bytes(), frame.own, frame.called.len() as u64));
        for (name, frame) in &frame.called {
            write(name, frame, bytes);
        }
    }

    let mut root = Frame::default();
    for (stack, value) in stacks {
        let mut frame = &mut root;
        for name in stack.split(';').filter(|name| !name.is_empty()) {
            frame = frame.called.entry(name).or_default();
        }
        frame.own += value;
    }
    let mut bytes = Vec::new();
    write("", &root, &mut bytes);
    bytes
}
