/** Programs and their symbols, which name the addresses of profiles. They are told by their first bytes, as the core does. */

/** How far the rules below look. */
const START_BYTES = 100;
/** ELF, and Mach-O of 32 and 64 bits in either order, and for several processors. */
const MAGIC = [0x7f454c46, 0xcefaedfe, 0xcffaedfe, 0xfeedface, 0xfeedfacf, 0xcafebabf];
/** Mach-O for several processors, or a class of Java: the first has their number behind it, the second a version. */
const UNIVERSAL_OR_JAVA = 0xcafebabe;
const FIRST_JAVA_VERSION = 45;

export async function isProgram(file: Blob): Promise<boolean> {
  // What cannot be read says so when it is read.
  const start = await file
    .slice(0, START_BYTES)
    .arrayBuffer()
    .catch(() => new ArrayBuffer());
  return beginsProgram(new Uint8Array(start));
}

/** Whether bytes are the beginning of one. */
export function beginsProgram(bytes: Uint8Array<ArrayBuffer>): boolean {
  if (bytes.length < 8) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const magic = view.getUint32(0);
  if (magic === UNIVERSAL_OR_JAVA) return view.getUint32(4) < FIRST_JAVA_VERSION;
  const text = () => new TextDecoder().decode(bytes.subarray(0, START_BYTES));
  return MAGIC.includes(magic) || /^MODULE \S+ \S+ [0-9a-f]+ /i.test(text());
}
