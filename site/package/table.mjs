/** Rows of cells as text, in columns. */
export function table(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((cells) => cells[at].length)));
  const line = (cells) => cells.map((cell, at) => cell.padEnd(widths[at])).join("  ");
  return rows.map((cells) => line(cells).trimEnd()).join("\n");
}
