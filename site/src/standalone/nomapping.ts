/** Mappings of source files: a page without a server fetches none, and needs nothing that reads them. */
export function parseMappings(): [] {
  return [];
}
