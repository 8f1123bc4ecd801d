//! A recording, before its samples are read: its events, and its records in order of time.

use hashbrown::HashMap;

use super::attribute::Attribute;
use super::record::{NAME, Record, Records, kind};
use crate::base::limits::MAX_PROFILE_BYTES;
use crate::base::sort::sort_rows;
use crate::formats::compression::inflate_zstd_stream;
use crate::imports::binary::bytes::{part, place_at, text_at, u32_at, u64_at};
use crate::imports::error::FormatError;
use crate::imports::rows::Rows;

/// The head of a file in a pipe; that of one on disk is longer.
const PIPE_HEAD: usize = 16;
/// What is read of the head of a file on disk.
const FILE_HEAD: usize = 104;
/// How many features a head has bits for.
const FEATURES: u64 = 256;

/// What a record, an event and an id of one take.
const RECORD: usize = 40;
const ATTRIBUTE: usize = 160;
const ID: usize = 32;
const BUILD_ID: usize = 64;

/// A recording.
pub(super) struct Recording<'a> {
    pub(super) attributes: Vec<Attribute>,
    /// Row of the attribute of each id.
    by_id: HashMap<u64, u32>,
    /// Of each file.
    pub(super) build_ids: HashMap<&'a [u8], &'a [u8]>,
    pub(super) command: String,
    /// Whether the file breaks off.
    pub(super) is_cut: bool,
}

/// A record of the kernel, and when it was written.
pub(super) struct Timed<'a> {
    time: u64,
    pub(super) record: Record<'a>,
}

/// The records of a file.
fn data(bytes: &[u8]) -> Option<&[u8]> {
    if place_at(bytes, 8)? == PIPE_HEAD {
        return bytes.get(PIPE_HEAD..);
    }
    let rest = bytes.get(place_at(bytes, 40)?..)?;
    // A recording that was not ended does not say how long it is.
    match place_at(bytes, 48)? {
        0 => Some(rest),
        length => Some(&rest[..length.min(rest.len())]),
    }
}

/// The same or what is wrong.
fn checked_data(bytes: &[u8]) -> Result<&[u8], FormatError> {
    data(bytes).ok_or_else(|| FormatError::new(NAME, "the file is cut off within its header"))
}

/// Goes through all records.
fn each<'a>(
    bytes: &'a [u8],
    base: usize,
    what: &str,
    mut take: impl FnMut(Record<'a>) -> Result<(), FormatError>,
) -> Result<bool, FormatError> {
    let mut records = Records::new(bytes);
    loop {
        match records.next() {
            Ok(Some(record)) => take(record)?,
            Ok(None) => return Ok(records.is_cut),
            Err(at) => {
                let place = format!("byte {}{what}", base + at);
                return Err(FormatError::at(
                    NAME,
                    place,
                    "a record is shorter than its header",
                ));
            }
        }
    }
}

/// Where the records begin.
fn base(bytes: &[u8], data: &[u8]) -> usize {
    data.as_ptr() as usize - bytes.as_ptr() as usize
}

/// Records that were packed. All parts are one stream, which may not end.
pub(super) fn packed(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    let data = checked_data(bytes)?;
    let mut stream = Vec::new();
    each(data, base(bytes, data), "", |record| {
        let part = match record.kind {
            kind::COMPRESSED => record.body,
            kind::COMPRESSED2 => place_at(record.body, 0)
                .and_then(|length| part(record.body, 8, length))
                .unwrap_or_default(),
            _ => return Ok(()),
        };
        stream.extend_from_slice(part);
        Ok(())
    })?;
    if stream.is_empty() {
        return Ok(stream);
    }
    inflate_zstd_stream(&stream, MAX_PROFILE_BYTES)
        .map_err(|error| FormatError::new(NAME, error.to_string()))
}

impl<'a> Recording<'a> {
    /// Reads what is known of the recording as a whole.
    pub(super) fn read(
        bytes: &'a [u8],
        packed: &'a [u8],
        rows: &mut Rows,
    ) -> Result<Self, FormatError> {
        let mut recording = Self {
            attributes: Vec::new(),
            by_id: HashMap::new(),
            build_ids: HashMap::new(),
            command: String::new(),
            is_cut: false,
        };
        if place_at(bytes, 8) != Some(PIPE_HEAD) {
            recording
                .head(bytes, rows)
                .ok_or_else(|| FormatError::new(NAME, "the file's header is damaged"))?;
            rows.check()?;
            let length = place_at(bytes, 48);
            recording.is_cut |=
                length.is_some_and(|length| length > checked_data(bytes).map_or(0, <[u8]>::len));
        }
        let data = checked_data(bytes)?;
        for (part, base, what) in [
            (data, base(bytes, data), ""),
            (packed, 0, " of the compressed records"),
        ] {
            recording.is_cut |= each(part, base, what, |record| {
                recording.user_record(record, rows);
                rows.check()
            })?;
        }
        if recording.attributes.is_empty() {
            return Err(FormatError::sampleless(NAME));
        }
        Ok(recording)
    }

    /// Reads the head of a file on disk: its events, then its features.
    fn head(&mut self, bytes: &'a [u8], rows: &mut Rows) -> Option<()> {
        let head = bytes.get(..FILE_HEAD)?;
        let attribute = place_at(head, 16)?;
        let events = part(bytes, place_at(head, 24)?, place_at(head, 32)?)?;
        // Behind each event are place and length of its ids.
        let described = attribute.checked_sub(16).filter(|&length| length > 0)?;
        for event in events.chunks_exact(attribute) {
            let start = place_at(event, described)?;
            let ids = part(bytes, start, place_at(event, described + 8)?)?;
            self.attribute(&event[..described], ids, rows)?;
            // The caller names what is wrong.
            if rows.check().is_err() {
                return Some(());
            }
        }
        let length = place_at(head, 48)?;
        let mut table = place_at(head, 40)?.checked_add(length)?;
        let flagged = |number: u64| {
            let word = u64_at(head, 72 + (number / 64 * 8) as usize);
            word.is_some_and(|word| word & 1 << (number % 64) != 0)
        };
        // One that is cut off has none.
        for number in (0..FEATURES).filter(|&number| length > 0 && flagged(number)) {
            let row = part(bytes, table, 16).unwrap_or_default();
            let feature = place_at(row, 0).zip(place_at(row, 8));
            let feature = feature.and_then(|(start, length)| part(bytes, start, length));
            let Some(feature) = feature else {
                self.is_cut = true;
                break;
            };
            self.feature(number, feature);
            table += 16;
        }
        rows.beside += BUILD_ID * self.build_ids.len();
        Some(())
    }

    /// Adds an event and its ids.
    fn attribute(&mut self, bytes: &[u8], ids: &[u8], rows: &mut Rows) -> Option<()> {
        let row = self.attributes.len() as u32;
        self.attributes.push(Attribute::of(bytes)?);
        for id in (0..ids.len()).step_by(8).filter_map(|at| u64_at(ids, at)) {
            self.by_id.insert(id, row);
        }
        rows.beside += ATTRIBUTE + ids.len() / 8 * ID;
        Some(())
    }

    /// Reads a record that perf itself wrote.
    fn user_record(&mut self, record: Record<'a>, rows: &mut Rows) {
        let body = record.body;
        match record.kind {
            kind::ATTRIBUTE => {
                let length = u32_at(body, 4).map(|length| length as usize);
                if let Some((described, ids)) =
                    length.and_then(|length| body.split_at_checked(length))
                {
                    self.attribute(described, ids, rows);
                }
            }
            kind::BUILD_ID => {
                self.build_id(record);
                rows.beside += BUILD_ID;
            }
            kind::EVENT_UPDATE => {
                // 2 is a name.
                let event = u64_at(body, 8).and_then(|id| self.by_id.get(&id));
                if u64_at(body, 0) == Some(2)
                    && let (Some(&row), Some(name)) = (event, text_at(body, 16))
                {
                    self.attributes[row as usize].name = Some(name.into_owned());
                }
            }
            kind::FEATURE => {
                if let (Some(number), Some(feature)) = (u64_at(body, 0), body.get(8..)) {
                    self.feature(number, feature);
                }
            }
            _ => {}
        }
    }

    /// The event of a sample: the first where its id says none, and `None` where the id is of none
    /// of several events.
    pub(super) fn attribute_of(&self, body: &[u8]) -> Option<usize> {
        let first = self.attributes.first()?;
        match first.id_of_sample(body) {
            Some(id) if id != 0 && self.attributes.len() > 1 => self.attribute_of_id(id),
            _ => Some(0),
        }
    }

    /// The event with this id.
    pub(super) fn attribute_of_id(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).map(|&row| row as usize)
    }

    /// Records of the kernel, and their order in time.
    pub(super) fn records(
        &self,
        bytes: &'a [u8],
        packed: &'a [u8],
        rows: &mut Rows,
    ) -> Result<(Vec<Timed<'a>>, Vec<u32>), FormatError> {
        let mut records = Vec::new();
        for part in [checked_data(bytes)?, packed] {
            let mut last = 0;
            each(part, 0, "", |record| {
                let (known, body) = (&self.attributes, record.body);
                let time = match record.kind {
                    kind::SAMPLE => {
                        let row = self.attribute_of(body);
                        known[row.unwrap_or(0)].time_of_sample(body)
                    }
                    kind::MMAP
                    | kind::MMAP2
                    | kind::COMM
                    | kind::FORK
                    | kind::KSYMBOL
                    | kind::LOST
                    | kind::LOST_SAMPLES => known[0].time_of_other(body),
                    _ => return Ok(()),
                };
                // One without a time was written after the one before.
                last = time.unwrap_or(last);
                records.push(Timed { time: last, record });
                rows.beside += RECORD;
                rows.check()
            })?;
        }
        let mut order: Vec<u32> = (0..records.len() as u32).collect();
        sort_rows(&mut order, &mut |a, b| {
            records[a as usize].time.cmp(&records[b as usize].time)
        });
        Ok((records, order))
    }
}
