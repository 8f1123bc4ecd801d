/**
 * Zip archives. Of an archive only the directory is read, and each file when its turn comes, so that one of any size takes
 * the memory of its largest file. The browser inflates. Layout: APPNOTE.TXT of PKWARE, sections 4.3 and 4.4.
 */
import { formatBytes } from "../format/value.ts";
import { isNoise } from "./folder.ts";
import { FileError, MAX_FILE_BYTES, type ReadProgress, readStream, type Source, tooLarge } from "./source.ts";

const END = 0x06054b50;
const END_BYTES = 22;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/** 65,535 entries of 256 bytes each. */
const MAX_DIRECTORY_BYTES = 16 << 20;
/** Of all files of an archive together. */
const MAX_INFLATED_BYTES = 1 << 30;

const UNPACK = "Unpack the archive, and open the profiles that are inside.";

interface Entry {
  name: string;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  size: number;
  /** Where its own header is. */
  at: number;
}

/** The files inside, less what systems leave there. */
export async function zipSources(file: Blob): Promise<Source[]> {
  const entries = (await readDirectory(file)).filter(({ name }) => !name.endsWith("/") && !isNoise(name));
  if (entries.length === 0) throw new FileError("This archive contains no files.", []);
  if (entries.every(({ flags }) => flags & ENCRYPTED)) throw encrypted("This archive is encrypted.");
  let inflated = 0;
  return entries.map((entry) => ({
    name: entry.name,
    size: entry.size,
    stage: "unpacking",
    address: "",
    read: (signal, progress) => {
      if (entry.size > MAX_FILE_BYTES) throw tooLarge(entry.size);
      inflated += entry.size;
      if (inflated > MAX_INFLATED_BYTES)
        throw new FileError(`This archive unpacks to more than ${formatBytes(MAX_INFLATED_BYTES)}.`, [UNPACK]);
      return unpack(file, entry, signal, progress);
    },
  }));
}

async function readDirectory(file: Blob): Promise<Entry[]> {
  const tail = await viewOf(file, Math.max(0, file.size - END_BYTES - 0xffff), file.size);
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && tail.getUint32(end, true) !== END) end--;
  if (end < 0) throw broken("the directory at its end is missing");
  const count = tail.getUint16(end + 10, true);
  const bytes = tail.getUint32(end + 12, true);
  const start = tail.getUint32(end + 16, true);
  if (count === 0xffff || start === 0xffffffff)
    throw new FileError("This archive is over 4 GiB or contains over 65,534 files (zip64), which is not supported.", [
      UNPACK,
    ]);
  if (bytes > MAX_DIRECTORY_BYTES) throw broken(`its directory is too large (${formatBytes(bytes)})`);
  const directory = await viewOf(file, start, start + bytes);
  const entries: Entry[] = [];
  for (let at = 0; entries.length < count; ) {
    if (at + ENTRY_BYTES > directory.byteLength || directory.getUint32(at, true) !== ENTRY)
      throw broken(`entry ${entries.length + 1} of its directory is invalid`);
    const nameBytes = directory.getUint16(at + 28, true);
    const next = at + ENTRY_BYTES + nameBytes + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
    if (next > directory.byteLength) throw broken(`entry ${entries.length + 1} runs past its directory`);
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(directory.buffer, at + ENTRY_BYTES, nameBytes)),
      flags: directory.getUint16(at + 8, true),
      method: directory.getUint16(at + 10, true),
      crc: directory.getUint32(at + 16, true),
      packed: directory.getUint32(at + 20, true),
      size: directory.getUint32(at + 24, true),
      at: directory.getUint32(at + 42, true),
    });
    at = next;
  }
  return entries;
}

async function unpack(
  file: Blob,
  entry: Entry,
  signal: AbortSignal,
  progress: ReadProgress,
): Promise<Uint8Array<ArrayBuffer>> {
  if (entry.flags & ENCRYPTED) throw encrypted("This file is encrypted in its archive.");
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new FileError(`This file is compressed with zip method ${entry.method}, which is not supported.`, [UNPACK]);
  const header = await viewOf(file, entry.at, entry.at + LOCAL_BYTES);
  if (header.byteLength < LOCAL_BYTES || header.getUint32(0, true) !== LOCAL) throw broken(`${entry.name} is missing`);
  const start = entry.at + LOCAL_BYTES + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = file.slice(start, start + entry.packed);
  const stream =
    entry.method === STORED ? packed.stream() : packed.stream().pipeThrough(new DecompressionStream("deflate-raw"));
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await readStream(stream, entry.size, signal, (done) => progress(done, entry.size));
  } catch (failure) {
    if (signal.aborted) throw failure;
    throw broken(`${entry.name} does not inflate to ${entry.size} bytes`);
  }
  if (bytes.length !== entry.size || crc32(bytes) !== entry.crc) throw broken(`${entry.name} fails its checksum`);
  return bytes;
}

async function viewOf(file: Blob, from: number, to: number): Promise<DataView<ArrayBuffer>> {
  return new DataView(await file.slice(from, to).arrayBuffer());
}

function broken(what: string): FileError {
  return new FileError(`This archive is broken: ${what}.`, ["Check that the download was complete."]);
}

function encrypted(meaning: string): FileError {
  return new FileError(meaning, ["Unpack the archive with its password, and open the profiles that are inside."]);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
