//! Recordings of JDK's kind, written value by value, for tests and as seeds of the fuzzer.

mod every_event;

use std::collections::HashMap;

pub use every_event::every_event;

/// How the integers of a chunk are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integers {
    /// Seven bits a byte.
    Compressed,
    /// Big-endian.
    Raw,
}

/// A value of an event or of a constant.
#[derive(Clone, Debug)]
pub enum Value {
    /// A `long`, or the key of a constant.
    Long(u64),
    /// An `int`.
    Int(i32),
    /// A `boolean` or a `byte`.
    Byte(u8),
    /// A text as UTF-8.
    Utf8(&'static str),
    /// A text as UTF-16.
    Utf16(&'static str),
    /// A text of one byte a character.
    Latin1(&'static str),
    /// A text of the pool of texts.
    TextOf(u64),
    /// How many, and these.
    Array(Vec<Vec<Value>>),
    /// Bytes as they are.
    Bytes(Vec<u8>),
}

/// A field of a class: its name, the id of its class, and attributes of the metadata.
pub type Field = (&'static str, u64, &'static [(&'static str, &'static str)]);

/// That the value of a field is the key of a constant.
pub const POOL: &[(&str, &str)] = &[("constantPool", "true")];
/// That a field has several values.
pub const ARRAY: &[(&str, &str)] = &[("dimension", "1")];

/// Ids of classes.
pub const INT: u64 = 1;
/// See [`INT`].
pub const LONG: u64 = 2;
/// See [`INT`].
pub const BOOLEAN: u64 = 3;
/// See [`INT`].
pub const TEXT: u64 = 4;
/// See [`INT`].
pub const SYMBOL: u64 = 5;
/// See [`INT`].
pub const CLASS: u64 = 6;
/// See [`INT`].
pub const METHOD: u64 = 7;
/// See [`INT`].
pub const TRACE: u64 = 8;
/// See [`INT`].
pub const FRAME: u64 = 9;
/// See [`INT`].
pub const STATE: u64 = 10;
/// The first id that is free.
pub const FREE: u64 = 11;

/// One pool of constants: class, and key and values of each.
pub type Pool = (u64, Vec<(u64, Vec<Value>)>);

/// A chunk to be written.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// How its integers are written.
    pub integers: Integers,
    /// Of its clock, by its header.
    pub ticks_per_second: u64,
    /// Id, name and fields.
    pub classes: Vec<(u64, &'static str, Vec<Field>)>,
    /// Pools that one event of constants holds; each event leads to the one before.
    pub pools: Vec<Vec<Pool>>,
    /// Class and values.
    pub events: Vec<(u64, Vec<Value>)>,
}

impl Chunk {
    /// With the classes of stacks.
    pub fn new(integers: Integers) -> Self {
        let classes = vec![
            (INT, "int", vec![]),
            (LONG, "long", vec![]),
            (BOOLEAN, "boolean", vec![]),
            (TEXT, "java.lang.String", vec![]),
            (SYMBOL, "jdk.types.Symbol", vec![("string", TEXT, &[][..])]),
            (CLASS, "java.lang.Class", vec![("name", SYMBOL, POOL)]),
            (
                METHOD,
                "jdk.types.Method",
                vec![("type", CLASS, POOL), ("name", SYMBOL, POOL)],
            ),
            (
                FRAME,
                "jdk.types.StackFrame",
                vec![("method", METHOD, POOL), ("lineNumber", INT, &[])],
            ),
            (
                TRACE,
                "jdk.types.StackTrace",
                vec![("truncated", BOOLEAN, &[]), ("frames", FRAME, ARRAY)],
            ),
            (STATE, "jdk.types.ThreadState", vec![("name", TEXT, &[])]),
        ];
        Self {
            integers,
            ticks_per_second: 1_000_000_000,
            classes,
            pools: Vec::new(),
            events: Vec::new(),
        }
    }

    /// The bytes of the chunk.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = vec![0; 68];
        for (class, values) in &self.events {
            self.event(&mut bytes, *class, values);
        }
        let mut last = None;
        let none = vec![Vec::new()];
        let pools = if self.pools.is_empty() {
            &none
        } else {
            &self.pools
        };
        for pools in pools {
            let at = bytes.len() as u64;
            let delta = last.map_or(0, |last: u64| last.wrapping_sub(at));
            self.event(&mut bytes, 1, &self.constants(delta, pools));
            last = Some(at);
        }
        let metadata = bytes.len() as u64;
        self.event(&mut bytes, 0, &self.metadata());
        let size = bytes.len() as u64;
        let flags = u32::from(self.integers == Integers::Compressed);
        let mut header = b"FLR\0\0\x02\0\x01".to_vec();
        let (start, duration) = (1_700_000_000_000_000_000, 10_000_000_000);
        for number in [
            size,
            last.expect("one pool at least"),
            metadata,
            start,
            duration,
            0,
            self.ticks_per_second,
        ] {
            header.extend(number.to_be_bytes());
        }
        header.extend(flags.to_be_bytes());
        bytes[..68].copy_from_slice(&header);
        bytes
    }

    fn constants(&self, delta: u64, pools: &[Pool]) -> Vec<Value> {
        let mut values = vec![
            Value::Long(0),
            Value::Long(0),
            Value::Long(delta),
            Value::Byte(0),
            Value::Int(pools.len() as i32),
        ];
        for (class, constants) in pools {
            values.extend([Value::Long(*class), Value::Int(constants.len() as i32)]);
            for (key, constant) in constants {
                values.push(Value::Long(*key));
                values.extend(constant.clone());
            }
        }
        values
    }

    fn metadata(&self) -> Vec<Value> {
        let mut texts: Vec<String> = Vec::new();
        let mut known: HashMap<String, i32> = HashMap::new();
        let mut index = |text: &str| {
            Value::Int(*known.entry(text.to_owned()).or_insert_with(|| {
                texts.push(text.to_owned());
                texts.len() as i32 - 1
            }))
        };
        let mut tree = Vec::new();
        let mut element = |name: &str, attributes: &[(&str, &str)], children: usize| {
            tree.extend([index(name), Value::Int(attributes.len() as i32)]);
            for (key, value) in attributes {
                tree.extend([index(key), index(value)]);
            }
            tree.push(Value::Int(children as i32));
        };
        element("root", &[], 1);
        element("metadata", &[], self.classes.len());
        for (id, name, fields) in &self.classes {
            let id = id.to_string();
            element("class", &[("name", name), ("id", &id)], fields.len());
            for (name, class, attributes) in fields {
                let class = class.to_string();
                let about = [("name", *name), ("class", class.as_str())];
                element("field", &[&about, *attributes].concat(), 0);
            }
        }
        let mut values = vec![
            Value::Long(0),
            Value::Long(0),
            Value::Long(0),
            Value::Int(texts.len() as i32),
        ];
        values.extend(texts.into_iter().map(|text| {
            Value::Bytes({
                let mut bytes = vec![3];
                self.number(&mut bytes, text.len() as u64, 4);
                bytes.extend(text.into_bytes());
                bytes
            })
        }));
        values.extend(tree);
        values
    }

    fn event(&self, bytes: &mut Vec<u8>, class: u64, values: &[Value]) {
        let mut body = Vec::new();
        self.number(&mut body, class, 8);
        for value in values {
            self.value(&mut body, value);
        }
        let size = body.len() as u32 + 4;
        match self.integers {
            // As JDK does: four bytes, whatever the size.
            Integers::Compressed => {
                bytes.extend(
                    (0..4).map(|i| (size >> (7 * i)) as u8 & 0x7f | if i < 3 { 0x80 } else { 0 }),
                );
            }
            Integers::Raw => bytes.extend(size.to_be_bytes()),
        }
        bytes.extend(body);
    }

    fn value(&self, bytes: &mut Vec<u8>, value: &Value) {
        match value {
            Value::Long(number) => self.number(bytes, *number, 8),
            Value::Int(number) => self.number(bytes, u64::from(*number as u32), 4),
            Value::Byte(byte) => bytes.push(*byte),
            Value::Utf8(text) => {
                bytes.push(3);
                self.number(bytes, text.len() as u64, 4);
                bytes.extend(text.as_bytes());
            }
            Value::Utf16(text) => {
                let units: Vec<u16> = text.encode_utf16().collect();
                bytes.push(4);
                self.number(bytes, units.len() as u64, 4);
                for unit in units {
                    self.number(bytes, u64::from(unit), 2);
                }
            }
            Value::Latin1(text) => {
                bytes.push(5);
                self.number(bytes, text.chars().count() as u64, 4);
                bytes.extend(text.chars().map(|c| c as u8));
            }
            Value::TextOf(key) => {
                bytes.push(2);
                self.number(bytes, *key, 8);
            }
            Value::Array(values) => {
                self.number(bytes, values.len() as u64, 4);
                for value in values.iter().flatten() {
                    self.value(bytes, value);
                }
            }
            Value::Bytes(raw) => bytes.extend(raw),
        }
    }

    fn number(&self, bytes: &mut Vec<u8>, mut number: u64, width: usize) {
        if self.integers == Integers::Raw {
            return bytes.extend(&number.to_be_bytes()[8 - width..]);
        }
        for _ in 0..8 {
            if number < 0x80 {
                return bytes.push(number as u8);
            }
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
    }
}
