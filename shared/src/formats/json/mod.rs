//! JSON read into columns: a value of its own for each item would take many times the text.

pub(crate) mod format;
pub(crate) mod misshapen;
mod scan;

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

/// Reads a list item by item, without keeping it.
pub(crate) fn each<'de, Item: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
    what: &'static str,
    take: impl FnMut(Item) -> Result<(), String>,
) -> Result<(), D::Error> {
    struct Each<Item, Take> {
        what: &'static str,
        take: Take,
        item: PhantomData<Item>,
    }

    impl<'de, Item, Take> Visitor<'de> for Each<Item, Take>
    where
        Item: Deserialize<'de>,
        Take: FnMut(Item) -> Result<(), String>,
    {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.what)
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
            while let Some(item) = items.next_element()? {
                (self.take)(item).map_err(A::Error::custom)?;
            }
            Ok(())
        }
    }

    deserializer.deserialize_seq(Each {
        what,
        take,
        item: PhantomData,
    })
}

/// How many lists and objects of a JSON text are nested at most.
pub(crate) fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut is_text) = (0usize, 0, false);
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_texts_do_not_count() {
        for (json, expect) in [
            ("7", 0),
            ("[]", 1),
            (r#"{"a":[{}],"b":[]}"#, 3),
            (r#"["[[{\"[",[1]]"#, 2),
        ] {
            assert_eq!(depth(json), expect, "{json}");
        }
    }
}
