/** The shapes of series in a chart, as paths of SVG. */

/** What a chart is drawn in; it is stretched to the room there is. */
export const WIDTH = 1000;
export const HEIGHT = 160;

/** A band of the chart: the values of its steps, and from which height each is drawn. */
export interface Band {
  name: string;
  colour: string;
  values: (number | null)[];
  below: number[];
}

export const round = (value: number) => Math.round(value * 100) / 100;
/** Where a value is, from the top. */
export const heightOf = (value: number, peak: number) => round(HEIGHT - (value / peak) * (HEIGHT - 2));

/** Where a step begins and ends. */
export type Edges = (index: number) => [left: number, right: number];

export function areaOf({ values, below }: Band, peak: number, edges: Edges): string {
  let path = "";
  for (const [i, value] of values.entries()) {
    if (!value) continue;
    const [bottom, top] = [below[i] ?? 0, (below[i] ?? 0) + value].map((height) => heightOf(height, peak));
    const [left, right] = edges(i);
    path += `M${left} ${bottom}V${top}H${right}V${bottom}Z`;
  }
  return path;
}

export function lineOf({ values }: Band, peak: number, edges: Edges): string {
  let path = "";
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    const [left, right] = edges(i);
    path += `${i > 0 && values[i - 1] !== null ? "L" : "M"}${left} ${heightOf(value, peak)}H${right}`;
  }
  return path;
}
