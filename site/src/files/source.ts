/** What may be a profile, wherever it comes from: it is read when its turn comes. */
import { formatBytes } from "../format/value.ts";

/** The core's own cap: what is larger is not read, so it need not be brought into memory. */
export const MAX_FILE_BYTES = 256 << 20;
/** Up to this size a file is read at once: what comes in steps is copied. */
const AT_ONCE = 32 << 20;
/** How much of a larger one is read between two looks at the signal. */
const STEP = 8 << 20;

export interface Source {
  name: string;
  /** In bytes; 0 when it is not known before. */
  size: number;
  /** What is done to get its bytes, for the line that says what goes on. */
  stage: string;
  /** Where it is fetched from; empty when it is on this machine. */
  address: string;
  /** The file itself, when it is one of this machine: a large program need not be brought into this page's memory. */
  file?: File;
  read(signal: AbortSignal, progress: ReadProgress): Promise<Uint8Array<ArrayBuffer>>;
}

/** How much there is already, of how much; 0 when that is not known. */
export type ReadProgress = (bytes: number, size: number) => void;

/** Why something cannot be read, in words for the person. */
export class FileError extends Error {
  readonly tries: string[];
  constructor(meaning: string, tries: string[]) {
    super(meaning);
    this.tries = tries;
  }
}

export function tooLarge(size: number): FileError {
  return new FileError(`This file is ${formatBytes(size)}; the limit is ${formatBytes(MAX_FILE_BYTES)}.`, [
    "Record for a shorter time, or sample less often.",
  ]);
}

export function fileSource(file: File, name: string): Source {
  return { name, size: file.size, stage: "reading", address: "", file, read: (...how) => readFile(file, ...how) };
}

async function readFile(file: File, signal: AbortSignal, progress: ReadProgress): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > MAX_FILE_BYTES) throw tooLarge(file.size);
  if (file.size <= AT_ONCE) {
    progress(0, file.size);
    const bytes = new Uint8Array(await file.arrayBuffer().catch(gone));
    signal.throwIfAborted();
    return bytes;
  }
  const bytes = new Uint8Array(file.size);
  for (let at = 0; at < bytes.length; at += STEP) {
    progress(at, bytes.length);
    bytes.set(
      new Uint8Array(
        await file
          .slice(at, at + STEP)
          .arrayBuffer()
          .catch(gone),
      ),
      at,
    );
    signal.throwIfAborted();
  }
  return bytes;
}

function gone(failure: unknown): never {
  if (!(failure instanceof DOMException)) throw failure;
  throw new FileError("The browser could not read this file from the disk.", [
    "Check that the file still exists, is readable, and is not a folder.",
    "If the file has changed since you chose it, choose it again.",
  ]);
}

/** Puts the chunks of a stream together. More than `cap` bytes are an error, and so is a signal. */
export async function readStream(
  stream: ReadableStream<Uint8Array>,
  cap: number,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      length += value.length;
      if (length > cap) throw tooLarge(length);
      chunks.push(value);
      progress(length);
    }
  } finally {
    // Nothing is left to stop after the end, and what has failed is stopped already.
    reader.cancel().catch(() => {});
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
