/** Whether a file is speedscope's JSON as it is exported here. */

/** The last key, with room for spaces of a formatter. */
const END = 100;
const EXPORTER = /"exporter"\s*:\s*"Pilotlight"\s*\}\s*$/;

/**
 * Exports have sums of stacks, one weight each. The format has no other way to say that weights of nanoseconds are not one
 * sample after the other, so a file of ours says it by its exporter.
 */
export function isOwnExport(bytes: Uint8Array): boolean {
  return EXPORTER.test(new TextDecoder().decode(bytes.subarray(-END)));
}
