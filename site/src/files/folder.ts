/** Folders: all files below one that was dropped or chosen. */

/** Files that are looked at below a folder. A dropped home folder has a million. */
const MAX_FOUND = 2000;

/** A file, and its path below the folder. */
export interface Found {
  file: File;
  path: string;
}

/** The last two are in a dSYM, beside the symbols. */
const NOISE = /^(__MACOSX|Thumbs\.db|desktop\.ini|Info\.plist|Relocations)$/i;

/** What systems and tools leave in folders and archives beside what people put there. */
export function isNoise(path: string): boolean {
  return path.split("/").some((part) => part.startsWith(".") || NOISE.test(part));
}

/** Files and folders that were dropped. The entries have to be taken while the drop is handled, and can be read later. */
export function droppedEntries(data: DataTransfer): FileSystemEntry[] {
  return [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
}

/** All files of the entries. Those below a folder are named by their path in it, and come in the order of their names. */
export async function filesBelow(entries: FileSystemEntry[], signal: AbortSignal): Promise<Found[]> {
  const found: Found[] = [];
  for (const entry of entries) {
    if (entry.isFile) found.push({ file: await fileOf(entry as FileSystemFileEntry), path: entry.name });
    else await walk(entry as FileSystemDirectoryEntry, entry.fullPath.length + 1, found, signal);
  }
  return found;
}

async function walk(folder: FileSystemDirectoryEntry, from: number, found: Found[], signal: AbortSignal) {
  for (const entry of await entriesOf(folder)) {
    signal.throwIfAborted();
    if (found.length >= MAX_FOUND) return;
    const path = entry.fullPath.slice(from);
    if (isNoise(path)) continue;
    if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, from, found, signal);
    else found.push({ file: await fileOf(entry as FileSystemFileEntry), path });
  }
}

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    // Browsers hand them out a hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all.sort((a, b) => (a.name < b.name ? -1 : 1));
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
