//! Protobuf messages in the making.

/// A protobuf message in the making.
#[derive(Default)]
pub(crate) struct Message(pub(crate) Vec<u8>);

impl Message {
    pub(crate) fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    pub(crate) fn number(self, field: u64, value: u64) -> Self {
        self.varint(field << 3).varint(value)
    }

    pub(crate) fn bytes(self, field: u64, bytes: &[u8]) -> Self {
        let mut message = self.varint(field << 3 | 2).varint(bytes.len() as u64);
        message.0.extend_from_slice(bytes);
        message
    }

    /// The same field until so many bytes are written.
    pub(crate) fn repeat(mut self, field: u64, bytes: usize, row: impl Fn(u64) -> Vec<u8>) -> Self {
        let end = self.0.len() + bytes;
        for i in 0.. {
            if self.0.len() >= end {
                break;
            }
            self = self.bytes(field, &row(i));
        }
        self
    }

    pub(crate) fn each(self, count: usize, add: impl Fn(Self, u64) -> Self) -> Self {
        (0..count as u64).fold(self, add)
    }
}
