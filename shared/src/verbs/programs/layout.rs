//! From an address in a process to one in the file, as its symbols count.

use serde::{Deserialize, Serialize};

use crate::model::profile::Mapping;

/// Smallest page that a system maps.
const PAGE: u64 = 4096;

/// How a program lies in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// In segments, each at an offset of its own (ELF).
    Segments(Vec<Segment>),
    /// In one piece that begins at an address (Mach-O, and 0 for Breakpad).
    Image(u64),
}

/// A part of a file that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Its address in the file.
    pub address: u64,
    /// Bytes of memory.
    pub size: u64,
    /// Where its bytes begin in the file.
    pub offset: u64,
    /// How many of its bytes are in the file; 0 in a file of debug information alone.
    pub file_size: u64,
    /// Its address and its offset differ by a multiple of this, which is at least 1.
    pub align: u64,
    /// Whether it holds code.
    pub executable: bool,
}

impl Layout {
    /// The address in the file. `image` is where the beginning of the file is mapped. An address
    /// outside of its mapping counts from the beginning of the file already, as some profilers
    /// write it.
    pub(super) fn address(&self, mapping: &Mapping, image: u64, address: u64) -> Option<u64> {
        if !(mapping.start..mapping.limit).contains(&address) {
            let base = self.base();
            let address = match address < base {
                true => base.checked_add(address)?,
                false => address,
            };
            return self.holds(address).then_some(address);
        }
        match self {
            Self::Image(base) => base.checked_add(address.checked_sub(image)?),
            Self::Segments(segments) => {
                let offset = (address - mapping.start).checked_add(mapping.offset)?;
                in_segments(segments, mapping.offset, offset)
            }
        }
    }

    /// Whether an address of the file is in memory. How long an image is is not known.
    fn holds(&self, address: u64) -> bool {
        match self {
            Self::Image(_) => true,
            Self::Segments(segments) => segments.iter().any(|segment| segment.holds(address)),
        }
    }

    /// The lowest address.
    fn base(&self) -> u64 {
        match self {
            Self::Image(base) => *base,
            Self::Segments(segments) => segments.iter().map(|s| s.address).min().unwrap_or(0),
        }
    }
}

impl Segment {
    /// Whether it holds an address of the file.
    fn holds(&self, address: u64) -> bool {
        let at = address.checked_sub(self.address);
        at.is_some_and(|at| at < self.size)
    }
}

/// The address of an offset in the file; `mapped` is the offset of the first byte that was mapped.
fn in_segments(segments: &[Segment], mapped: u64, offset: u64) -> Option<u64> {
    let has_code = segments.iter().any(|s| s.executable && s.file_size > 0);
    if has_code {
        let holds = |s: &&Segment| {
            offset
                .checked_sub(s.offset)
                .is_some_and(|at| at < s.file_size)
        };
        let segment = segments.iter().find(holds)?;
        return segment.address.checked_add(offset - segment.offset);
    }
    // A file of debug information alone: its segments have lost their offsets. The one that was
    // mapped begins with the file, or is the executable one. Addresses and offsets differ by a
    // multiple of its alignment, whatever the size of a page was.
    let segment = match mapped {
        0 => segments.iter().min_by_key(|s| s.address)?,
        // Of several, nothing tells which one it is.
        _ => {
            let mut code = segments.iter().filter(|s| s.executable);
            code.next().filter(|_| code.next().is_none())?
        }
    };
    let first_page = segment.address / PAGE * PAGE;
    let moved = first_page.checked_sub(mapped)? / segment.align.max(1) * segment.align;
    let address = offset.checked_add(moved)?;
    segments
        .iter()
        .any(|segment| segment.holds(address))
        .then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::StringId;
    use crate::model::profile::SymbolFlags;

    fn mapping(start: u64, limit: u64, offset: u64) -> Mapping {
        Mapping {
            start,
            limit,
            offset,
            file: StringId::EMPTY,
            build_id: StringId::EMPTY,
            symbols: SymbolFlags::default(),
        }
    }

    /// Data at 0x400000, code at 0x402040 from offset 0x1040 on, as lld lays it out.
    fn segments(debug: bool, align: u64) -> Layout {
        let segment = |address, size, offset, executable| Segment {
            address,
            size,
            offset: if debug { 0 } else { offset },
            file_size: if debug { 0 } else { size },
            align,
            executable,
        };
        Layout::Segments(vec![
            segment(0x40_0000, 0x500, 0, false),
            segment(0x40_2040, 0x800, 0x1040, true),
        ])
    }

    #[test]
    fn addresses_of_segments() {
        let mapped = mapping(0x7f00_0000_1000, 0x7f00_0000_2000, 0x1000);
        for debug in [false, true] {
            let layout = segments(debug, 0x1000);
            let address = |at| layout.address(&mapped, 0x7f00_0000_0000, at);
            assert_eq!(address(0x7f00_0000_1040), Some(0x40_2040), "debug: {debug}");
            assert_eq!(address(0x7f00_0000_183f), Some(0x40_283f));
            assert_eq!(address(0x7f00_0000_1840), None, "beyond the segment");
            assert_eq!(address(0x7f00_0000_1000), None, "before the segment");
        }
    }

    #[test]
    fn debug_files_of_large_pages() {
        // Offset 0x11040 at 0x421040, aligned to 64 KiB: mapped from page 0x10000 or 0x11000 on.
        let code = Segment {
            address: 0x42_1040,
            size: 0x800,
            offset: 0,
            file_size: 0,
            align: 0x1_0000,
            executable: true,
        };
        let layout = Layout::Segments(vec![code]);
        for offset in [0x1_0000, 0x1_1000] {
            let mapped = mapping(0x5000_0000, 0x5002_0000, offset);
            let at = 0x5000_0000 + 0x1_1040 - offset;
            assert_eq!(layout.address(&mapped, 0, at), Some(0x42_1040));
        }
    }

    #[test]
    fn addresses_that_are_not_of_a_process() {
        let layout = segments(false, 0x1000);
        let none = mapping(0, 0, 0);
        assert_eq!(layout.address(&none, 0, 0x40_2040), Some(0x40_2040));
        assert_eq!(layout.address(&none, 0, 0x2040), Some(0x40_2040));
        let elsewhere = mapping(0x7f00_0000_0000, 0x7f00_0000_1000, 0);
        assert_eq!(layout.address(&elsewhere, 0, 0x40_2040), Some(0x40_2040));
        assert_eq!(layout.address(&mapping(0, u64::MAX, u64::MAX), 0, 7), None);
    }

    #[test]
    fn addresses_of_an_image() {
        let layout = Layout::Image(0x1_0000_0000);
        let mapped = mapping(0x10_4000, 0x10_8000, 0x4000);
        assert_eq!(
            layout.address(&mapped, 0x10_0000, 0x10_4010),
            Some(0x1_0000_4010)
        );
        assert_eq!(layout.address(&mapped, 0, 0x20), Some(0x1_0000_0020));
    }
}
