//! Zip files whose entries are stored: objects are compressed already.

use std::io::Write;

use rawzip::{CompressionMethod, Error, ZipArchive, ZipArchiveWriter, ZipVerification, crc32};

use super::error::BundleError;
use crate::plans::BundleFile;

/// A zip of one folder.
pub(super) fn write(folder: &str, files: &[BundleFile]) -> Result<Vec<u8>, BundleError> {
    let mut bytes = Vec::with_capacity(files.iter().map(|file| file.bytes.len() + 256).sum());
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for file in files {
        let name = format!("{folder}/{}", file.key);
        let (mut entry, config) = archive.new_file(name.as_str()).start()?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(&file.bytes).map_err(Error::from)?;
        let (_, descriptor) = writer.finish()?;
        entry.finish(descriptor)?;
    }
    archive.finish()?;
    Ok(bytes)
}

/// The files of a zip, with their names; their bytes are those of their checksums.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, BundleError> {
    let archive = ZipArchive::from_slice(bytes)?;
    let mut files = Vec::new();
    let mut entries = archive.entries();
    while let Some(entry) = entries.next_entry()? {
        if entry.is_dir() {
            continue;
        }
        let name = entry.file_path();
        let name = String::from_utf8_lossy(name.as_ref()).into_owned();
        if entry.compression_method() != CompressionMethod::STORE {
            return Err(BundleError::Compressed(name));
        }
        let stored = archive.get_entry(entry.wayfinder())?;
        let data = stored.data();
        stored.claim_verifier().valid(ZipVerification {
            crc: crc32(data),
            uncompressed_size: data.len() as u64,
        })?;
        files.push((name, data.to_vec()));
    }
    Ok(files)
}

impl From<Error> for BundleError {
    fn from(error: Error) -> Self {
        Self::Zip(error.to_string())
    }
}
