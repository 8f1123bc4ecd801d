/** What was dropped or chosen → what may be a profile: archives are opened, noise is left out, and there is an end. */
import type { Found } from "./folder.ts";
import { FileError, fileSource, type Source } from "./source.ts";

/** The first bytes of a zip archive, and of one without files. */
const ZIP = ["PK\x03\x04", "PK\x05\x06"];
/** More files than this are not opened at once: each stays in memory. */
const MAX_SOURCES = 100;

export interface Gathered {
  sources: Source[];
  /** What cannot be looked into. */
  refused: { name: string; failure: unknown }[];
}

export async function gather(found: Found[], signal: AbortSignal): Promise<Gathered> {
  const sources: Source[] = [];
  const refused: Gathered["refused"] = [];
  for (const { file, path } of found) {
    signal.throwIfAborted();
    if (!(await isZip(file))) {
      sources.push(fileSource(file, path));
      continue;
    }
    try {
      const { zipSources } = await import("./zip.ts");
      sources.push(...(await zipSources(file)));
    } catch (failure) {
      refused.push({ name: path, failure });
    }
  }
  const left = sources.splice(MAX_SOURCES).length;
  if (left > 0) {
    const failure = new FileError(`Only ${MAX_SOURCES} files can be opened at once; ${left} more were skipped.`, [
      "Open the others separately.",
    ]);
    refused.push({ name: "More files", failure });
  }
  return { sources, refused };
}

async function isZip(file: File): Promise<boolean> {
  // What cannot be read says so when it is read.
  const start = await file
    .slice(0, 4)
    .text()
    .catch(() => "");
  return ZIP.includes(start);
}
