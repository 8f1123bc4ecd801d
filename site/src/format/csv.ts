/** Tables as text, for spreadsheets. */

/** A field. What a spreadsheet would run as a formula gets an apostrophe: names come from whoever made the profile. */
export function csvField(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless;
}

/** Rows of fields and numbers. */
export function csvText(rows: (string | number)[][]): string {
  return rows.map((row) => `${row.join(",")}\r\n`).join("");
}
